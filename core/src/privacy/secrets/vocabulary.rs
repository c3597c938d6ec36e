//! The words that names and placeholders are made of, from `data/words.txt`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

/// What a word does in a name or value. The data file says more of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Password,
    Secret,
    Token,
    SecretKey,
    OtherToken,
    Decoration,
    SomethingElse,
    First,
    Public,
    Placeholder,
}

impl Role {
    const ALL: [(&'static str, Self); 10] = [
        ("password", Self::Password),
        ("secret", Self::Secret),
        ("token", Self::Token),
        ("secret-key", Self::SecretKey),
        ("other-token", Self::OtherToken),
        ("decoration", Self::Decoration),
        ("something-else", Self::SomethingElse),
        ("first", Self::First),
        ("public", Self::Public),
        ("placeholder", Self::Placeholder),
    ];

    fn bit(self) -> u16 {
        1 << self as u16
    }
}

/// Every word with its roles, one bit each.
static WORDS: LazyLock<BTreeMap<&'static str, u16>> = LazyLock::new(|| {
    let mut words = BTreeMap::new();
    for line in include_str!("data/words.txt").lines() {
        let Some((name, list)) = line.split_once(':').filter(|_| !line.starts_with('#')) else {
            continue;
        };
        let role = Role::ALL
            .iter()
            .find(|(role, _)| *role == name)
            .map_or(0, |(_, role)| role.bit());
        for word in list.split_whitespace() {
            *words.entry(word).or_default() |= role;
        }
    }
    words
});

/// Whether `word`, in lower case, has this role.
pub(super) fn has_role(word: &str, role: Role) -> bool {
    WORDS.get(word).is_some_and(|roles| roles & role.bit() != 0)
}
