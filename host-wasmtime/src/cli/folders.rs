//! Where this program's own files are.

use std::path::PathBuf;

use ds4_context_host::CodeCache;

use super::arguments::Common;

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

/// The person's own configuration: in `--data-dir`, `DS4_CONTEXT_HOME`, else the platform's data folder.
pub(crate) fn personal_config(common: &Common) -> Option<PathBuf> {
    let folder = match &common.data_dir {
        Some(folder) if !folder.as_os_str().is_empty() => folder.clone(),
        _ => directories::ProjectDirs::from("", "", "ds4-context")?
            .data_dir()
            .to_owned(),
    };
    let file = folder.join(CONFIG_FILE);
    file.is_file().then_some(file)
}
