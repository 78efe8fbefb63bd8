//! Why an explorer could not be started.

use std::io;
use thiserror::Error as ThisError;

/// What went wrong, and what to do.
#[derive(Debug, ThisError)]
#[non_exhaustive]
pub enum Error {
    /// A host that is none of this machine's.
    #[error("host {host}: {reason}; give an address of this machine, such as 127.0.0.1")]
    Host {
        /// The host as the user named it.
        host: String,
        /// What the operating system said.
        reason: String,
    },
    /// A port that somebody else listens on.
    #[error("port {port} of {host} is in use: choose another, or none to take a free one")]
    PortTaken {
        /// The host.
        host: String,
        /// The port.
        port: u16,
    },
    /// A port or address that cannot be listened on for another reason.
    #[error("cannot listen on port {port} of {host}: {source}")]
    Listen {
        /// The host.
        host: String,
        /// The port.
        port: u16,
        /// What the operating system said.
        source: io::Error,
    },
    /// No threads, or no randomness for the secrets.
    #[error("cannot start the server: {0}")]
    Start(String),
    /// A network that cannot be shown.
    #[error(transparent)]
    Model(#[from] clausality::Error),
}

impl Error {
    /// Whether the user's input is to blame, and not the surroundings.
    pub fn is_input(&self) -> bool {
        matches!(self, Error::Host { .. })
    }
}
