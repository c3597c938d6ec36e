//! How dense a text is: the filter that tells a random token from a name.
//!
//! Random texts change between letters and digits, and between cases, every second or third character, and their
//! letters form pairs that no language uses; names, paths and words do neither. Shannon entropy alone cannot tell
//! `configuration_manager` from `g8zmkichwbptpvld1nmpi`.

/// Whether a value looks drawn at random: a key, not a name.
pub(super) fn is_random(value: &[u8]) -> bool {
    let shape = Shape::of(value);
    let signs = shape.letters + shape.digits;
    if signs < 10
        || shape.letters == 0
        || signs * 2 < value.len()
        || entropy(value) < least_entropy(value.len())
    {
        return false;
    }
    let percent = shape.changes * 100;
    let mixed = if shape.digits > 0 {
        percent >= signs * 25
            || (percent >= signs * 12 && shape.pairs >= 4 && shape.common * 4 < shape.pairs * 3)
    } else {
        percent >= signs * 30
    };
    (mixed && shape.changes >= 3) || shape.has_rare_pairs() || holds_hexadecimal(value)
}

/// Whether sixteen or more hexadecimal digits stand together, letters and digits among them.
fn holds_hexadecimal(value: &[u8]) -> bool {
    value.split(|b| !b.is_ascii_hexdigit()).any(|run| {
        let digits = run.iter().filter(|b| b.is_ascii_digit()).count();
        run.len() >= 16 && digits >= 3 && run.len() - digits >= 3
    })
}

/// Shannon entropy in bits per byte.
pub(super) fn entropy(value: &[u8]) -> f64 {
    let mut counts = [0_u32; 256];
    for &byte in value {
        if let Some(count) = counts.get_mut(usize::from(byte)) {
            *count += 1;
        }
    }
    let total = f64::from(u32::try_from(value.len()).unwrap_or(u32::MAX));
    counts
        .iter()
        .filter(|&&count| count > 0)
        .fold(0.0, |sum, &count| {
            let share = f64::from(count) / total;
            sum - share * libm::log2(share)
        })
}

/// The entropy below which a value of this length is repetition.
fn least_entropy(length: usize) -> f64 {
    match length {
        0..12 => 2.2,
        12..20 => 2.7,
        _ => 3.0,
    }
}

/// How a value is put together.
#[derive(Default)]
struct Shape {
    letters: usize,
    digits: usize,
    /// Changes between lower case, upper case and digits among neighbours; the one from a capital to the small letter
    /// after it is not counted, because words begin so.
    changes: usize,
    /// Pairs of neighbouring letters, without those that join two words in camel case.
    pairs: usize,
    /// Those of the pairs that words are made of.
    common: usize,
}

impl Shape {
    fn of(value: &[u8]) -> Self {
        let mut shape = Self {
            letters: value.iter().filter(|b| b.is_ascii_alphabetic()).count(),
            digits: value.iter().filter(|b| b.is_ascii_digit()).count(),
            ..Self::default()
        };
        for (first, second) in value.iter().zip(value.iter().skip(1)) {
            shape.changes += usize::from(is_change(*first, *second));
            let joins_words = first.is_ascii_lowercase() && second.is_ascii_uppercase();
            if first.is_ascii_alphabetic() && second.is_ascii_alphabetic() && !joins_words {
                shape.pairs += 1;
                shape.common += usize::from(is_common_pair(
                    first.to_ascii_lowercase(),
                    second.to_ascii_lowercase(),
                ));
            }
        }
        shape
    }

    /// Whether the pairs of letters are not those of words: fewer than half of eight or more are common, or fewer than
    /// 62 % of eleven or more.
    fn has_rare_pairs(&self) -> bool {
        (self.pairs >= 8 && self.common * 2 < self.pairs)
            || (self.pairs >= 11 && self.common * 100 < self.pairs * 62)
    }
}

fn is_change(first: u8, second: u8) -> bool {
    let both = first.is_ascii_alphanumeric() && second.is_ascii_alphanumeric();
    both && class(first) != class(second)
        && !(first.is_ascii_uppercase() && second.is_ascii_lowercase())
}

fn class(byte: u8) -> u8 {
    if byte.is_ascii_digit() {
        0
    } else if byte.is_ascii_uppercase() {
        1
    } else {
        2
    }
}

fn is_common_pair(first: u8, second: u8) -> bool {
    let row = COMMON_PAIRS
        .get(usize::from(first.wrapping_sub(b'a')))
        .copied()
        .unwrap_or(0);
    row >> (second.wrapping_sub(b'a') & 31) & 1 == 1
}

/// The 270 pairs of letters that English prose and source code use most (97 % of all pairs), counted over this
/// project's documents and sources: one row for each first letter, one bit for each second.
const COMMON_PAIRS: [u32; 26] = [
    0x1fe_bd6e, 0x112_4b11, 0x11a_4d91, 0x006_4159, 0x1ef_b9ff, 0x01e_6931, 0x01e_4191, 0x100_4111,
    0x2ae_f87f, 0x004_0010, 0x004_2110, 0x11c_4939, 0x014_d113, 0x17e_ed7d, 0x07e_ff6e, 0x01e_c911,
    0x010_0800, 0x13e_f55d, 0x15d_dd95, 0x15e_c995, 0x00e_b95f, 0x000_0111, 0x006_6191, 0x008_8014,
    0x00c_a110, 0x000_0010,
];
