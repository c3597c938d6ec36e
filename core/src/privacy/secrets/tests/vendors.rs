//! Every rule of the data file: a value drawn from its own pattern is found, what only begins like one is not.

use proptest::strategy::{Strategy, ValueTree};
use proptest::string::string_regex;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use super::DETECTOR;
use crate::privacy::secrets::density::{entropy, is_random};
use crate::privacy::secrets::placeholder::is_placeholder;
use crate::privacy::secrets::rules::{Pattern, Rules};

/// Draws values that match a pattern, the same each time.
fn drawn(pattern: &str) -> impl Iterator<Item = String> {
    let strategy = string_regex(&format!("(?-u:{pattern})")).unwrap();
    let mut runner = TestRunner::new_with_rng(
        Config::default(),
        TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]),
    );
    (0..200).map(move |_| strategy.new_tree(&mut runner).unwrap().current())
}

#[test]
fn the_data_file_reads_and_every_pattern_compiles() {
    let rules = Rules::built_in();
    assert!(rules.shapes.len() >= 100 && rules.assigned.len() >= 90 && rules.commands.len() >= 15);
    for rule in &rules.shapes {
        assert!(!rule.keywords.is_empty(), "{}", rule.id);
        assert!(
            rule.keywords
                .iter()
                .all(|word| *word == word.to_ascii_lowercase()),
            "{}",
            rule.id
        );
        assert!(rule.pattern.compiles(), "{}", rule.id);
        assert!(rule.allow.iter().all(Pattern::compiles), "{}", rule.id);
    }
    for rule in &rules.assigned {
        assert!(
            !rule.names.is_empty() && rule.pattern.compiles(),
            "{}",
            rule.id
        );
    }
    let mut ids: Vec<&str> = rules.shapes.iter().map(|rule| rule.id.as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), rules.shapes.len());
}

#[test]
fn each_shape_is_found_in_prose_and_only_whole() {
    for rule in &Rules::built_in().shapes {
        let good = |value: &String| {
            let digits = value.bytes().filter(u8::is_ascii_digit).count();
            entropy(value.as_bytes()) >= rule.entropy
                && (rule.inside || is_random(value.as_bytes()))
                && digits >= rule.digits
                && !is_placeholder(value.as_bytes())
        };
        let value = drawn(rule.pattern.source())
            .find(good)
            .unwrap_or_else(|| panic!("{}: nothing drawn", rule.id));
        let text = format!("see {value} there");
        let redacted = DETECTOR.redact(&text);
        assert!(
            redacted.text.contains("[DS4 REDACTED") && redacted.text.ends_with(" there"),
            "{}: {}",
            rule.id,
            redacted.text
        );
        let keyword = rule.keywords.first().unwrap();
        for harmless in [
            format!("see {keyword} there"),
            format!("see {keyword}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx there"),
            format!("see {keyword}... there"),
        ] {
            assert_eq!(DETECTOR.redact(&harmless).text, harmless, "{}", rule.id);
        }
    }
}

#[test]
fn each_vendors_value_is_found_under_its_name_and_not_elsewhere() {
    for rule in &Rules::built_in().assigned {
        let good = |value: &String| {
            entropy(value.as_bytes()) >= rule.entropy.max(2.5) && !is_placeholder(value.as_bytes())
        };
        let value = drawn(rule.pattern.source())
            .find(good)
            .unwrap_or_else(|| panic!("{}: nothing drawn", rule.id));
        for name in &rule.names {
            for text in [
                format!("{name}_token = \"{value}\""),
                format!("{name}Token: {value}"),
                format!("{{\"c\":\"{}_TOKEN={value}\\nB=1\"}}", name.to_uppercase()),
            ] {
                assert!(
                    !DETECTOR.redact(&text).text.contains(&value),
                    "{}: {text}",
                    rule.id
                );
            }
            for harmless in [
                format!("{name}_token = \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\""),
                format!("{name} = {name}.client(config)"),
                format!("https://{name}.example.org/docs/v2"),
            ] {
                assert_eq!(DETECTOR.redact(&harmless).text, harmless, "{}", rule.id);
            }
        }
    }
}
