use super::*;
use serde_json::json;

#[test]
fn a_message_keeps_what_a_model_reads_and_drops_the_rest() {
    let message = from_native(&json!({
        "role": "assistant", "timestamp": 1_700_000_000_000_u64, "usage": {"input": 3}, "stopReason": "toolUse",
        "content": [
            {"type": "thinking", "thinking": "hm", "thinkingSignature": "long"},
            {"type": "text", "text": "I look.", "textSignature": "x"},
            {"type": "toolCall", "id": "c1", "name": "read", "arguments": {"path": "a.rs", "limit": 5}, "thoughtSignature": "y"},
        ],
    }));
    assert_eq!(
        message.wire(),
        r#"{"content":[{"thinking":"hm","type":"thinking"},{"text":"I look.","type":"text"},{"arguments":{"path":"a.rs","limit":5},"id":"c1","name":"read","type":"toolCall"}],"role":"assistant"}"#
    );
    assert!(message.canonical().contains(r#"{"limit":5,"path":"a.rs"}"#));
    assert_eq!(message.timestamp_ms, Some(1_700_000_000_000));
    assert_eq!(&*message.calls[0].id, "c1");
    assert_eq!(
        message.reading().text,
        "I look.\nread({\"path\":\"a.rs\",\"limit\":5})"
    );
}

#[test]
fn images_are_held_as_hashes() {
    let message = from_native(
        &json!({"role": "user", "content": [{"type": "image", "data": "A".repeat(100_000), "mimeType": "image/png"}]}),
    );
    assert!(message.held_bytes() < 300, "{}", message.wire());
    assert_eq!(message.reading().text, "[image]");
}

#[test]
fn what_cannot_be_sent_says_why() {
    let sendable = |native| from_native(&native).sendable;
    assert_eq!(
        sendable(json!({"role": "assistant", "content": []})),
        Sendable::Empty
    );
    assert_eq!(
        sendable(json!({"role": "user", "content": "  "})),
        Sendable::Empty
    );
    assert_eq!(
        sendable(
            json!({"role": "assistant", "content": [{"type": "text", "text": "x"}], "stopReason": "aborted"})
        ),
        Sendable::Aborted
    );
    assert_eq!(
        sendable(
            json!({"role": "bashExecution", "command": "ls", "output": "", "excludeFromContext": true})
        ),
        Sendable::ExcludedFromContext
    );
    assert_eq!(
        sendable(json!({"role": "telemetry", "content": "x"})),
        Sendable::UnknownRole
    );
    assert_eq!(
        sendable(json!({"role": "toolResult", "toolCallId": "a", "toolName": "b", "content": []})),
        Sendable::Yes
    );
    assert_eq!(sendable(json!(null)), Sendable::UnknownRole);
}

#[test]
fn portable_messages_map_onto_the_same_forms() {
    let portable = json!({"id": "s:e", "role": "tool", "blocks": [{"type": "toolResult", "toolCallId": "c", "toolName": "read", "content": "x", "isError": true}]});
    let (id, message) = from_portable(&portable).unwrap();
    assert_eq!(id, "s:e");
    let native = from_native(
        &json!({"role": "toolResult", "toolCallId": "c", "toolName": "read", "content": [{"type": "text", "text": "x"}], "isError": true}),
    );
    assert_eq!(message.wire(), native.wire());
    assert_eq!(
        from_portable(&json!({"role": "user"})).unwrap_err(),
        PortableError::MissingId
    );
    assert!(matches!(
        from_portable(&json!({"id": "a", "role": "robot", "blocks": []})),
        Err(PortableError::UnknownRole { .. })
    ));
    assert!(matches!(
        from_portable(&json!({"id": "a", "role": "tool", "blocks": []})),
        Err(PortableError::ToolResultShape { .. })
    ));
}
