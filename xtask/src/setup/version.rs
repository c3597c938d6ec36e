//! Versions of tools as they print them, compared number by number.

use std::fmt;

/// `major.minor.patch`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(pub u32, pub u32, pub u32);

impl Version {
    /// Reads the first three numbers of texts such as `v22.19.0`, `1.95.0-nightly` or `11.19`; what is missing
    /// counts as 0. None where the text does not start with a number.
    pub fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        let text = text.strip_prefix('v').unwrap_or(text);
        let mut numbers = text.split('.').map(|part| {
            let end = part
                .find(|letter: char| !letter.is_ascii_digit())
                .unwrap_or(part.len());
            part[..end].parse::<u32>()
        });
        let major = numbers.next()?.ok()?;
        let mut next = || numbers.next().and_then(Result::ok).unwrap_or(0);
        Some(Self(major, next(), next()))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}.{}.{}", self.0, self.1, self.2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_tools_print_is_read() {
        assert_eq!(Version::read("v20.20.2\n"), Some(Version(20, 20, 2)));
        assert_eq!(Version::read("1.95.0-nightly"), Some(Version(1, 95, 0)));
        assert_eq!(Version::read("11.19"), Some(Version(11, 19, 0)));
        assert_eq!(Version::read("22"), Some(Version(22, 0, 0)));
        assert_eq!(Version::read("node"), None);
        assert_eq!(Version::read(""), None);
    }

    #[test]
    fn numbers_are_compared_as_numbers() {
        assert!(Version(22, 19, 0) > Version(22, 9, 5));
        assert!(Version(20, 20, 2) < Version(22, 19, 0));
        assert!(Version(24, 0, 0) > Version(22, 19, 0));
    }
}
