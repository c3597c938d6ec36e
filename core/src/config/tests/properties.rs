//! Properties that hold whatever the sources say.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::{Map, Value, json};

use super::errors;
use crate::config::schema::{Key, Kind};
use crate::config::{Config, Layer, merge, to_json};

/// Any small JSON value, with numbers near the ends of ranges.
fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        prop_oneof![
            Just(0_i64),
            Just(1),
            Just(100),
            Just(30_000),
            -2..3_000_000_i64
        ]
        .prop_map(Value::from),
        (-0.5..4.5_f64).prop_map(Value::from),
        prop_oneof![
            Just("off"),
            Just("auto"),
            Just("local-only"),
            Just("acme/*"),
            Just("*"),
            Just("ollama")
        ]
        .prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map("[a-z*/]{0,6}", inner, 0..3)
                .prop_map(|entries| Value::Object(entries.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

fn paths(keys: &[Key], prefix: &str, found: &mut Vec<String>) {
    for key in keys {
        let path = format!("{prefix}/{}", key.name);
        if let Kind::Section(nested) = key.kind {
            paths(nested, &path, found);
        }
        found.push(path);
    }
}

/// A source in which a few known keys hold any value.
fn any_layer() -> impl Strategy<Value = Vec<u8>> {
    let mut known = Vec::new();
    paths(Config::KEYS, "", &mut known);
    prop::collection::vec((prop::sample::select(known), any_value()), 0..4).prop_map(|changes| {
        let mut layer = json!({});
        for (path, value) in changes {
            let nested = path.split('/').skip(1).collect::<Vec<_>>();
            let value = nested
                .iter()
                .rev()
                .fold(value, |inner, name| json!({ *name: inner }));
            if let (Some(object), Value::Object(addition)) = (layer.as_object_mut(), value) {
                object.extend(addition);
            }
        }
        layer.to_string().into_bytes()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, rng_seed: RngSeed::Fixed(2), ..ProptestConfig::with_cases(256) })]

    /// What comes out is complete and valid, the same each time, and a source with an error left no trace.
    #[test]
    fn any_sources_give_a_valid_configuration(sources in prop::collection::vec(any_layer(), 0..4)) {
        let layers: Vec<Layer> = sources.iter().map(|content| Layer { source: "any", content }).collect();
        let merged = merge(&layers);
        prop_assert_eq!(&merge(&layers), &merged);

        let full = to_json(&merged.config).to_string();
        let again = merge(&[Layer { source: "full", content: full.as_bytes() }]);
        prop_assert_eq!(again.problems, vec![]);
        prop_assert_eq!(&again.config, &merged.config);

        let mut below = merge(&[]).config;
        for count in 1..=layers.len() {
            let upto = merge(&layers[..count]);
            let before = merge(&layers[..count - 1]);
            if errors(&upto.problems) > errors(&before.problems) {
                prop_assert_eq!(&upto.config, &below);
            }
            below = upto.config;
        }
    }

    /// Random bytes are practically never JSON; the point is that they come back as problems.
    #[test]
    fn any_bytes_are_survived(content in prop::collection::vec(any::<u8>(), 0..300)) {
        let merged = merge(&[Layer { source: "bytes", content: &content }]);
        prop_assert_eq!(merged.config, Config::default());
    }
}
