//! Which sessions a scope takes in.

use super::*;

#[test]
fn a_lineage_is_followed_for_sixteen_generations_and_around_no_circle() {
    let names: Vec<String> = (0..20)
        .map(|number| format!("g{number:02}.jsonl"))
        .collect();
    let mut files = vec![(OWN_LOG, log(child_of("g00.jsonl"), &[("o1", None, "own")]))];
    for (number, name) in names.iter().enumerate() {
        let next = names.get(number + 1).map_or("g00.jsonl", String::as_str);
        let header = json!({"id": format!("s{number:02}"), "parentSession": format!("C:\\sessions\\{next}")});
        files.push((
            name,
            log(header, &[(&format!("e{number}"), None, "the beacon")]),
        ));
    }
    let mut world = World::new(files.clone());
    world.index(Scope::CurrentLineage);
    let sessions = world.search(Scope::CurrentLineage, "beacon").sessions;
    let counts = |up_to_date, left_out| SessionCounts {
        up_to_date,
        pending: 0,
        left_out,
    };
    assert_eq!(sessions, counts(17, 1));

    // Three generations in a circle, then a session that names itself, then one that names a file that is not there.
    files.truncate(4);
    for next in [
        "g00.jsonl",
        "g02.jsonl",
        OWN_LOG,
        "gone.jsonl",
        "/etc/passwd",
    ] {
        let header = json!({"id": "s02", "parentSession": next});
        files[3].1 = log(header, &[("e2", None, "the beacon")]);
        let mut world = World::new(files.clone());
        world.index(Scope::CurrentLineage);
        assert_eq!(
            world.search(Scope::CurrentLineage, "beacon").sessions,
            counts(4, 1),
            "{next}"
        );
    }
}

#[test]
fn parents_in_another_folder_and_what_is_no_session_are_left_out() {
    for (parent, content) in [
        (
            "sub/parent.jsonl",
            log(json!({"id": "parent"}), &[("p1", None, "the beacon")]),
        ),
        ("parent.jsonl", b"the beacon, and no log\n".to_vec()),
        (
            "parent.jsonl",
            log(json!({}), &[("p1", None, "the beacon")]),
        ),
        (
            "parent.jsonl",
            log(json!({"id": "own"}), &[("p1", None, "the beacon")]),
        ),
        ("parent.jsonl", Vec::new()),
        (
            "parent.txt",
            log(json!({"id": "parent"}), &[("p1", None, "the beacon")]),
        ),
    ] {
        let mut world = World::new(vec![
            (
                OWN_LOG,
                log(child_of("parent.jsonl"), &[("o1", None, "own")]),
            ),
            (parent, content),
        ]);
        assert!(world.found(Scope::CurrentLineage, "beacon").is_empty());
        let answer = world.search(Scope::CurrentLineage, "beacon");
        assert_eq!(answer.sessions.left_out, 1, "{parent}");
    }
}

#[test]
fn the_project_is_the_logs_of_the_same_folder_and_needs_leave() {
    let beacon = |id: &str| {
        log(
            json!({"id": id}),
            &[(&*format!("{id}1"), None, &*format!("the beacon of {id}"))],
        )
    };
    let elsewhere = log(
        json!({"id": "c", "cwd": "/elsewhere"}),
        &[("c1", None, "the beacon of c")],
    );
    let files = vec![
        (OWN_LOG, log(json!({"id": "own"}), &[("o1", None, "own")])),
        ("2026-01_a.jsonl", beacon("a")),
        ("2026-02_b.jsonl", beacon("b")),
        ("2026-02_c.jsonl", elsewhere),
        ("2026-02_damaged.jsonl", b"{\"type\":\"sess".to_vec()),
        ("notes/2026-02_d.jsonl", beacon("d")),
        ("notes.txt", beacon("e")),
    ];
    let mut world = World::new(files.clone());
    assert_eq!(
        world.found(Scope::Project, "beacon"),
        ["a/a1 other-session", "b/b1 other-session"]
    );
    assert_eq!(world.search(Scope::Project, "beacon").sessions.left_out, 1);

    let mut world = World::with_config(
        files.clone(),
        &json!({"historyTools": {"allowProjectScope": true, "maxProjectSessions": 1}}),
    );
    assert_eq!(
        world.found(Scope::Project, "beacon"),
        ["b/b1 other-session"],
        "the newest"
    );
    assert_eq!(world.search(Scope::Project, "beacon").sessions.left_out, 2);

    let mut world = World::with_config(files, &json!({}));
    let refused = world
        .session
        .index_scope(Scope::Project, SLICE, NOW_MS)
        .unwrap_err();
    assert!(
        refused
            .to_string()
            .contains("historyTools.allowProjectScope"),
        "{refused}"
    );
}

#[test]
fn other_sessions_grow_go_and_come() {
    let mut world = World::new(fork());
    world.index(Scope::Project);
    let more = log(json!({"id": "more"}), &[("m1", None, "the beacon of more")]);
    world.write("more.jsonl", more.clone());
    let parent = line(
        "p4",
        Some("p3"),
        json!({"role": "user", "content": "a last beacon"}),
    );
    world
        .storage
        .files
        .borrow_mut()
        .get_mut("parent.jsonl")
        .unwrap()
        .extend_from_slice(parent.as_bytes());
    let found = world.found(Scope::Project, "beacon");
    assert!(
        found.contains(&"more/m1 other-session".to_owned()),
        "{found:?}"
    );
    assert!(
        found.contains(&"parent/p4 other-branch".to_owned()),
        "{found:?}"
    );

    world.storage.files.borrow_mut().remove("more.jsonl");
    world.write(
        "parent.jsonl",
        log(
            json!({"id": "another"}),
            &[("x1", None, "a beacon of another session")],
        ),
    );
    let found = world.found(Scope::Project, "beacon");
    assert_eq!(
        found,
        [
            "another/x1 lineage-ancestor",
            "own/o1 ancestor",
            "own/p1 ancestor"
        ]
    );
}
