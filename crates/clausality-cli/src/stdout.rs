//! Whether anybody can read the results.
//!
//! Every command ends in an answer on standard output. Where that was closed by whoever started us (`>&-`), Rust's runtime opens
//! `/dev/null` in its place before `main`: the work would be done and thrown away with exit code 0. So it is looked at before the
//! runtime begins.

use crate::failure::Failure;

/// Refuses to work for nobody.
pub(crate) fn is_open() -> Result<(), Failure> {
    if was_closed() {
        let message = "standard output is closed, so the answer would be lost: send it to a file, or to /dev/null if only files are wanted";
        return Err(Failure::Surroundings(message.into()));
    }
    Ok(())
}

#[cfg(unix)]
mod before {
    use std::sync::atomic::{AtomicBool, Ordering};

    static CLOSED: AtomicBool = AtomicBool::new(false);

    // Nothing of the standard library is used here but an atomic: it has not begun.
    #[ctor::ctor]
    fn look() {
        let closed = rustix::io::fcntl_getfd(rustix::stdio::stdout()).is_err();
        CLOSED.store(closed, Ordering::Relaxed);
    }

    pub(super) fn was_closed() -> bool {
        CLOSED.load(Ordering::Relaxed)
    }
}

#[cfg(unix)]
use before::was_closed;

/// Elsewhere nothing is put in its place: the first write fails.
#[cfg(not(unix))]
fn was_closed() -> bool {
    false
}
