//! Walks and trees, against naive ones.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::*;

#[test]
fn a_tree_knows_its_roots_children_forks_and_leaves() {
    let log = log_of(&[
        &user("a", None, "1"),
        &user("b", Some("a"), "2"),
        &user("c", Some("b"), "3"),
        &user("d", Some("a"), "4"),
        &user("e", Some("gone"), "5"),
        &user("d", Some("b"), "moved"),
    ]);
    let tree = Tree::of(&log);
    assert_eq!(ids(&log, tree.roots()), ["a", "e"]);
    assert_eq!(ids(&log, tree.leaves()), ["c", "e", "d"]);
    assert_eq!(ids(&log, tree.children(log.entry("a").unwrap())), ["b"]);
    assert_eq!(
        ids(&log, tree.children(log.entry("b").unwrap())),
        ["c", "d"]
    );
    assert_eq!(ids(&log, &tree.forks().collect::<Vec<_>>()), ["b"]);
    assert_eq!(active(&log), ["a", "b", "d"]);
    assert_eq!(
        ids(&log, &branch(&log, log.entry("c")).entries),
        ["a", "b", "c"]
    );
    assert_eq!(branch(&log, log.entry("c")).leaf(), log.entry("c"));
}

#[test]
fn a_branch_of_a_hundred_thousand_entries_is_walked_without_recursion() {
    let mut text = String::new();
    for position in 0..100_000_u32 {
        let parent = position.checked_sub(1).map(|before| format!("e{before}"));
        text.push_str(&user(&format!("e{position}"), parent.as_deref(), "x"));
        text.push('\n');
    }
    let log = read(text.as_bytes());
    assert_eq!(branch(&log, None).entries.len(), 100_000);
    assert_eq!(project(&log, &branch(&log, None)).messages.len(), 100_000);
    assert_eq!((Tree::of(&log).leaves().len(), log.damage().len()), (1, 0));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, rng_seed: RngSeed::Fixed(2), ..ProptestConfig::default() })]

    #[test]
    fn any_parents_give_the_naive_walk_and_a_tree_that_agrees(parents in prop::collection::vec(prop::option::of(0..40_usize), 1..40)) {
        // Parents may come later than their children, be missing, or go round in a circle.
        let lines: Vec<String> = parents.iter().enumerate().map(|(position, parent)| {
            user(&format!("e{position}"), parent.map(|parent| format!("e{parent}")).as_deref(), "x")
        }).collect();
        let log = log_of(&lines.iter().map(String::as_str).collect::<Vec<_>>());
        let values: Vec<serde_json::Value> = lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
        let tree = Tree::of(&log);
        for position in 0..parents.len() {
            let id = format!("e{position}");
            let index = log.entry(&id).unwrap();
            let path = naive::path(&values, &id);
            let walked = branch(&log, Some(index));
            prop_assert_eq!(ids(&log, &walked.entries), path.iter().map(|entry| entry["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>());
            let top = path[0]["parentId"].as_str();
            prop_assert_eq!(walked.missing_parent.is_some(), top.is_some_and(|top| log.entry(top).is_none()));
            prop_assert_eq!(walked.is_cyclic, top.is_some_and(|top| log.entry(top).is_some()));
            let children: Vec<_> = (0..parents.len()).filter(|child| parents[*child] == Some(position)).map(|child| format!("e{child}")).collect();
            prop_assert_eq!(tree.leaves().contains(&index), children.is_empty());
            prop_assert_eq!(ids(&log, tree.children(index)), children);
        }
        let missing = parents.iter().filter(|parent| parent.is_some_and(|parent| parent >= parents.len())).count() as u64;
        let counted = log.damage().iter().find(|damage| damage.code == DamageCode::MissingParent).map_or(0, |damage| damage.count);
        prop_assert_eq!(counted, missing);
        let cyclic = (0..parents.len()).any(|position| branch(&log, log.entry(&format!("e{position}"))).is_cyclic);
        prop_assert_eq!(log.damage().iter().any(|damage| damage.code == DamageCode::ParentCycle), cyclic);
    }
}
