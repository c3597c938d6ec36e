//! The active branch as plans see it: its messages in Pi's order, with their pins and token counts.
//!
//! Invariant: a view is made once for a state of the log and a leaf, and never changed; a newer state gets a newer view.

use std::cell::OnceCell;
use std::rc::Rc;

use crate::message::Message;
use crate::model::Estimator;
use crate::session::{
    Branch, EntryIndex, ProjectedSource, Projection, SessionLog, SystemContext, branch, project,
};

/// Labels that start so make their entry's group mandatory (behaviour 3.5).
const PIN_LABEL_PREFIX: &str = "ds4:pin";

/// The messages of the active branch.
#[derive(Debug)]
pub(super) struct View {
    pub branch: Branch,
    pub projection: Projection,
    pub leaf: Option<EntryIndex>,
    pub pinned: Vec<bool>,
    system: OnceCell<Option<SystemContext>>,
    positions: OnceCell<Rc<BranchPositions>>,
}

/// Which entries of the log lie on a branch, by position.
#[derive(Debug)]
pub(super) struct BranchPositions(Vec<bool>);

impl BranchPositions {
    /// Whether the entry at that position lies on the branch.
    pub(super) fn holds(&self, position: u32) -> bool {
        self.0.get(position as usize).copied().unwrap_or(false)
    }
}

impl View {
    pub(super) fn new(log: &SessionLog, leaf: Option<EntryIndex>) -> Self {
        let branch = branch(log, leaf);
        let projection = project(log, &branch);
        let pinned = projection
            .messages
            .iter()
            .map(|projected| {
                log.label(projected.entry)
                    .is_some_and(|label| label.starts_with(PIN_LABEL_PREFIX))
            })
            .collect();
        Self {
            branch,
            projection,
            leaf,
            pinned,
            system: OnceCell::new(),
            positions: OnceCell::new(),
        }
    }

    /// The entries from the root to the leaf, those before a compaction as well.
    pub(super) fn branch_positions(&self, log: &SessionLog) -> Rc<BranchPositions> {
        let positions = self.positions.get_or_init(|| {
            let mut positions = vec![false; log.entries().len()];
            for entry in &self.branch.entries {
                if let Some(lies_on) = positions.get_mut(entry.position()) {
                    *lies_on = true;
                }
            }
            Rc::new(BranchPositions(positions))
        });
        Rc::clone(positions)
    }

    /// How many messages it has.
    pub(super) fn len(&self) -> usize {
        self.projection.messages.len()
    }

    /// The message at that position.
    pub(super) fn message<'a>(
        &'a self,
        log: &'a SessionLog,
        position: usize,
    ) -> Option<&'a Message> {
        self.projection.message(log, position)
    }

    /// Whether the message at that position is not the entry's own but an edited one.
    pub(super) fn is_edited(&self, position: usize) -> bool {
        let projected = self.projection.messages.get(position);
        projected.is_some_and(|projected| matches!(projected.source, ProjectedSource::Edited(_)))
    }

    /// What the log's own system messages say; none where it has none.
    pub(super) fn system(&self, log: &SessionLog) -> Option<&SystemContext> {
        self.system
            .get_or_init(|| self.projection.system_context(log))
            .as_ref()
    }

    /// The leaf's ID.
    pub(super) fn leaf_id<'a>(&self, log: &'a SessionLog) -> Option<&'a str> {
        log.get(self.leaf?).map(|entry| &*entry.id)
    }

    /// The entry of the message at that position.
    pub(super) fn entry(&self, position: usize) -> Option<EntryIndex> {
        self.projection
            .messages
            .get(position)
            .map(|projected| projected.entry)
    }

    /// The ID of that entry.
    pub(super) fn entry_id<'a>(&self, log: &'a SessionLog, position: usize) -> Option<&'a str> {
        log.get(self.entry(position)?).map(|entry| &*entry.id)
    }

    /// The model that the log itself names for the branch; in logs of version 1 the header does.
    pub(super) fn model<'a>(&'a self, log: &'a SessionLog) -> Option<(&'a str, &'a str)> {
        let from_header = || log.header().and_then(|header| header.model.as_ref());
        let model = self.projection.model.as_ref().or_else(from_header);
        model.map(|(provider, id)| (&**provider, &**id))
    }
}

/// Tokens of the log's own messages, counted once for each estimator.
#[derive(Debug, Default)]
pub(super) struct TokenCounts {
    exact: Vec<Option<u32>>,
}

impl TokenCounts {
    /// Tokens of a message of the log. `whole` says that it is the entry's own message and not an edited one.
    pub(super) fn count(
        &mut self,
        estimator: Estimator,
        entry: EntryIndex,
        whole: bool,
        message: &Message,
    ) -> u32 {
        if estimator == Estimator::CharsV1 || !whole {
            return message.tokens(estimator);
        }
        if self.exact.len() <= entry.position() {
            self.exact.resize(entry.position() + 1, None);
        }
        match self.exact.get_mut(entry.position()) {
            Some(Some(tokens)) => *tokens,
            slot => {
                let tokens = message.tokens(estimator);
                if let Some(slot) = slot {
                    *slot = Some(tokens);
                }
                tokens
            }
        }
    }
}
