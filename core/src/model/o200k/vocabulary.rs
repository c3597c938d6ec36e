//! The vocabulary of `o200k_base`: which byte strings are tokens, and which of two tokens comes first.
//!
//! Stored (by `build.rs`): the 256 single bytes in rank order, then for every other token the ranks of two earlier
//! tokens that make it, three bytes each, plane by plane — all low bytes of the left ranks, all middle, all high, then
//! the same of the right ranks. Index planes of this kind compress to 0.7 MB, the plain strings only to 1 MB.
//!
//! In memory: the tokens one after the other in rank order, each after a byte of its length, and a hash table of the
//! places where they start. A place grows with the rank, so it stands for the rank wherever tokens are compared.

use std::sync::LazyLock;

static PAIRS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/o200k_pairs.bin"));

const SINGLE_BYTES: usize = 256;
/// Slots of the hash table; 200,000 tokens fill it to 0.38, which keeps the search for what is no token short.
const SLOTS: usize = 1 << 19;
/// Bits of a slot that hold the place of a token; the rest holds bits of its hash.
const PLACE_BITS: u32 = 21;
const PLACE_MASK: u32 = (1 << PLACE_BITS) - 1;
const EMPTY: u32 = u32::MAX;

/// The order of a token among the tokens: the lower, the earlier it is joined. Not its rank, but as good.
pub type Priority = u32;

/// The priority of what is no token: later than every token.
pub const NO_TOKEN: Priority = u32::MAX;

/// The tokens, indexed.
pub struct Vocabulary {
    /// Length byte and bytes of every token, in rank order.
    tokens: Vec<u8>,
    /// Open addressing with linear search.
    slots: Vec<u32>,
}

static O200K: LazyLock<Vocabulary> = LazyLock::new(|| Vocabulary::from_pairs(PAIRS));

impl Vocabulary {
    /// The vocabulary of `o200k_base`, made at the first call.
    pub fn o200k() -> &'static Self {
        &O200K
    }

    /// The priority of these bytes, [`NO_TOKEN`] where they are no token.
    pub fn priority(&self, bytes: &[u8]) -> Priority {
        let hash = hash(bytes);
        let mark = mark(hash);
        let mut slot = first_slot(hash);
        loop {
            match self.slots.get(slot) {
                None | Some(&EMPTY) => return NO_TOKEN,
                Some(&found) if found & !PLACE_MASK == mark => {
                    let place = found & PLACE_MASK;
                    if token_at(&self.tokens, place) == bytes {
                        return place;
                    }
                }
                Some(_) => {}
            }
            slot = (slot + 1) % SLOTS;
        }
    }

    fn from_pairs(table: &[u8]) -> Self {
        let (singles, planes) = table.split_at_checked(SINGLE_BYTES).unwrap_or_default();
        let count = planes.len() / 6;
        let rank = |index: usize, side: usize| {
            let byte = |plane: usize| {
                usize::from(
                    planes
                        .get((side * 3 + plane) * count + index)
                        .copied()
                        .unwrap_or(0),
                )
            };
            byte(0) | byte(1) << 8 | byte(2) << 16
        };
        // 7 bytes a token, the length byte included, and a little more.
        let mut tokens: Vec<u8> = Vec::with_capacity((SINGLE_BYTES + count) * 8);
        let mut places: Vec<u32> = Vec::with_capacity(SINGLE_BYTES + count);
        for byte in singles {
            places.push(tokens.len() as u32);
            tokens.extend([1, *byte]);
        }
        let mut joined = Vec::new();
        for index in 0..count {
            joined.clear();
            for half in [rank(index, 0), rank(index, 1)] {
                joined.extend_from_slice(
                    places
                        .get(half)
                        .map_or(&[], |place| token_at(&tokens, *place)),
                );
            }
            places.push(tokens.len() as u32);
            tokens.push(joined.len() as u8);
            tokens.extend_from_slice(&joined);
        }
        tokens.shrink_to_fit();
        let slots = slots(&tokens, &places);
        Self { tokens, slots }
    }
}

fn slots(tokens: &[u8], places: &[u32]) -> Vec<u32> {
    let mut slots = vec![EMPTY; SLOTS];
    for place in places {
        let hash = hash(token_at(tokens, *place));
        let mut slot = first_slot(hash);
        while slots.get(slot).is_some_and(|taken| *taken != EMPTY) {
            slot = (slot + 1) % SLOTS;
        }
        if let Some(free) = slots.get_mut(slot) {
            *free = mark(hash) | place;
        }
    }
    slots
}

/// The bytes of the token that starts at a place.
fn token_at(tokens: &[u8], place: u32) -> &[u8] {
    let text = tokens.get(place as usize..).and_then(<[u8]>::split_first);
    text.and_then(|(length, rest)| rest.get(..usize::from(*length)))
        .unwrap_or_default()
}

fn first_slot(hash: u64) -> usize {
    (hash >> 32) as usize % SLOTS
}

/// The bits of the hash that a slot keeps, so that most other tokens are told apart without a look at their bytes.
fn mark(hash: u64) -> u32 {
    (hash as u32) & !PLACE_MASK
}

/// The same on every machine: the words of the text, multiplied and folded one after the other.
fn hash(bytes: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let fold = |state: u64, word: u64| {
        let mixed = (state ^ word).wrapping_mul(FACTOR);
        mixed ^ (mixed >> 29)
    };
    let mut state = fold(bytes.len() as u64, 0);
    let mut rest = bytes;
    while rest.len() > 8
        && let Some((word, after)) = rest.split_first_chunk::<8>()
    {
        state = fold(state, u64::from_le_bytes(*word));
        rest = after;
    }
    // At most eight bytes are left: two words of four that may overlap, or up to three single bytes.
    let last = match (rest.first_chunk::<4>(), rest.last_chunk::<4>()) {
        (Some(first), Some(last)) => {
            u64::from(u32::from_le_bytes(*first)) | u64::from(u32::from_le_bytes(*last)) << 32
        }
        _ => rest
            .iter()
            .fold(0, |word, byte| word << 8 | u64::from(*byte)),
    };
    fold(fold(state, last), 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_token_of_the_vocabulary_is_found_in_rank_order() {
        let known = &bpe_openai::o200k_base().bpe;
        let ours = Vocabulary::o200k();
        let mut previous = None;
        for rank in 0..u32::try_from(known.num_tokens()).unwrap() {
            let priority = ours.priority(known.token_bytes(rank));
            assert_ne!(priority, NO_TOKEN, "rank {rank}");
            assert!(previous < Some(priority), "rank {rank}");
            previous = Some(priority);
        }
        let lengths: usize = (0..u32::try_from(known.num_tokens()).unwrap())
            .map(|rank| known.token_len(rank) + 1)
            .sum();
        assert_eq!(
            ours.tokens.len(),
            lengths,
            "a token of ours is none of theirs"
        );
        assert!(lengths < PLACE_MASK as usize);
    }

    #[test]
    fn what_is_no_token_is_not_found() {
        for bytes in [
            &b""[..],
            b"zqzqzq",
            b"hello world",
            &[b'a'; 300],
            "日本語日本語".as_bytes(),
        ] {
            assert_eq!(Vocabulary::o200k().priority(bytes), NO_TOKEN, "{bytes:?}");
        }
    }
}
