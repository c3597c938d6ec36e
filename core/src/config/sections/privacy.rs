//! `privacy`: which text may leave the machine (behaviour 2.4).

use std::collections::BTreeMap;

use crate::config::schema::{Kind, choice, section};
use crate::config::text_form::TextForm;

/// The classes that a remote rule may name: local-only text never leaves the machine (behaviour 2.4).
const REMOTE_CLASSES: Kind = Kind::list(&Kind::Choice(&[
    Classification::Normal.as_str(),
    Classification::Internal.as_str(),
    Classification::Sensitive.as_str(),
]));

choice! {
    /// How far a text may travel, lowest first: the order of the variants is the rank of behaviour 2.4.
    enum Classification {
        /// Anywhere.
        Normal = "normal",
        /// Where the policy allows internal text.
        Internal = "internal",
        /// Where the policy allows sensitive text.
        Sensitive = "sensitive",
        /// Never away from this machine.
        LocalOnly = "local-only",
    }
}

section! {
    /// `privacy`: which text may leave the machine.
    struct PrivacyConfig {
        "enabled" enabled: bool = false, Kind::Flag,
            "Keep back text that the provider may not see.";
        "defaultClassification" default_classification: Classification = Classification::Normal,
            Kind::Choice(Classification::NAMES),
            "Class of a text that no marker and no source classifies.";
        "localProviders" local_providers: Vec<String> =
            ["faux", "ollama", "llama-cpp", "lmstudio"].map(str::to_owned).to_vec(),
            Kind::list(&Kind::Text(TextForm::PolicyProvider)),
            "Providers that run on this machine and may see everything.";
        "remoteDefaultAllowed" remote_default_allowed: Vec<Classification> =
            vec![Classification::Normal, Classification::Internal], REMOTE_CLASSES,
            "Classes that a remote provider may see.";
        "remoteProviders" remote_providers: BTreeMap<String, Vec<Classification>> = BTreeMap::new(),
            Kind::Map { name: TextForm::PolicyProvider, value: &REMOTE_CLASSES },
            "Classes that a particular remote provider may see instead.";
        "redactSecrets" redact_secrets: bool = true, Kind::Flag,
            "Replace keys, tokens and passwords in what a remote provider sees.";
    }
}
