//! The telling lines of a plan: what the room that stubs leave is filled with, in the stubs and in the outline.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::Selection;
use crate::message::Role;
use crate::model::estimator::text_tokens;
use crate::planner::notice::NOTICE_RESERVE_TOKENS;
use crate::planner::stub::{Part, condense_with_lines, parts};
use crate::planner::telling::{
    Known, LineRoom, MAX_SCANNED_BYTES, Mention, Passage, Writing, telling_lines,
};
use crate::planner::{Band, Replacement, ReplacementKind};

/// How a message takes part in the choice of lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// It goes out word for word.
    Whole,
    /// It goes out condensed.
    Condensed,
    /// It is left out.
    LeftOut,
}

/// A message's texts.
struct Texts {
    position: usize,
    standing: Standing,
    /// Whether a later call has made it stale.
    superseded: bool,
    parts: Vec<Part>,
}

/// The lines chosen for a message, by the place of the text that they come from.
type LinesOf<'a> = BTreeMap<usize, Vec<&'a str>>;

impl Selection<'_> {
    /// Fills what tail and stubs leave of the room with lines of the condensed messages and of what is left out.
    pub(super) fn choose_lines(&mut self) {
        let Some(band) = self.input.band else { return };
        let room = self.room.filter(|room| !room.everything_fits);
        let Some(reserve) = room.and_then(|room| room.band).map(|band| band.reserve) else {
            return;
        };
        if self.is_kept {
            return;
        }
        let free = self
            .target
            .min(self.hard)
            .saturating_sub(self.tokens + NOTICE_RESERVE_TOKENS + self.input.supplement_reserve);
        let of_band = reserve.saturating_sub(self.reach.band_tokens);
        // A first plan on the caller's own budget uses what the tail leaves too; a later one leaves it to the tail.
        let all = self.input.budgets.explicit.is_some() && self.input.kept.is_none();
        let tokens = if all { free } else { free.min(of_band) };
        let texts = self.texts();
        self.fill(&texts, band, tokens);
        let outline = self.outline.as_deref().map_or(0, |outline| {
            u64::from(text_tokens(self.input.estimator, outline))
        });
        self.unused = reserve.saturating_sub(self.reach.band_tokens + outline);
    }

    /// The texts of all messages, oldest first; of what is left out, the newest as far as the work is bounded.
    fn texts(&self) -> Vec<Texts> {
        let condensed = self.condensed.iter();
        let condensed: BTreeMap<usize, ReplacementKind> = condensed
            .map(|(position, form)| (*position, form.what))
            .collect();
        let mut texts = Vec::new();
        let mut left = MAX_SCANNED_BYTES;
        for (position, candidate) in self.input.candidates.iter().enumerate().rev() {
            let Some(group) = self.grouping.group_of.get(position).copied().flatten() else {
                continue;
            };
            let standing = if !self.is_chosen(group) {
                Standing::LeftOut
            } else if condensed.contains_key(&position) {
                Standing::Condensed
            } else {
                Standing::Whole
            };
            if standing == Standing::LeftOut {
                // What a message holds is about as long as what is read of it.
                left = left.saturating_sub(candidate.message.wire().len());
                if left == 0 {
                    continue;
                }
            }
            let parts = parts(candidate);
            texts.push(Texts {
                position,
                standing,
                superseded: condensed.get(&position) == Some(&ReplacementKind::Superseded),
                parts,
            });
        }
        texts.reverse();
        texts
    }

    fn fill(&mut self, texts: &[Texts], band: Band<'_>, tokens: u64) {
        let (known, passages, places) = self.passages(texts);
        let room = LineRoom {
            tokens,
            passage_chars: band.stub_chars,
        };
        let chosen = telling_lines(&passages, &known, room, self.input.estimator);
        let mut by_message: BTreeMap<usize, LinesOf<'_>> = BTreeMap::new();
        for (lines, (position, place)) in chosen.into_iter().zip(places) {
            if !lines.is_empty() {
                by_message.entry(position).or_default().insert(place, lines);
            }
        }
        let places = self.condensed.iter().enumerate();
        let places: BTreeMap<usize, usize> = places
            .map(|(place, (position, _))| (*position, place))
            .collect();
        let mut whole = BTreeSet::new();
        let mut outline = String::new();
        for message in texts {
            let Some(lines) = by_message.get(&message.position) else {
                continue;
            };
            match message.standing {
                Standing::Whole => {}
                Standing::Condensed => {
                    if let Some(&place) = places.get(&message.position)
                        && !self.keep_lines(place, lines)
                    {
                        whole.insert(message.position);
                    }
                }
                Standing::LeftOut => self.outline_lines(&mut outline, message, lines),
            }
        }
        self.condensed
            .retain(|(position, _)| !whole.contains(position));
        if !outline.is_empty() {
            self.outline = Some(outline.into());
        }
    }

    /// What is known of all names, the texts that lines may come from, and each one's message and place in it.
    fn passages<'t>(
        &self,
        texts: &'t [Texts],
    ) -> (Known<'t>, Vec<Passage<'t>>, Vec<(usize, usize)>) {
        let (mut known, mut passages, mut places) = (Known::default(), Vec::new(), Vec::new());
        for message in texts {
            let candidate = self.input.candidates.get(message.position);
            let written =
                candidate.is_some_and(|candidate| candidate.message.role == Role::Assistant);
            for part in &message.parts {
                let open = match message.standing {
                    Standing::Whole => false,
                    Standing::Condensed => part.left_out,
                    Standing::LeftOut => true,
                };
                let mention = Mention {
                    message: message.position,
                    written,
                    kept: !open,
                    recent: message.standing == Standing::Whole,
                };
                known.learn(&part.text, mention);
                if open {
                    let heading = match candidate.and_then(|candidate| candidate.entry_id) {
                        Some(id) if message.standing == Standing::LeftOut => {
                            text_tokens(self.input.estimator, &heading(id))
                        }
                        _ => 0,
                    };
                    passages.push(Passage {
                        text: &part.text,
                        // One more where a text's last token is begun.
                        heading_tokens: heading + 1,
                        may_be_whole: message.standing == Standing::Condensed
                            && !message.superseded,
                        writing: match message.standing {
                            Standing::LeftOut => Writing::Barred,
                            Standing::Condensed if part.argument => Writing::JsonString,
                            _ => Writing::Plain,
                        },
                    });
                    places.push((message.position, part.place));
                }
            }
        }
        (known, passages, places)
    }

    /// Puts the lines into the condensed form at that place among those of the plan. With so many lines that the message
    /// takes no more whole, it goes out whole, and the answer is no.
    fn keep_lines(&mut self, place: usize, lines: &LinesOf<'_>) -> bool {
        let Some((position, without)) = self.condensed.get(place).cloned() else {
            return true;
        };
        let Some(candidate) = self.input.candidates.get(position) else {
            return true;
        };
        let of_text = |text: usize| lines.get(&text).map_or(&[][..], Vec::as_slice);
        let form = condense_with_lines(candidate, &of_text, self.input.estimator).map(|form| {
            Rc::new(Replacement {
                what: without.what,
                ..form
            })
        });
        let tokens = form.as_ref().map_or(candidate.tokens, |form| form.tokens);
        let more = u64::from(tokens.saturating_sub(without.tokens));
        if without.what == ReplacementKind::Superseded {
            self.reach.tokens += more;
        } else {
            self.reach.band_tokens += more;
        }
        self.tokens += more;
        let group = self.grouping.group_of.get(position).copied().flatten();
        if let Some(group) = group.and_then(|group| self.grouping.groups.get_mut(group)) {
            group.tokens += more;
        }
        if let Some(slot) = self.replaced.get_mut(position) {
            slot.clone_from(&form);
        }
        match (form, self.condensed.get_mut(place)) {
            (Some(form), Some(slot)) => {
                slot.1 = form;
                true
            }
            _ => false,
        }
    }

    fn outline_lines(&self, outline: &mut String, message: &Texts, lines: &LinesOf<'_>) {
        let candidate = self.input.candidates.get(message.position);
        if let Some(id) = candidate.and_then(|candidate| candidate.entry_id) {
            outline.push_str(&heading(id));
        }
        let in_order = message
            .parts
            .iter()
            .filter_map(|part| lines.get(&part.place));
        for line in in_order.flatten() {
            outline.push_str(QUOTED_LINE);
            outline.push_str(line);
        }
    }
}

/// What begins a line of the outline. No line that a tool put out stands at the margin, so that none can pass for the planner's
/// own words or for a frame.
const QUOTED_LINE: &str = "\n| ";

/// What stands above the lines of an entry in the outline.
fn heading(entry_id: &str) -> String {
    format!("\n[entry {entry_id}]")
}
