//! Searching the history (behaviour 2.6 and 2.16): what is asked, how far is looked, and what a hit opens.

use serde_json::json;

use super::MadeCase;
use crate::cases::{SearchStep, Step};
use crate::pi_log::{PiLog, filler};

pub(super) fn all() -> Vec<MadeCase> {
    vec![
        exact_identifiers_and_phrases(),
        italian(),
        cjk(),
        stop_words_only(),
        odd_queries(),
        other_branch(),
        one_term_often_against_three_terms(),
        reading_a_hit(),
        refused_searches(),
        switched_off(),
    ]
}

const HITS: u32 = 5;
const EXCERPTS: u32 = 1_000;

/// A search of the active branch.
pub(super) fn search(text: &str) -> Step {
    search_in("current-branch", text)
}

pub(super) fn search_in(scope: &str, text: &str) -> Step {
    Step::Search(SearchStep {
        text: text.to_owned(),
        scope: scope.to_owned(),
        limit: HITS,
        max_tokens: Some(EXCERPTS),
    })
}

fn exact_identifiers_and_phrases() -> MadeCase {
    let mut log = PiLog::new();
    log.user("t1u", "Where is the retry limit read?")
        .call("t1c", &["limits"])
        .result(
            "t1r",
            "limits",
            "src/net/limits.rs:12: pub const MAX_RETRY_ATTEMPTS: u32 = 7;\nsrc/net/limits.rs:13: pub const MAX_RETRY_PAUSE: u32 = 30;",
        )
        .say("t1a", "parseLimits reads it, and E0277 came from line 12. Never force a push to main.")
        .user("t2u", "A limit is a limit: retry, pause, attempts and line numbers are words as well.")
        .say("t2a", "Never say never: to force main is one thing, a push another.");
    MadeCase::new(
        "search-exact-identifiers-and-phrases",
        "Names in code are found as they stand, a quoted phrase in any case; words alone rank behind.",
        &log,
    )
    .step(Step::Index)
    .step(search("MAX_RETRY_ATTEMPTS"))
    .step(search("what does `pub const MAX_RETRY_PAUSE` say"))
    .step(search("src/net/limits.rs"))
    .step(search("why E0277?"))
    .step(search("parseLimits"))
    .step(search("\"never FORCE a push\""))
    .step(search("parse limits"))
}

fn italian() -> MadeCase {
    let mut log = PiLog::new();
    log.user("t1u", "Perché la coda dei pagamenti è così lenta?")
        .say(
            "t1a",
            "La coda dei pagamenti è lenta perché il lavoratore apre una connessione per messaggio. Abbiamo deciso di usare un pool di dodici connessioni.",
        )
        .user("t2u", "Perfetto, grazie! E il resto?")
        .say("t2a", "Il resto va bene così, non c'è altro.");
    MadeCase::new(
        "search-italian",
        "failures 33: Italian stop-words ask for nothing, accents do not matter.",
        &log,
    )
    .step(Step::Index)
    .step(search("quante connessioni abbiamo deciso per la coda?"))
    .step(search("perche la CODA è così lenta"))
    .step(search("che cosa è così, e perché non c'è altro?"))
}

fn cjk() -> MadeCase {
    let mut log = PiLog::new();
    log.user("t1u", "データベースの接続数を教えてください。")
        .say("t1a", "接続数の上限は四十二です。設定ファイルにあります。")
        .user("t2u", "日志保存多长时间？")
        .say("t2a", "日志保存九十天，然后自动删除。")
        .user("t3u", "로그는 어디에 저장되나요?")
        .say("t3a", "로그는 서버에 저장됩니다.");
    MadeCase::new(
        "search-cjk",
        "Scripts without spaces are found by pairs of characters.",
        &log,
    )
    .step(Step::Index)
    .step(search("接続数の上限は？"))
    .step(search("日志 自动删除"))
    .step(search("로그 저장"))
    .step(search("四十二"))
}

fn stop_words_only() -> MadeCase {
    let mut log = PiLog::new();
    log.turn("t1", 600)
        .user("t2u", "What is it, and which of them was that?");
    MadeCase::new(
        "search-stop-words-only",
        "failures 33: a question of stop-words alone asks for nothing, in a search and in a plan.",
        &log,
    )
    .step(Step::Index)
    .step(search("what is it, and which of them was that?"))
    .step(search("che cosa è"))
    .step(search(""))
    .step(search("   \n\t"))
    .window(4_000)
    .budget(100)
    .manifest()
}

fn odd_queries() -> MadeCase {
    let mut log = PiLog::new();
    log.user("t1u", "Use chat-send and don't pass \"--error-on-warnings\" to grammar::fa on ubuntu 20.04.")
        .say("t1a", "The variable a'b is NEAR( the end; 100% of `x^2 * y` holds, AND OR NOT are words of the query language.");
    let case = MadeCase::new(
        "search-odd-queries",
        "failures 31: syntax of the index, unbalanced quotes and very long text are questions like any other.",
        &log,
    )
    .step(Step::Index);
    let odd = [
        "chat-send",
        "don't",
        "\"--error-on-warnings\"",
        "grammar::fa",
        "ubuntu 20.04",
        "a'b",
        "NEAR(",
        "*",
        "^",
        "\"",
        "\"error on",
        "`",
        "AND OR NOT",
        "words: {query} -language*",
        "'; DROP TABLE entries; --",
        "\u{0}\u{1}\u{feff}",
        "\u{202e}variable\u{202c} 👩‍👩‍👧",
    ];
    odd.iter()
        .fold(case, |case, text| case.step(search(text)))
        .step(search(&format!("{}grammar::fa", "variable ".repeat(1_111))))
        .step(search(&"x".repeat(10_000)))
}

fn other_branch() -> MadeCase {
    let mut log = PiLog::new();
    log.turn("t1", 300)
        .user("t2u", "Try the zeppelin driver")
        .say("t2a", "The zeppelin driver loses frames.")
        .at("t1a")
        .user("t3u", "Try the plain driver")
        .say("t3a", "The plain driver works.");
    MadeCase::new(
        "search-other-branch",
        "failures 32 and 35: the limit counts entries of the scope only, and another branch is found only where it is asked for.",
        &log,
    )
    .step(Step::Index)
    .step(search("zeppelin"))
    .step(search_in("current-session", "zeppelin"))
    .step(Step::Search(SearchStep {
        text: "the zeppelin driver".to_owned(),
        scope: "current-branch".to_owned(),
        limit: 1,
        max_tokens: Some(EXCERPTS),
    }))
    .step(Step::SelectLeaf {
        entry_id: Some("t2a".to_owned()),
    })
    .step(search("zeppelin"))
    .step(Step::Plan(crate::cases::PlanStep::default()))
}

fn one_term_often_against_three_terms() -> MadeCase {
    let mut log = PiLog::new();
    log.user("t1u", "Which timeout, and where?").say(
        "t1a",
        &"The timeout, the timeout, and again the timeout. ".repeat(30),
    );
    log.say(
        "t2a",
        "The gateway closes with a timeout after the handshake.",
    );
    MadeCase::new(
        "search-one-term-often-against-three-terms",
        "failures 34: three terms once are a better answer than one term ninety times.",
        &log,
    )
    .step(Step::Index)
    .step(search("gateway handshake timeout"))
}

fn reading_a_hit() -> MadeCase {
    let mut log = PiLog::new();
    let lines: String = (1..=300)
        .map(|line| {
            if line == 240 {
                "the needle is cobalt-seventeen\n".to_owned()
            } else {
                format!("plain line {line}\n")
            }
        })
        .collect();
    log.user("t1u", "Read it")
        .call("t1c", &["big"])
        .result("t1r", "big", &lines)
        .say("t1a", "Read.");
    let read = |hit, first_line, count| Step::ReadHistory {
        hit,
        first_line,
        count,
    };
    MadeCase::new(
        "search-reading-a-hit",
        "A hit's reference opens its entry line by line; nothing else does.",
        &log,
    )
    .step(Step::Index)
    .step(search("cobalt-seventeen"))
    .step(read(0, 239, 3))
    .step(read(0, 299, 200))
    .step(read(0, 1_000, 1))
    .step(read(0, 0, 1))
    .step(read(0, 1, 0))
    .step(read(0, 1, 201))
    .step(read(9, 1, 1))
    .step(search("nothing like it: quixotic"))
    .step(read(0, 1, 1))
}

fn refused_searches() -> MadeCase {
    let mut log = PiLog::new();
    log.turn("t1", 300);
    let limited = |limit| {
        Step::Search(SearchStep {
            text: "question".to_owned(),
            scope: "current-branch".to_owned(),
            limit,
            max_tokens: None,
        })
    };
    MadeCase::new(
        "search-refused-searches",
        "A scope that the configuration does not allow and limits outside 1 to 1,000; before anything is indexed nothing is found.",
        &log,
    )
    .step(search("question"))
    .step(Step::Index)
    .step(search_in("current-lineage", "question"))
    .step(search_in("project", "question"))
    .step(Step::IndexScope {
        scope: "project".to_owned(),
    })
    .step(limited(0))
    .step(limited(1_001))
    .step(limited(1_000))
}

fn switched_off() -> MadeCase {
    let mut log = PiLog::new();
    log.user("t1u", "The launch code is heliotrope-nine.")
        .say("t1a", &filler("answer", 4_000))
        .user("t2u", "What is the launch code?");
    MadeCase::new(
        "search-switched-off",
        "The configuration switches the search off, for plans as well.",
        &log,
    )
    .config(json!({
        "retrieval": {"exact": false, "fts": false},
        "context": {"condensedBand": {"enabled": false}},
    }))
    .step(Step::Index)
    .step(search("launch code"))
    .window(8_000)
    .budget(400)
    .manifest()
}
