//! Tests of session logs, by subject.

mod appending;
mod branches;
mod damage;
mod naive;
mod pieces;
mod projections;
mod real_logs;
mod runtime_logs;
mod version_one;

use super::*;

/// A Pi log of version 3 with these lines behind its header.
fn log_of(lines: &[&str]) -> SessionLog {
    let mut text =
        String::from("{\"type\":\"session\",\"version\":3,\"id\":\"s\",\"cwd\":\"/p\"}\n");
    for line in lines {
        text.push_str(line);
        text.push('\n');
    }
    read(text.as_bytes())
}

/// A Pi log of these bytes, up to the end of the file.
fn read(bytes: &[u8]) -> SessionLog {
    let mut log = SessionLog::new(LogFormat::PiSessionV3);
    log.push(bytes);
    log.end_of_file();
    log
}

/// A user's message.
fn user(id: &str, parent: Option<&str>, text: &str) -> String {
    let message = serde_json::json!({"role": "user", "content": text});
    serde_json::json!({"type": "message", "id": id, "parentId": parent, "message": message})
        .to_string()
}

/// IDs of entries.
fn ids(log: &SessionLog, entries: &[EntryIndex]) -> Vec<String> {
    entries
        .iter()
        .map(|index| log.get(*index).unwrap().id.to_string())
        .collect()
}

/// IDs of the active branch.
fn active(log: &SessionLog) -> Vec<String> {
    ids(log, &branch(log, None).entries)
}

/// Damage as `code count first-line`.
fn damage_of(log: &SessionLog) -> Vec<String> {
    let text = |damage: Damage| {
        format!(
            "{} {} {}",
            damage.code.name(),
            damage.count,
            damage.first_line.unwrap_or(0)
        )
    };
    log.damage().into_iter().map(text).collect()
}

/// All that can be seen of a log, for comparing two of them.
fn picture(log: &SessionLog) -> String {
    let entries: Vec<String> = log
        .entries()
        .iter()
        .map(|entry| format!("{entry:?}\n"))
        .collect();
    let position = (log.bytes(), log.lines(), log.last_leaf(), log.tail());
    format!(
        "{:?} {position:?} {:?}\n{}",
        log.header(),
        damage_of(log),
        entries.concat()
    )
}
