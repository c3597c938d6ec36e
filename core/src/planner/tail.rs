//! How far back the plan reaches: the recent tail word for word, and before it the band in condensed form.
//!
//! Invariants:
//! - Tail and band are contiguous over the groups that may join them, newest first, and the band follows the tail.
//! - Without a remembered cut the tail is as long as it can be with everything older in the band; where not even that
//!   fits, the band gets its share and the tail the rest.
//! - While a plan with the remembered beginnings of tail and band fits, it has them. When it no longer fits, the tail's
//!   beginning moves forward far enough to leave a quarter of its limit free, and the band's only where it must
//!   (behaviour 2.2, Stable cut): a provider's prefix cache is rewritten once and not on every request.
//! - Linear in the groups looked at; a condensed form is asked for only where the band could hold it.

use super::grouping::Group;
use super::notice::NOTICE_RESERVE_TOKENS;
use super::{Cut, Rescue, WhyOut};

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
}

/// What a room follows from.
#[derive(Debug, Clone, Copy)]
pub(super) struct RoomFacts {
    /// The tail's ceiling.
    pub tail_limit: u64,
    /// What the messages may fill.
    pub input: u64,
    /// Whether the caller gave the budget, which then replaces every ceiling.
    pub explicit: bool,
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
    /// Left to supplements where not everything fits.
    pub supplement_reserve: u64,
}

/// What the band may fill.
#[derive(Debug, Clone, Copy)]
pub(super) struct BandRoom {
    /// Kept for the band when the tail could take all.
    pub reserve: u64,
    /// Most that it takes.
    pub limit: u64,
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
            // With the caller's own budget the band may use all that the tail leaves.
            BandRoom {
                reserve,
                limit: if facts.explicit { input } else { reserve },
            }
        });
        Self {
            tail: facts.tail_limit,
            input,
            mandatory: facts.mandatory,
            chosen: facts.chosen,
            rescue: facts.rescue,
            band,
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
    /// Whole.
    pub groups: &'a [&'a Group],
    /// Tokens of the condensed form of the group at that place.
    pub condensed: &'a dyn Fn(usize) -> u64,
}

impl Eligible<'_> {
    fn whole(&self, range: std::ops::Range<usize>) -> u64 {
        self.groups
            .get(range)
            .unwrap_or_default()
            .iter()
            .map(|group| group.tokens)
            .sum()
    }

    fn band(&self, range: std::ops::Range<usize>) -> u64 {
        range.map(|place| (self.condensed)(place)).sum()
    }
}

/// Chooses tail and band.
pub(super) fn choose(eligible: &Eligible<'_>, room: &Room, cut: Option<Cut>) -> Reach {
    let Some(cut) = cut else {
        let tail = longest_tail(eligible, room);
        return with_band(eligible, room, tail, None);
    };
    let length = eligible
        .groups
        .iter()
        .take_while(|group| group.start() >= cut.tail)
        .count();
    let tokens = eligible.whole(0..length);
    if room.fits(tokens) {
        let tail = Reach {
            length,
            tokens,
            closed_by: beyond_cut(eligible, length, tokens, room),
            ..Reach::default()
        };
        return with_band(eligible, room, tail, Some(cut.band));
    }
    if length == 1 && room.may_rescue(tokens) {
        let tail = Reach {
            length,
            tokens,
            rescued: true,
            closed_by: Some(WhyOut::RecentTailLimit),
            ..Reach::default()
        };
        return with_band(eligible, room, tail, Some(cut.band));
    }
    let tail = longest_tail(eligible, &room.with_a_quarter_free());
    with_band(eligible, room, tail, Some(cut.band))
}

/// The longest tail beside a band: as long as everything older fits in the band, else what the band's reserve leaves.
fn longest_tail(eligible: &Eligible<'_>, room: &Room) -> Reach {
    let beside_band = room.beside_band();
    let shortest = walk(eligible, &beside_band);
    // Where the tail's own ceiling binds, the band's reserve takes nothing from it.
    let Some(band) = room.band.filter(|_| beside_band.tail < room.tail) else {
        return shortest;
    };
    if room.fits(eligible.whole(0..eligible.groups.len())) {
        return walk(eligible, room);
    }
    match covering_tail(eligible, room, band) {
        Some((length, tokens)) if length > shortest.length => Reach {
            length,
            tokens,
            ..Reach::default()
        },
        _ => shortest,
    }
}

/// The longest tail with everything older in the band; none where not even the whole session in condensed form fits.
fn covering_tail(eligible: &Eligible<'_>, room: &Room, band: BandRoom) -> Option<(usize, u64)> {
    let count = eligible.groups.len();
    let mut condensed = 0;
    for place in 0..count {
        condensed += (eligible.condensed)(place);
        if !room.fits_input(condensed) {
            return None;
        }
    }
    let (mut length, mut tokens) = (0, 0);
    for (place, group) in eligible.groups.iter().enumerate() {
        let rest = condensed - (eligible.condensed)(place);
        if !room.fits(tokens + group.tokens) || !room.fits_input(tokens + group.tokens + rest) {
            break;
        }
        length += 1;
        tokens += group.tokens;
        condensed = rest;
    }
    (condensed <= band.limit).then_some((length, tokens))
}

/// Adds the band behind a tail. With a remembered beginning the band keeps it while that fits.
fn with_band(
    eligible: &Eligible<'_>,
    room: &Room,
    tail: Reach,
    remembered: Option<usize>,
) -> Reach {
    let Some(band) = room.band else { return tail };
    let why_not = |tokens: u64| match () {
        () if tokens > band.limit => Some(WhyOut::CondensedBandLimit),
        () if !room.fits_input(tail.tokens + tokens) => Some(WhyOut::InputBudget),
        () => None,
    };
    let reach = |end: usize, band_tokens: u64, closed_by: Option<WhyOut>| Reach {
        band_length: end - tail.length,
        band_tokens,
        // Where there is no band, what closed the tail says more.
        closed_by: tail.closed_by.filter(|_| end == tail.length).or(closed_by),
        ..tail.clone()
    };
    if let Some(begin) = remembered {
        let kept = eligible
            .groups
            .iter()
            .take_while(|group| group.start() >= begin);
        let end = kept.count().max(tail.length);
        let tokens = eligible.band(tail.length..end);
        if why_not(tokens).is_none() {
            let older = (end < eligible.groups.len()).then(|| {
                why_not(tokens + (eligible.condensed)(end)).unwrap_or(WhyOut::BeforeStableCut)
            });
            return reach(end, tokens, older);
        }
    }
    let free = remembered.map_or(0, |_| band.limit.min(room.input) / FREE_SHARE_DIVISOR);
    let mut tokens = 0;
    for place in tail.length..eligible.groups.len() {
        let more = tokens + (eligible.condensed)(place);
        if let Some(why) = why_not(more + free) {
            return reach(place, tokens, Some(why));
        }
        tokens = more;
    }
    reach(eligible.groups.len(), tokens, None)
}

/// Walks back until a group does not fit the tail.
fn walk(eligible: &Eligible<'_>, room: &Room) -> Reach {
    let mut tail = Reach::default();
    for group in eligible.groups {
        let tokens = tail.tokens + group.tokens;
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

/// Why the first group behind a cut that stays is out: for the budget's sake, or only for the cut's.
fn beyond_cut(eligible: &Eligible<'_>, length: usize, tail: u64, room: &Room) -> Option<WhyOut> {
    let tokens = tail + eligible.groups.get(length)?.tokens;
    Some(match (room.fits_tail(tokens), room.fits_input(tokens)) {
        (true, true) => WhyOut::BeforeStableCut,
        (false, true) => WhyOut::RecentTailLimit,
        (true, false) => WhyOut::InputBudget,
        (false, false) => WhyOut::RecentTailAndInputBudget,
    })
}
