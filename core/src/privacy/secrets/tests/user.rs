//! What a configuration adds.

use crate::privacy::secrets::{
    MAX_PATTERN_BYTES, MAX_USER_RULES, RuleError, SecretDetector, UserRule, UserRules,
};

fn rule(name: &str, pattern: &str, keywords: &[&str]) -> UserRule {
    UserRule {
        name: name.to_owned(),
        pattern: pattern.to_owned(),
        keywords: keywords.iter().map(|&word| word.to_owned()).collect(),
        minimum_entropy: 0.0,
    }
}

#[test]
fn a_rule_finds_its_first_group_where_its_keyword_stands() {
    let user = UserRules {
        rules: vec![
            rule("acme", "acme:([a-z]{4})", &["ACME"]),
            rule("always", "zz[0-9]{3}", &[]),
        ],
        allowed: Vec::new(),
    };
    let (detector, errors) = SecretDetector::new(&user);
    assert_eq!(errors, []);
    let text = "x acme:abcd y zz123";
    assert_eq!(
        detector.redact(text).text,
        "x acme:[DS4 REDACTED SECRET] y [DS4 REDACTED SECRET]"
    );
    let names: Vec<String> = detector
        .find(text)
        .iter()
        .map(|found| found.rule.to_string())
        .collect();
    assert_eq!(names, ["acme", "always"]);
}

#[test]
fn a_bad_rule_is_one_error_and_the_rest_still_work() {
    let long = "a".repeat(MAX_PATTERN_BYTES + 1);
    let rules = vec![
        rule("broken", "acme:(", &[]),
        rule("bad name", "x", &[]),
        rule("empty", "a*", &[]),
        rule("long", &long, &[]),
        rule("huge", "(?:a{1000}){1000}", &[]),
        rule("good", "acme:[a-z]{4}", &[]),
    ];
    let (detector, errors) = SecretDetector::new(&UserRules {
        rules,
        allowed: vec!["[".to_owned()],
    });
    let texts: Vec<String> = errors.iter().map(RuleError::to_string).collect();
    assert_eq!(texts.len(), 6, "{texts:?}");
    assert!(texts.iter().all(|text| !text.contains('\n')), "{texts:?}");
    assert_eq!(
        texts[0],
        "secret rule \"broken\": the pattern does not compile (unclosed group); correct it or take the rule out"
    );
    assert_eq!(errors[1], RuleError::Name("bad name".to_owned()));
    assert_eq!(errors[2], RuleError::MatchesNothing("empty".to_owned()));
    assert_eq!(errors[3], RuleError::TooLong("long".to_owned()));
    assert_eq!(detector.redact("acme:abcd").text, "[DS4 REDACTED SECRET]");
}

#[test]
fn too_many_rules_are_said_and_the_first_work() {
    let rules = (0..=MAX_USER_RULES)
        .map(|n| rule(&format!("r{n}"), &format!("zq{n}zq"), &[]))
        .collect();
    let (detector, errors) = SecretDetector::new(&UserRules {
        rules,
        allowed: Vec::new(),
    });
    assert_eq!(errors, [RuleError::TooMany(format!("r{MAX_USER_RULES}"))]);
    assert_eq!(detector.redact("zq99zq").text, "[DS4 REDACTED SECRET]");
}

#[test]
fn an_allowed_value_is_left_alone_as_a_whole_only() {
    let (detector, errors) = SecretDetector::new(&UserRules {
        rules: Vec::new(),
        allowed: vec!["Harbor-candle[0-9]+".to_owned()],
    });
    assert_eq!(errors, []);
    assert_eq!(detector.find("password: Harbor-candle4217"), []);
    assert_eq!(detector.find("password: Harbor-candle4217x").len(), 1);
}

#[test]
fn minimum_entropy_keeps_repetition_out() {
    let mut dense = rule("dense", "q[a-z]{9}", &[]);
    dense.minimum_entropy = 2.5;
    let (detector, _) = SecretDetector::new(&UserRules {
        rules: vec![dense],
        allowed: Vec::new(),
    });
    assert_eq!(
        detector.redact("qaaaaaaaaa qabcdefghi").text,
        "qaaaaaaaaa [DS4 REDACTED SECRET]"
    );
}
