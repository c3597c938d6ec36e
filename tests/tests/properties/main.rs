//! Properties of plans over made logs with every kind of entry, through the engine's façade as hosts use it.
//!
//! The judges here are written anew and look only at what goes out: a fault shared with the planner would show.

mod judges;
mod logs;

use ds4_context_tests::cases::{
    Case, CaseDocument, LOG_NAME, ModelStep, PlanStep, SessionStep, Step,
};
use ds4_context_tests::hosts::{
    Document, Host, HostedSession, NativeHost, NativeSession, WasmtimeHost, run_case,
};
use ds4_context_tests::temporary_folder::TemporaryFolder;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::{Value, json};

use judges::Sent;
use logs::{Shape, log_text};

/// A fixed seed: a run today is a run tomorrow.
const SEED: u64 = 20_261_201;
/// A window that holds everything.
const HUGE_WINDOW: u32 = 400_000_000;

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(SEED),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

fn model(window: u32) -> ModelStep {
    ModelStep {
        provider: "test".to_owned(),
        id: "model".to_owned(),
        context_window: window,
        max_output: None,
    }
}

fn options(config: Option<Value>) -> SessionStep {
    SessionStep {
        id: "property".to_owned(),
        format: "pi-session-v3".to_owned(),
        log: Some(LOG_NAME.to_owned()),
        config,
        ..SessionStep::default()
    }
}

fn folder_with(log: &str) -> TemporaryFolder {
    let folder = TemporaryFolder::new().expect("a folder");
    std::fs::write(folder.path().join(LOG_NAME), log).expect("a log");
    folder
}

fn opened(folder: &TemporaryFolder, config: Option<Value>, window: u32) -> NativeSession {
    let mut session = NativeHost
        .open(&options(config), folder.path())
        .expect("an open session");
    session.select_model(&model(window)).expect("a model");
    session
}

fn document(session: &mut NativeSession, document: Document) -> Value {
    let text = session.document(document, None).expect("a document");
    serde_json::from_str(&text).expect("JSON")
}

/// Limits of a plan that matter here.
#[derive(Debug, Clone)]
struct Limits {
    window: u32,
    budget: Option<u32>,
    band: bool,
    exact: bool,
}

impl Limits {
    fn config(&self) -> Value {
        let estimator = if self.exact {
            "o200k-base-v1"
        } else {
            "chars-v1"
        };
        json!({
            "context": {"condensedBand": {"enabled": self.band}},
            "modelAwareness": {"overrides": {"*": {"tokenEstimator": estimator}}},
        })
    }
}

fn limits() -> impl Strategy<Value = Limits> {
    let budget = prop::option::of(200_u32..12_000);
    (
        2_500_u32..40_000,
        budget,
        any::<bool>(),
        prop::bool::weighted(0.2),
    )
        .prop_map(|(window, budget, band, exact)| Limits {
            window,
            budget,
            band,
            exact,
        })
}

/// Plans and checks what has to hold whatever the log.
fn check_plan(log: &str, limits: &Limits, shape: Shape) -> Result<(), TestCaseError> {
    let folder = folder_with(log);
    let mut whole = opened(&folder, Some(limits.config()), HUGE_WINDOW);
    whole.sync().expect("read");
    let everything = whole.plan(&PlanStep::default()).expect("a plan");
    let everything = (everything["fallback"].is_null())
        .then(|| Sent::of(&document(&mut whole, Document::Render)));

    let request = PlanStep {
        budget: limits.budget,
        ..PlanStep::default()
    };
    let mut session = opened(&folder, Some(limits.config()), limits.window);
    session.sync().expect("read");
    let plan = session.plan(&request).expect("a plan");
    let rendered = document(&mut session, Document::Render);
    let manifest = document(&mut session, Document::Manifest);
    document(&mut session, Document::Explain);

    let mut again = opened(&folder, Some(limits.config()), limits.window);
    again.sync().expect("read");
    prop_assert_eq!(
        &again.plan(&request).expect("a plan"),
        &plan,
        "the same input gives the same plan"
    );
    prop_assert_eq!(&document(&mut again, Document::Manifest), &manifest);

    prop_assert!(judges::positions_ascend(&plan), "the order is kept");
    if !plan["fallback"].is_null() {
        return Ok(());
    }
    let sent = Sent::of(&rendered);
    let hard = manifest["hardInputLimit"].as_u64().expect("a limit");
    let estimated = plan["estimatedTokens"].as_u64().expect("tokens");
    let limit = limits
        .budget
        .map_or(hard, |budget| hard.min(u64::from(budget)));
    prop_assert!(estimated <= limit, "{estimated} tokens over {limit}");
    if !limits.exact {
        let counted = sent.tokens();
        prop_assert!(
            counted <= limit,
            "counted again: {counted} tokens over {limit}"
        );
    }
    prop_assert_eq!(sent.split_exchanges(), 0, "no exchange is split");
    if shape == Shape::Orderly {
        prop_assert_eq!(sent.pair_violations(), 0, "results follow their calls");
    }
    if let Some(everything) = everything {
        let current = everything.newest_user();
        prop_assert_eq!(
            sent.text_of(current.as_deref()),
            everything.text_of(current.as_deref()),
            "the current request is whole"
        );
        prop_assert!(
            sent.is_in_order_of(&everything),
            "the order is the session's"
        );
    }
    Ok(())
}

proptest! {
    #![proptest_config(config(150))]

    #[test]
    fn plans_of_orderly_sessions_keep_every_invariant(log in log_text(Shape::Orderly), limits in limits()) {
        check_plan(&log, &limits, Shape::Orderly)?;
    }

    #[test]
    fn plans_of_wild_sessions_keep_every_invariant(log in log_text(Shape::Wild), limits in limits()) {
        check_plan(&log, &limits, Shape::Wild)?;
    }

    #[test]
    fn a_log_read_in_slices_is_the_log_read_at_once(
        log in log_text(Shape::Wild),
        slices in prop::collection::vec(1_u32..3_000, 1..20),
        plans_between in any::<bool>(),
    ) {
        let folder = folder_with(&log);
        let mut at_once = opened(&folder, None, 12_000);
        at_once.sync().expect("read");
        let mut sliced = opened(&folder, None, 12_000);
        for slice in slices.iter().cycle() {
            let progress = sliced.0.sync(*slice).expect("read");
            if plans_between {
                sliced.0.inspect();
            }
            if progress.finished {
                break;
            }
        }
        prop_assert_eq!(document(&mut sliced, Document::Inspect), document(&mut at_once, Document::Inspect));
        prop_assert_eq!(sliced.plan(&PlanStep::default()), at_once.plan(&PlanStep::default()));
        prop_assert_eq!(document(&mut sliced, Document::Render), document(&mut at_once, Document::Render));
    }

    #[test]
    fn a_session_that_grows_keeps_its_limits_and_its_exchanges(
        log in log_text(Shape::Orderly),
        limits in limits(),
        cuts in prop::collection::vec(0.0..1.0_f64, 1..6),
    ) {
        // The same session planned again and again while its log grows, so that remembered cuts are in play.
        let lines: Vec<&str> = log.split_inclusive('\n').collect();
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
        let mut ends: Vec<usize> = cuts.iter().map(|cut| 1 + (cut * lines.len() as f64) as usize).collect();
        ends.sort_unstable();
        ends.push(lines.len());
        let folder = folder_with("");
        let mut session = opened(&folder, Some(limits.config()), limits.window);
        let request = PlanStep { budget: limits.budget, ..PlanStep::default() };
        for end in ends {
            std::fs::write(folder.path().join(LOG_NAME), lines[..end.min(lines.len())].concat()).expect("a log");
            session.sync().expect("read");
            let plan = session.plan(&request).expect("a plan");
            if !plan["fallback"].is_null() {
                continue;
            }
            let sent = Sent::of(&document(&mut session, Document::Render));
            let manifest = document(&mut session, Document::Manifest);
            let limit = manifest["activeInputBudget"].as_u64().expect("a limit").max(manifest["hardInputLimit"].as_u64().expect("a limit"));
            let limit = limits.budget.map_or(limit, |budget| limit.min(u64::from(budget)));
            prop_assert!(plan["estimatedTokens"].as_u64().expect("tokens") <= limit);
            prop_assert_eq!(sent.split_exchanges(), 0);
        }
    }
}

proptest! {
    #![proptest_config(config(200))]

    #[test]
    fn no_bytes_make_the_engine_panic(lines in prop::collection::vec(logs::hostile_line(), 0..30), runtime in any::<bool>()) {
        let folder = TemporaryFolder::new().expect("a folder");
        std::fs::write(folder.path().join(LOG_NAME), lines.concat()).expect("a log");
        let mut options = options(None);
        if runtime {
            options.format = "runtime-session-v1".to_owned();
        }
        let mut session = NativeHost.open(&options, folder.path()).expect("an open session");
        session.sync().expect("read");
        session.plan(&PlanStep::default()).expect("a plan");
        for name in [Document::Render, Document::Manifest, Document::Explain, Document::Inspect, Document::Status] {
            document(&mut session, name);
        }
    }

    #[test]
    fn no_request_makes_the_engine_panic(
        log in log_text(Shape::Wild),
        inline in prop::collection::vec(logs::any_json(), 0..6),
        tools in prop::option::of(prop::collection::vec(logs::any_json(), 0..4)),
        spans in prop::collection::vec((any::<bool>(), 0_u32..30, 0_u32..30), 0..6),
        prompt in prop::option::of(".{0,40}"),
        budget in prop::option::of(any::<u32>()),
    ) {
        let folder = folder_with(&log);
        let mut session = opened(&folder, None, 20_000);
        session.sync().expect("read");
        let spans = spans.iter().map(|(projected, first, count)| logs::span(*projected, *first, *count));
        let request = PlanStep { messages: spans.collect(), inline, system_prompt: prompt, tools, budget };
        if session.plan(&request).is_ok() {
            document(&mut session, Document::Render);
            document(&mut session, Document::Explain);
        }
    }
}

proptest! {
    #![proptest_config(config(40))]

    #[test]
    fn wasmtime_gives_the_same_bytes_as_native(log in log_text(Shape::Wild), limits in limits()) {
        let folder = folder_with(&log);
        let plan = || Step::Plan(PlanStep { budget: limits.budget, ..PlanStep::default() });
        let documents = [Step::Render { plan: None }, Step::Manifest { plan: None }, Step::Explain { plan: None }];
        let mut steps = vec![Step::Sync, Step::SelectModel { model: model(limits.window) }, plan()];
        steps.extend(documents.clone());
        steps.push(plan());
        steps.extend(documents);
        steps.extend([Step::Inspect, Step::Status]);
        let case = Case {
            name: "random".to_owned(),
            folder: folder.path().to_path_buf(),
            document: CaseDocument { about: String::new(), session: options(Some(limits.config())), steps },
        };
        let native = run_case(&NativeHost, &case).expect("a run");
        let component = run_case(&WasmtimeHost, &case).expect("a run");
        prop_assert_eq!(native, component);
    }
}
