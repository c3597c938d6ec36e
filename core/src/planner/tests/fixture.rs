//! A session in a few words: `user("..")`, `call(&["a"])`, `result("a", tokens)` and a planner around them.

use std::rc::Rc;

use serde_json::json;

use crate::config::SupplementalPlacement;
use crate::message::{Message, from_native};
use crate::model::{Budgets, Ceilings, Estimator};
use crate::planner::{
    Band, Candidate, Condensed, Cut, Decision, Fate, Kept, PlannerInput, RecallTools, Replacement,
    SupplementCandidate, condense, plan,
};

const STUB_CHARS: usize = 400;

pub fn user(text: &str) -> Message {
    from_native(&json!({"role": "user", "content": text}))
}
pub fn say(text: &str) -> Message {
    from_native(&json!({"role": "assistant", "content": [{"type": "text", "text": text}]}))
}
pub fn call(ids: &[&str]) -> Message {
    let blocks: Vec<_> = ids
        .iter()
        .map(|id| json!({"type": "toolCall", "id": id, "name": "read", "arguments": {}}))
        .collect();
    from_native(&json!({"role": "assistant", "content": blocks}))
}
pub fn result(id: &str, tokens: usize) -> Message {
    let text = "x y\n".repeat(tokens);
    from_native(
        &json!({"role": "toolResult", "toolCallId": id, "toolName": "read", "content": [{"type": "text", "text": text}]}),
    )
}
pub fn summary(tokens: usize) -> Message {
    from_native(&json!({"role": "compactionSummary", "summary": "abcd".repeat(tokens)}))
}
pub fn custom(text: &str) -> Message {
    from_native(&json!({"role": "custom", "customType": "note", "content": text}))
}

/// A planner's input with its own limits.
pub struct Planner {
    pub messages: Vec<Message>,
    pub ids: Vec<String>,
    pub pinned: Vec<usize>,
    pub fixed: u64,
    pub hard: u64,
    pub target: u64,
    pub tail: u64,
    pub explicit: bool,
    pub cut: Option<Cut>,
    pub band: Option<f64>,
    pub rescue: bool,
    pub condense_superseded: bool,
    pub forms: Vec<(usize, Rc<Replacement>)>,
    pub outline: Option<String>,
    pub recall: Option<RecallTools<'static>>,
    pub supplements: Vec<SupplementCandidate>,
    pub supplement_reserve: u64,
    pub placement: SupplementalPlacement,
}

impl Planner {
    pub fn new(messages: Vec<Message>) -> Self {
        let ids = (0..messages.len())
            .map(|position| format!("e{position}"))
            .collect();
        Self {
            messages,
            ids,
            pinned: Vec::new(),
            fixed: 0,
            hard: 90_000,
            target: 70_000,
            tail: 70_000,
            explicit: false,
            cut: None,
            band: None,
            rescue: true,
            condense_superseded: false,
            forms: Vec::new(),
            outline: None,
            recall: None,
            supplements: Vec::new(),
            supplement_reserve: 0,
            placement: SupplementalPlacement::LatestUser,
        }
    }

    pub fn plan(&self) -> Decision {
        let candidates: Vec<Candidate<'_>> = self
            .messages
            .iter()
            .zip(&self.ids)
            .enumerate()
            .map(|(position, (message, id))| Candidate {
                message,
                tokens: message.tokens(Estimator::CharsV1),
                entry_id: Some(id),
                pinned: self.pinned.contains(&position),
            })
            .collect();
        let budgets = Budgets {
            context_window: 100_000,
            output_reserve: 0,
            safety: 0,
            hard: self.hard,
            soft: self.hard,
            target: self.target,
            explicit: self.explicit.then_some(self.target),
            active: self.target.min(self.hard),
        };
        let ceilings = Ceilings {
            recent_tail: self.tail,
            pins: 16_000,
            summaries: 12_000,
            memory: 8_000,
            history: 8_000,
            project: 8_000,
        };
        let condensed =
            |position: usize| condense(candidates.get(position)?, Estimator::CharsV1).map(Rc::new);
        let kept = |position: usize| {
            let form = self.forms.iter().find(|(kept, _)| *kept == position);
            form.map(|(_, form)| Rc::clone(form))
        };
        let input = PlannerInput {
            candidates: &candidates,
            fixed_tokens: self.fixed,
            budgets: &budgets,
            ceilings: &ceilings,
            rescue_immediate_predecessor: self.rescue,
            estimator: Estimator::CharsV1,
            band: self.band.map(|share| Band {
                share,
                stub_chars: STUB_CHARS,
                condensed: &condensed,
            }),
            superseded: self
                .condense_superseded
                .then_some(&condensed as Condensed<'_>),
            kept: self.cut.map(|cut| Kept {
                cut,
                condensed: &kept,
                outline: self.outline.as_deref(),
            }),
            supplement_reserve: self.supplement_reserve,
            placement: self.placement,
            recall: self.recall,
        };
        plan(&input).with_supplements(&input, self.supplements.clone())
    }

    /// Keeps what the decision says, as the engine does for the next request.
    pub fn keep(&mut self, decision: &Decision) {
        self.cut = decision.cut;
        self.forms = decision.condensed.clone();
        self.outline = decision.outline.as_deref().map(str::to_owned);
    }
}

/// The content of a replaced message.
pub fn content(replacement: &Replacement) -> serde_json::Value {
    serde_json::from_str(&replacement.content).unwrap()
}

/// Positions of the messages that are sent.
pub fn sent(decision: &Decision) -> Vec<usize> {
    let fates = decision.fates.iter().enumerate();
    fates
        .filter_map(|(position, fate)| fate.why_in().map(|_| position))
        .collect()
}

/// The reason for which the message is out.
pub fn why_out(decision: &Decision, position: usize) -> &'static str {
    match &decision.fates[position] {
        Fate::Out(why) => why.name(),
        fate => panic!("message {position} is in as {:?}", fate.why_in()),
    }
}
