//! Joins the bytes of a piece to tokens: always the adjacent pair of the lowest rank, the leftmost of equal ones, until
//! no pair is a token. What remains is counted.
//!
//! Three ways to the same result, by the length of the piece: a whole token is one; short pieces are searched for the
//! lowest pair at every step; long ones keep their pairs in a heap. Very long pieces go through windows, so that memory
//! does not grow with them: a row of tokens is the encoding of its bytes exactly when every two neighbours in it are the
//! encoding of theirs, so two encodings that overlap may be exchanged at any token that they share.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::vocabulary::{NO_TOKEN, Priority, Vocabulary};

/// The longest piece, in bytes, that is searched at every step.
const SHORT: usize = 96;
/// Bytes of the first window over a very long piece.
const WINDOW: usize = 16_384;
/// A window and the next have this part of the window in common.
const OVERLAP_PART: usize = 8;

/// Memory that the pieces of one text use one after the other.
#[derive(Default)]
pub struct Scratch {
    parts: Vec<Part>,
}

/// A token in the making: where it starts, and the priority of the pair that it makes with the next part.
struct Part {
    start: usize,
    pair: Priority,
}

/// The number of tokens of a piece.
pub fn count(vocabulary: &Vocabulary, piece: &[u8], scratch: &mut Scratch) -> usize {
    if piece.len() <= 1 || vocabulary.priority(piece) != NO_TOKEN {
        return piece.len().min(1);
    }
    if piece.len() <= SHORT {
        return count_short(vocabulary, piece, &mut scratch.parts);
    }
    let mut window = WINDOW;
    loop {
        // A window of the whole piece always answers.
        if let Some(tokens) = count_in_windows(vocabulary, piece, window) {
            return tokens;
        }
        window = window.saturating_mul(2);
    }
}

fn count_short(vocabulary: &Vocabulary, piece: &[u8], parts: &mut Vec<Part>) -> usize {
    parts.clear();
    let two_bytes = piece
        .windows(2)
        .map(|pair| vocabulary.priority(pair))
        .chain([NO_TOKEN]);
    parts.extend(
        two_bytes
            .enumerate()
            .map(|(start, pair)| Part { start, pair }),
    );
    // The pair of the part `index` and the next.
    let pair_at = |parts: &[Part], index: usize| {
        let start = parts.get(index).map(|part| part.start);
        let end = match parts.get(index + 1) {
            Some(_) => parts.get(index + 2).map_or(piece.len(), |part| part.start),
            None => return NO_TOKEN,
        };
        start
            .and_then(|start| piece.get(start..end))
            .map_or(NO_TOKEN, |bytes| vocabulary.priority(bytes))
    };
    while let Some((index, lowest)) = parts.iter().enumerate().min_by_key(|(_, part)| part.pair)
        && lowest.pair != NO_TOKEN
    {
        parts.remove(index + 1);
        for changed in [Some(index), index.checked_sub(1)].into_iter().flatten() {
            let pair = pair_at(parts, changed);
            if let Some(part) = parts.get_mut(changed) {
                part.pair = pair;
            }
        }
    }
    parts.len()
}

/// The count of a piece by overlapping windows; nothing where two windows share no token in their overlap, as happens
/// when what stands beyond a window decides all of it.
fn count_in_windows(vocabulary: &Vocabulary, piece: &[u8], window: usize) -> Option<usize> {
    let overlap = window / OVERLAP_PART;
    let mut counted = 0;
    let mut window_end = window.min(piece.len());
    // The ends of the tokens of the present window that are not counted yet, and where the first of them starts.
    let mut start = 0;
    let mut ends = token_ends(vocabulary, piece, 0, window_end);
    while window_end < piece.len() {
        let next_start = ends
            .iter()
            .copied()
            .find(|end| end + overlap >= window_end)?;
        let next_end = next_start.saturating_add(window).min(piece.len());
        let next = token_ends(vocabulary, piece, next_start, next_end);
        let (counted_here, used, shared_end) = shared_token(&ends, start, &next, next_start)?;
        counted += counted_here;
        start = shared_end;
        ends = next.get(used..).unwrap_or_default().to_vec();
        window_end = next_end;
    }
    Some(counted + ends.len())
}

/// The first token that both rows have: how many tokens of either row end with it, and where it ends.
fn shared_token(
    left: &[usize],
    left_start: usize,
    right: &[usize],
    right_start: usize,
) -> Option<(usize, usize, usize)> {
    let tokens = |ends: &[usize], start: usize| -> Vec<(usize, usize)> {
        std::iter::once(start)
            .chain(ends.iter().copied())
            .zip(ends.iter().copied())
            .collect()
    };
    let (left, right) = (tokens(left, left_start), tokens(right, right_start));
    let mut right = right.iter().enumerate().peekable();
    for (index, token) in left.iter().enumerate() {
        while right.next_if(|(_, other)| *other < token).is_some() {}
        if let Some((other_index, _)) = right.next_if(|(_, other)| *other == token) {
            return Some((index + 1, other_index + 1, token.1));
        }
    }
    None
}

/// A byte of a long piece. It starts a token in the making while `pair` or its neighbours say so.
#[derive(Clone, Copy)]
struct Node {
    previous: u32,
    /// Where the token in the making that starts here ends.
    end: u32,
    /// The priority of the pair that it makes with the next, `NO_TOKEN` also when it was joined to the one before.
    pair: Priority,
}

/// The ends of the tokens of `piece[start..end]`, in the positions of the piece, by a heap of pairs.
fn token_ends(vocabulary: &Vocabulary, piece: &[u8], start: usize, end: usize) -> Vec<usize> {
    let bytes = piece.get(start..end).unwrap_or_default();
    let length = bytes.len() as u32;
    let mut nodes: Vec<Node> = (0..length)
        .map(|at| Node {
            previous: at.saturating_sub(1),
            end: at + 1,
            pair: NO_TOKEN,
        })
        .collect();
    let mut heap = BinaryHeap::new();
    for (at, two_bytes) in (0..length).zip(bytes.windows(2)) {
        set_pair(&mut nodes, &mut heap, at, vocabulary.priority(two_bytes));
    }
    while let Some(Reverse((pair, at))) = heap.pop() {
        let Some(node) = node_at(&nodes, at).filter(|node| node.pair == pair) else {
            continue; // The pair has changed since.
        };
        let Some(joined) = node_at(&nodes, node.end) else {
            continue;
        };
        let after = joined.end;
        if let Some(node) = nodes.get_mut(at as usize) {
            node.end = after;
        }
        if let Some(joined) = nodes.get_mut(node.end as usize) {
            joined.pair = NO_TOKEN;
        }
        if let Some(next) = nodes.get_mut(after as usize) {
            next.previous = at;
        }
        let pair_from = |nodes: &[Node], at: u32, middle: u32| {
            let end = node_at(nodes, middle).map(|next| next.end as usize);
            let bytes = end.and_then(|end| bytes.get(at as usize..end));
            bytes.map_or(NO_TOKEN, |bytes| vocabulary.priority(bytes))
        };
        let own = pair_from(&nodes, at, after);
        set_pair(&mut nodes, &mut heap, at, own);
        if at > 0 {
            let with_previous = pair_from(&nodes, node.previous, at);
            set_pair(&mut nodes, &mut heap, node.previous, with_previous);
        }
    }
    std::iter::successors(node_at(&nodes, 0), |node| node_at(&nodes, node.end))
        .map(|node| start + node.end as usize)
        .collect()
}

fn node_at(nodes: &[Node], at: u32) -> Option<Node> {
    nodes.get(at as usize).copied()
}

fn set_pair(
    nodes: &mut [Node],
    heap: &mut BinaryHeap<Reverse<(Priority, u32)>>,
    at: u32,
    pair: Priority,
) {
    if let Some(node) = nodes.get_mut(at as usize) {
        node.pair = pair;
        if pair != NO_TOKEN {
            heap.push(Reverse((pair, at)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn by_heap(piece: &[u8]) -> usize {
        token_ends(Vocabulary::o200k(), piece, 0, piece.len()).len()
    }

    fn by_search(piece: &[u8]) -> usize {
        count_short(Vocabulary::o200k(), piece, &mut Vec::new())
    }

    proptest! {
        #[test]
        fn the_ways_agree_with_each_other_and_with_an_independent_encoder(
            bytes in prop::collection::vec(prop_oneof![any::<u8>(), b'a'..=b'f'], 1..400),
        ) {
            let expected = bpe_openai::o200k_base().bpe.count(&bytes);
            prop_assert_eq!(by_heap(&bytes), expected);
            prop_assert_eq!(by_search(&bytes), expected);
            for window in [1, 8, 32, 64, 128, 256] {
                let windows = count_in_windows(Vocabulary::o200k(), &bytes, window);
                prop_assert!(windows.is_none_or(|tokens| tokens == expected), "window {}: {:?}", window, windows);
            }
        }
    }

    #[test]
    fn windows_find_shared_tokens_in_usual_runs() {
        for unit in ["a", "=", "ab", "日本語の文章", "The", "\u{1F600}", "\u{0}"] {
            let piece = unit.repeat(100_000 / unit.len());
            let tokens = count_in_windows(Vocabulary::o200k(), piece.as_bytes(), 1_024);
            assert_eq!(tokens, Some(by_heap(piece.as_bytes())), "{unit:?}");
        }
    }

    #[test]
    fn a_window_of_the_whole_piece_always_answers() {
        let piece = "ab".repeat(1_000);
        for window in [2_000, usize::MAX] {
            let tokens = count_in_windows(Vocabulary::o200k(), piece.as_bytes(), window);
            assert_eq!(tokens, Some(by_heap(piece.as_bytes())));
        }
    }
}
