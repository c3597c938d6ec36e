//! Halves of surrogate pairs in JSON text. JavaScript writes and reads them, and no Unicode text can hold them.

/// JSON text in which every `\uD800`–`\uDFFF` that is no half of a pair is `\uFFFD`, as JavaScript's `toWellFormed` has it; none
/// where there is nothing to replace.
pub fn lone_surrogates_replaced(text: &str) -> Option<String> {
    let mut replaced = String::new();
    let mut copied = 0;
    let mut position = 0;
    while let Some(offset) = text.get(position..)?.find('\\') {
        let start = position + offset;
        position = match surrogate_at(text, start) {
            // A pair stays as it is.
            Some(0xD800..=0xDBFF)
                if matches!(surrogate_at(text, start + 6), Some(0xDC00..=0xDFFF)) =>
            {
                start + 12
            }
            Some(_) => {
                replaced.push_str(text.get(copied..start)?);
                replaced.push_str("\\ufffd");
                copied = start + 6;
                copied
            }
            // Any other escape: its second character can be a backslash.
            None => {
                start
                    + 1
                    + text
                        .get(start + 1..)?
                        .chars()
                        .next()
                        .map_or(0, char::len_utf8)
            }
        };
    }
    if copied == 0 {
        return None;
    }
    replaced.push_str(text.get(copied..)?);
    Some(replaced)
}

/// The surrogate that an escape at that position stands for.
fn surrogate_at(text: &str, position: usize) -> Option<u16> {
    let escape = text.get(position..position + 6)?;
    let code = u16::from_str_radix(escape.strip_prefix("\\u")?, 16).ok()?;
    (0xD800..=0xDFFF).contains(&code).then_some(code)
}
