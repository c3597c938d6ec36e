//! Random logs: orderly ones as Pi writes them, wild ones with everything that ever went wrong, and hostile bytes.

use ds4_context_tests::cases::{RunStep, SpanStep};
use ds4_context_tests::pi_log::{PiLog, assistant, filler};
use proptest::prelude::*;
use serde_json::{Value, json};

/// What a log may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Every call has its results right behind it.
    Orderly,
    /// Calls and results in any order, some of them missing, some twice.
    Wild,
}

#[derive(Debug, Clone)]
enum Step {
    User(usize),
    Say(usize),
    Exchange(Vec<usize>),
    Calls(Vec<u8>),
    Result(u8, usize),
    Aborted(u8),
    Empty,
    Compaction(usize, usize),
    BranchSummary(usize),
    Note(usize),
    Bash(usize, bool),
    State,
    Edit(usize, bool),
    Label(usize, bool),
    ModelChange,
    UnknownType,
    UnknownRole,
    Branch(usize),
    Image,
}

fn step(shape: Shape) -> BoxedStrategy<Step> {
    let size = 0..3_000_usize;
    let back = 0..12_usize;
    let common = prop_oneof![
        4 => size.clone().prop_map(Step::User),
        4 => size.clone().prop_map(Step::Say),
        8 => prop::collection::vec(0..9_000_usize, 1..4).prop_map(Step::Exchange),
        1 => (size.clone(), back.clone()).prop_map(|(size, back)| Step::Compaction(size, back)),
        1 => size.clone().prop_map(Step::BranchSummary),
        1 => size.clone().prop_map(Step::Note),
        1 => (size.clone(), any::<bool>()).prop_map(|(size, hidden)| Step::Bash(size, hidden)),
        1 => Just(Step::State),
        1 => (back.clone(), any::<bool>()).prop_map(|(back, pin)| Step::Label(back, pin)),
        1 => Just(Step::ModelChange),
        1 => Just(Step::UnknownType),
        1 => Just(Step::Image),
    ];
    if shape == Shape::Orderly {
        return common.boxed();
    }
    prop_oneof![
        6 => common,
        3 => prop::collection::vec(0..5_u8, 1..4).prop_map(Step::Calls),
        4 => (0..5_u8, size).prop_map(|(id, size)| Step::Result(id, size)),
        1 => (0..5_u8).prop_map(Step::Aborted),
        1 => Just(Step::Empty),
        1 => (back.clone(), any::<bool>()).prop_map(|(back, drop)| Step::Edit(back, drop)),
        1 => Just(Step::UnknownRole),
        1 => back.prop_map(Step::Branch),
    ]
    .boxed()
}

/// The text of a random log.
pub fn log_text(shape: Shape) -> impl Strategy<Value = String> {
    prop::collection::vec(step(shape), 0..40).prop_map(|steps| {
        let mut writer = Writer {
            log: PiLog::new(),
            ids: Vec::new(),
        };
        for (number, step) in steps.iter().enumerate() {
            writer.write(number, step);
        }
        writer.log.text().to_owned()
    })
}

struct Writer {
    log: PiLog,
    ids: Vec<String>,
}

impl Writer {
    fn id(&mut self, kind: &str, number: usize) -> String {
        let id = format!("{kind}{number}");
        self.ids.push(id.clone());
        id
    }

    fn back(&self, back: usize) -> String {
        let place = self.ids.len().checked_sub(back + 1);
        place
            .and_then(|place| self.ids.get(place))
            .cloned()
            .unwrap_or_else(|| "nowhere".to_owned())
    }

    fn write(&mut self, number: usize, step: &Step) {
        match step {
            Step::User(size) => {
                let id = self.id("u", number);
                self.log
                    .user(&id, &format!("Question {number} {}", filler("u", *size)));
            }
            Step::Say(size) => {
                let id = self.id("a", number);
                self.log
                    .say(&id, &format!("Answer {number} {}", filler("a", *size)));
            }
            Step::Exchange(results) => {
                let calls: Vec<String> = (0..results.len())
                    .map(|call| format!("call-{number}-{call}"))
                    .collect();
                let id = self.id("c", number);
                self.log
                    .call(&id, &calls.iter().map(String::as_str).collect::<Vec<_>>());
                for (place, (call, size)) in calls.iter().zip(results).enumerate() {
                    let id = self.id(&format!("r{place}x"), number);
                    self.log.result(&id, call, &filler(call, *size));
                }
            }
            Step::Calls(calls) => {
                let id = self.id("c", number);
                let calls: Vec<String> = calls.iter().map(u8::to_string).collect();
                self.log
                    .call(&id, &calls.iter().map(String::as_str).collect::<Vec<_>>());
            }
            Step::Result(call, size) => {
                let id = self.id("r", number);
                self.log.result(&id, &call.to_string(), &filler("r", *size));
            }
            Step::Aborted(call) => {
                let id = self.id("x", number);
                let content = json!([{"type": "toolCall", "id": call.to_string(), "name": "bash", "arguments": {}}]);
                self.log.message(&id, &assistant(&content, "aborted"));
            }
            Step::Empty => {
                let id = self.id("e", number);
                self.log
                    .message(&id, &json!({"role": "user", "content": []}));
            }
            Step::Image => {
                let id = self.id("u", number);
                let image =
                    json!({"type": "image", "mimeType": "image/png", "data": "iVBORw0KGgo="});
                self.log.message(
                    &id,
                    &json!({"role": "user", "content": [{"type": "text", "text": "Look"}, image]}),
                );
            }
            other => self.write_rest(number, other),
        }
    }

    fn write_rest(&mut self, number: usize, step: &Step) {
        let target = |back: usize| self.back(back);
        match step {
            Step::Compaction(size, back) => {
                let kept = target(*back);
                let id = self.id("s", number);
                self.log
                    .compaction(&id, &format!("Summary {}", filler("s", *size)), &kept);
            }
            Step::BranchSummary(size) => {
                let id = self.id("b", number);
                self.log.entry(
                    &id,
                    "branch_summary",
                    &json!({"fromId": "x", "summary": format!("Branch {}", filler("b", *size))}),
                );
            }
            Step::Note(size) => {
                let id = self.id("n", number);
                self.log.entry(&id, "custom_message", &json!({"customType": "note", "content": format!("Note {}", filler("n", *size))}));
            }
            Step::Bash(size, hidden) => {
                let id = self.id("h", number);
                let output = filler("h", *size);
                self.log.message(&id, &json!({"role": "bashExecution", "command": "ls", "output": output, "exitCode": 0, "excludeFromContext": hidden}));
            }
            Step::State => {
                let id = self.id("t", number);
                self.log.entry(
                    &id,
                    "custom",
                    &json!({"customType": "state", "data": [1, 2]}),
                );
            }
            Step::Edit(back, drop) => {
                let target = target(*back);
                let id = self.id("i", number);
                let replacement = if *drop {
                    Value::Null
                } else {
                    json!({"content": "edited"})
                };
                self.log.entry(
                    &id,
                    "context_edit",
                    &json!({"targetId": target, "replacement": replacement}),
                );
            }
            Step::Label(back, pin) => {
                let target = target(*back);
                let id = self.id("l", number);
                self.log.label(&id, &target, pin.then_some("ds4:pin"));
            }
            Step::ModelChange => {
                let id = self.id("m", number);
                self.log.entry(
                    &id,
                    "model_change",
                    &json!({"provider": "other", "modelId": "other"}),
                );
            }
            Step::UnknownType => {
                let id = self.id("y", number);
                self.log.entry(&id, "hologram", &json!({}));
            }
            Step::UnknownRole => {
                let id = self.id("z", number);
                self.log
                    .message(&id, &json!({"role": "narrator", "content": "so"}));
            }
            Step::Branch(back) => {
                let to = target(*back);
                self.log.at(&to);
            }
            _ => {}
        }
    }
}

/// Any JSON, small.
pub fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
        prop::sample::select(vec![
            "user",
            "assistant",
            "toolResult",
            "text",
            "toolCall",
            "image",
            "session",
            "message",
            "compaction"
        ])
        .prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 5, |inner| {
        let key = prop::sample::select(vec![
            "type",
            "id",
            "parentId",
            "message",
            "role",
            "content",
            "text",
            "arguments",
            "toolCallId",
            "summary",
            "firstKeptEntryId",
            "targetId",
            "replacement",
            "label",
            "blocks",
            "version",
            "timestamp",
            "name",
        ]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((key, inner), 0..6).prop_map(|fields| {
                fields
                    .into_iter()
                    .map(|(key, value)| (key.to_owned(), value))
                    .collect::<serde_json::Map<_, _>>()
                    .into()
            }),
        ]
    })
}

/// A line that may be anything, its end included.
pub fn hostile_line() -> impl Strategy<Value = Vec<u8>> {
    let json = any_json().prop_map(|value| value.to_string().into_bytes());
    let message = any_json().prop_map(|value| {
        json!({"type": "message", "id": "same", "message": value})
            .to_string()
            .into_bytes()
    });
    let torn = (any_json(), 0..40_usize).prop_map(|(value, at)| {
        let mut bytes = value.to_string().into_bytes();
        bytes.truncate(at);
        bytes
    });
    let content = prop_oneof![3 => json, 3 => message, 1 => torn, 1 => prop::collection::vec(any::<u8>(), 0..60)];
    let end = prop::sample::select(vec!["\n", "\r\n", "", "\n\n", "\0\n"]);
    (content, end).prop_map(|(mut content, end)| {
        content.extend(end.as_bytes());
        content
    })
}

/// A span of a request.
pub fn span(projected: bool, first: u32, count: u32) -> SpanStep {
    let run = RunStep { first, count };
    if projected {
        SpanStep::Projected(run)
    } else {
        SpanStep::Inline(run)
    }
}
