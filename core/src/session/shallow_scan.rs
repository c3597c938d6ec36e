//! Reads `type`, `id` and `parentId` from the top level of a JSON object without parsing it.
//!
//! It serves the lines that cannot be parsed (nested deeper than a parser follows, longer than a line may be, broken
//! inside), so that their entries keep their place in the tree, and it takes its bytes in pieces.
//!
//! Invariants: no recursion, constant memory, one look at each byte. It finds what is at the top level and does not check
//! that the rest is JSON.

/// Longer names and values are not looked at.
const MAX_CAPTURED_BYTES: usize = 1_024;

/// What was found so far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ShallowFields {
    /// The value of `type`.
    pub kind: Option<String>,
    /// The value of `id`.
    pub id: Option<String>,
    /// The value of `parentId`.
    pub parent_id: Option<String>,
    /// How deep arrays and objects were nested.
    pub max_depth: u64,
}

/// A scan in progress.
#[derive(Debug, Clone, Default)]
pub(super) struct ShallowScan {
    fields: ShallowFields,
    depth: u64,
    /// The object ended, or there is none.
    stopped: bool,
    string: StringState,
    /// Behind the colon of a top-level member.
    at_value: bool,
    key: Option<Field>,
    /// The string that is being read, where it matters.
    captured: Option<Vec<u8>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum StringState {
    #[default]
    Outside,
    Inside,
    BehindBackslash,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Kind,
    Id,
    ParentId,
}

impl ShallowScan {
    /// Looks at further bytes. Says how many of them belong to the object, where it ends within them; bytes behind it are
    /// not looked at, now or later.
    pub fn feed(&mut self, bytes: &[u8]) -> Option<usize> {
        for (position, &byte) in bytes.iter().enumerate() {
            if self.stopped {
                return None;
            }
            if self.string != StringState::Outside {
                self.string_byte(byte);
            } else if self.structure_byte(byte) {
                return Some(position + 1);
            }
        }
        None
    }

    /// What was found.
    pub fn finish(self) -> ShallowFields {
        self.fields
    }

    fn string_byte(&mut self, byte: u8) {
        let is_escaped = self.string == StringState::BehindBackslash;
        if byte == b'"' && !is_escaped {
            self.string = StringState::Outside;
            if let Some(captured) = self.captured.take() {
                self.string_ended(&captured);
            }
            return;
        }
        self.string = if byte == b'\\' && !is_escaped {
            StringState::BehindBackslash
        } else {
            StringState::Inside
        };
        if let Some(captured) = self.captured.as_mut() {
            if captured.len() < MAX_CAPTURED_BYTES {
                captured.push(byte);
            } else {
                self.captured = None;
                self.key = None;
            }
        }
    }

    fn string_ended(&mut self, captured: &[u8]) {
        let text = unescape(captured);
        if !self.at_value {
            self.key = match text.as_deref() {
                Some("type") => Some(Field::Kind),
                Some("id") => Some(Field::Id),
                Some("parentId") => Some(Field::ParentId),
                _ => None,
            };
            return;
        }
        match self.key.take() {
            Some(Field::Kind) => self.fields.kind = text,
            Some(Field::Id) => self.fields.id = text,
            Some(Field::ParentId) => self.fields.parent_id = text,
            None => {}
        }
    }

    /// One byte outside strings; true where it closes the object.
    fn structure_byte(&mut self, byte: u8) -> bool {
        match byte {
            b'{' | b'[' => {
                self.stopped = self.depth == 0 && byte == b'[';
                self.depth += 1;
                self.fields.max_depth = self.fields.max_depth.max(self.depth);
            }
            b'}' | b']' => {
                self.depth = self.depth.saturating_sub(1);
                self.stopped = self.depth == 0;
                return self.stopped;
            }
            b'"' => {
                self.string = StringState::Inside;
                let wanted = self.depth == 1 && (!self.at_value || self.key.is_some());
                self.captured = wanted.then(Vec::new);
            }
            b':' if self.depth == 1 => self.at_value = true,
            b',' if self.depth == 1 => {
                self.at_value = false;
                self.key = None;
            }
            // Spaces and a byte order mark may stand before the object.
            _ if self.depth == 0 => {
                self.stopped = !byte.is_ascii_whitespace() && !matches!(byte, 0xEF | 0xBB | 0xBF);
            }
            _ => {}
        }
        false
    }
}

/// The text of the bytes between two quotes.
fn unescape(captured: &[u8]) -> Option<String> {
    let mut quoted = Vec::with_capacity(captured.len() + 2);
    quoted.push(b'"');
    quoted.extend_from_slice(captured);
    quoted.push(b'"');
    serde_json::from_slice(&quoted).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scan(text: &str) -> (ShallowFields, Option<usize>) {
        let mut scan = ShallowScan::default();
        let end = scan.feed(text.as_bytes());
        (scan.finish(), end)
    }

    #[test]
    fn top_level_fields_are_found_whatever_is_between_them() {
        let text = r#" {"data":{"id":"no","a":["]}\"",{"type":"no"}]},"i\u0064":"x\"y","parentId":"p","type":"message"} {"id":"z"}"#;
        let (fields, end) = scan(text);
        assert_eq!(fields.id.as_deref(), Some("x\"y"));
        assert_eq!(fields.parent_id.as_deref(), Some("p"));
        assert_eq!(fields.kind.as_deref(), Some("message"));
        assert_eq!(&text[end.unwrap()..], r#" {"id":"z"}"#);
    }

    #[test]
    fn pieces_give_what_the_whole_gives() {
        let text = r#"{"type":"custom","data":[[["id"]]],"id":"a\\","parentId":null}"#;
        let mut pieces = ShallowScan::default();
        let ends: Vec<_> = text
            .as_bytes()
            .chunks(1)
            .map(|piece| pieces.feed(piece))
            .collect();
        assert_eq!(ends.iter().filter(|end| end.is_some()).count(), 1);
        assert_eq!(pieces.finish(), scan(text).0);
        assert_eq!(scan(text).0.id.as_deref(), Some("a\\"));
        assert_eq!(scan(text).0.parent_id, None);
        assert_eq!(scan(text).0.max_depth, 4);
    }

    #[test]
    fn values_that_are_no_strings_and_other_documents_give_nothing() {
        assert_eq!(
            scan(r#"{"id":5,"type":["x"],"parentId":{"id":"q"}}"#).0.id,
            None
        );
        assert_eq!(scan(r#"["id","x"]"#).0.id, None);
        assert_eq!(scan(r#"id":"x"}"#).0.id, None);
        assert_eq!(
            scan(&format!(r#"{{"id":"{}"}}"#, "x".repeat(2_000))).0.id,
            None
        );
    }
}
