//! Lower-case hex digits, and the random names made of them.

use std::fmt::Write as _;

use crate::ports::StorageError;

/// Random bytes of a nonce or a temporary name.
const RANDOM_BYTES: usize = 16;
/// Hex digits of a nonce.
pub(super) const NONCE_DIGITS: usize = 2 * RANDOM_BYTES;

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(
        String::with_capacity(2 * bytes.len()),
        |mut digits, byte| {
            // Writing to a string cannot fail.
            let _ = write!(digits, "{byte:02x}");
            digits
        },
    )
}

/// Exactly so many digits, none of them upper-case.
pub(super) fn is_hex(text: &str, digits: usize) -> bool {
    text.len() == digits
        && text
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// A name that nobody else has.
pub(super) fn nonce() -> Result<String, StorageError> {
    let mut bytes = [0; RANDOM_BYTES];
    getrandom::fill(&mut bytes).map_err(|error| {
        StorageError::Other(format!(
            "no random bytes from the operating system: {error}"
        ))
    })?;
    Ok(hex(&bytes))
}
