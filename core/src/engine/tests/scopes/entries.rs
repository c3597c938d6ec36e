//! Which entries of other sessions count, as what, and how they rank.

use super::*;

#[test]
fn what_a_fork_copied_counts_once_and_what_came_later_in_its_parent_not_at_all() {
    let mut world = World::new(fork());
    let own = ["own/o1 ancestor", "own/p1 ancestor"];
    assert_eq!(world.found(Scope::CurrentSession, "beacon"), own);
    assert_eq!(world.found(Scope::CurrentLineage, "beacon"), own);
    let mut all = own.to_vec();
    all.extend(["parent/p3 other-branch", "parent/p9 other-branch"]);
    assert_eq!(world.found(Scope::Project, "beacon"), all);
}

#[test]
fn a_session_that_was_begun_anew_has_all_of_its_parent_as_history() {
    let parent = [
        ("p1", None, "the beacon is amber"),
        ("p9", Some("p1"), "the beacon was violet once"),
        ("p3", Some("p1"), "the beacon turned green later"),
    ];
    let mut world = World::new(vec![
        (
            OWN_LOG,
            log(child_of("parent.jsonl"), &[("o1", None, "hand-over")]),
        ),
        ("parent.jsonl", log(json!({"id": "parent"}), &parent)),
    ]);
    assert_eq!(
        world.found(Scope::CurrentLineage, "beacon"),
        [
            "parent/p1 lineage-ancestor",
            "parent/p3 lineage-ancestor",
            "parent/p9 other-branch"
        ]
    );
    assert!(world.found(Scope::CurrentSession, "beacon").is_empty());
}

#[test]
fn a_fork_that_copied_only_the_end_has_the_way_before_it() {
    let parent = [
        ("p1", None, "the beacon is amber"),
        ("p9", Some("p1"), "the beacon was violet once"),
        ("p2", Some("p1"), "then fork"),
    ];
    let mut world = World::new(vec![
        (
            OWN_LOG,
            log(child_of("parent.jsonl"), &[("p2", None, "then fork")]),
        ),
        ("parent.jsonl", log(json!({"id": "parent"}), &parent)),
    ]);
    assert_eq!(
        world.found(Scope::CurrentLineage, "beacon"),
        ["parent/p1 lineage-ancestor"]
    );
}

#[test]
fn forks_of_one_session_count_what_they_share_once() {
    let shared = [
        ("p1", None, "the beacon is amber"),
        ("p2", Some("p1"), "then fork"),
    ];
    let fork = |id: &str, own: &str| {
        let header = json!({"id": id, "parentSession": "gone.jsonl"});
        let text = format!("the beacon of {id}");
        log(
            header,
            &[&shared[..], &[(own, Some("p2"), &*text)]].concat(),
        )
    };
    let mut world = World::new(vec![
        (OWN_LOG, log(json!({"id": "own"}), &[("o1", None, "own")])),
        ("1.jsonl", fork("a", "a1")),
        ("2.jsonl", fork("b", "b1")),
    ]);
    assert_eq!(
        world.found(Scope::Project, "beacon"),
        [
            "a/a1 other-session",
            "b/b1 other-session",
            "b/p1 other-session"
        ]
    );
}

#[test]
fn scores_of_a_short_and_of_a_long_session_can_be_compared() {
    let filler: Vec<String> = (0..400)
        .map(|number| format!("plain line {number} about gateways"))
        .collect();
    let ids: Vec<String> = (0..400).map(|number| format!("f{number}")).collect();
    let mut long: Vec<(&str, Option<&str>, &str)> = ids
        .iter()
        .zip(&filler)
        .map(|(id, text)| (&**id, None, &**text))
        .collect();
    long.push(("weak", None, "a handshake is a habit among people who meet"));
    let mut world = World::new(vec![
        (OWN_LOG, log(json!({"id": "own"}), &long)),
        (
            "short.jsonl",
            log(
                json!({"id": "short"}),
                &[(
                    "strong",
                    None,
                    "the gateway closes with a timeout after the handshake",
                )],
            ),
        ),
    ]);
    world.index(Scope::Project);
    let best = &world
        .search(Scope::Project, "gateway handshake timeout")
        .hits[0];
    assert_eq!((&*best.session_id, &*best.entry_id), ("short", "strong"));
}
