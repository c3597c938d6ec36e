//! Where this program's own files are.

use std::path::{Path, PathBuf};

use ds4_context_host::{CodeCache, DataFolder};

use super::arguments::Common;
use super::failure::Failure;

/// Names another folder for compiled code.
const CACHE_VARIABLE: &str = "DS4_CONTEXT_CACHE";
/// The configuration in the data folder.
const CONFIG_FILE: &str = "ds4-context.json";

/// `--no-cache`, `DS4_CONTEXT_CACHE`, else the platform's cache folder.
pub(crate) fn code_cache(common: &Common) -> CodeCache {
    if common.no_cache {
        return CodeCache::Off;
    }
    match std::env::var_os(CACHE_VARIABLE).filter(|folder| !folder.is_empty()) {
        Some(folder) => CodeCache::Folder(folder.into()),
        None => CodeCache::Platform,
    }
}

/// The person's own configuration in the data folder.
pub(crate) fn personal_config(common: &Common) -> Option<PathBuf> {
    let file = data_folder_path(common)?.join(CONFIG_FILE);
    file.is_file().then_some(file)
}

/// Where a one-shot command keeps derived state: in `--data-dir` or `DS4_CONTEXT_HOME`, and nowhere without either, so
/// that it works in memory and writes nothing.
pub(crate) fn one_shot_data_folder(common: &Common) -> Result<Option<DataFolder>, Failure> {
    named_data_folder(common)
        .map(|folder| {
            DataFolder::new(folder).map_err(|error| {
                Failure::BadInput(format!("{} cannot be used: {error}", folder.display()))
            })
        })
        .transpose()
}

/// Where derived state is kept by a command whose purpose it is: in the named folder, else in the platform's. None on a
/// machine without one.
pub(crate) fn data_folder(common: &Common) -> Result<Option<DataFolder>, Failure> {
    data_folder_path(common)
        .map(|folder| {
            DataFolder::new(&folder).map_err(|error| {
                Failure::BadInput(format!("{} cannot be used: {error}", folder.display()))
            })
        })
        .transpose()
}

/// `--data-dir`, else `DS4_CONTEXT_HOME`, else the platform's data folder.
pub(crate) fn data_folder_path(common: &Common) -> Option<PathBuf> {
    let platform = || {
        let folders = directories::ProjectDirs::from("", "", "ds4-context")?;
        Some(folders.data_dir().to_owned())
    };
    named_data_folder(common)
        .map(Path::to_owned)
        .or_else(platform)
}

/// `--data-dir`, else `DS4_CONTEXT_HOME`. An empty name is none.
fn named_data_folder(common: &Common) -> Option<&Path> {
    let folder = common.data_dir.as_deref()?;
    (!folder.as_os_str().is_empty()).then_some(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_one_shot_command_keeps_derived_state_only_where_somebody_named_a_folder() {
        let named = |folder: Option<&str>| {
            let common = Common {
                data_dir: folder.map(PathBuf::from),
                no_cache: false,
                native: false,
            };
            one_shot_data_folder(&common).expect("usable").is_some()
        };
        assert!(!named(None));
        assert!(!named(Some("")));
        assert!(named(Some("relative/folder")));
        assert!(!Path::new("relative").exists());
    }
}
