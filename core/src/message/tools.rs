//! Which result answers which call: bound by occurrence, not by ID.
//!
//! Invariants:
//! - A result answers the latest occurrence of its call ID that stands before it. A call ID that comes again later in a
//!   session is another occurrence, and a result that stands before every call of its ID answers none (an orphan).
//! - Every occurrence has one answer, the first; further results for it are surplus.
//! - Linear in the number of messages; `planner`, `compaction`, history and conformance all use this one module.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, DefaultHasher};

use super::Message;

/// A hasher with fixed keys: the map's order is never looked at, and nothing asks the host for randomness.
type FixedState = BuildHasherDefault<DefaultHasher>;

/// The place of a call: its message, and its position among that message's calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Occurrence {
    /// Position of the assistant message.
    pub message: usize,
    /// Position among the calls of that message.
    pub call: usize,
}

/// How a tool result stands to the calls before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Binding {
    /// It answers this call.
    Answers(Occurrence),
    /// The call has an answer already.
    Surplus(Occurrence),
    /// No call of its ID stands before it.
    Orphan,
}

/// The relations of a sequence of messages.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Relations {
    bindings: Vec<Option<Binding>>,
    answers: Vec<Vec<Option<usize>>>,
}

impl Relations {
    /// Binds the results among the messages to the calls among them.
    pub fn bind<'a>(messages: impl IntoIterator<Item = &'a Message>) -> Self {
        let mut relations = Self::default();
        let mut latest: HashMap<&str, Occurrence, FixedState> = HashMap::default();
        for (position, message) in messages.into_iter().enumerate() {
            relations.answers.push(vec![None; message.calls.len()]);
            for (call, tool_call) in message.calls.iter().enumerate() {
                let occurrence = Occurrence {
                    message: position,
                    call,
                };
                latest.insert(&tool_call.id, occurrence);
            }
            let binding =
                message
                    .answers
                    .as_ref()
                    .map(|answer| match latest.get(&*answer.call_id) {
                        None => Binding::Orphan,
                        Some(&occurrence) => relations.take_answer(occurrence, position),
                    });
            relations.bindings.push(binding);
        }
        relations
    }

    fn take_answer(&mut self, occurrence: Occurrence, result: usize) -> Binding {
        match self
            .answers
            .get_mut(occurrence.message)
            .and_then(|calls| calls.get_mut(occurrence.call))
        {
            Some(slot @ None) => {
                *slot = Some(result);
                Binding::Answers(occurrence)
            }
            _ => Binding::Surplus(occurrence),
        }
    }

    /// How the message at that position is bound; none where it is no tool result.
    pub fn binding(&self, position: usize) -> Option<Binding> {
        self.bindings.get(position).copied().flatten()
    }

    /// For each call of the message at that position, the position of its answer.
    pub fn answers(&self, position: usize) -> &[Option<usize>] {
        self.answers.get(position).map_or(&[], Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::super::from_native;
    use super::*;
    use serde_json::json;

    fn call(ids: &[&str]) -> Message {
        let blocks: Vec<_> = ids
            .iter()
            .map(|id| json!({"type": "toolCall", "id": id, "name": "read", "arguments": {}}))
            .collect();
        from_native(&json!({"role": "assistant", "content": blocks}))
    }
    fn result(id: &str) -> Message {
        from_native(
            &json!({"role": "toolResult", "toolCallId": id, "toolName": "read", "content": []}),
        )
    }
    const fn at(message: usize, call: usize) -> Occurrence {
        Occurrence { message, call }
    }

    #[test]
    fn the_same_id_in_two_turns_is_two_occurrences() {
        let messages = [call(&["a"]), result("a"), call(&["a"]), result("a")];
        let relations = Relations::bind(&messages);
        assert_eq!(relations.binding(1), Some(Binding::Answers(at(0, 0))));
        assert_eq!(relations.binding(3), Some(Binding::Answers(at(2, 0))));
        assert_eq!(relations.answers(0), [Some(1)]);
    }

    #[test]
    fn a_result_before_its_call_is_an_orphan_and_never_binds_forward() {
        let messages = [result("a"), call(&["a"])];
        let relations = Relations::bind(&messages);
        assert_eq!(relations.binding(0), Some(Binding::Orphan));
        assert_eq!(relations.answers(1), [None]);
    }

    #[test]
    fn parallel_calls_take_displaced_results_and_one_answer_each() {
        let messages = [
            call(&["a", "b"]),
            result("b"),
            call(&["c"]),
            result("a"),
            result("a"),
            result("c"),
        ];
        let relations = Relations::bind(&messages);
        assert_eq!(relations.answers(0), [Some(3), Some(1)]);
        assert_eq!(relations.binding(4), Some(Binding::Surplus(at(0, 0))));
        assert_eq!(relations.answers(2), [Some(5)]);
    }

    #[test]
    fn an_id_twice_in_one_message_is_answered_once_for_its_last_occurrence() {
        let messages = [call(&["a", "a"]), result("a"), result("a")];
        let relations = Relations::bind(&messages);
        assert_eq!(relations.answers(0), [None, Some(1)]);
        assert_eq!(relations.binding(2), Some(Binding::Surplus(at(0, 1))));
    }
}
