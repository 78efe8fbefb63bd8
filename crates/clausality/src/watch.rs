//! How long work reports on itself: a library never prints, it tells whoever watches.

use crate::Error;
use std::io::{self, Read};
use std::sync::atomic::{AtomicU64, Ordering};

/// A part of the work that takes time, and what a step of it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Stage {
    /// Coding the rows of a table that has more than are held: a step for each block of them.
    Code,
    /// Comparing pairs of columns, to choose what the machines see of a wide table: a step for each column.
    Screen,
    /// Training machines: a step for each.
    Train,
    /// Turning strengths into arcs: a step for each node that a search makes ready, for each disturbance of an order, and for
    /// each node whose list is accounted for. A search that finds nothing more ends before its last step.
    Assemble,
    /// Estimating probabilities in spite of gaps: a step for each round of expectation and maximisation. It mostly ends long before its last step.
    Expect,
    /// Accounting for what was found and estimating probabilities: a step for each arc that was thought of, and for each part of
    /// the rest.
    Account,
    /// Learning again from rows drawn anew: a step for each repetition.
    Bootstrap,
    /// Drawing weighted rows to answer a question: a step for each [`clausality_bn::infer::WEIGHED_AT_A_TIME`].
    Weigh,
    /// Holding a network against rows: a step for each pair of columns, and for each network with shuffled labels.
    Test,
    /// Forecasting what comes after the rows of a table: a step for each series.
    Forecast,
    /// Filling the gaps of a table: a step for each column of each copy.
    Fill,
    /// Learning without a part of the rows and predicting it: a step for each part.
    Evaluate,
    /// Repeating the paper's validation: a step for each network, method and sample.
    Validate,
}

/// Something that happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// A stage begins and will take so many steps.
    Begin {
        /// The stage.
        stage: Stage,
        /// Its steps.
        steps: u64,
    },
    /// Some of what the stage does was finished by an earlier command that was interrupted. Told before the stage begins, its steps are those left;
    /// told within it, steps for what was finished follow at once.
    Resumed {
        /// The stage.
        stage: Stage,
        /// What was finished before.
        there: u64,
        /// All of it.
        of: u64,
    },
    /// Another step of the stage is done. Steps finish in any order.
    Step {
        /// The stage.
        stage: Stage,
    },
    /// The stage turns out to take so many steps more than were announced.
    More {
        /// The stage.
        stage: Stage,
        /// The further steps.
        steps: u64,
    },
    /// The stage is over.
    End {
        /// The stage.
        stage: Stage,
    },
}

/// Someone who watches, and who may call the work off.
///
/// Events come from several threads at once. Nothing a watcher does changes a result.
pub trait Watch: Sync {
    /// Hears of an event.
    fn event(&self, _event: Event) {}

    /// Whether the work should stop as soon as possible; it then ends with [`crate::Error::Cancelled`].
    fn cancelled(&self) -> bool {
        false
    }
}

/// Nobody watches.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unwatched;

impl Watch for Unwatched {}

/// Passes on a wish to stop, and nothing else: the steps that are watched are larger ones.
pub(crate) struct Quiet<'a>(pub(crate) &'a dyn Watch);

impl Watch for Quiet<'_> {
    fn cancelled(&self) -> bool {
        self.0.cancelled()
    }
}

/// The work was called off. Inside searches an error that weighs nothing stands for [`Error::Cancelled`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cancelled;

impl From<Cancelled> for Error {
    fn from(_: Cancelled) -> Self {
        Error::Cancelled
    }
}

/// Goes on unless whoever watches calls the work off.
pub(crate) fn go_on(watch: &dyn Watch) -> Result<(), Cancelled> {
    if watch.cancelled() { Err(Cancelled) } else { Ok(()) }
}

/// Bytes on their way in: no more of them come once the work is called off.
pub(crate) struct Watched<'w, R> {
    pub(crate) from: R,
    pub(crate) watch: &'w dyn Watch,
}

impl<R: Read> Read for Watched<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.watch.cancelled() {
            true => Err(io::Error::other("the work was called off")),
            false => self.from.read(buffer),
        }
    }
}

/// A stage under way: it begins when this is made and is over when it is dropped, however the work ends.
pub(crate) struct Underway<'w> {
    watch: &'w dyn Watch,
    stage: Stage,
    left: AtomicU64,
}

impl<'w> Underway<'w> {
    pub(crate) fn begin(watch: &'w dyn Watch, stage: Stage, steps: usize) -> Self {
        let steps = steps as u64;
        watch.event(Event::Begin { stage, steps });
        Underway { watch, stage, left: AtomicU64::new(steps) }
    }

    /// Some work is repeated, which nobody could foresee.
    pub(crate) fn more(&self, steps: usize) {
        let steps = steps as u64;
        self.left.fetch_add(steps, Ordering::Relaxed);
        self.watch.event(Event::More { stage: self.stage, steps });
    }

    /// So many of these steps were done by an earlier command that was interrupted.
    pub(crate) fn resumed(&self, there: usize, of: usize) {
        if there > 0 {
            let (there, of) = (there as u64, of as u64);
            self.watch.event(Event::Resumed { stage: self.stage, there, of });
        }
        (0..there).for_each(|_| self.step());
    }

    /// Another step is done. What is repeated more often than could be foreseen takes no more steps than were announced.
    pub(crate) fn step(&self) {
        let one_less = |left: u64| left.checked_sub(1);
        if self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less).is_ok() {
            self.watch.event(Event::Step { stage: self.stage });
        }
    }
}

impl Drop for Underway<'_> {
    fn drop(&mut self) {
        self.watch.event(Event::End { stage: self.stage });
    }
}

/// The steps of work that is a part of the stage are steps of the stage.
impl Watch for Underway<'_> {
    fn event(&self, event: Event) {
        if matches!(event, Event::Step { .. }) {
            self.step();
        }
    }

    fn cancelled(&self) -> bool {
        self.watch.cancelled()
    }
}
