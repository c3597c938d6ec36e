//! Every key's range, driven by the declared keys: both ends are accepted, one beyond is refused. The ends that
//! behaviour 3.11 states are written out once more.

use serde_json::{Value, json};

use super::{codes, merge_value};
use crate::config::limits::MAX_LIST_ITEMS;
use crate::config::number::canonicalise;
use crate::config::schema::{Key, Kind, LowerEnd};
use crate::config::text_form::TextForm;
use crate::config::{Config, ProblemCode, table, to_json};

/// A key whose values can be tried: where it stands and what it takes.
struct Leaf {
    path: Vec<&'static str>,
    kind: Kind,
}

fn leaves(keys: &'static [Key], prefix: &[&'static str], found: &mut Vec<Leaf>) {
    for key in keys {
        let path = [prefix, &[key.name]].concat();
        collect(key.kind, path, found);
    }
}

fn collect(kind: Kind, path: Vec<&'static str>, found: &mut Vec<Leaf>) {
    match kind {
        Kind::Section(nested) => {
            found.push(Leaf {
                path: path.clone(),
                kind,
            });
            leaves(nested, &path, found);
        }
        Kind::Map { name, value } => {
            found.push(Leaf {
                path: path.clone(),
                kind,
            });
            let (good, _) = texts(name);
            collect(*value, [&path[..], &[good[0]]].concat(), found);
        }
        _ => found.push(Leaf { path, kind }),
    }
}

/// Texts that a form accepts, in the spelling that is kept, and texts that it refuses.
fn texts(form: TextForm) -> (&'static [&'static str], &'static [&'static str]) {
    match form {
        TextForm::PolicyProvider => (&["acme", "a b/c"], &["", "  ", "a\nb"]),
        TextForm::Provider => (&["acme"], &["", "a b", " acme", "a/b", "*", "a\u{0}"]),
        TextForm::Model => (&["m-1", "meta/llama:free"], &["", "m 1", "m*", "m\t"]),
        TextForm::ExactProfile => (
            &["acme/m-1", "acme/meta/llama"],
            &["", "acme", "acme/", "/m", "acme/*", "*"],
        ),
        TextForm::ProviderProfile => (
            &["acme/*", "acme/m-1"],
            &["", "*", "acme/m*", "*/m", "acme /m"],
        ),
        TextForm::AnyProfile => (
            &["acme/m-1", "acme/*", "*"],
            &["", "**", "*/m", "acme", "acme/m*"],
        ),
        TextForm::Path => (&["a/b.db", "~/x y.db", "/var/x"], &["", " ", "a\nb", " a"]),
    }
}

/// Values that a kind accepts (ends of its range), and values that it refuses with the code that says why.
fn values(kind: Kind) -> (Vec<Value>, Vec<(Value, ProblemCode)>) {
    use ProblemCode::{DuplicateItem, MalformedText, NotAChoice, NotObject, OutOfRange, WrongType};
    let (accepted, mut refused) = match kind {
        Kind::Flag => (
            vec![json!(true), json!(false)],
            vec![(json!("true"), WrongType), (json!(1), WrongType)],
        ),
        Kind::AlwaysTrue => (
            vec![json!(true)],
            vec![(json!(false), OutOfRange), (json!(1), WrongType)],
        ),
        Kind::Integer { min, max, .. } => {
            let below = i64::try_from(min).unwrap() - 1;
            let beyond = [
                json!(below),
                json!(max + 1),
                json!(0.5),
                json!(1e300),
                json!(u64::MAX),
                json!(i64::MIN),
            ];
            let refused = beyond.into_iter().map(|value| (value, OutOfRange));
            (
                vec![json!(min), json!(max)],
                refused.chain([(json!("1"), WrongType)]).collect(),
            )
        }
        Kind::Number { min, max, .. } => {
            let (end, beyond) = match min {
                LowerEnd::From(min) => (min, min - 1e-9),
                LowerEnd::Above(min) => (min + 1e-9, min),
            };
            let refused =
                [beyond, max + 1e-9, -1e300, 1e300].map(|value| (json!(value), OutOfRange));
            (
                vec![json!(end), json!(max)],
                refused
                    .into_iter()
                    .chain([(json!("0.5"), WrongType)])
                    .collect(),
            )
        }
        Kind::Choice(names) => {
            let refused = vec![
                (json!("no-such-choice"), NotAChoice),
                (json!(names[0].to_uppercase()), NotAChoice),
            ];
            (names.iter().map(|name| json!(name)).collect(), refused)
        }
        Kind::Text(form) => {
            let (good, bad) = texts(form);
            let refused = bad.iter().map(|text| (json!(text), MalformedText));
            (
                good.iter().map(|text| json!(text)).collect(),
                refused.chain([(json!(1), WrongType)]).collect(),
            )
        }
        Kind::List { item, min_items } => {
            let (good, _) = values(*item);
            let few: Vec<Value> = good.iter().take(min_items).cloned().collect();
            let mut refused = vec![
                (json!([good[0], good[0]]), DuplicateItem),
                (json!(vec![good[0].clone(); MAX_LIST_ITEMS + 1]), OutOfRange),
                (json!([[]]), WrongType),
                (json!({}), WrongType),
            ];
            if min_items > 0 {
                refused.push((json!([]), OutOfRange));
            }
            (vec![json!(few), json!(good)], refused)
        }
        Kind::Section(_) | Kind::Map { .. } => (
            vec![json!({})],
            vec![(json!([]), NotObject), (json!("{}"), NotObject)],
        ),
    };
    let null = if matches!(kind, Kind::Section(_) | Kind::Map { .. }) {
        NotObject
    } else {
        WrongType
    };
    refused.push((Value::Null, null));
    (accepted, refused)
}

fn layer(path: &[&str], value: &Value) -> Value {
    path.iter()
        .rev()
        .fold(value.clone(), |inner, name| json!({ *name: inner }))
}

fn value_at(config: &Config, path: &[&str]) -> Value {
    path.iter().fold(to_json(config), |value, name| {
        value.get(name).cloned().unwrap_or(Value::Null)
    })
}

fn all_leaves() -> Vec<Leaf> {
    let mut found = Vec::new();
    leaves(Config::KEYS, &[], &mut found);
    found
}

#[test]
fn both_ends_of_every_range_are_accepted() {
    for Leaf { path, kind } in all_leaves() {
        for value in values(kind).0 {
            let merged = merge_value(&layer(&path, &value));
            if merged.problems.is_empty() {
                let is_object = value.is_object();
                let mut expected = value.clone();
                canonicalise(&mut expected);
                let kept = value_at(&merged.config, &path);
                assert!(
                    is_object || kept == expected,
                    "{path:?}: {kept} instead of {expected}"
                );
            } else {
                // An end can be valid by itself and not fit the other keys' defaults.
                let broken = merged
                    .problems
                    .iter()
                    .all(|problem| problem.code == ProblemCode::RuleBroken);
                assert!(broken, "{path:?} = {value}: {:?}", merged.problems);
            }
        }
    }
}

#[test]
fn one_beyond_every_range_is_refused() {
    for Leaf { path, kind } in all_leaves() {
        for (value, code) in values(kind).1 {
            let merged = merge_value(&layer(&path, &value));
            assert!(
                !merged.problems.is_empty(),
                "{path:?} = {value} was accepted"
            );
            assert!(
                merged.problems.iter().all(|problem| problem.code == code),
                "{path:?}: {:?}",
                merged.problems
            );
            let place = &merged.problems[0].path;
            assert!(
                place.starts_with(&path.join(".")),
                "{place} does not name {path:?}"
            );
            assert_eq!(merged.config, Config::default());
        }
    }
}

#[test]
fn a_whole_number_may_be_written_with_a_fraction_of_zero() {
    let merged =
        merge_value(&json!({"context": {"recentTailTokens": 30000.0, "maxPinnedTokens": 1.6e4}}));
    assert_eq!(merged.problems, []);
    assert_eq!(merged.config.context.recent_tail_tokens, 30_000);
    assert_eq!(merged.config.context.max_pinned_tokens, 16_000);
    let printed = to_json(&merged.config)["context"]["recentTailTokens"].to_string();
    assert_eq!(printed, "30000");
}

#[test]
fn ends_that_the_format_states() {
    let stated = [
        (
            "context.targetFillRatio",
            "above 0, at most 1; at most context.softLimitRatio",
        ),
        ("compaction.preserveRecentVerbatim", "true only"),
        ("compaction.maxConcurrentSegments", "1 to 2 segments"),
        ("compaction.transport.maxAttempts", "1 to 10 attempts"),
        ("compaction.transport.baseDelayMs", "0 to 60000 ms"),
        (
            "compaction.summary.thinking",
            "off, minimal, low, medium, high, xhigh, max",
        ),
        (
            "sessionRebase.checkpointTargetTokens",
            "512 to 24000 tokens",
        ),
        ("historyTools.maxResults", "1 to 12 results"),
        ("historyTools.maxOutputTokens", "256 to 6000 tokens"),
        ("retrieval.maxResults", "1 to 100 results"),
        ("retrieval.embedding.dimensions", "16 to 4096 dimensions"),
        ("retrieval.embedding.maxSources", "1 to 100000 sources"),
        ("retrieval.embedding.candidatePool", "1 to 500 candidates"),
        ("retrieval.embedding.batchSize", "1 to 512 texts"),
        ("retrieval.embedding.queryCacheSize", "1 to 1000 queries"),
        ("retrieval.embedding.timeoutMs", "1 to 120000 ms"),
        ("project.maxFiles", "1 to 100000 files"),
        ("project.snippetLines", "1 to 500 lines"),
        ("project.maxResults", "1 to 100 results"),
        ("memory.maxProjectSessions", "1 to 10000 sessions"),
        ("memory.maxPinChars", "1 to 20000 characters"),
        ("memory.maxClaimChars", "1 to 20000 characters"),
        ("memory.maxResults", "1 to 100 results"),
        (
            "artifacts.maxInlineToolResultChars",
            "1000 to 10000000 characters",
        ),
        ("artifacts.maxSearchMatches", "1 to 100 matches"),
        ("modelAwareness.calibrationWindow", "3 to 200 samples"),
        ("modelAwareness.calibrationRatioUpperBound", "0.25 to 4"),
        ("nativeContinuation.maxStateAgeMs", "10000 to 86400000 ms"),
        ("quality.maxSamples", "1 to 100000 samples"),
        (
            "storage.busyTimeoutMs",
            "1 to 60000 ms; at most storage.writeRetryTimeoutMs",
        ),
        ("storage.writeRetryTimeoutMs", "1 to 300000 ms"),
        ("storage.projectIndexLeaseMs", "10000 to 3600000 ms"),
    ];
    let rows = table();
    for (key, range) in stated {
        let row = rows
            .iter()
            .find(|row| row.key == key)
            .unwrap_or_else(|| panic!("no row {key}"));
        assert_eq!(row.range, range, "{key}");
    }
}

#[test]
fn every_bad_key_is_one_problem_that_says_what_is_allowed() {
    let merged = merge_value(&json!({
        "enabled": "yes",
        "context": {"mode": "manged", "targetFillRatio": 1.5, "recentTailTokens": -1},
        "privacy": {"localProviders": ["ollama", 7]}
    }));
    assert_eq!(
        codes(&merged.problems),
        [
            (ProblemCode::WrongType, "enabled"),
            (ProblemCode::NotAChoice, "context.mode"),
            (ProblemCode::OutOfRange, "context.targetFillRatio"),
            (ProblemCode::OutOfRange, "context.recentTailTokens"),
            (ProblemCode::WrongType, "privacy.localProviders.1"),
        ]
    );
    assert_eq!(
        merged.problems[1].message,
        "context.mode is \"manged\"; allowed: observer, managed"
    );
    assert_eq!(
        merged.problems[2].message,
        "context.targetFillRatio is 1.5; allowed: above 0, at most 1"
    );
    assert_eq!(
        merged.problems[3].message,
        "context.recentTailTokens is -1; allowed: 0 to 10000000 tokens"
    );
}
