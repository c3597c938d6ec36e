//! Making a plan: from the host's request through the planner's two passes to a record of it.

use std::cell::RefCell;
use std::rc::Rc;

use sha2::{Digest, Sha256};

use super::error::EngineError;
use super::evidence::{Searcher, Wanted};
use super::fixed_overhead::FixedOverhead;
use super::memory::NewestPlan;
use super::planning::{self, Context};
use super::request::{Plan, PlanRequest};
use super::view::View;
use super::{Session, UNCALIBRATED};
use crate::manifest::{PlanRecord, RecordedMessage, SharedPrefix};
use crate::message::hex;
use crate::model::budget::limits;
use crate::model::{Budgets, Ceilings, ModelProfile};
use crate::planner::{
    Band, Condensed, Decision, Kept, PlannerInput, RecallTools, condense, plan as decide,
};
use crate::retrieval::EvidenceStatus;
use crate::store::StoreError;

/// The tools with which a model can recall history, by the names that the hosts give them (behaviour 2.16).
const RECALL_TOOLS: RecallTools<'static> = RecallTools {
    search: "context_history_recall",
    read: "context_history_read",
};

/// A decision with what it was made from.
struct Decided {
    view: Rc<View>,
    context: Context,
    overhead: FixedOverhead,
    profile: ModelProfile,
    budgets: Budgets,
    ceilings: Ceilings,
    supplement_reserve: u64,
    messages: Vec<RecordedMessage>,
    decision: Decision,
    evidence_status: EvidenceStatus,
    now_ms: u64,
}

/// The session's rows in an index that was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rows {
    There,
    Gone,
    /// Another process holds the index, so that nobody can tell.
    Busy,
}

impl Session {
    /// Decides what the next request holds, without evidence where another process holds the index.
    pub fn plan(&mut self, request: &PlanRequest) -> Result<Plan, EngineError> {
        let decided = self.decide(request)?;
        Ok(self.record(decided))
    }

    /// As [`Self::plan`]; none where another process holds the index that evidence is looked for in. Nothing is decided then:
    /// ask again in some milliseconds, and after a while [`Self::plan`].
    pub fn plan_with_evidence(
        &mut self,
        request: &PlanRequest,
    ) -> Result<Option<Plan>, EngineError> {
        if self.find_rows_again(request.now_ms) == Rows::Busy {
            return Ok(None);
        }
        let decided = self.decide(request)?;
        let waits = match decided.evidence_status {
            EvidenceStatus::Busy => true,
            EvidenceStatus::Lost => self.find_rows_again(request.now_ms) != Rows::Gone,
            _ => false,
        };
        if waits {
            self.overhead = Some(decided.overhead);
            return Ok(None);
        }
        Ok(Some(self.record(decided)))
    }

    /// Looks for the session's rows where this process does not know them: they stand there from before it was started, or another
    /// process made them anew.
    fn find_rows_again(&mut self, now_ms: u64) -> Rows {
        if self.session_index.session().is_some() || !(self.was_indexed || self.is_stored()) {
            return Rows::There;
        }
        match self.look_at_index(now_ms) {
            Err(StoreError::Busy) => Rows::Busy,
            _ if self.session_index.session().is_some() => Rows::There,
            _ => Rows::Gone,
        }
    }

    fn decide(&mut self, request: &PlanRequest) -> Result<Decided, EngineError> {
        let view = self.view();
        let context = Context::resolve(request, &view)?;
        let profile = self.profile(&view);
        let overhead = self.overhead(request, &view, &profile)?;
        let explicit = request.budget.map(u64::from);
        let (budgets, ceilings) = limits(&profile, &self.config, explicit, UNCALIBRATED);
        let candidates = context.candidates(&self.log, &view, &mut self.counts, profile.estimator);
        let retrieves = self.retrieves();
        let supplement_reserve = if retrieves {
            ceilings.evidence_reserve(&budgets)
        } else {
            0
        };
        let band = self.config.context.condensed_band.clone();
        let forms = RefCell::new(std::mem::take(&mut self.forms));
        let condensed = |place: usize| {
            let candidate = candidates.get(place)?;
            let message = context.identity(&self.log, &view, place);
            forms.borrow_mut().form(profile.estimator, message, || {
                condense(candidate, profile.estimator)
            })
        };
        let kept = self
            .plans
            .kept(&profile, explicit, &view, &context, &self.log);
        let kept_form = |place: usize| {
            let (_, remembered) = kept.as_ref()?;
            let identity = context.identity(&self.log, &view, place);
            remembered.condensed.get(&identity).cloned()
        };
        let input = PlannerInput {
            candidates: &candidates,
            fixed_tokens: overhead.tokens(),
            budgets: &budgets,
            ceilings: &ceilings,
            rescue_immediate_predecessor: self.config.context.rescue_immediate_predecessor,
            estimator: profile.estimator,
            band: band.enabled.then_some(Band {
                share: band.max_share,
                stub_chars: band.stub_chars as usize,
                condensed: &condensed,
            }),
            superseded: self
                .config
                .context
                .condense_superseded
                .then_some(&condensed as Condensed<'_>),
            kept: kept.as_ref().map(|(cut, remembered)| Kept {
                cut: *cut,
                condensed: &kept_form,
                outline: remembered.outline.as_deref(),
            }),
            supplement_reserve,
            placement: self.config.context.supplemental_placement,
            recall: recall_tools(&overhead),
        };
        let decision = decide(&input);
        let (decision, evidence_status) = if retrieves {
            let (supplements, status) = Searcher {
                log: &self.log,
                index: &mut self.session_index,
                database: &mut self.database,
                remembered: &mut self.evidence,
                most: self.config.retrieval.max_results as usize,
            }
            .supplements(&Wanted {
                context: &context,
                view: &view,
                candidates: &candidates,
                decision: &decision,
                estimator: profile.estimator,
                tokens: supplement_reserve,
                now_ms: request.now_ms,
            });
            (decision.with_supplements(&input, supplements), status)
        } else {
            (decision, self.status_without_search())
        };
        self.forms = forms.into_inner();
        let messages = candidates
            .iter()
            .map(|candidate| RecordedMessage {
                entry_id: candidate.entry_id.map(Into::into),
                role: candidate.message.role.clone(),
                tokens: candidate.tokens,
            })
            .collect();
        Ok(Decided {
            view,
            context,
            overhead,
            profile,
            budgets,
            ceilings,
            supplement_reserve,
            messages,
            decision,
            evidence_status,
            now_ms: request.now_ms,
        })
    }

    /// Puts a decision into the plan's record and the host's terms, and remembers it.
    fn record(&mut self, decided: Decided) -> Plan {
        let Decided {
            view,
            context,
            overhead,
            ..
        } = decided;
        let band = &self.config.context.condensed_band;
        let mut record = PlanRecord {
            id: String::new(),
            session_id: self.session_id.clone(),
            leaf_id: view.leaf_id(&self.log).map(Into::into),
            band_share: band.enabled.then_some(band.max_share),
            supplement_reserve: decided.supplement_reserve,
            evidence_status: decided.evidence_status,
            mode: self.config.context.mode,
            estimator: decided.profile.estimator,
            profile: decided.profile,
            budgets: decided.budgets,
            ceilings: decided.ceilings,
            system_tokens: overhead.system_tokens,
            tools: overhead.tools.clone(),
            messages: decided.messages,
            decision: decided.decision,
            prompt_hash: String::new(),
            shared_prefix: SharedPrefix::default(),
            created_at_ms: decided.now_ms,
            usage: None,
        };
        let sent = planning::sent(&record);
        record.prompt_hash = planning::prompt_hash(&sent, &context, &self.log, &view, &overhead);
        record.id = self.manifest_id(&record);
        let fingerprints = planning::fingerprints(&sent, &context, &self.log, &view);
        record.shared_prefix = self.plans.shared_prefix(&fingerprints, &sent, &record);
        let plan = planning::plan(&record, &sent);
        self.overhead = Some(overhead);
        self.plans.remember(
            record,
            NewestPlan {
                view,
                context,
                sent,
                fingerprints,
            },
            &self.log,
        );
        plan
    }

    /// `m_` and 32 hex digits of the hash over session, leaf, running number and prompt hash (behaviour 2.3).
    fn manifest_id(&self, record: &PlanRecord) -> String {
        let leaf = record.leaf_id.as_deref().unwrap_or_default();
        let text = format!(
            "{}\0{leaf}\0{}\0{}",
            self.session_id,
            self.plans.next_number(),
            record.prompt_hash
        );
        let digest = Sha256::digest(text.as_bytes());
        format!("m_{}", hex(digest.get(..16).unwrap_or_default()))
    }
}

/// The tools with which the model can recall what is left out, where the request offers them.
fn recall_tools(overhead: &FixedOverhead) -> Option<RecallTools<'static>> {
    let offers = |name: &str| overhead.tools.iter().any(|(tool, _)| tool == name);
    (offers(RECALL_TOOLS.search) && offers(RECALL_TOOLS.read)).then_some(RECALL_TOOLS)
}
