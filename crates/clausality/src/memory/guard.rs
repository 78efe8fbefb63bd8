//! An eye on what work takes while it goes on.

use super::here::{Excess, too_few_addresses};
use super::{Room, TooMuch};
use crate::Error;
use crate::error::Advice;
use crate::watch::{Event, Watch};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, OnceLock};
use std::thread;

/// Does work that looks at its watch, and stops it where it takes more than it may.
///
/// # Errors
/// [`TooMuch::Reached`], [`TooMuch::Addresses`]; whatever the work says.
pub fn guarded<T>(
    work: &'static str,
    room: Option<Room>,
    watch: &dyn Watch,
    job: impl FnOnce(&dyn Watch) -> Result<T, Error>,
) -> Result<T, Error> {
    let Some(room) = room.filter(Room::is_watchable) else { return job(watch) };
    let guard = Guard::new(room, watch);
    match (job(&guard), guard.exceeded()) {
        (Err(Error::Cancelled), Some(Excess::Addresses { mapped, all })) => {
            let fewer = vec![Advice::new("threads", "1")];
            Err(TooMuch::Addresses { work, mapped, all, kept: false, advice: fewer }.into())
        }
        (Err(Error::Cancelled), Some(Excess::Memory(taken))) => {
            let more = room.could_be(taken).then(|| Advice::new("memory-limit", "SIZE"));
            Err(TooMuch::Reached { work, taken, room, kept: false, advice: more.into_iter().collect() }
                .into())
        }
        (result, _) => result,
    }
}

/// Refuses to begin where the address space is too small for any work: an allocation that fails ends the program at once.
///
/// # Errors
/// [`TooMuch::NoAddresses`].
pub fn enough_addresses() -> Result<(), Error> {
    match too_few_addresses() {
        Some((all, needed)) => Err(TooMuch::NoAddresses { all, needed }.into()),
        None => Ok(()),
    }
}

/// Whoever watches, and an eye on memory.
struct Guard<'w> {
    watch: &'w dyn Watch,
    /// What was too much, once it was.
    excess: Arc<OnceLock<Excess>>,
    /// Gone when the work is over: then looking ends.
    _working: Sender<()>,
}

impl<'w> Guard<'w> {
    fn new(room: Room, watch: &'w dyn Watch) -> Self {
        let excess = Arc::new(OnceLock::new());
        let (working, over) = channel::<()>();
        let seen = Arc::clone(&excess);
        let look = move || {
            while over.recv_timeout(room.look()) == Err(RecvTimeoutError::Timeout) {
                if let Some(excess) = room.exceeded() {
                    seen.get_or_init(|| excess);
                    return;
                }
            }
        };
        // Where no thread is to be had the plan must do.
        drop(thread::Builder::new().name("memory".into()).stack_size(1 << 16).spawn(look));
        Guard { watch, excess, _working: working }
    }

    fn exceeded(&self) -> Option<Excess> {
        self.excess.get().copied()
    }
}

impl Watch for Guard<'_> {
    fn event(&self, event: Event) {
        self.watch.event(event);
    }

    fn cancelled(&self) -> bool {
        self.exceeded().is_some() || self.watch.cancelled()
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use crate::watch::{Unwatched, go_on};
    use std::time::Duration;

    #[test]
    fn work_that_takes_too_much_is_stopped() {
        let mut held: Vec<Vec<u8>> = Vec::new();
        let error = guarded::<()>("hoarding", Some(Room::of(1 << 20)), &Unwatched, |watch| {
            while held.len() < 2000 {
                go_on(watch)?;
                held.push(vec![1; 1 << 20]);
                thread::sleep(Duration::from_millis(1));
            }
            Ok(())
        });
        let text = error.unwrap_err().to_string();
        assert!(
            text.starts_with("hoarding was stopped: it took ") && text.ends_with("the memory limit is 1 MiB"),
            "{text}"
        );
        assert!(held.len() < 500, "{} MiB", held.len());
    }

    #[test]
    fn what_fits_is_let_be_and_others_may_stop_it_still() {
        struct Impatient;
        impl Watch for Impatient {
            fn cancelled(&self) -> bool {
                true
            }
        }
        let room = Some(Room::of(1 << 40));
        assert_eq!(guarded("it", room, &Unwatched, |_| Ok(7)).unwrap(), 7);
        let stopped = guarded::<()>("it", room, &Impatient, |watch| Ok(go_on(watch)?));
        assert!(matches!(stopped, Err(Error::Cancelled)));
    }
}
