//! Properties that hold whatever the text is.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::{DETECTOR, Draw};

/// Pieces of what the readers look for, put together at random.
fn soup() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => prop::sample::select(vec![
            "password", "token", "api_key", "secret", "\"", "'", "`", "\\", "\\\"", "\\\\\\\"", "=", ":", " = ", ": ", "\n", "\\n", "\\u00e9", "{", "}", "[", "]",
            "(", ")", "://", "@", "Bearer ", "Basic ", "Cookie: ", "eyJhbGciOiJIUzI1NiJ9.", "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "sk-", "ghp_",
            "AKIA", "curl -u ", "mysql -p", "echo ", "| sudo -S", "<password>", "</password>", "kind: Secret\n", "data:\n  a: ", "[DS4 REDACTED SECRET]", "[DS4 ",
            "value", "name", "default", "$", "${", "é", "\u{1f600}", "%20", ",", ";", "&", "Harbor-candle4217", "Zq8Lw3Xv9Tn2Rb5Km7", "a1b2c3d4e5f60718293a4b5c6d7e8f90",
            "twitter", "telegram bot: ", "15478024:A", ":5432:", "?sig=", "mnemonic ",
        ]).prop_map(str::to_owned),
        1 => "[A-Za-z0-9+/_.-]{0,40}",
        1 => "\\PC{0,6}",
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

/// The text as it stands inside `depth` JSON strings.
fn escaped(text: &str, depth: usize) -> String {
    (0..depth).fold(text.to_owned(), |inner, _| {
        let quoted = serde_json::to_string(&inner).unwrap();
        quoted[1..quoted.len() - 1].to_owned()
    })
}

fn check(text: &str) -> Result<(), TestCaseError> {
    let redacted = DETECTOR.redact(text);
    prop_assert_eq!(
        &DETECTOR.redact(&redacted.text).text,
        &redacted.text,
        "not idempotent"
    );
    let mut end = 0;
    for redaction in &redacted.redactions {
        prop_assert!(
            redaction.start >= end && redaction.start < redaction.end,
            "spans overlap or are empty"
        );
        prop_assert!(
            text.get(redaction.start..redaction.end).is_some(),
            "not at character boundaries"
        );
        end = redaction.end;
    }
    prop_assert!(end <= text.len());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, rng_seed: RngSeed::Fixed(5), ..ProptestConfig::with_cases(800) })]

    #[test]
    fn any_text_gives_ordered_spans_and_is_redacted_once(text in prop_oneof![3 => soup(), 1 => "\\PC{0,200}"]) {
        check(&text)?;
    }

    #[test]
    fn a_json_document_still_parses(texts in prop::collection::vec(soup(), 1..4), nested in any::<bool>()) {
        let inner = serde_json::json!({ "password": texts[0], "content": texts }).to_string();
        let document = if nested { serde_json::json!({ "arguments": inner, "token": texts[0] }).to_string() } else { inner };
        let redacted = DETECTOR.redact(&document);
        prop_assert!(serde_json::from_str::<serde_json::Value>(&redacted.text).is_ok(), "{}\n{}", document, redacted.text);
    }

    /// Whatever stands around them, on lines of their own: planted secrets are gone, also from JSON in JSON.
    #[test]
    fn planted_secrets_are_gone(seed in 1_u64.., depth in 0_usize..4, before in soup(), form in 0_usize..7) {
        let mut draw = Draw(seed);
        let secret = draw.token(36);
        let planted = match form {
            0 => format!("GITHUB_TOKEN=ghp_{secret}"),
            1 => format!("{{\"password\": \"{secret}\"}}"),
            2 => format!("curl -H \"Authorization: Bearer {secret}\" https://api.example.org"),
            3 => format!("postgres://app:{secret}@db/app"),
            4 => format!("api_key = '{secret}'"),
            5 => format!("  client_secret: {secret}"),
            _ => format!("key sk-ant-api03-{secret}{secret}{secret} here"),
        };
        let quiet: String = before.chars().filter(|c| !matches!(c, '"' | '\'' | '`' | '\\' | '[' | '<' | '{' | '$' | '-')).collect();
        let text = escaped(&format!("{quiet}\n{planted}\nend"), depth);
        let redacted = DETECTOR.redact(&text);
        prop_assert!(!redacted.text.contains(&secret), "{}", redacted.text);
    }
}

#[test]
fn long_texts_take_time_in_proportion() {
    // Enough to fail by minutes if any reader looked over the whole text at each keyword.
    for piece in [
        "token=",
        "sk-",
        "-----BEGIN PRIVATE KEY-----\n",
        "auth=(",
        "curl ",
        "eyJhbGciOiJI.",
        "\\",
        "kind: secret\n",
        "xoxb-1-",
        "\"password\":\n",
    ] {
        let text = piece.repeat(200_000 / piece.len());
        assert!(DETECTOR.redact(&text).text.len() <= text.len() * 8);
    }
}
