//! The counts against those of an independent encoder, on texts made and found.

use std::path::Path;

use proptest::prelude::*;

use super::count;
use super::pieces::Pieces;

/// The pieces as well as the count: a wrong cut may leave the count as it is.
fn check(text: &str) {
    let known = bpe_openai::o200k_base();
    let excerpt: String = text.chars().take(200).collect();
    let mut ours = Pieces::of(text);
    for piece in known.split(text) {
        assert_eq!(ours.next(), Some(piece), "pieces of {excerpt:?}");
    }
    assert_eq!(ours.next(), None, "pieces of {excerpt:?}");
    assert_eq!(count(text), known.count(text), "{excerpt:?}");
}

/// Characters at which the pattern decides, next to each other more often than in any usual text.
fn deciding_character() -> impl Strategy<Value = char> {
    let deciding: Vec<char> = concat!(
        "aabzAZsStTrReEvVmMlLdD'''  \t\r\n\n//019.,-_(){}\"",
        "\u{17F}\u{212A}\u{1C5}\u{2B0}\u{301}\u{20DD}\u{A0}\u{85}\u{2028}\u{3000}\u{200B}\u{200D}\u{FE0F}",
        "éÉßǅªʰ字あア한ก½²٣Ⅷ👩💻🏽€\u{FFFD}\u{0}\u{7F}\u{10FFFF}\u{E000}"
    )
    .chars()
    .collect();
    prop::sample::select(deciding)
}

fn word_like() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z]{1,12}",
        "[A-Z][a-z]{0,8}([A-Z][a-z]{0,5}){0,3}('(s|t|re|ve|m|ll|d|S|LL))?",
        "[0-9]{1,9}",
        "[ \t]{1,9}",
        "(\r?\n){1,3} {0,8}",
        "[!-/:-@\\[-`{-~]{1,6}",
        "(let|fn|return|const|self\\.|if|=>|\\(\\)|::|;\n|\\{\n    |\\}\n)",
        "[\u{4E00}-\u{9FFF}\u{3040}-\u{30FF}]{1,20}",
        "[\u{AC00}-\u{D7A3}]{1,8}",
        "[\u{400}-\u{45F}]{1,12}",
        "[\u{600}-\u{6FF}\u{900}-\u{97F}\u{E00}-\u{E7F}]{1,9}",
        "([\u{1F300}-\u{1FAFF}]\u{FE0F}?\u{200D}?){1,4}",
        "[A-Za-z0-9+/]{60,200}={0,2}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn deciding_characters(characters in prop::collection::vec(deciding_character(), 0..40)) {
        check(&characters.into_iter().collect::<String>());
    }

    #[test]
    fn words_code_and_scripts(words in prop::collection::vec(word_like(), 0..30)) {
        check(&words.concat());
    }

    #[test]
    fn every_plane(characters in prop::collection::vec(any::<char>(), 0..80)) {
        check(&characters.into_iter().collect::<String>());
    }
}

#[test]
fn edges() {
    for text in [
        "",
        " ",
        "  ",
        "\n",
        " \n ",
        "\r\n\r\n  x",
        "   x",
        "x   ",
        "\t\tx",
        "a\u{A0}\u{A0}b",
        "\u{3000}\u{3000}字",
        "it's IT'S it'\u{17F} you'LL we'Ve I'd o'clock 's ''s",
        "ABCdef ABC DEFʰGHI ʰʰ AʰB \u{301}\u{301}A \u{301}",
        "1234567 1½²٣Ⅷ",
        "//\n//\n ///\r\n/ path/to/file",
        " (foo) (Foo) _foo __FOO__ -1",
        "👩\u{200D}💻👩🏽\u{200D}💻 ❤\u{FE0F}",
        "<|endoftext|><|endofprompt|>",
        "\u{0}\u{1}\u{7F}\u{85}\u{2028}\u{FEFF}",
        "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft",
    ] {
        check(text);
    }
}

#[test]
fn every_character_after_letters_space_and_newline() {
    let known = bpe_openai::o200k_base();
    for character in '\0'..=char::MAX {
        let text = format!("a{character}A{character} {character}\n{character}b");
        assert!(Pieces::of(&text).eq(known.split(&text)), "{character:?}");
    }
}

/// A quadratic way would take hours here, and the windows of long pieces meet their edges.
#[test]
fn long_runs() {
    let units = [
        "a",
        "A",
        " ",
        "\n",
        "=",
        "1",
        "ab",
        "日本語",
        "漢",
        "é",
        "\u{301}",
        "😀",
        "\u{0}",
        "aA",
        "/\n",
    ];
    for unit in units {
        check(&unit.repeat(1_000_000 / unit.len()));
    }
    let ideographs: String = (0..300_000)
        .filter_map(|at| char::from_u32(0x4E00 + at * 7_919 % 20_000))
        .collect();
    check(&ideographs);
}

#[test]
fn shared_session_logs() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/pi");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        println!("skipped: no session logs in ../shared/data/pi");
        return;
    };
    for entry in entries {
        let log = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        check(&log);
        log.lines()
            .for_each(|line| strings(&serde_json::from_str(line).unwrap(), &mut check));
    }
}

fn strings(value: &serde_json::Value, visit: &mut impl FnMut(&str)) {
    match value {
        serde_json::Value::String(text) => visit(text),
        serde_json::Value::Array(items) => items.iter().for_each(|item| strings(item, visit)),
        serde_json::Value::Object(fields) => {
            fields.values().for_each(|field| strings(field, visit))
        }
        _ => {}
    }
}
