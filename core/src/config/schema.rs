//! How a configuration key is described: its name, the kind of value it takes, and one line for people.
//!
//! A section of the configuration is declared once, with [`section!`]. From that one declaration come the typed
//! struct, its default, its documentation, the validation of a file ([`super::validate`]) and the rows of the
//! README's table ([`super::table`]). Nothing here reads a file or knows a particular key.

use super::limits::{MAX_LIST_ITEMS, MAX_MAP_ENTRIES};
use super::text_form::TextForm;

/// One key of a section.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Key {
    /// The key as a configuration file spells it, without its section.
    pub(crate) name: &'static str,
    /// What value it takes.
    pub(crate) kind: Kind,
    /// One line for people: what the key does.
    pub(crate) doc: &'static str,
}

/// The kind of value that a key takes, with its range.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind {
    /// `true` or `false`.
    Flag,
    /// `true` only: the key exists in the format, and the engine has no other behaviour.
    AlwaysTrue,
    /// A whole number. Both ends are allowed and lie far below 2^53, so that JavaScript reads the same number.
    Integer {
        min: u64,
        max: u64,
        unit: &'static str,
    },
    /// A finite number that may have a fraction.
    Number {
        min: LowerEnd,
        max: f64,
        unit: &'static str,
    },
    /// One of a closed set of texts.
    Choice(&'static [&'static str]),
    /// A text of a given form.
    Text(TextForm),
    /// A list of values of one kind, each at most once; `min_items` to `MAX_LIST_ITEMS` of them.
    List {
        item: &'static Kind,
        min_items: usize,
    },
    /// A nested section with its own keys.
    Section(&'static [Key]),
    /// An object whose names the user chooses: at most `MAX_MAP_ENTRIES` names of one form, values of one kind.
    Map {
        name: TextForm,
        value: &'static Kind,
    },
}

/// The lower end of a number's range.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum LowerEnd {
    /// The end itself is allowed.
    From(f64),
    /// Only what is larger than the end is allowed.
    Above(f64),
}

impl Kind {
    /// A whole number from `min` to `max`, in `unit`.
    pub(crate) const fn integer(min: u64, max: u64, unit: &'static str) -> Self {
        Self::Integer { min, max, unit }
    }

    /// A share of something that must not vanish: above 0, at most 1.
    pub(crate) const fn ratio() -> Self {
        Self::Number {
            min: LowerEnd::Above(0.0),
            max: 1.0,
            unit: "",
        }
    }

    /// A share that may be nothing: 0 to 1.
    pub(crate) const fn share() -> Self {
        Self::Number {
            min: LowerEnd::From(0.0),
            max: 1.0,
            unit: "",
        }
    }

    /// A list whose items are of kind `item`, empty allowed.
    pub(crate) const fn list(item: &'static Kind) -> Self {
        Self::List { item, min_items: 0 }
    }

    /// The type's name in the README's table.
    pub(crate) const fn type_name(&self) -> &'static str {
        match self {
            Self::Flag | Self::AlwaysTrue => "boolean",
            Self::Integer { .. } => "integer",
            Self::Number { .. } => "number",
            Self::Choice(_) | Self::Text(_) => "string",
            Self::List { .. } => "list",
            Self::Section(_) | Self::Map { .. } => "object",
        }
    }

    /// What is allowed, in words: the README's "range" and the end of every message about a bad value.
    pub(crate) fn allowed(&self) -> String {
        match self {
            Self::Flag => "true or false".to_owned(),
            Self::AlwaysTrue => "true only".to_owned(),
            Self::Integer { min, max, unit } => with_unit(format!("{min} to {max}"), unit),
            Self::Number {
                min: LowerEnd::From(min),
                max,
                unit,
            } => with_unit(format!("{min} to {max}"), unit),
            Self::Number {
                min: LowerEnd::Above(min),
                max,
                unit,
            } => with_unit(format!("above {min}, at most {max}"), unit),
            Self::Choice(names) => names.join(", "),
            Self::Text(form) => form.description().to_owned(),
            Self::List { item, min_items } => {
                format!(
                    "{min_items} to {MAX_LIST_ITEMS} different items, each: {}",
                    item.allowed()
                )
            }
            Self::Section(_) => "an object".to_owned(),
            Self::Map { name, value } => {
                let (name, value) = (name.description(), value.allowed());
                format!("an object of at most {MAX_MAP_ENTRIES} entries, each {name}: {value}")
            }
        }
    }
}

fn with_unit(range: String, unit: &str) -> String {
    if unit.is_empty() {
        range
    } else {
        format!("{range} {unit}")
    }
}

/// Declares a section of the configuration: one line per key with its name in the file, its field, type, default,
/// kind and description. Produces the struct (with serde names and documentation), its `Default`, and `KEYS`.
macro_rules! section {
    (
        $(#[$struct_attribute:meta])*
        struct $name:ident {
            $(
                $(#[$field_attribute:meta])*
                $key:literal $field:ident: $type:ty = $default:expr, $kind:expr, $doc:literal;
            )*
        }
    ) => {
        $(#[$struct_attribute])*
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
        pub struct $name {
            $(
                #[doc = $doc]
                #[doc = ""]
                #[doc = concat!(
                    "Key `", $key, "`, default `", stringify!($default), "`, allowed `", stringify!($kind), "`."
                )]
                $(#[$field_attribute])*
                #[serde(rename = $key)]
                pub $field: $type,
            )*
        }

        impl $name {
            /// The section's keys, in the order of the file format.
            pub(crate) const KEYS: &'static [$crate::config::schema::Key] = &[
                $($crate::config::schema::Key { name: $key, kind: $kind, doc: $doc },)*
            ];
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $default,)* }
            }
        }
    };
}

/// Declares a closed choice: an enum, the text of each value in files, and the list of all texts.
macro_rules! choice {
    (
        $(#[$enum_attribute:meta])*
        enum $name:ident { $($(#[$variant_attribute:meta])* $variant:ident = $text:literal,)* }
    ) => {
        $(#[$enum_attribute])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
        )]
        pub enum $name {
            $(
                $(#[$variant_attribute])*
                #[doc = concat!("In files `", $text, "`.")]
                #[serde(rename = $text)]
                $variant,
            )*
        }

        impl $name {
            /// Every value as files spell it, in the order of the variants.
            pub const NAMES: &'static [&'static str] = &[$($text,)*];

            /// The value as files spell it.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str(self.as_str())
            }
        }
    };
}

pub(crate) use {choice, section};
