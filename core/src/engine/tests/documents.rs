//! The documents about a session and its plans: manifest, explanation, inspection.

use serde_json::json;

use super::super::*;
use super::{line, log, opened, opened_with};

#[test]
fn a_manifest_adds_up_and_holds_no_text() {
    let (mut session, _) = opened(&log(200));
    let request = PlanRequest {
        system_prompt: Some("be good".into()),
        tools: Some(br#"[{"name":"read","description":"reads","parameters":{}}]"#.to_vec()),
        ..PlanRequest::default()
    };
    let plan = session.plan(&request).unwrap();
    let manifest = session.manifest(Some(&plan.manifest_id)).unwrap();
    let sum: u64 = manifest["included"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["tokens"].as_u64().unwrap())
        .sum();
    assert_eq!(sum, u64::from(plan.estimated_tokens));
    assert!(!manifest.to_string().contains("question"), "metadata only");
    session
        .record_usage(
            &plan.manifest_id,
            Usage {
                input: 10,
                output: 5,
                cache_read: 90,
                cache_write: 0,
            },
        )
        .unwrap();
    assert_eq!(
        session.manifest(None).unwrap()["providerUsage"]["cacheReadShare"],
        json!(0.9)
    );
}

#[test]
fn the_smallest_change_includes_the_message_when_it_is_made() {
    let explained = |turns: usize, budget: Option<u32>, band: bool| {
        let config = json!({"context": {"condensedBand": {"enabled": band}}});
        let (mut session, _) = opened_with(&log(turns), &config);
        let request = PlanRequest {
            budget,
            ..PlanRequest::default()
        };
        session.plan(&request).unwrap();
        let explanation = session.explain(None).unwrap();
        explanation["excluded"].as_array().unwrap().clone()
    };
    // With the caller's budget, and with the automatic limits, which a smaller budget of the caller's own can beat.
    for (turns, budget, band) in [
        (60, Some(20_000), false),
        (60, Some(20_000), true),
        (120, None, false),
        (120, None, true),
    ] {
        let excluded = explained(turns, budget, band);
        for row in [excluded.first().unwrap(), excluded.last().unwrap()] {
            assert_eq!(row["smallestChange"]["setting"], "budget");
            let need = row["smallestChange"]["value"].as_u64().unwrap() as u32;
            let is_out = |budget: u32| {
                let others = explained(turns, Some(budget), band);
                let mut others = others.iter();
                others.any(|other| other["firstEntryId"] == row["firstEntryId"])
            };
            assert!(!is_out(need), "{row}");
            // With a band it is a bound: what the band finds no lines for lengthens the tail.
            assert!(band || is_out(need - 1), "{row}");
        }
    }
}

#[test]
fn inspect_counts_turns_branches_and_damage() {
    let text = log(3)
        + "{\"type\":\"mess\n"
        + &line(
            "orphan",
            Some("assistant2"),
            json!({"role": "toolResult", "toolCallId": "x", "toolName": "read", "content": []}),
        );
    let (mut session, _) = opened(&text);
    let document = session.inspect();
    assert_eq!(document["turns"].as_array().unwrap().len(), 3);
    assert_eq!(document["branches"][0]["turns"], 3);
    let codes: Vec<&str> = document["damage"]
        .as_array()
        .unwrap()
        .iter()
        .map(|damage| damage["code"].as_str().unwrap())
        .collect();
    assert!(
        codes.contains(&"malformed-line") && codes.contains(&"orphan-tool-result"),
        "{codes:?}"
    );
    assert!(session.status()["tokens"].as_u64().unwrap() > 3_000);
}

/// What no budget of this window includes names a window and the budget to ask for with it; the window alone would not do.
#[test]
fn a_larger_window_includes_the_message_with_the_budget_that_is_named() {
    let explained = |window: u32, budget: Option<u32>, band: bool| {
        let config = json!({"context": {"condensedBand": {"enabled": band}}});
        let (mut session, _) = opened_with(&log(120), &config);
        session
            .select_model(Model {
                provider: "p".into(),
                id: "m".into(),
                context_window: window,
                max_output: None,
                cost: None,
            })
            .unwrap();
        let request = PlanRequest {
            budget,
            ..PlanRequest::default()
        };
        session.plan(&request).unwrap();
        let explanation = session.explain(None).unwrap();
        explanation["excluded"].as_array().unwrap().clone()
    };
    for band in [false, true] {
        let excluded = explained(40_000, None, band);
        let row = excluded.first().unwrap();
        let change = &row["smallestChange"];
        assert_eq!(change["setting"], "contextWindow", "{row}");
        assert_eq!(change["exact"], !band, "{row}");
        let window = change["value"].as_u64().unwrap() as u32;
        let budget = change["budget"].as_u64().unwrap() as u32;
        let is_out = |budget: Option<u32>| {
            let others = explained(window, budget, band);
            let mut others = others.iter();
            others.any(|other| other["firstEntryId"] == row["firstEntryId"])
        };
        assert!(!is_out(Some(budget)), "{row}");
        assert!(is_out(None), "{row}");
    }
}
