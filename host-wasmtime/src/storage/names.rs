//! Which names a block file may have, and the names of the files beside it.

use crate::ports::StorageError;

/// Longest name in bytes.
const MAX_NAME_BYTES: usize = 255;
/// Endings of the files that stand beside a block file, and so of no block file. Compared without regard to case, as
/// some file systems do.
const RESERVED_ENDINGS: [&str; 4] = [".lock", ".takeover", ".commit", ".state"];
/// First parts that have another use in the data folder: objects, and the person's configuration.
const RESERVED_FIRST_PARTS: [&str; 2] = ["objects", "ds4-context.json"];

/// A checked name, and the names that follow from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BlockFileName {
    folders: Vec<String>,
    /// The last part, for the pages.
    pub(super) pages: String,
    /// Exists while somebody is in a transaction.
    pub(super) lock: String,
    /// Exists while a stale lock is taken over.
    pub(super) takeover: String,
    /// One commit, until it is applied.
    pub(super) commit: String,
    /// The commit counter.
    pub(super) state: String,
}

impl BlockFileName {
    /// Checks a relative path with `/` between its parts.
    ///
    /// # Errors
    /// `AccessDenied` for every name that is not allowed.
    pub(super) fn parse(name: &str) -> Result<Self, StorageError> {
        let mut parts: Vec<&str> = name.split('/').collect();
        let reserved = parts.first().is_some_and(|first| {
            RESERVED_FIRST_PARTS
                .iter()
                .any(|other| first.eq_ignore_ascii_case(other))
        });
        let lower_case = name.to_ascii_lowercase();
        let taken = RESERVED_ENDINGS
            .iter()
            .any(|ending| lower_case.ends_with(ending));
        if name.len() > MAX_NAME_BYTES || reserved || taken || !parts.iter().all(is_part) {
            return Err(StorageError::AccessDenied);
        }
        let last = parts.pop().ok_or(StorageError::AccessDenied)?;
        Ok(Self {
            folders: parts.into_iter().map(str::to_owned).collect(),
            pages: last.to_owned(),
            lock: format!("{last}.lock"),
            takeover: format!("{last}.takeover"),
            commit: format!("{last}.commit"),
            state: format!("{last}.state"),
        })
    }

    /// The folders above the file, from the data folder on.
    pub(super) fn folders(&self) -> impl Iterator<Item = &str> {
        self.folders.iter().map(String::as_str)
    }
}

fn is_part(part: &&str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
    !part.is_empty() && !part.starts_with('.') && part.bytes().all(allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_plain_parts_are_allowed() {
        let longest = format!("{}/b", "a".repeat(253));
        for name in ["a", "index.sqlite", "p-1/sub_2/index.db", "lock", &longest] {
            assert!(BlockFileName::parse(name).is_ok(), "{name}");
        }
        let name = BlockFileName::parse("p/q/index").expect("allowed");
        assert_eq!(name.folders().collect::<Vec<_>>(), ["p", "q"]);
        assert_eq!(
            (name.pages.as_str(), name.commit.as_str()),
            ("index", "index.commit")
        );
    }

    #[test]
    fn every_other_name_is_refused() {
        let too_long = "a".repeat(256);
        for name in [
            "",
            "/a",
            "a/",
            "a//b",
            ".",
            "..",
            "a/../b",
            "./a",
            ".hidden",
            "a/.hidden/b",
            "a b",
            "a\\b",
            "a\0",
            "ä",
            "c:a",
            "a\n",
            "a.lock",
            "p/a.takeover",
            "a.commit",
            "a.state",
            "a.LOCK",
            "objects",
            "objects/incoming/x",
            "Objects/x",
            "ds4-context.json",
            &too_long,
        ] {
            assert_eq!(
                BlockFileName::parse(name),
                Err(StorageError::AccessDenied),
                "{name:?}"
            );
        }
    }
}
