//! Figures of a benchmark: readings, percentiles, and the table they are shown in.

use std::fmt::Write;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// One measured figure.
#[derive(Debug, Clone)]
pub struct Figure {
    /// What was measured, and where.
    pub name: String,
    /// Its unit.
    pub unit: &'static str,
    /// The best reading: what a calm machine would come near.
    pub least: f64,
    /// Half of the readings are at most this; of a single reading, the reading.
    pub p50: f64,
    /// 95 of 100 readings are at most this.
    pub p95: f64,
    /// How many readings.
    pub runs: usize,
    /// What it has to be.
    pub target: Option<Target>,
    /// This figure divided by the native one of the same run.
    pub ratio: Option<f64>,
    /// What belongs to it, for a person.
    pub note: String,
}

/// What a figure has to be.
#[derive(Debug, Clone, Copy)]
pub enum Target {
    /// At most this.
    AtMost(f64),
    /// At least this.
    AtLeast(f64),
}

impl Target {
    /// Whether a reading meets it.
    #[must_use]
    pub fn is_met(self, value: f64) -> bool {
        match self {
            Self::AtMost(most) => value <= most,
            Self::AtLeast(least) => value >= least,
        }
    }

    fn text(self) -> String {
        match self {
            Self::AtMost(most) => format!("≤ {most}"),
            Self::AtLeast(least) => format!("≥ {least}"),
        }
    }
}

impl Figure {
    /// A figure of readings.
    #[must_use]
    pub fn of(name: impl Into<String>, unit: &'static str, mut readings: Vec<f64>) -> Self {
        readings.sort_by(f64::total_cmp);
        let at = |hundredths: usize| {
            let place = (readings.len() * hundredths / 100).min(readings.len().saturating_sub(1));
            readings.get(place).copied().unwrap_or(f64::NAN)
        };
        Self {
            name: name.into(),
            unit,
            least: at(0),
            p50: at(50),
            p95: at(95),
            runs: readings.len(),
            target: None,
            ratio: None,
            note: String::new(),
        }
    }

    /// With a target for its median.
    #[must_use]
    pub const fn target(mut self, target: Target) -> Self {
        self.target = Some(target);
        self
    }

    /// With the native figure to compare with.
    #[must_use]
    pub fn against(mut self, native: &Self) -> Self {
        self.ratio = Some(self.p50 / native.p50);
        self
    }

    /// With a remark.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }

    /// As a JSON object.
    #[must_use]
    pub fn to_json(&self) -> Value {
        json!({
            "bench": self.name,
            "unit": self.unit,
            "least": rounded(self.least),
            "p50": rounded(self.p50),
            "p95": rounded(self.p95),
            "runs": self.runs,
            "target": self.target.map(Target::text),
            "met": self.target.map(|target| target.is_met(self.p50)),
            "ratioToNative": self.ratio.map(rounded),
            "note": self.note,
        })
    }
}

/// The table of figures in Markdown.
#[must_use]
pub fn table(figures: &[Figure]) -> String {
    let mut text = String::from(
        "| figure | unit | least | p50 | p95 | runs | target | met | ÷ native | remark |\n| --- | --- | ---: | ---: | ---: | ---: | --- | --- | ---: | --- |\n",
    );
    for figure in figures {
        let target = figure.target.map_or(String::new(), Target::text);
        let met = match figure.target.map(|target| target.is_met(figure.p50)) {
            Some(true) => "yes",
            Some(false) => "NO",
            None => "",
        };
        let ratio = figure
            .ratio
            .map_or(String::new(), |ratio| format!("{ratio:.2}"));
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "| {} | {} | {:.2} | {:.2} | {:.2} | {} | {target} | {met} | {ratio} | {} |",
            figure.name,
            figure.unit,
            figure.least,
            figure.p50,
            figure.p95,
            figure.runs,
            figure.note
        );
    }
    text
}

/// Milliseconds that the work took, and what it gave.
pub fn timed<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let start = Instant::now();
    let result = work();
    (milliseconds(start.elapsed()), result)
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1_000.0
}

fn rounded(value: f64) -> f64 {
    (value * 1_000.0).round() / 1_000.0
}
