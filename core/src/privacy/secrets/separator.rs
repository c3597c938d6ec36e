//! What stands between a name and its value: signs of assignment in many languages, a tag's end, a comma, a word.

use std::ops::Range;

use super::bytes::{at, before, has_prefix, run_end, slice};

/// What stands between a name and its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Separator {
    Assign,
    Colon,
    Tag,
    Comma,
    Call,
    Word,
}

/// Signs of assignment, longer ones first.
const SIGNS: [(&[u8], Separator); 21] = [
    (b":::=", Separator::Assign),
    (b"::=", Separator::Assign),
    (b"===", Separator::Assign),
    (b"!==", Separator::Assign),
    (b"??=", Separator::Assign),
    (b"||=", Separator::Assign),
    (b":=", Separator::Assign),
    (b"=>", Separator::Assign),
    (b"==", Separator::Assign),
    (b"!=", Separator::Assign),
    (b"?=", Separator::Assign),
    (b".=", Separator::Assign),
    (b"+=", Separator::Assign),
    (b"||", Separator::Assign),
    (b"??", Separator::Assign),
    (b":-", Separator::Assign),
    (b"=", Separator::Assign),
    (b"%3D", Separator::Assign),
    (b"%3d", Separator::Assign),
    (b"::", Separator::Call),
    (b":", Separator::Colon),
];

/// The separator at `start`, and where it ends.
pub(super) fn separator(
    text: &[u8],
    start: usize,
    closed: usize,
    name: &Range<usize>,
    quoted_name: bool,
) -> Option<(Separator, usize)> {
    let run = slice(text, start, start + 4);
    for (sign, separator) in SIGNS {
        if run.starts_with(sign) {
            return (sign != b"::").then_some((separator, start + sign.len()));
        }
    }
    if has_prefix(text, start, "\\u003d") || has_prefix(text, start, "\\u003a") {
        return Some((Separator::Assign, start + 6));
    }
    match at(text, start) {
        b'>' if start == closed && before(text, name.start, 1) == b'<' => {
            Some((Separator::Tag, start + 1))
        }
        b'?' if at(text, start + 1) == b':' => Some((Separator::Colon, start + 2)),
        b',' if quoted_name => Some((Separator::Comma, start + 1)),
        b'(' if start == closed && !quoted_name => Some((Separator::Call, start + 1)),
        _ if start > closed => copula(text, start).map(|end| (Separator::Word, end)),
        _ => None,
    }
}

/// `is`, `is:`, `was`, `to`, `will be`: what prose puts between a name and its value.
fn copula(text: &[u8], start: usize) -> Option<usize> {
    ["is", "was", "to", "will be"].iter().find_map(|word| {
        let end = start + word.len();
        let followed = matches!(at(text, end), b' ' | b':');
        (has_prefix(text, start, word) && followed).then(|| run_end(text, end, 2, |b| b == b':'))
    })
}
