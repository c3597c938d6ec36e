//! The recent tail: how far back the plan reaches without a gap, and where it begins.
//!
//! Invariants: the tail is contiguous over the groups that may join it; while a plan that starts at the remembered cut
//! fits, it starts there, and when it no longer fits, the cut moves forward far enough to leave a quarter of the tail's
//! limit free (behaviour 2.2, Stable cut), so that a provider's prefix cache is rewritten once and not on every request.

use super::grouping::Group;
use super::{Rescue, WhyOut};

/// The part of the tail's limit that a moved cut leaves free.
const FREE_SHARE_DIVISOR: u64 = 4;

/// What the tail may fill, in tokens of messages.
#[derive(Debug, Clone, Copy)]
pub(super) struct Room {
    /// The tail's own limit, the mandatory groups included.
    pub tail: u64,
    /// The limit of all messages that a plan aims at.
    pub target: u64,
    /// The limit of all messages that a plan never exceeds.
    pub hard: u64,
    /// Tokens of the mandatory groups.
    pub mandatory: u64,
    /// Tokens of everything chosen so far, the mandatory groups included.
    pub chosen: u64,
    /// Whether the immediate predecessor may be kept against the tail's own limit.
    pub rescue: bool,
}

impl Room {
    fn fits_tail(&self, tail: u64) -> bool {
        self.mandatory + tail <= self.tail
    }
    fn fits_input(&self, tail: u64) -> bool {
        self.chosen + tail <= self.target.min(self.hard)
    }
    fn fits(&self, tail: u64) -> bool {
        self.fits_tail(tail) && self.fits_input(tail)
    }
    fn may_rescue(&self, tokens: u64) -> bool {
        self.rescue && self.tail > 0 && self.fits_input(tokens)
    }
    /// The same room with a quarter of the tail's limit kept free.
    fn with_a_quarter_free(self) -> Self {
        let beside_the_tail = self.chosen.saturating_sub(self.mandatory);
        let limit = self.tail.min(self.target.saturating_sub(beside_the_tail));
        let free = limit / FREE_SHARE_DIVISOR;
        Self { tail: limit - free, ..self }
    }
}

/// The tail, as chosen among the groups that may join it.
#[derive(Debug, Clone, Default)]
pub(super) struct Tail {
    /// How many of the newest eligible groups are in it.
    pub length: usize,
    /// Their tokens.
    pub tokens: u64,
    /// Whether the only one was kept against the tail's own limit.
    pub rescued: bool,
    /// Why the next older group is not in it.
    pub closed_by: Option<WhyOut>,
    /// Why the immediate predecessor was not rescued, where it closed the tail.
    pub rescue: Option<Rescue>,
}

/// Chooses the tail among the eligible groups, newest first. `cut` is the remembered position, where there is one.
pub(super) fn choose(eligible: &[&Group], room: &Room, cut: Option<usize>) -> Tail {
    let Some(cut) = cut else {
        return walk(eligible, room);
    };
    let length = eligible.iter().take_while(|group| group.start() >= cut).count();
    let tokens: u64 = eligible.iter().take(length).map(|group| group.tokens).sum();
    let older = eligible.get(length);
    if room.fits(tokens) {
        let closed_by = older.map(|group| beyond_cut(group, tokens, room));
        return Tail { length, tokens, rescued: false, closed_by, rescue: None };
    }
    if length == 1 && room.may_rescue(tokens) {
        return Tail { length, tokens, rescued: true, closed_by: older.map(|_| WhyOut::RecentTailLimit), rescue: None };
    }
    walk(eligible, &room.with_a_quarter_free())
}

/// Walks back until a group does not fit.
fn walk(eligible: &[&Group], room: &Room) -> Tail {
    let mut tail = Tail::default();
    for group in eligible {
        let tokens = tail.tokens + group.tokens;
        if room.fits(tokens) {
            tail.length += 1;
            tail.tokens = tokens;
            continue;
        }
        let immediate = tail.length == 0;
        if immediate && room.may_rescue(tokens) {
            return Tail { length: 1, tokens, rescued: true, closed_by: Some(WhyOut::RecentTailClosed), rescue: None };
        }
        tail.closed_by = Some(match (room.fits_tail(tokens), room.fits_input(tokens)) {
            (false, true) => WhyOut::RecentTailLimit,
            (true, _) => WhyOut::InputBudget,
            (false, false) => WhyOut::RecentTailAndInputBudget,
        });
        tail.rescue = Some(if !immediate {
            Rescue::NotImmediatePredecessor
        } else if room.tail == 0 {
            Rescue::TailDisabled
        } else if room.fits_input(tokens) {
            Rescue::Disabled
        } else {
            Rescue::InputBudget
        });
        break;
    }
    tail
}

/// Why the first group behind a cut that stays is out: for the budget's sake, or only for the cut's.
fn beyond_cut(group: &Group, tail: u64, room: &Room) -> WhyOut {
    let tokens = tail + group.tokens;
    match (room.fits_tail(tokens), room.fits_input(tokens)) {
        (true, true) => WhyOut::BeforeStableCut,
        (false, true) => WhyOut::RecentTailLimit,
        (true, false) => WhyOut::InputBudget,
        (false, false) => WhyOut::RecentTailAndInputBudget,
    }
}
