//! The forms that texts in the configuration have: names of providers and models, profiles, paths.
//!
//! A form says what is allowed in words and brings a text into the one spelling that the engine compares. Existence
//! is deliberately not checked: the core knows neither the host's providers nor its files.

use super::limits::{MAX_NAME_CHARS, MAX_PATH_CHARS};

/// What a text has to look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextForm {
    /// A provider in a privacy rule, trimmed and lower-cased, as behaviour 2.4 compares it.
    PolicyProvider,
    /// A provider's name as the host spells it.
    Provider,
    /// A model's ID as the provider spells it; slashes are part of some.
    Model,
    /// `provider/model`.
    ExactProfile,
    /// `provider/model` or `provider/*`.
    ProviderProfile,
    /// `provider/model`, `provider/*` or `*`.
    AnyProfile,
    /// A path of a file, absolute, `~/`-relative or relative to the host's folder.
    Path,
}

impl TextForm {
    /// What is allowed, in words.
    pub(crate) const fn description(self) -> &'static str {
        match self {
            Self::PolicyProvider => "a provider's name (case does not matter)",
            Self::Provider => "a provider's name without spaces, slashes or *",
            Self::Model => "a model's ID without spaces or *",
            Self::ExactProfile => "provider/model",
            Self::ProviderProfile => "provider/model or provider/*",
            Self::AnyProfile => "provider/model, provider/* or *",
            Self::Path => "a path (absolute, ~/ or relative to the data folder)",
        }
    }

    /// The text in the spelling that the engine compares, or none when it does not have this form.
    pub(crate) fn normalise(self, text: &str) -> Option<String> {
        let accepted = match self {
            Self::PolicyProvider => {
                let name = text.trim().to_lowercase();
                return is_printable(&name, MAX_NAME_CHARS).then_some(name);
            }
            Self::Provider => is_provider(text),
            Self::Model => is_model(text),
            Self::ExactProfile => is_profile(text, is_model),
            Self::ProviderProfile => is_profile(text, is_model_or_any),
            Self::AnyProfile => text == "*" || is_profile(text, is_model_or_any),
            Self::Path => text.trim() == text && is_printable(text, MAX_PATH_CHARS),
        };
        accepted.then(|| text.to_owned())
    }
}

fn is_profile(text: &str, model_is_allowed: fn(&str) -> bool) -> bool {
    text.split_once('/')
        .is_some_and(|(provider, model)| is_provider(provider) && model_is_allowed(model))
}

fn is_provider(text: &str) -> bool {
    is_token(text) && !text.contains('/')
}

fn is_model(text: &str) -> bool {
    is_token(text)
}

fn is_model_or_any(text: &str) -> bool {
    text == "*" || is_model(text)
}

/// A name without white space, control characters or the wildcard, so that a mistyped pattern is not taken as a name.
fn is_token(text: &str) -> bool {
    is_printable(text, MAX_NAME_CHARS) && !text.chars().any(|c| c.is_whitespace() || c == '*')
}

fn is_printable(text: &str, max_chars: usize) -> bool {
    !text.is_empty() && text.chars().count() <= max_chars && !text.chars().any(char::is_control)
}
