//! Cutting tool results of the mandatory part to head and tail, so that an oversized newest exchange can go out at all.
//!
//! Invariants: only text of tool results is cut, never the user's or the model's; a cut result says how much is left out
//! and which entry holds the whole; nothing is cut inside a character; the largest result is cut first, and none further
//! than [`SHORTEST_RESULT_TOKENS`].

use serde_json::{Value, json};

use super::{Candidate, Replacement, ReplacementKind};
use crate::message::{Block, Role};
use crate::model::Estimator;
use crate::model::estimator::{text_tokens, utf16_length};

/// Tokens of text that a cut result keeps at least, its notice not counted.
const SHORTEST_RESULT_TOKENS: u64 = 256;
/// Tokens that a notice may take; measured on the longest one.
const NOTICE_TOKENS: u64 = 80;
/// Of the text that is kept, the part that comes from its head.
const HEAD_SHARE: (usize, usize) = (1, 2);
/// A cut moves to a line's end when there is one within this many bytes.
const LINE_SEARCH_BYTES: usize = 200;

/// Cuts results among `positions` until their messages take at least `excess` tokens less. Returns the cut ones with
/// their replacements; they may save less than `excess` where nothing is left to cut.
pub(super) fn shorten_results(
    candidates: &[Candidate<'_>],
    positions: &[usize],
    mut excess: u64,
    estimator: Estimator,
) -> Vec<(usize, Replacement)> {
    let mut results: Vec<(u64, usize)> = positions
        .iter()
        .filter_map(|&position| {
            let candidate = candidates.get(position)?;
            (candidate.message.role == Role::ToolResult)
                .then_some((u64::from(candidate.tokens), position))
        })
        .filter(|(tokens, _)| *tokens > SHORTEST_RESULT_TOKENS + NOTICE_TOKENS)
        .collect();
    results.sort_unstable_by_key(|&(tokens, position)| (std::cmp::Reverse(tokens), position));
    let mut shortened = Vec::new();
    for (tokens, position) in results {
        if excess == 0 {
            break;
        }
        let keep = tokens
            .saturating_sub(excess.saturating_add(NOTICE_TOKENS))
            .max(SHORTEST_RESULT_TOKENS);
        let Some(replacement) = candidates
            .get(position)
            .and_then(|candidate| shorten(candidate, keep, estimator))
        else {
            continue;
        };
        let saved = tokens.saturating_sub(u64::from(replacement.tokens));
        if saved > 0 {
            excess = excess.saturating_sub(saved);
            shortened.push((position, replacement));
        }
    }
    shortened
}

/// The result with about `keep` tokens of its text. Blocks that are not text stay, and the text takes the place of the
/// first text block.
fn shorten(candidate: &Candidate<'_>, keep: u64, estimator: Estimator) -> Option<Replacement> {
    let wire = candidate.message.wire_value();
    let blocks = match wire.get("content") {
        Some(Value::String(text)) => vec![json!({"text": text, "type": "text"})],
        Some(Value::Array(blocks)) => blocks.clone(),
        _ => return None,
    };
    let text = joined_text(&blocks);
    let total = text_tokens(estimator, &text);
    let others = u64::from(candidate.tokens).saturating_sub(u64::from(total));
    let allowed = keep.saturating_sub(others).max(SHORTEST_RESULT_TOKENS / 2);
    let cut = head_and_tail(
        &text,
        allowed,
        u64::from(total),
        candidate.entry_id,
        estimator,
    )?;
    let mut content = Vec::with_capacity(blocks.len());
    let mut cut = Some(cut);
    for block in blocks {
        if !matches!(Block::of(&block), Block::Text(_)) {
            content.push(block);
        } else if let Some(text) = cut.take() {
            content.push(json!({"text": text, "type": "text"}));
        }
    }
    let what = ReplacementKind::ShortenedResult;
    Some(Replacement::new(
        candidate.message,
        Value::Array(content),
        estimator,
        what,
    ))
}

fn joined_text(blocks: &[Value]) -> String {
    let texts: Vec<&str> = blocks
        .iter()
        .filter_map(|block| match Block::of(block) {
            Block::Text(text) => Some(text),
            _ => None,
        })
        .collect();
    texts.join("\n")
}

/// The head and the tail of a text within `allowed` of its `total` tokens, with a line between them that counts what is
/// left out. None where the text is short enough.
fn head_and_tail(
    text: &str,
    allowed: u64,
    total: u64,
    entry_id: Option<&str>,
    estimator: Estimator,
) -> Option<String> {
    if total <= allowed {
        return None;
    }
    // A first guess by the text's own density, then smaller until the count is right: some parts are denser than others.
    let mut keep_bytes =
        usize::try_from(text.len() as u64 * allowed / total.max(1)).unwrap_or(text.len());
    loop {
        let head_bytes = keep_bytes * HEAD_SHARE.0 / HEAD_SHARE.1;
        let head = head_of(text, head_bytes);
        let tail = tail_of(
            text.get(head.len()..).unwrap_or_default(),
            keep_bytes - head_bytes,
        );
        let kept =
            u64::from(text_tokens(estimator, head)) + u64::from(text_tokens(estimator, tail));
        if kept <= allowed || keep_bytes == 0 {
            let left_out = utf16_length(text) - utf16_length(head) - utf16_length(tail);
            return Some(format!(
                "{head}\n{}\n{tail}",
                left_out_line(left_out, total.saturating_sub(kept), entry_id)
            ));
        }
        keep_bytes = keep_bytes * 9 / 10;
    }
}

fn left_out_line(characters: usize, tokens: u64, entry_id: Option<&str>) -> String {
    let whole = entry_id.map_or_else(
        || "run the tool again with a narrower question for the rest".to_owned(),
        |id| format!("the whole result is entry {id} of the session log"),
    );
    format!(
        "[ds4-context: {characters} characters (about {tokens} tokens) left out here to fit the window; {whole}]"
    )
}

/// The text's first bytes, up to a line's end where one is near.
fn head_of(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let head = text.get(..end).unwrap_or_default();
    match head.rfind('\n') {
        Some(line) if end - line <= LINE_SEARCH_BYTES => head.get(..line).unwrap_or(head),
        _ => head,
    }
}

/// The text's last bytes, from a line's start where one is near.
fn tail_of(text: &str, bytes: usize) -> &str {
    let mut start = text.len() - bytes.min(text.len());
    while !text.is_char_boundary(start) {
        start += 1;
    }
    let tail = text.get(start..).unwrap_or_default();
    match tail.find('\n') {
        Some(line) if line < LINE_SEARCH_BYTES => tail.get(line + 1..).unwrap_or(tail),
        _ => tail,
    }
}
