//! Random words that let somebody in.

use crate::Error;
use std::fmt;
use subtle::ConstantTimeEq;

/// 192 random bits of the operating system, as 48 hexadecimal digits.
#[derive(Clone)]
pub(crate) struct Secret(String);

impl Secret {
    pub(crate) fn new() -> Result<Self, Error> {
        let mut bytes = [0u8; 24];
        getrandom::fill(&mut bytes).map_err(|error| Error::Start(format!("no random numbers: {error}")))?;
        Ok(Secret(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    pub(crate) fn text(&self) -> &str {
        &self.0
    }

    /// Whether somebody knows it. Takes as long for a wrong guess whose beginning is right as for any other.
    pub(crate) fn is(&self, guess: &str) -> bool {
        self.0.as_bytes().ct_eq(guess.as_bytes()).into()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_whole_secret_is_the_secret() {
        let (one, other) = (Secret::new().unwrap(), Secret::new().unwrap());
        assert_eq!(one.text().len(), 48);
        assert!(one.is(one.text()) && !one.is(other.text()));
        assert!(!one.is("") && !one.is(&one.text()[..47]) && !one.is(&format!("{}0", one.text())));
        assert_eq!(format!("{one:?}"), "Secret", "never in a message");
    }
}
