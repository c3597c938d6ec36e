//! The planned request as messages that a model reads: `ds4-context-plan-v1`.

use serde_json::{Map, Value, json};

use super::memory::NewestPlan;
use super::planning::{Sent, supplement_wire};
use crate::manifest::PlanRecord;
use crate::message::{Message, Role, read};
use crate::session::SessionLog;

/// The name of the document's shape.
const SCHEMA: &str = "ds4-context-plan-v1";

pub(super) fn document(record: &PlanRecord, newest: &NewestPlan, log: &SessionLog) -> Value {
    let messages: Vec<Value> = newest
        .sent
        .iter()
        .filter_map(|sent| row(sent, record, newest, log))
        .collect();
    let mut document = Map::new();
    document.insert("schema".into(), SCHEMA.into());
    document.insert("messages".into(), messages.into());
    document.insert("estimatedTokens".into(), record.estimated_tokens().into());
    document.insert("messageTokens".into(), record.sent_message_tokens().into());
    document.insert("estimator".into(), record.estimator.name().into());
    document.insert("promptHash".into(), record.prompt_hash.as_str().into());
    document.insert("manifestId".into(), record.id.as_str().into());
    if let Some(fallback) = record.decision.fallback {
        document.insert("fallback".into(), fallback.name().into());
    }
    document.insert("excluded".into(), record.exclusions().into());
    Value::Object(document)
}

fn row(sent: &Sent, record: &PlanRecord, newest: &NewestPlan, log: &SessionLog) -> Option<Value> {
    let message = |place: usize| newest.context.message(log, &newest.view, place);
    match sent {
        Sent::Added(supplement) => {
            let reading = read(&Role::User, &supplement_wire(&supplement.text));
            Some(
                json!({"role": reading.role, "kind": supplement.kind.name(), "text": reading.text}),
            )
        }
        Sent::Whole(place) => Some(message_row(message(*place)?, *place, record)),
        Sent::Replaced(place, replacement) => {
            Some(message_row(&replacement.message, *place, record))
        }
    }
}

fn message_row(message: &Message, place: usize, record: &PlanRecord) -> Value {
    let reading = message.reading();
    let fate = record
        .decision
        .fates
        .get(place)
        .and_then(crate::planner::Fate::why_in);
    let mut row = Map::new();
    row.insert("role".into(), reading.role.into());
    row.insert(
        "kind".into(),
        fate.map_or("history", crate::planner::WhyIn::kind).into(),
    );
    if let Some(id) = record
        .messages
        .get(place)
        .and_then(|message| message.entry_id.as_deref())
    {
        row.insert("entryId".into(), id.into());
    }
    row.insert("text".into(), reading.text.into());
    if !message.calls.is_empty() {
        let ids: Value = message
            .calls
            .iter()
            .map(|call| Value::from(&*call.id))
            .collect();
        row.insert("toolCallIds".into(), ids);
    }
    if let Some(answer) = &message.answers {
        row.insert("toolCallId".into(), (*answer.call_id).into());
        row.insert("toolName".into(), (*answer.tool_name).into());
    }
    Value::Object(row)
}
