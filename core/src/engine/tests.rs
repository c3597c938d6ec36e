//! The façade on small logs in memory: reading in slices, plans, manifests, and what a host may do wrong.

mod crossings;
mod derived_state;
mod documents;
mod kept_text;
mod scopes;

use std::cell::RefCell;

use super::*;
use crate::ports::{Place, StorageError};
use serde_json::json;

/// A storage port with one file that tests change under the session's feet.
#[derive(Default)]
struct OneFile {
    bytes: RefCell<Option<Vec<u8>>>,
    reads: RefCell<u32>,
}

impl Storage for OneFile {
    fn read_file(
        &self,
        _: Place,
        _: &str,
        offset: u64,
        length: u32,
    ) -> Result<Vec<u8>, StorageError> {
        *self.reads.borrow_mut() += 1;
        let bytes = self.bytes.borrow();
        let bytes = bytes.as_ref().ok_or(StorageError::NotFound)?;
        let from = (offset as usize).min(bytes.len());
        let to = (from + length as usize).min(bytes.len());
        Ok(bytes[from..to].to_vec())
    }
}

fn line(id: &str, parent: Option<&str>, message: Value) -> String {
    json!({"type": "message", "id": id, "parentId": parent, "message": message}).to_string() + "\n"
}

fn log(turns: usize) -> String {
    let header = json!({"type": "session", "version": 3, "id": "s", "cwd": "/w"});
    let (mut text, mut parent) = (format!("{header}\n"), None::<String>);
    for turn in 0..turns {
        for (role, content) in [
            ("user", format!("question {turn}")),
            ("assistant", "z".repeat(4_000)),
        ] {
            let id = format!("{role}{turn}");
            let content = if role == "user" {
                json!(content)
            } else {
                json!([{"type": "text", "text": content}])
            };
            text += &line(
                &id,
                parent.as_deref(),
                json!({"role": role, "content": content}),
            );
            parent = Some(id);
        }
    }
    text
}

fn options(log: Option<&str>) -> SessionOptions {
    SessionOptions {
        session_id: "s".into(),
        format: LogFormat::PiSessionV3,
        log: log.map(str::to_owned),
        config: b"{}".to_vec(),
        log_folder: None,
        project_root: None,
        seed: vec![7; 32],
    }
}

fn opened(text: &str) -> (Session, Rc<OneFile>) {
    opened_with(text, &json!({}))
}

fn opened_with(text: &str, config: &Value) -> (Session, Rc<OneFile>) {
    let file = Rc::new(OneFile {
        bytes: RefCell::new(Some(text.as_bytes().to_vec())),
        ..OneFile::default()
    });
    let mut session = Session::open(
        SessionOptions {
            config: config.to_string().into_bytes(),
            ..options(Some("log.jsonl"))
        },
        Rc::clone(&file) as Rc<dyn Storage>,
    )
    .unwrap();
    while !session.sync(10_000).unwrap().finished {}
    (session, file)
}

#[test]
fn a_log_is_read_in_slices_and_continued_with_one_read() {
    let (mut session, file) = opened(&log(20));
    assert_eq!(session.projected_messages(), 40);
    *file.reads.borrow_mut() = 0;
    file.bytes.borrow_mut().as_mut().unwrap().extend_from_slice(
        line(
            "next",
            Some("assistant19"),
            json!({"role": "user", "content": "more"}),
        )
        .as_bytes(),
    );
    let progress = session.sync(1_000_000).unwrap();
    assert!(progress.finished);
    assert_eq!(*file.reads.borrow(), 1, "what is new crosses in one read");
    assert_eq!(session.projected_messages(), 41);
}

#[test]
fn a_log_that_was_cut_or_replaced_is_read_anew() {
    let (mut session, file) = opened(&log(20));
    let plan = session.plan(&PlanRequest::default()).unwrap();
    *file.bytes.borrow_mut() = Some(log(3).into_bytes());
    session.sync(1_000_000).unwrap();
    assert_eq!(session.projected_messages(), 6);
    assert!(
        session.render(Some(&plan.manifest_id)).is_err(),
        "a plan over entries that are gone is not rendered"
    );
    *file.bytes.borrow_mut() = Some(log(30).replace("question", "demand").into_bytes());
    session.sync(10_000_000).unwrap();
    assert_eq!(session.projected_messages(), 60);
    *file.bytes.borrow_mut() = None;
    assert!(matches!(session.sync(10), Err(EngineError::NotFound(_))));
    assert_eq!(
        session.projected_messages(),
        60,
        "a failed read changes nothing"
    );
}

#[test]
fn the_same_input_gives_the_same_plan_and_a_small_budget_is_kept() {
    let plan = |budget| {
        let (mut session, _) = opened(&log(40));
        let plan = session
            .plan(&PlanRequest {
                budget,
                now_ms: 5,
                ..PlanRequest::default()
            })
            .unwrap();
        (
            plan,
            session.render(None).unwrap().to_string(),
            session.manifest(None).unwrap().to_string(),
        )
    };
    assert_eq!(plan(Some(9_000)), plan(Some(9_000)));
    let (small, rendered, _) = plan(Some(9_000));
    assert!(
        small.estimated_tokens <= 9_000 && small.estimated_tokens > 7_000,
        "{}",
        small.estimated_tokens
    );
    assert_ne!(small.prompt_hash, plan(None).0.prompt_hash);
    let document: Value = serde_json::from_str(&rendered).unwrap();
    assert_eq!(
        document["messages"].as_array().unwrap().last().unwrap()["entryId"],
        "assistant39"
    );
    assert_eq!(document["excluded"][0]["firstEntryId"], "user0");
}

#[test]
fn inline_messages_stand_where_the_host_puts_them() {
    let (mut session, _) = opened(&log(2));
    let request = PlanRequest {
        messages: vec![
            Span::Projected(Run { first: 0, count: 2 }),
            Span::Inline(Run { first: 0, count: 1 }),
            Span::Projected(Run { first: 2, count: 2 }),
        ],
        inline: br#"[{"role":"custom","customType":"note","content":"from another extension"}]"#
            .to_vec(),
        ..PlanRequest::default()
    };
    let plan = session.plan(&request).unwrap();
    assert_eq!(plan.items, [PlanItem::Keep(Run { first: 0, count: 5 })]);
    let rendered = session.render(None).unwrap();
    assert_eq!(rendered["messages"][2]["text"], "from another extension");
    assert_eq!(rendered["messages"][2].get("entryId"), None);
}

/// Another extension puts the same message before the newest prompt of every request.
#[test]
fn the_cut_does_not_move_along_with_an_inline_message() {
    let (mut session, _) = opened(&log(3));
    for turn in 0..3 {
        let prompt = 2 * turn;
        session.select_leaf(Some(&format!("user{turn}"))).unwrap();
        let request = PlanRequest {
            messages: vec![
                Span::Projected(Run {
                    first: 0,
                    count: prompt,
                }),
                Span::Inline(Run { first: 0, count: 1 }),
                Span::Projected(Run {
                    first: prompt,
                    count: 1,
                }),
            ],
            inline: br#"[{"role":"user","content":"added"}]"#.to_vec(),
            ..PlanRequest::default()
        };
        let plan = session.plan(&request).unwrap();
        let everything = Run {
            first: 0,
            count: prompt + 2,
        };
        assert_eq!(plan.items, [PlanItem::Keep(everything)], "turn {turn}");
    }
}

#[test]
fn a_fallback_and_the_observer_keep_everything() {
    let (mut session, _) = opened(&log(3));
    let plan = session
        .plan(&PlanRequest {
            budget: Some(10),
            ..PlanRequest::default()
        })
        .unwrap();
    assert_eq!(plan.fallback, Some("mandatory-over-limit"));
    assert_eq!(plan.items, [PlanItem::Keep(Run { first: 0, count: 6 })]);

    let file = Rc::new(OneFile {
        bytes: RefCell::new(Some(log(40).into_bytes())),
        ..OneFile::default()
    });
    let mut observed = options(Some("log.jsonl"));
    observed.config = br#"{"context":{"mode":"observer"}}"#.to_vec();
    let mut session = Session::open(observed, file).unwrap();
    session.sync(10_000_000).unwrap();
    let plan = session
        .plan(&PlanRequest {
            budget: Some(5_000),
            ..PlanRequest::default()
        })
        .unwrap();
    assert_eq!(
        plan.items,
        [PlanItem::Keep(Run {
            first: 0,
            count: 80
        })]
    );
    let manifest = session.manifest(None).unwrap();
    assert_eq!(manifest["planning"]["mode"], "observer");
    assert!(
        manifest["excluded"].as_array().unwrap().len() > 50,
        "the plan is recorded all the same"
    );
}

#[test]
fn a_leaf_and_a_model_are_followed_and_both_forget_the_cut() {
    let (mut session, file) = opened(&log(40));
    file.bytes.borrow_mut().as_mut().unwrap().extend_from_slice(
        line(
            "other",
            Some("assistant1"),
            json!({"role": "user", "content": "another way"}),
        )
        .as_bytes(),
    );
    session.sync(1_000_000).unwrap();
    assert_eq!(session.projected_messages(), 5);
    session.select_leaf(Some("assistant39")).unwrap();
    assert_eq!(session.projected_messages(), 80);
    assert!(matches!(
        session.select_leaf(Some("nobody")),
        Err(EngineError::NotFound(_))
    ));
    assert_eq!(session.projected_messages(), 80);
    let mut small = Model::named("p", "small");
    small.context_window = 24_000;
    session.select_model(small).unwrap();
    let plan = session.plan(&PlanRequest::default()).unwrap();
    assert!(u64::from(plan.estimated_tokens) < 24_000 * 7 / 10);
    let mut grown = Model::named("p", "small");
    grown.context_window = 200_000;
    session.select_model(grown).unwrap();
    let plan = session.plan(&PlanRequest::default()).unwrap();
    assert!(
        plan.estimated_tokens > 40_000,
        "a larger window is filled again: {}",
        plan.estimated_tokens
    );
}

#[test]
fn appended_entries_are_taken_in_once() {
    let mut session = Session::open(options(None), Rc::new(OneFile::default())).unwrap();
    let text = log(2);
    assert_eq!(
        session.append(text.as_bytes()).unwrap(),
        5,
        "the header and four messages"
    );
    assert_eq!(session.append(text.as_bytes()).unwrap(), 0);
    let changed = line("user0", None, json!({"role": "user", "content": "other"}));
    assert!(matches!(
        session.append(changed.as_bytes()),
        Err(EngineError::InvalidInput(_))
    ));
    assert_eq!(session.projected_messages(), 4);
    assert!(matches!(
        session.sync(10),
        Err(EngineError::InvalidInput(_))
    ));
}

#[test]
fn bad_input_is_a_line_and_changes_nothing() {
    let bad = |change: fn(&mut SessionOptions)| {
        let mut options = options(None);
        change(&mut options);
        Session::open(options, Rc::new(OneFile::default()))
            .err()
            .map(|error| error.to_string())
    };
    assert!(bad(|options| options.seed.truncate(31)).is_some());
    assert!(bad(|options| options.session_id.clear()).is_some());
    assert!(bad(|options| options.config = b"[]".to_vec()).is_some());
    assert!(
        bad(|options| options.config = br#"{"context":{"targetFillRatio":7}}"#.to_vec())
            .unwrap()
            .contains("targetFillRatio")
    );
    let (mut session, _) = opened(&log(2));
    let request = |messages, inline: &[u8]| PlanRequest {
        messages,
        inline: inline.to_vec(),
        ..PlanRequest::default()
    };
    for bad in [
        request(vec![Span::Projected(Run { first: 3, count: 2 })], b""),
        request(
            vec![Span::Projected(Run {
                first: u32::MAX,
                count: u32::MAX,
            })],
            b"",
        ),
        request(vec![Span::Inline(Run { first: 0, count: 1 })], b"[]"),
        request(vec![], b"{}"),
        request(vec![], b"\xff"),
        PlanRequest {
            tools: Some(b"{}".to_vec()),
            ..PlanRequest::default()
        },
    ] {
        assert!(
            matches!(session.plan(&bad), Err(EngineError::InvalidInput(_))),
            "{bad:?}"
        );
    }
    assert!(session.manifest(None).is_err());
}

#[test]
fn an_unchanged_session_shares_its_whole_prefix_with_the_plan_before() {
    let (mut session, file) = opened(&log(60));
    session.plan(&PlanRequest::default()).unwrap();
    file.bytes.borrow_mut().as_mut().unwrap().extend_from_slice(
        line(
            "u",
            Some("assistant59"),
            json!({"role": "user", "content": "next"}),
        )
        .as_bytes(),
    );
    session.sync(1_000_000).unwrap();
    // The first plan filled the tail, so the second one moves the cut and leaves room; from then on the prefix is stable.
    session.plan(&PlanRequest::default()).unwrap();
    file.bytes.borrow_mut().as_mut().unwrap().extend_from_slice(
        line(
            "v",
            Some("u"),
            json!({"role": "assistant", "content": [{"type": "text", "text": "yes"}]}),
        )
        .as_bytes(),
    );
    session.sync(1_000_000).unwrap();
    session.plan(&PlanRequest::default()).unwrap();
    let manifest = session.manifest(None).unwrap();
    let included = manifest["included"].as_array().unwrap().len() as u64;
    assert_eq!(
        manifest["planning"]["sharedPrefix"]["messages"].as_u64(),
        Some(included - 1)
    );
    assert_eq!(manifest["planning"]["cut"]["moved"], false);
}
