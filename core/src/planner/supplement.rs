//! Supplements: what the plan adds to the host's messages from memory, from earlier history and from the project
//! (behaviour 2.2, Supplements and Placement).
//!
//! Invariants:
//! - Supplements come second: tail, band and cut are decided without them and leave them
//!   [`super::PlannerInput::supplement_reserve`], so that the cut is the same whether or not evidence was found.
//! - A supplement is taken whole or not at all, and one that does not fit does not keep the next from being looked at.
//! - One without sources, and any where there is no user message, is left out.

use std::cmp::Ordering;

use super::{Decision, PlannerInput, selection, validation};
use crate::config::SupplementalPlacement;

/// Where a supplement comes from, in the order in which they are chosen and placed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SupplementCategory {
    /// A remembered claim.
    Memory,
    /// Evidence from earlier in the session.
    Retrieval,
    /// Lines of the project's source.
    Project,
}

impl SupplementCategory {
    /// The manifest's kind of item.
    pub const fn kind(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Retrieval => "retrieval",
            Self::Project => "project",
        }
    }

    /// The priority of behaviour 2.2.
    pub const fn priority(self) -> u32 {
        match self {
            Self::Memory => 90,
            Self::Retrieval => 85,
            Self::Project => 80,
        }
    }
}

/// A message that the plan may add, sent under the role `user`.
#[derive(Debug, Clone, PartialEq)]
pub struct SupplementCandidate {
    /// Where it comes from.
    pub category: SupplementCategory,
    /// Names it among all of the plan; the last tie-break.
    pub id: String,
    /// Its text as it would be sent.
    pub text: String,
    /// Its tokens as a message: [`crate::model::estimator::supplement_tokens`] of its text.
    pub tokens: u32,
    /// How well it fits, higher first; what the numbers mean is its category's business.
    pub score: f64,
    /// Position among the host's messages of the newest message that it stands for; 0 where there is none.
    pub end: usize,
    /// The entries, claims or files that it quotes; never empty.
    pub source_ids: Vec<String>,
    /// Why it was proposed, in one word for manifests.
    pub reason: String,
}

/// A supplement that the plan holds.
#[derive(Debug, Clone, PartialEq)]
pub struct PlacedSupplement {
    /// The supplement.
    pub supplement: SupplementCandidate,
    /// The position of the host's message that it stands before.
    pub before: usize,
}

/// A supplement that the plan does not hold.
#[derive(Debug, Clone, PartialEq)]
pub struct SkippedSupplement {
    /// The supplement.
    pub supplement: SupplementCandidate,
    /// Why not.
    pub why: SupplementOut,
}

/// Why a supplement is out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SupplementOut {
    /// It names no source.
    NoSource,
    /// Its category has its tokens.
    CategoryLimit,
    /// The input budget would have been exceeded.
    InputBudget,
    /// There is no user message to stand before.
    NoUserMessage,
}

impl SupplementOut {
    /// The reason's stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NoSource => "supplement-without-source",
            Self::CategoryLimit => "category-limit",
            Self::InputBudget => "input-budget",
            Self::NoUserMessage => "no-user-message",
        }
    }
}

/// Tokens chosen so far, by category.
#[derive(Default)]
struct Spent {
    memory: u64,
    retrieval: u64,
    project: u64,
}

impl Spent {
    const fn of(&mut self, category: SupplementCategory) -> &mut u64 {
        match category {
            SupplementCategory::Memory => &mut self.memory,
            SupplementCategory::Retrieval => &mut self.retrieval,
            SupplementCategory::Project => &mut self.project,
        }
    }
}

impl Decision {
    /// The second pass: the same plan with those of the supplements that fit. A fallback stays as it is.
    #[must_use]
    pub fn with_supplements(
        mut self,
        input: &PlannerInput<'_>,
        mut supplements: Vec<SupplementCandidate>,
    ) -> Self {
        if self.fallback.is_some() {
            return self;
        }
        supplements.sort_by(order);
        let mut spent = Spent::default();
        for supplement in supplements {
            match self.place(input, &mut spent, &supplement) {
                Ok(before) => {
                    *spent.of(supplement.category) += u64::from(supplement.tokens);
                    self.message_tokens += u64::from(supplement.tokens);
                    self.supplements
                        .push(PlacedSupplement { supplement, before });
                }
                Err(why) => self
                    .skipped_supplements
                    .push(SkippedSupplement { supplement, why }),
            }
        }
        self.fallback = validation::check(input, &self);
        if self.fallback.is_some() {
            self.supplements.clear();
        }
        self
    }

    /// Where the supplement would stand.
    fn place(
        &self,
        input: &PlannerInput<'_>,
        spent: &mut Spent,
        supplement: &SupplementCandidate,
    ) -> Result<usize, SupplementOut> {
        let before = self.position_of(input, supplement.category);
        let before = before.ok_or(SupplementOut::NoUserMessage)?;
        if supplement.source_ids.is_empty() {
            return Err(SupplementOut::NoSource);
        }
        let tokens = u64::from(supplement.tokens);
        let limit = match supplement.category {
            SupplementCategory::Memory => input.ceilings.memory,
            SupplementCategory::Retrieval => input.ceilings.history,
            SupplementCategory::Project => input.ceilings.project,
        };
        if *spent.of(supplement.category) + tokens > limit {
            return Err(SupplementOut::CategoryLimit);
        }
        if self.message_tokens + tokens > self.message_target.min(self.message_hard) {
            return Err(SupplementOut::InputBudget);
        }
        Ok(before)
    }

    /// The position of the message that supplements of the category stand before; none without a user message.
    fn position_of(&self, input: &PlannerInput<'_>, category: SupplementCategory) -> Option<usize> {
        let sent = |position: &usize| {
            self.fates
                .get(*position)
                .is_some_and(|fate| fate.why_in().is_some())
        };
        let newest_user = (0..self.fates.len()).rev().filter(sent).find(|position| {
            input
                .candidates
                .get(*position)
                .is_some_and(selection::is_user)
        })?;
        let at_the_prefix = match input.placement {
            SupplementalPlacement::LatestUser => false,
            SupplementalPlacement::StablePrefix => true,
            SupplementalPlacement::Hybrid => category != SupplementCategory::Retrieval,
        };
        if at_the_prefix {
            (0..self.fates.len()).find(sent)
        } else {
            Some(newest_user)
        }
    }
}

/// Category, then score, then the newer one, then the ID.
fn order(one: &SupplementCandidate, other: &SupplementCandidate) -> Ordering {
    one.category
        .cmp(&other.category)
        .then_with(|| other.score.total_cmp(&one.score))
        .then_with(|| other.end.cmp(&one.end))
        .then_with(|| one.id.cmp(&other.id))
}
