//! How far back the plan reaches: the recent tail word for word, and before it the band in condensed form.
//!
//! Invariants:
//! - Tail and band are contiguous over the groups that may join them, newest first, and the band follows the tail.
//! - Where not everything fits, the band gets its share and the tail the rest. Stubs take a part of the band's share at
//!   most; telling lines of the band's exchanges and of what lies before it fill the rest.
//! - While a plan with the remembered beginnings of tail and band fits, it has them, and the same condensed forms. When it
//!   no longer fits, both are chosen anew, and a quarter of the tail's limit stays free (behaviour 2.2, Stable cut): a
//!   provider's prefix cache is rewritten once and not on every request.
//! - Linear in the groups looked at; a condensed form is asked for only where the band could hold it.

use super::grouping::Group;
use super::notice::NOTICE_RESERVE_TOKENS;
use super::{Cut, Rescue, WhyOut};

/// The part of the band's reserve that stubs may take. A stub without a telling line costs and says nothing.
const STUBS_SHARE: (u64, u64) = (1, 5);
/// The part of a limit that a moved beginning leaves free.
const FREE_SHARE_DIVISOR: u64 = 4;

/// What tail and band may fill, in tokens of messages.
#[derive(Debug, Clone, Copy)]
pub(super) struct Room {
    /// The tail's own limit, the mandatory groups included.
    pub tail: u64,
    /// The limit of all messages: the target within the hard limit.
    pub input: u64,
    /// Tokens of the mandatory groups.
    pub mandatory: u64,
    /// Tokens of everything chosen so far, the mandatory groups included.
    pub chosen: u64,
    /// Whether the immediate predecessor may be kept against the tail's own limit.
    pub rescue: bool,
    /// What the band may fill; none where there is no band.
    pub band: Option<BandRoom>,
    /// Whether all groups fit whole.
    pub everything_fits: bool,
}

/// What a room follows from.
#[derive(Debug, Clone, Copy)]
pub(super) struct RoomFacts {
    /// The tail's ceiling.
    pub tail_limit: u64,
    /// What the messages may fill.
    pub input: u64,
    /// Tokens of the mandatory groups.
    pub mandatory: u64,
    /// Tokens of everything chosen so far.
    pub chosen: u64,
    /// Tokens of all groups that may join tail or band.
    pub eligible: u64,
    /// Whether the immediate predecessor may be kept against the tail's own limit.
    pub rescue: bool,
    /// The band's share; none where there is no band.
    pub band_share: Option<f64>,
    /// Tokens of that share that the tail has because no telling line was found for them.
    pub given_back: u64,
    /// Left to supplements where not everything fits.
    pub supplement_reserve: u64,
}

/// What the band may fill.
#[derive(Debug, Clone, Copy)]
pub(super) struct BandRoom {
    /// Kept for the band when the tail could take all.
    pub reserve: u64,
    /// Most that its exchanges take with nothing but stubs; the rest of the reserve is for telling lines.
    pub stubs: u64,
}

impl Room {
    /// The room of a plan. Where not everything fits, a line about what is left out must.
    pub(super) fn of(facts: &RoomFacts) -> Self {
        let everything_fits = facts.chosen + facts.eligible <= facts.input;
        let input = if everything_fits {
            facts.input
        } else {
            facts
                .input
                .saturating_sub(NOTICE_RESERVE_TOKENS + facts.supplement_reserve)
        };
        let band = facts.band_share.map(|share| {
            #[allow(clippy::cast_sign_loss, clippy::cast_precision_loss)]
            // a share of tokens that lie far below 2^53
            let reserve = (input as f64 * share) as u64;
            BandRoom {
                reserve: reserve.saturating_sub(facts.given_back),
                stubs: reserve * STUBS_SHARE.0 / STUBS_SHARE.1,
            }
        });
        Self {
            tail: facts.tail_limit,
            input,
            mandatory: facts.mandatory,
            chosen: facts.chosen,
            rescue: facts.rescue,
            band,
            everything_fits,
        }
    }

    fn fits_tail(&self, tail: u64) -> bool {
        self.mandatory + tail <= self.tail
    }

    fn fits_input(&self, tokens: u64) -> bool {
        self.chosen + tokens <= self.input
    }

    fn fits(&self, tail: u64) -> bool {
        self.fits_tail(tail) && self.fits_input(tail)
    }

    /// What is left for a tail beside one of that many tokens.
    pub(super) fn left(&self, tail: u64) -> u64 {
        let of_tail = self.tail.saturating_sub(self.mandatory + tail);
        of_tail.min(self.input.saturating_sub(self.chosen + tail))
    }

    fn may_rescue(&self, tokens: u64) -> bool {
        self.rescue && self.tail > 0 && self.fits_input(tokens)
    }

    /// The room of a tail that leaves the band its reserve.
    pub(super) fn beside_band(self) -> Self {
        let Some(band) = self.band else { return self };
        let beside_the_tail = self.chosen.saturating_sub(self.mandatory);
        let limit = self.input.saturating_sub(band.reserve + beside_the_tail);
        Self {
            tail: self.tail.min(limit),
            ..self
        }
    }

    /// The same room with a quarter of the tail's limit kept free.
    fn with_a_quarter_free(self) -> Self {
        let beside_the_tail = self.chosen.saturating_sub(self.mandatory);
        let limit = self.tail.min(self.input.saturating_sub(beside_the_tail));
        let free = limit / FREE_SHARE_DIVISOR;
        Self {
            tail: limit - free,
            input: self.input.saturating_sub(free),
            ..self
        }
    }
}

/// Tail and band, as chosen among the groups that may join them.
#[derive(Debug, Clone, Default)]
pub(super) struct Reach {
    /// How many of the newest eligible groups are in the tail.
    pub length: usize,
    /// Their tokens.
    pub tokens: u64,
    /// How many of the next older ones are in the band.
    pub band_length: usize,
    /// Their tokens, condensed.
    pub band_tokens: u64,
    /// Whether the tail's only group was kept against its own limit.
    pub rescued: bool,
    /// Why the next older group is in neither.
    pub closed_by: Option<WhyOut>,
    /// Why the immediate predecessor was not rescued, where it closed the tail.
    pub rescue: Option<Rescue>,
}

/// The groups that may join, newest first, with their costs.
pub(super) struct Eligible<'a> {
    /// The groups.
    pub groups: &'a [&'a Group],
    /// Tokens of the group at that place as the tail would hold it.
    pub in_tail: &'a dyn Fn(usize) -> u64,
    /// Tokens of it as the band would hold it, without the lines that fill the band up.
    pub in_band: &'a dyn Fn(usize) -> u64,
}

impl Eligible<'_> {
    fn tail(&self, range: std::ops::Range<usize>) -> u64 {
        range.map(|place| (self.in_tail)(place)).sum()
    }

    fn band(&self, range: std::ops::Range<usize>) -> u64 {
        range.map(|place| (self.in_band)(place)).sum()
    }

    fn from(&self, position: usize) -> usize {
        let groups = self.groups.iter();
        groups.take_while(|group| group.start() >= position).count()
    }
}

/// Tail and band as the plan before had them, where they still fit. The costs are those of the kept forms, and `before`
/// is what stands before the band: the outline and the message that its turn began with.
pub(super) fn keep(eligible: &Eligible<'_>, room: &Room, cut: Cut, before: u64) -> Option<Reach> {
    let length = eligible.from(cut.tail);
    let tokens = eligible.tail(0..length);
    let end = eligible.from(cut.band).max(length);
    let band_tokens = eligible.band(length..end);
    if !room.fits_input(tokens + band_tokens + before) {
        return None;
    }
    let rescued = !room.fits_tail(tokens);
    if rescued && !(length == 1 && room.may_rescue(tokens)) {
        return None;
    }
    let next = (end < eligible.groups.len()).then(|| {
        let more = tokens + band_tokens + before + eligible.tail(end..end + 1);
        match (rescued, room.fits_tail(more), room.fits_input(more)) {
            (true, ..) | (_, false, true) => WhyOut::RecentTailLimit,
            (_, true, true) => WhyOut::BeforeStableCut,
            (_, true, false) => WhyOut::InputBudget,
            (_, false, false) => WhyOut::RecentTailAndInputBudget,
        }
    });
    Some(Reach {
        length,
        tokens,
        band_length: end - length,
        band_tokens,
        rescued,
        closed_by: next,
        rescue: None,
    })
}

/// Tail and band chosen anew. Where the plan before began elsewhere, a quarter of the tail's limit stays free.
pub(super) fn choose(eligible: &Eligible<'_>, room: &Room, moved: bool) -> Reach {
    let tail_room = match (room.everything_fits, moved) {
        (true, false) => *room,
        (true, true) => room.with_a_quarter_free(),
        (false, false) => room.beside_band(),
        (false, true) => room.beside_band().with_a_quarter_free(),
    };
    let tail = walk(eligible, &tail_room);
    let Some(band) = room.band else { return tail };
    let mut tokens = 0;
    for place in tail.length..eligible.groups.len() {
        let more = tokens + (eligible.in_band)(place);
        let why = if more > band.stubs {
            WhyOut::CondensedBandLimit
        } else if !room.fits_input(tail.tokens + more) {
            WhyOut::InputBudget
        } else {
            tokens = more;
            continue;
        };
        return Reach {
            band_length: place - tail.length,
            band_tokens: tokens,
            // Where there is no band, what closed the tail says more.
            closed_by: tail
                .closed_by
                .filter(|_| place == tail.length)
                .or(Some(why)),
            ..tail
        };
    }
    Reach {
        band_length: eligible.groups.len() - tail.length,
        band_tokens: tokens,
        closed_by: None,
        ..tail
    }
}

/// Walks back until a group does not fit the tail.
fn walk(eligible: &Eligible<'_>, room: &Room) -> Reach {
    let mut tail = Reach::default();
    for place in 0..eligible.groups.len() {
        let tokens = tail.tokens + (eligible.in_tail)(place);
        if room.fits(tokens) {
            tail.length += 1;
            tail.tokens = tokens;
            continue;
        }
        let immediate = tail.length == 0;
        if immediate && room.may_rescue(tokens) {
            return Reach {
                length: 1,
                tokens,
                rescued: true,
                closed_by: Some(WhyOut::RecentTailClosed),
                ..tail
            };
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
