//! Cases about finding secrets. No text here holds one that a provider has given out: keys are drawn from a fixed
//! seed, passwords made up.

use super::{MadeCase, pi_session};
use crate::cases::Step;

pub(super) fn all() -> Vec<MadeCase> {
    vec![secrets_of_many_forms(), texts_without_secrets()]
}

fn secrets_of_many_forms() -> MadeCase {
    let key_line = drawn(64);
    let texts = [
        "DB_PASSWORD=Harbor_candle4711".to_owned(),
        format!("è già scaduta 🔑: {{\"api_key\": \"{}\"}} — sì", drawn(32)),
        r#"{"log": "password=\"Lantern!quarry9036\""}"#.to_owned(),
        "curl -u deploy:Harbor-candle8120 https://example.com/api".to_owned(),
        "postgres://app:Meadow.copper5518@db.example.com:5432/app?sslmode=require".to_owned(),
        format!("Authorization: Bearer {}", drawn(40)),
        format!(
            "before\n-----BEGIN RSA PRIVATE KEY-----\n{key_line}\n{key_line}\n{key_line}\n-----END RSA PRIVATE KEY-----\nafter"
        ),
        "two: SMTP_PASSWORD='Orchard~velvet2207' and client_secret = \"Granite_willow6642\""
            .to_owned(),
    ];
    MadeCase::in_memory(
        "secrets-of-many-forms",
        "Passwords, keys and tokens by name, header, URL, command line and armour, between characters of several bytes and inside escapes: ranges in UTF-8 bytes, with rule and placeholder.",
        pi_session(),
    )
    .step(Step::FindSecrets {
        texts: texts.into(),
    })
}

fn texts_without_secrets() -> MadeCase {
    let texts = [
        "",
        "The password is asked for at the start; nothing is kept.",
        "export API_KEY=${API_KEY}",
        "password = os.environ[\"DB_PASSWORD\"]",
        "DB_PASSWORD=[DS4 REDACTED SECRET]",
        "commit 3f9c2b1a8d7e6f5a4b3c2d1e0f9a8b7c6d5e4f3a",
        "token: string;",
    ];
    MadeCase::in_memory(
        "texts-without-secrets",
        "References, placeholders, hashes and talk about passwords are left alone; no text gives no answer.",
        pi_session(),
    )
    .step(Step::FindSecrets {
        texts: texts.map(str::to_owned).into(),
    })
    .step(Step::FindSecrets { texts: Vec::new() })
}

/// Letters and digits, drawn the same each time; no generator of keys gave them.
fn drawn(length: usize) -> String {
    const ALPHABET: &[u8] = b"ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789";
    let mut state = 4711_u64;
    (0..length)
        .filter_map(|_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let place = usize::try_from(state >> 40).unwrap_or_default() % ALPHABET.len();
            ALPHABET.get(place).copied().map(char::from)
        })
        .collect()
}
