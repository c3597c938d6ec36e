//! Indexing and searching a session of 200,000 entries in wasmtime and in Node, on disk.
//!
//! The log is made of words whose frequencies follow Zipf's law, with prompts, responses, calls and results as an agent
//! writes them; a task query has twelve words drawn the same way, so that most of them are common. Half of the exact strings that
//! are asked for stand in the log, evenly from its beginning to its end, and half stand nowhere.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use ds4_context_host::{
    Clock, DataFolder, GrantedFolders, HealthDepth, HistoryQuery, HistoryScope, Limits, Place,
    Ports, Session, SessionOptions,
};
use ds4_context_tests::cases::LOG_NAME;
use ds4_context_tests::figures::{Figure, Target, timed};
use ds4_context_tests::hosts::wasmtime_engine;
use ds4_context_tests::temporary_folder::TemporaryFolder;
use ds4_context_tests::workspace;
use ds4_context_tests::{NOW_MS, SEED};
use serde_json::json;

use crate::Outcome;

const ENTRIES: u32 = 200_000;
const VOCABULARY: usize = 30_000;
const QUERIES: usize = 80;
const RECHECKS: usize = 20;
/// A log of this size needs more memory than an agent's session, and longer calls.
const LIMITS: Limits = Limits {
    memory_bytes: 1 << 30,
    deadline: std::time::Duration::from_secs(120),
    bytes_per_call: ds4_context_host::DEFAULT_BYTES_PER_CALL,
};

pub fn measure(with_node: bool) -> Outcome<Vec<Figure>> {
    let folder = TemporaryFolder::new()?;
    let log = folder.path().join(LOG_NAME);
    let mut words = Words::new();
    let mut file = BufWriter::new(File::create(&log)?);
    writeln!(file, "{}", header())?;
    let (mut exact, mut phrases) = (Vec::new(), Vec::new());
    for number in 0..ENTRIES {
        let entry = entry(number, &mut words);
        writeln!(file, "{entry}")?;
        let remembered = ENTRIES / QUERIES as u32 * 2;
        match (number % remembered, &entry["message"]["content"]) {
            (0, serde_json::Value::String(said)) => {
                let said: Vec<&str> = said.split(' ').skip(9).take(3).collect();
                phrases.push(format!("\"{}\"", said.join(" ")));
            }
            (1, blocks) => {
                let path = blocks[1]["arguments"]["path"].as_str().unwrap_or_default();
                exact.push(format!(
                    "`{}`",
                    path.trim_start_matches("src/").trim_end_matches(".rs")
                ));
            }
            _ => {}
        }
    }
    file.flush()?;
    drop(file);

    let mut session = open(folder.path())?;
    session.sync()?;
    let (milliseconds, indexed) = timed(|| session.index());
    indexed?;
    let health: serde_json::Value = serde_json::from_str(&session.health(HealthDepth::Quick)?)?;
    let number = |key: &str| health[key].as_f64().unwrap_or(0.0);
    let (text, bytes) = (number("textBytes"), number("bytes"));
    let mut figures = vec![
        Figure::of(
            "index 200,000 entries, wasmtime",
            "MB/s",
            vec![text / 1_000.0 / milliseconds],
        )
        .target(Target::AtLeast(3.0))
        .note(format!("{:.0} MB of text", text / 1e6)),
        Figure::of("database ÷ indexed text", "times", vec![bytes / text])
            .target(Target::AtMost(2.0)),
    ];

    let tasks: Vec<String> = (0..QUERIES).map(|_| words.phrase(12)).collect();
    figures.push(
        searching(&mut session, "task query of 12 words, wasmtime", &tasks)?
            .target(Target::AtMost(60.0)),
    );
    exact.extend((exact.len()..QUERIES).map(|_| format!("`{}`", words.identifier())));
    figures.push(
        searching(&mut session, "exact identifier, wasmtime", &exact)?.target(Target::AtMost(15.0)),
    );
    phrases.extend((phrases.len()..QUERIES).map(|_| format!("\"{}\"", words.phrase(3))));
    figures.push(
        searching(&mut session, "exact phrase, wasmtime", &phrases)?.target(Target::AtMost(15.0)),
    );
    figures.push(rechecking(&mut session)?);
    figures.push(appending(&mut session, &log, &mut words)?);
    if with_node {
        drop(session);
        let asked = [("task", &tasks), ("exact", &exact), ("phrase", &phrases)];
        figures.extend(in_node(folder.path(), &log, &asked, &figures)?);
    }
    Ok(figures)
}

/// The same log and questions in the Node host; none where the package is not built.
fn in_node(
    folder: &Path,
    log: &Path,
    asked: &[(&str, &Vec<String>)],
    wasmtime: &[Figure],
) -> Outcome<Vec<Figure>> {
    let script = workspace::root().join("host-node/dist/bench-history.js");
    if !script.is_file() {
        return Ok(Vec::new());
    }
    let questions = folder.join("questions.jsonl");
    let mut file = File::create(&questions)?;
    for (kind, texts) in asked {
        for text in *texts {
            writeln!(file, "{}", json!({"kind": kind, "text": text}))?;
        }
    }
    let output = Command::new("node")
        .arg(script)
        .args([log, &questions, &folder.join("node-data")])
        .output()?;
    if !output.status.success() {
        let error = String::from_utf8_lossy(&output.stderr);
        return Err(format!("host-node/dist/bench-history.js failed: {}", error.trim()).into());
    }
    let of_wasmtime = |name: &str| wasmtime.iter().find(|figure| figure.name.starts_with(name));
    let mut figures = Vec::new();
    for line in String::from_utf8(output.stdout)?.lines() {
        let line: serde_json::Value = serde_json::from_str(line)?;
        let number = |key: &str| line[key].as_f64().unwrap_or(f64::NAN);
        let (name, target, native) = match line["bench"].as_str().unwrap_or_default() {
            "index" => {
                let speed = number("textBytes") / 1e6 / number("seconds");
                let figure = Figure::of("index 200,000 entries, Node", "MB/s", vec![speed]);
                figures.push(figure.target(Target::AtLeast(2.0)));
                continue;
            }
            "task" => ("task query of 12 words, Node", 120.0, "task query"),
            "exact" => ("exact identifier, Node", 30.0, "exact identifier"),
            _ => ("exact phrase, Node", 30.0, "exact phrase"),
        };
        let mut figure = Figure::of(name, "ms", vec![number("p50")]);
        figure.p95 = number("p95");
        figure.runs = usize::try_from(line["runs"].as_u64().unwrap_or(0))?;
        figure = figure.target(Target::AtMost(target));
        if let Some(native) = of_wasmtime(native) {
            figure = figure.against(native).note("the ratio is to wasmtime");
        }
        figures.push(figure);
    }
    Ok(figures)
}

fn open(folder: &Path) -> Outcome<Session> {
    let files = GrantedFolders::new()
        .grant(Place::Sessions, folder)?
        .with_data_folder(DataFolder::new(folder.join("data"))?);
    let options = SessionOptions {
        seed: Some(SEED.to_vec()),
        clock: Clock::Fixed(NOW_MS),
        limits: LIMITS,
        ..SessionOptions::of_log(LOG_NAME)
    };
    Ok(Session::open(
        wasmtime_engine(),
        options,
        Ports::with_storage(files),
    )?)
}

fn searching(session: &mut Session, name: &str, queries: &[String]) -> Outcome<Figure> {
    let mut readings = Vec::with_capacity(queries.len());
    let mut hits = 0;
    for text in queries {
        let query = HistoryQuery {
            text: text.clone(),
            scope: HistoryScope::CurrentBranch,
            limit: 12,
            max_tokens: Some(3_000),
        };
        let (milliseconds, answer) = timed(|| session.search_history(&query));
        hits += answer?.hits.len();
        readings.push(milliseconds);
    }
    Ok(Figure::of(name, "ms", readings).note(format!("{hits} hits in {} searches", queries.len())))
}

fn rechecking(session: &mut Session) -> Outcome<Figure> {
    let mut readings = Vec::with_capacity(RECHECKS);
    for _ in 0..RECHECKS {
        let started = Instant::now();
        session.sync()?;
        session.index()?;
        readings.push(started.elapsed().as_secs_f64() * 1e3);
    }
    Ok(Figure::of("unchanged re-check, wasmtime", "ms", readings).target(Target::AtMost(10.0)))
}

fn appending(session: &mut Session, log: &Path, words: &mut Words) -> Outcome<Figure> {
    let mut readings = Vec::with_capacity(RECHECKS);
    for turn in 0..RECHECKS as u32 {
        let mut file = std::fs::OpenOptions::new().append(true).open(log)?;
        for number in 0..4 {
            writeln!(file, "{}", entry(ENTRIES + turn * 4 + number, words))?;
        }
        session.sync()?;
        let (milliseconds, indexed) = timed(|| session.index());
        indexed?;
        readings.push(milliseconds);
    }
    Ok(
        Figure::of("indexing one more turn, wasmtime", "ms", readings)
            .note("three fsyncs in it; the target of 10 ms is without them"),
    )
}

fn header() -> serde_json::Value {
    json!({"type": "session", "version": 3, "id": "bench", "timestamp": "2026-01-01T00:00:00.000Z", "cwd": "/work"})
}

fn entry(number: u32, words: &mut Words) -> serde_json::Value {
    let time = NOW_MS + u64::from(number) * 20_000;
    let message = match number % 4 {
        0 => json!({"role": "user", "content": words.phrase(30), "timestamp": time}),
        1 => json!({"role": "assistant", "timestamp": time, "content": [
            {"type": "text", "text": words.phrase(25)},
            {"type": "toolCall", "id": format!("c{number}"), "name": "read", "arguments": {"path": format!("src/{}.rs", words.identifier())}},
        ]}),
        2 => {
            let text: Vec<String> = (0..9)
                .map(|_| format!("{} {}", words.phrase(9), words.identifier()))
                .collect();
            json!({"role": "toolResult", "toolCallId": format!("c{}", number - 1), "toolName": "read", "isError": false, "timestamp": time,
                "content": [{"type": "text", "text": text.join("\n")}]})
        }
        _ => {
            json!({"role": "assistant", "content": [{"type": "text", "text": words.phrase(40)}], "timestamp": time})
        }
    };
    let parent = number.checked_sub(1).map(|before| format!("{before:08x}"));
    json!({"type": "message", "id": format!("{number:08x}"), "parentId": parent, "timestamp": time, "message": message})
}

/// Made-up words, the same in every run.
struct Words {
    vocabulary: Vec<String>,
    /// Sums of the frequencies.
    cumulative: Vec<f64>,
    state: u64,
}

impl Words {
    fn new() -> Self {
        const SYLLABLES: [&str; 24] = [
            "ba", "ce", "di", "fo", "gu", "ka", "le", "mi", "no", "pu", "ra", "se", "ti", "vo",
            "wu", "xa", "bra", "cle", "dri", "flo", "pli", "sto", "tri", "vla",
        ];
        let mut words = Self {
            vocabulary: Vec::new(),
            cumulative: Vec::new(),
            state: 7,
        };
        let mut seen = std::collections::BTreeSet::new();
        let mut sum = 0.0;
        while words.vocabulary.len() < VOCABULARY {
            let syllables = 2 + words.below(3);
            let word: String = (0..syllables)
                .map(|_| SYLLABLES[words.below(SYLLABLES.len())])
                .collect();
            if seen.insert(word.clone()) {
                #[allow(clippy::cast_precision_loss)] // thousands
                let rank = words.vocabulary.len() as f64 + 5.0;
                sum += 1.0 / rank;
                words.cumulative.push(sum);
                words.vocabulary.push(word);
            }
        }
        words
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// A 64-bit linear congruential generator, its upper half.
    fn next(&mut self) -> u64 {
        self.state = self
            .state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        self.state >> 32
    }

    fn word(&mut self) -> &str {
        let total = self.cumulative.last().copied().unwrap_or(1.0);
        #[allow(clippy::cast_precision_loss)] // 32 bits
        let point = self.next() as f64 / f64::from(u32::MAX) * total;
        let place = self.cumulative.partition_point(|sum| *sum < point);
        &self.vocabulary[place.min(VOCABULARY - 1)]
    }

    fn phrase(&mut self, words: usize) -> String {
        let words: Vec<String> = (0..words).map(|_| self.word().to_owned()).collect();
        words.join(" ")
    }

    fn identifier(&mut self) -> String {
        let capital = |word: &str| {
            let (first, rest) = word.split_at(1);
            first.to_uppercase() + rest
        };
        let first = self.word().to_owned();
        let second = capital(self.word());
        let third = capital(self.word());
        format!("{first}{second}{third}")
    }
}
