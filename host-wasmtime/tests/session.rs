//! Sessions over the component: what they answer, what they refuse, and how they come back after the component stopped.

mod common;

use std::fs;
use std::thread;
use std::time::Duration;

use common::{Folder, engine, pi_log};
use ds4_context_host::{
    Clock, ConfigLayer, EngineError, HostError, Limits, Model, Place, Plan, PlanItem, PlanRequest,
    Ports, Session, SessionOptions, Storage, StorageError,
};

/// Tokens of a window that a few of the test's turns fill.
const SMALL_WINDOW: u32 = 16_000;

fn options(log: &str) -> SessionOptions {
    SessionOptions {
        clock: Clock::Fixed(1_767_225_700_000),
        seed: Some(vec![7; 32]),
        ..SessionOptions::of_log(log)
    }
}

fn open(folder: &Folder, options: SessionOptions) -> Session {
    Session::open(engine(), options, folder.ports()).expect("opened")
}

fn synced(folder: &Folder, turns: usize) -> Session {
    folder.write("log.jsonl", &pi_log(turns, 2_000));
    let mut session = open(folder, options("log.jsonl"));
    assert!(session.sync().expect("read").finished);
    session
}

fn model() -> Model {
    Model {
        provider: "test".to_owned(),
        id: "small".to_owned(),
        context_window: SMALL_WINDOW,
        max_output: None,
        cost: None,
    }
}

fn plan(session: &mut Session) -> Plan {
    session.plan(&PlanRequest::default()).expect("planned")
}

fn document(text: &str) -> serde_json::Value {
    serde_json::from_str(text).expect("JSON")
}

#[test]
fn a_log_is_read_planned_and_explained() {
    let folder = Folder::new();
    let mut session = synced(&folder, 300);
    assert_eq!(session.projected_messages().expect("counted"), 1200);
    session.select_model(model()).expect("selected");
    let planned = plan(&mut session);
    assert_eq!(planned.fallback, None);
    assert!(planned.estimated_tokens < SMALL_WINDOW);
    assert!(
        matches!(planned.items.first(), Some(PlanItem::Keep(run)) if run.first > 0),
        "{:?}",
        planned.items.first()
    );
    let rendered = document(&session.render(None).expect("rendered"));
    assert_eq!(rendered["schema"], "ds4-context-plan-v1");
    assert_eq!(rendered["promptHash"], planned.prompt_hash.as_str());
    let messages = rendered["messages"].as_array().expect("messages");
    assert!(
        messages
            .iter()
            .any(|message| message["text"] == "Question 299")
    );
    let manifest = document(
        &session
            .manifest(Some(&planned.manifest_id))
            .expect("a manifest"),
    );
    assert_eq!(manifest["id"], planned.manifest_id.as_str());
    assert_eq!(manifest["createdAt"], 1_767_225_700_000_u64);
    assert_eq!(manifest["contextWindow"], SMALL_WINDOW);
    let explained = document(&session.explain(None).expect("explained"));
    assert!(
        explained["excluded"]
            .as_array()
            .is_some_and(|excluded| !excluded.is_empty())
    );
    let inspected = document(&session.inspect().expect("inspected"));
    assert_eq!(inspected["projection"]["messages"], 1200);
    let status = document(&session.status().expect("a status"));
    assert_eq!(
        (&status["messages"], &status["model"]["id"]),
        (&1200.into(), &"small".into())
    );
}

#[test]
fn what_the_log_gains_is_taken_in_and_the_reading_is_told() {
    let folder = Folder::new();
    let whole = pi_log(1_500, 2_000);
    let cut = whole
        .lines()
        .take(11)
        .map(|line| format!("{line}\n"))
        .collect::<String>();
    let file = folder.write("log.jsonl", &cut);
    let mut session = open(&folder, options("log.jsonl"));
    session.sync().expect("read");
    assert_eq!(session.projected_messages().expect("counted"), 10);
    fs::write(&file, &whole).expect("grown");
    let mut told = Vec::new();
    session
        .sync_with(|progress| told.push(progress))
        .expect("read");
    assert!(
        told.len() > 1 && told.windows(2).all(|pair| pair[0].done < pair[1].done),
        "{told:?}"
    );
    assert_eq!(
        told.last()
            .map(|progress| (progress.done, progress.finished)),
        Some((whole.len() as u64, true))
    );
    assert_eq!(session.projected_messages().expect("counted"), 6_000);
}

#[test]
fn a_session_in_memory_takes_lines_and_keeps_them() {
    let folder = Folder::new();
    let mut session = Session::open(engine(), SessionOptions::in_memory("memory"), Ports::none())
        .expect("opened");
    let log = pi_log(3, 100);
    assert!(session.append(log.clone()).expect("taken in") >= 12);
    assert_eq!(session.append(log).expect("known"), 0);
    let before = plan(&mut session);
    stop(&mut session);
    assert_eq!(plan(&mut session), before, "the lines were taken in again");
    drop(folder);
}

#[test]
fn refusals_are_the_engines_own_and_change_nothing() {
    let folder = Folder::new();
    let mut session = synced(&folder, 3);
    let before = plan(&mut session);
    let not_found = |result: Result<(), HostError>| {
        matches!(result, Err(HostError::Refused(EngineError::NotFound(_))))
    };
    assert!(not_found(session.select_leaf(Some("nowhere"))));
    assert!(not_found(session.manifest(Some("m_none")).map(drop)));
    assert!(matches!(
        session.select_model(Model {
            context_window: 0,
            ..model()
        }),
        Err(HostError::Refused(EngineError::InvalidInput(_)))
    ));
    assert!(matches!(
        session.plan(&PlanRequest {
            inline: Some("not JSON".to_owned()),
            ..PlanRequest::default()
        }),
        Err(HostError::Refused(EngineError::InvalidInput(_)))
    ));
    assert!(matches!(
        session.append("{}\n"),
        Err(HostError::Refused(EngineError::InvalidInput(_)))
    ));
    assert!(session.is_running());
    assert_eq!(plan(&mut session).prompt_hash, before.prompt_hash);
}

#[test]
fn options_and_logs_that_cannot_be_used_are_refused() {
    let folder = Folder::new();
    let short_seed = SessionOptions {
        seed: Some(vec![1; 8]),
        ..options("log.jsonl")
    };
    assert!(matches!(
        Session::open(engine(), short_seed, folder.ports()),
        Err(HostError::Refused(EngineError::InvalidInput(_)))
    ));
    let mut missing = open(&folder, options("missing.jsonl"));
    assert!(matches!(
        missing.sync(),
        Err(HostError::Refused(EngineError::NotFound(_)))
    ));
    let mut outside = open(&folder, options("../log.jsonl"));
    assert!(matches!(
        outside.sync(),
        Err(HostError::Refused(EngineError::Storage(_)))
    ));
    let mut ungranted =
        Session::open(engine(), options("log.jsonl"), Ports::none()).expect("opened");
    assert!(matches!(
        ungranted.sync(),
        Err(HostError::Refused(EngineError::Storage(_)))
    ));
}

/// Makes the component stop: its answers may not be larger than a few bytes.
fn stop(session: &mut Session) {
    session.set_limits(Limits {
        bytes_per_call: 16,
        ..Limits::default()
    });
    let stopped = session.inspect();
    assert!(
        matches!(stopped, Err(HostError::Trapped { .. })),
        "{stopped:?}"
    );
    assert!(!session.is_running());
    session.set_limits(Limits::default());
}

/// Failures 55: the component traps in the middle of a request.
#[test]
fn after_a_trap_the_next_call_works_with_leaf_and_model_as_selected() {
    let folder = Folder::new();
    let mut session = synced(&folder, 40);
    session.select_model(model()).expect("selected");
    session.select_leaf(Some("d0000014")).expect("selected");
    let before = plan(&mut session);
    stop(&mut session);
    assert_eq!(
        plan(&mut session),
        before,
        "log, leaf and model are as they were"
    );
    assert!(session.is_running());
    // Following the newest leaf again is remembered too; a plan after a stop is that of a session opened anew, because
    // the stable cut was the stopped component's.
    session.select_leaf(None).expect("selected");
    stop(&mut session);
    let newest = plan(&mut session);
    let mut anew = open(&folder, options("log.jsonl"));
    anew.sync().expect("read");
    anew.select_model(model()).expect("selected");
    assert_eq!(newest, plan(&mut anew));
    assert_ne!(newest.prompt_hash, before.prompt_hash);
}

/// Failures 55: plans of the stopped component are not invented anew.
#[test]
fn plans_from_before_a_trap_are_not_held() {
    let folder = Folder::new();
    let mut session = synced(&folder, 3);
    let before = plan(&mut session);
    stop(&mut session);
    let rendered = session.render(Some(&before.manifest_id));
    assert!(
        matches!(rendered, Err(HostError::Refused(EngineError::NotFound(_)))),
        "{rendered:?}"
    );
}

/// Failures 55: the component misses its deadline.
#[test]
fn after_a_missed_deadline_the_log_is_read_by_the_next_call() {
    let folder = Folder::new();
    folder.write("log.jsonl", &pi_log(4_000, 2_000));
    let mut session = open(&folder, options("log.jsonl"));
    session.set_limits(Limits {
        deadline: Duration::from_millis(1),
        ..Limits::default()
    });
    let missed = session.sync();
    assert!(
        matches!(missed, Err(HostError::DeadlineMissed { limit }) if limit == Duration::from_millis(1)),
        "{missed:?}"
    );
    assert!(!session.is_running());
    session.set_limits(Limits::default());
    assert_eq!(session.projected_messages().expect("counted"), 16_000);
    assert!(session.sync().expect("read").finished);
}

/// Failures 55: the component runs out of memory.
#[test]
fn after_the_memory_limit_the_next_call_works() {
    let folder = Folder::new();
    folder.write("log.jsonl", &pi_log(2_000, 2_000));
    let mut session = open(&folder, options("log.jsonl"));
    session.set_limits(Limits {
        memory_bytes: 2 * 1024 * 1024,
        ..Limits::default()
    });
    let refused = session.sync();
    assert!(
        matches!(refused, Err(HostError::MemoryLimit { limit_bytes }) if limit_bytes == 2 * 1024 * 1024),
        "{refused:?}"
    );
    let still = session.sync();
    assert!(
        matches!(still, Err(HostError::MemoryLimit { .. })),
        "{still:?}"
    );
    session.set_limits(Limits::default());
    session.sync().expect("read");
    assert_eq!(session.projected_messages().expect("counted"), 8_000);
}

/// One request that is too large ends with an error of its own, and the session goes on under the same limits.
#[test]
fn a_request_that_is_too_large_does_not_end_the_session() {
    let folder = Folder::new();
    folder.write("log.jsonl", &pi_log(3, 100));
    let limits = Limits {
        memory_bytes: 96 * 1024 * 1024,
        ..Limits::default()
    };
    let mut session = open(
        &folder,
        SessionOptions {
            limits,
            ..options("log.jsonl")
        },
    );
    session.sync().expect("read");
    let before = plan(&mut session);
    let huge = PlanRequest {
        inline: Some(" ".repeat(128 * 1024 * 1024)),
        ..PlanRequest::default()
    };
    let refused = session.plan(&huge);
    assert!(
        matches!(refused, Err(HostError::MemoryLimit { .. })),
        "{refused:?}"
    );
    assert_eq!(plan(&mut session), before);
}

/// The epoch advances for all sessions of an engine; only the late one stops.
#[test]
fn a_missed_deadline_of_one_session_does_not_stop_another() {
    let folder = Folder::new();
    folder.write("log.jsonl", &pi_log(1_000, 2_000));
    let patient = thread::scope(|scope| {
        let patient = scope.spawn(|| {
            let mut session = open(&folder, options("log.jsonl"));
            (0..5)
                .map(|_| session.sync().and_then(|_| session.inspect()))
                .collect::<Vec<_>>()
        });
        for _ in 0..20 {
            let mut session = open(&folder, options("log.jsonl"));
            session.set_limits(Limits {
                deadline: Duration::from_micros(300),
                ..Limits::default()
            });
            assert!(matches!(
                session.sync(),
                Err(HostError::DeadlineMissed { .. })
            ));
        }
        patient.join().expect("no panic")
    });
    assert!(patient.iter().all(Result::is_ok), "{patient:?}");
}

/// A storage port that breaks the contract.
struct Overflowing;

impl Storage for Overflowing {
    fn read_file(
        &mut self,
        _: Place,
        _: &str,
        _: u64,
        length: u32,
    ) -> Result<Vec<u8>, StorageError> {
        Ok(vec![b' '; length as usize + 1])
    }

    fn list_files(&mut self, _: Place, _: Option<&str>, _: u32) -> Result<Vec<u8>, StorageError> {
        Err(StorageError::Busy)
    }
}

#[test]
fn a_port_that_returns_too_much_is_an_error_of_that_call() {
    let ports = Ports::with_storage(Overflowing);
    let mut session = Session::open(engine(), options("log.jsonl"), ports).expect("opened");
    assert!(matches!(
        session.sync(),
        Err(HostError::Refused(EngineError::Storage(_)))
    ));
    assert!(session.is_running());
}

#[test]
fn configurations_are_merged_by_the_engine() {
    let layer = |source: &str, content: &str| ConfigLayer {
        source: source.to_owned(),
        content: content.to_owned(),
    };
    let merged = engine()
        .merge_config(&[
            layer("first", r#"{"context":{"recentTailTokens":1000}}"#),
            layer("second", r#"{"context":{"recentTailTokens":"many"}}"#),
            layer("third", "{"),
        ])
        .expect("merged");
    assert_eq!(
        document(&merged.config)["context"]["recentTailTokens"],
        1000
    );
    let seen: Vec<(&str, &str, bool)> = merged
        .problems
        .iter()
        .map(|problem| (&*problem.source, &*problem.code, problem.ignored_layer))
        .collect();
    assert_eq!(
        seen,
        [("second", "wrong-type", true), ("third", "not-json", true)]
    );
    let options = SessionOptions {
        config: merged.config,
        ..SessionOptions::in_memory("configured")
    };
    Session::open(engine(), options, Ports::none()).expect("the merged configuration is accepted");
}
