//! Timestamps of log lines: ISO 8601 as agents write it, or milliseconds since 1970.
//!
//! Invariant: what is not exactly such a timestamp, or lies before 1970, is none; no calendar of the host is asked.

use serde_json::Value;

/// Milliseconds since 1970 of a timestamp in a log.
pub(super) fn milliseconds(value: &Value) -> Option<u64> {
    match value {
        Value::String(text) => iso_milliseconds(text),
        Value::Number(number) => number.as_u64().or_else(|| {
            let milliseconds = number.as_f64()?;
            #[allow(clippy::cast_sign_loss)] // checked
            (0.0..9.0e15)
                .contains(&milliseconds)
                .then_some(milliseconds as u64)
        }),
        _ => None,
    }
}

/// `2026-12-01T04:21:29.500Z`, with or without a fraction, with `Z` or an offset.
fn iso_milliseconds(text: &str) -> Option<u64> {
    let (date, time) = text.split_once('T')?;
    let mut date = date.splitn(3, '-');
    let (year, month, day) = (
        digits(date.next()?, 4)?,
        digits(date.next()?, 2)?,
        digits(date.next()?, 2)?,
    );
    let zone = time.find(['Z', '+', '-'])?;
    let (clock, zone) = time.split_at_checked(zone)?;
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, ""));
    let mut clock = clock.splitn(3, ':');
    let (hour, minute, second) = (
        digits(clock.next()?, 2)?,
        digits(clock.next()?, 2)?,
        digits(clock.next()?, 2)?,
    );
    if !(1..=12).contains(&month)
        || !(1..=31).contains(&day)
        || hour > 24
        || minute > 59
        || second > 60
    {
        return None;
    }
    let seconds = days_since_1970(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second
        - offset_seconds(zone)?;
    u64::try_from(seconds * 1_000 + fraction_milliseconds(fraction)?).ok()
}

fn digits(text: &str, width: usize) -> Option<i64> {
    (text.len() == width && text.bytes().all(|byte| byte.is_ascii_digit()))
        .then(|| text.parse().ok())?
}

fn fraction_milliseconds(fraction: &str) -> Option<i64> {
    if !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let padded: String = fraction.chars().chain("000".chars()).take(3).collect();
    padded.parse().ok()
}

fn offset_seconds(zone: &str) -> Option<i64> {
    if zone == "Z" {
        return Some(0);
    }
    let sign = if zone.starts_with('-') { -1 } else { 1 };
    let (hours, minutes) = zone.get(1..)?.split_once(':')?;
    Some(sign * (digits(hours, 2)? * 3_600 + digits(minutes, 2)? * 60))
}

/// Milliseconds since 1970 as `2026-01-31T23:59:59.000Z`.
pub(crate) fn iso_timestamp(ms: u64) -> String {
    let seconds = ms / 1_000;
    let (days, second) = (
        i64::try_from(seconds / 86_400).unwrap_or(0),
        seconds % 86_400,
    );
    // Counted in eras of 400 years that start on the first of March, as `days_since_1970` does.
    let day = days + 719_468;
    let (era, day_of_era) = (day.div_euclid(146_097), day.rem_euclid(146_097));
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * day_of_year + 2) / 153;
    let month = (march_month + 2) % 12 + 1;
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    format!(
        "{year:04}-{month:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z",
        day_of_year - (153 * march_month + 2) / 5 + 1,
        second / 3_600,
        second / 60 % 60,
        second % 60,
        ms % 1_000
    )
}

/// Days from 1970-01-01 in the Gregorian calendar, counted in eras of 400 years that start on the first of March.
pub(crate) fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_written_is_read_as_the_same_time() {
        for ms in [
            0,
            951_782_399_999,
            951_868_800_000,
            1_767_225_600_001,
            253_402_300_799_999,
        ] {
            assert_eq!(milliseconds(&json!(iso_timestamp(ms))), Some(ms), "{ms}");
        }
        assert_eq!(iso_timestamp(1_767_225_600_000), "2026-01-01T00:00:00.000Z");
    }

    #[test]
    fn iso_and_milliseconds_are_read_and_nothing_else() {
        for (value, expected) in [
            (json!("1970-01-01T00:00:00.000Z"), Some(0)),
            (json!("2026-12-01T04:21:29.500Z"), Some(1_796_098_889_500)),
            (json!("2026-12-01T04:21:29Z"), Some(1_796_098_889_000)),
            (
                json!("2026-12-01T05:21:29.5+01:00"),
                Some(1_796_098_889_500),
            ),
            (json!("2000-02-29T00:00:00Z"), Some(951_782_400_000)),
            (json!(1_796_098_889_500_u64), Some(1_796_098_889_500)),
            (json!(12.9), Some(12)),
            (json!(-1), None),
            (json!(1e300), None),
            (json!("1969-12-31T23:59:59Z"), None),
            (json!("2026-12-01"), None),
            (json!("2026-13-01T00:00:00Z"), None),
            (json!("2026-12-01T04:21:29.5xZ"), None),
            (json!("é026-12-01T04:21:29Z"), None),
            (json!(null), None),
        ] {
            assert_eq!(milliseconds(&value), expected, "{value}");
        }
    }
}
