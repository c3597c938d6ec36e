//! The telling lines of a plan: what the room that stubs leave is filled with, in the stubs and in the outline.

use std::collections::HashMap;
use std::rc::Rc;

use super::Selection;
use crate::message::Role;
use crate::model::estimator::text_tokens;
use crate::planner::notice::NOTICE_RESERVE_TOKENS;
use crate::planner::stub::{Part, condense_with_lines, parts};
use crate::planner::telling::{
    Known, LineRoom, MAX_SCANNED_BYTES, Mention, Passage, telling_lines,
};
use crate::planner::{Band, Replacement, ReplacementKind};

/// What a heading of the outline takes beside the entry's ID, in characters.
const HEADING: &str = "\n[entry ]";

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
    parts: Vec<Part>,
}

/// The lines chosen for a message, by the place of the text that they come from.
type LinesOf<'a> = HashMap<usize, Vec<&'a str>>;

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
        let before = self.tokens;
        self.fill(&texts, band, tokens);
        let outline = self.outline.as_deref().map_or(0, |outline| {
            u64::from(text_tokens(self.input.estimator, outline))
        });
        let used = self.tokens - before + outline;
        self.unused_by_lines = tokens.saturating_sub(used);
    }

    /// The texts of all messages, oldest first; of what is left out, the newest as far as the work is bounded.
    fn texts(&self) -> Vec<Texts> {
        let mut texts = Vec::new();
        let mut left = MAX_SCANNED_BYTES;
        for (position, candidate) in self.input.candidates.iter().enumerate().rev() {
            let Some(group) = self.grouping.group_of.get(position).copied().flatten() else {
                continue;
            };
            let standing = if !self.is_chosen(group) {
                Standing::LeftOut
            } else if self
                .condensed
                .iter()
                .any(|(condensed, _)| *condensed == position)
            {
                Standing::Condensed
            } else {
                Standing::Whole
            };
            let parts = parts(candidate);
            let bytes: usize = parts.iter().map(|part| part.text.len()).sum();
            if standing == Standing::LeftOut {
                if bytes > left {
                    break;
                }
                left -= bytes;
            }
            texts.push(Texts {
                position,
                standing,
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
        let mut by_message: HashMap<usize, LinesOf<'_>> = HashMap::new();
        for (lines, (position, place)) in chosen.into_iter().zip(places) {
            if !lines.is_empty() {
                by_message.entry(position).or_default().insert(place, lines);
            }
        }
        let mut outline = String::new();
        for message in texts {
            let Some(lines) = by_message.get(&message.position) else {
                continue;
            };
            match message.standing {
                Standing::Whole => {}
                Standing::Condensed => self.keep_lines(message.position, lines),
                Standing::LeftOut => self.outline_lines(&mut outline, message, lines),
            }
        }
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
                    let heading = if message.standing == Standing::LeftOut {
                        HEADING.len() + candidate.and_then(|c| c.entry_id).map_or(0, str::len)
                    } else {
                        0
                    };
                    passages.push(Passage {
                        text: &part.text,
                        heading_chars: heading,
                        escaped: part.argument && message.standing == Standing::Condensed,
                    });
                    places.push((message.position, part.place));
                }
            }
        }
        (known, passages, places)
    }

    /// Puts the lines into the condensed form of a message.
    fn keep_lines(&mut self, position: usize, lines: &LinesOf<'_>) {
        let Some(candidate) = self.input.candidates.get(position) else {
            return;
        };
        let of_place = |place: usize| lines.get(&place).map_or(&[][..], Vec::as_slice);
        let form = condense_with_lines(candidate, &of_place, self.input.estimator);
        let slot = self
            .condensed
            .iter_mut()
            .find(|(condensed, _)| *condensed == position);
        if let (Some(form), Some((_, without))) = (form, slot) {
            let superseded = without.what == ReplacementKind::Superseded;
            let form = Rc::new(Replacement {
                what: without.what,
                ..form
            });
            let more = u64::from(form.tokens.saturating_sub(without.tokens));
            *without = Rc::clone(&form);
            self.put(position, form, more);
            if superseded {
                self.reach.tokens += more;
            } else {
                self.reach.band_tokens += more;
            }
        }
    }

    /// Puts a condensed form in the place of the one without lines, which took that many tokens less.
    fn put(&mut self, position: usize, form: Rc<Replacement>, more: u64) {
        if let Some(group) = self.grouping.group_of.get(position).copied().flatten()
            && let Some(group) = self.grouping.groups.get_mut(group)
        {
            group.tokens += more;
        }
        if let Some(slot) = self.replaced.get_mut(position) {
            *slot = Some(form);
        }
        self.tokens += more;
    }

    fn outline_lines(&self, outline: &mut String, message: &Texts, lines: &LinesOf<'_>) {
        let candidate = self.input.candidates.get(message.position);
        if let Some(id) = candidate.and_then(|candidate| candidate.entry_id) {
            outline.push_str("\n[entry ");
            outline.push_str(id);
            outline.push(']');
        }
        let in_order = message
            .parts
            .iter()
            .filter_map(|part| lines.get(&part.place));
        for line in in_order.flatten() {
            outline.push('\n');
            outline.push_str(line);
        }
    }
}
