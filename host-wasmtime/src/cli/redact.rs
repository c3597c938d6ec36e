//! The command `redact`: texts without the keys, tokens and passwords in them.

use ds4_context_host::Redaction;
use serde::{Deserialize, Serialize};

use super::arguments::{Common, RedactArguments};
use super::failure::Failure;
use super::json_lines;
use super::output::Output;

/// Bytes of text from which on a batch is closed. One batch crosses into the component at once; texts that are made to take
/// long stay below the deadline of a call in this size.
const BATCH_BYTES: usize = 1024 * 1024;
/// A line of the input, for messages.
const TEXT_FORM: &str = "{\"id\": …, \"text\": \"…\"}";

/// A line of the input.
#[derive(Deserialize)]
struct GivenText {
    /// Any value; it stands in the answer again.
    id: serde_json::Value,
    text: String,
}

/// A line of the output.
#[derive(Serialize)]
struct RedactedText<'t> {
    id: &'t serde_json::Value,
    text: &'t str,
    redactions: Vec<Range<'t>>,
}

/// A range of UTF-8 bytes of the given text.
#[derive(Serialize)]
struct Range<'t> {
    start: usize,
    end: usize,
    rule: &'t str,
}

pub(crate) fn command(
    wanted: &RedactArguments,
    common: &Common,
    output: &mut Output,
) -> Result<(), Failure> {
    let (ids, texts): (Vec<serde_json::Value>, Vec<String>) =
        json_lines::read(&wanted.file, TEXT_FORM)?
            .into_iter()
            .map(|GivenText { id, text }| (id, text))
            .unzip();
    let runner = super::runner(common)?;
    let mut detector = runner.secret_detector();
    let mut answered = 0;
    for batch in batches(&texts) {
        let found = detector.find(batch)?;
        for ((text, found), id) in batch.iter().zip(&found).zip(ids.iter().skip(answered)) {
            let line = RedactedText {
                id,
                text: &redacted(text, found),
                redactions: found.iter().map(range).collect(),
            };
            let line = serde_json::to_string(&line)
                .map_err(|error| Failure::Failed(format!("an answer is no JSON: {error}")))?;
            output.line(&line)?;
        }
        answered += batch.len();
    }
    Ok(())
}

/// The texts in order, in runs that end where [`BATCH_BYTES`] are reached.
fn batches(texts: &[String]) -> impl Iterator<Item = &[String]> {
    let mut bytes = 0;
    texts.split_inclusive(move |text| {
        bytes += text.len();
        let is_full = bytes >= BATCH_BYTES;
        if is_full {
            bytes = 0;
        }
        is_full
    })
}

/// The text with each secret's placeholder in its place.
fn redacted(text: &str, found: &[Redaction]) -> String {
    let mut output = String::with_capacity(text.len());
    let mut kept_from = 0;
    for secret in found {
        output.push_str(&text[kept_from..secret.start]);
        output.push_str(&secret.placeholder);
        kept_from = secret.end;
    }
    output.push_str(&text[kept_from..]);
    output
}

fn range(found: &Redaction) -> Range<'_> {
    Range {
        start: found.start,
        end: found.end,
        rule: &found.rule,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_hold_every_text_once_and_end_when_they_are_full() {
        let texts: Vec<String> = [BATCH_BYTES, 1, BATCH_BYTES - 1, 0, 3 * BATCH_BYTES, 7]
            .into_iter()
            .map(|bytes| "x".repeat(bytes))
            .collect();
        let lengths: Vec<usize> = batches(&texts).map(<[String]>::len).collect();
        assert_eq!(lengths, [1, 2, 2, 1]);
        assert_eq!(batches(&[]).count(), 0);
    }

    #[test]
    fn placeholders_stand_where_the_secrets_were() {
        let secret = |start, end| Redaction {
            start,
            end,
            rule: "r".to_owned(),
            placeholder: "[P]".to_owned(),
        };
        assert_eq!(
            redacted("é=abc, x=d", &[secret(3, 6), secret(10, 11)]),
            "é=[P], x=[P]"
        );
        assert_eq!(redacted("nothing", &[]), "nothing");
    }
}
