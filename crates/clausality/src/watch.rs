//! How long work reports on itself: a library never prints, it tells whoever watches.

/// A part of the work that takes time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Stage {
    /// Comparing pairs of columns, to choose what the machines see of a wide table.
    Screen,
    /// Training machines.
    Train,
    /// Turning strengths into arcs.
    Assemble,
    /// Learning again from rows drawn anew: a step for each repetition.
    Bootstrap,
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
    /// Another step of the stage is done. Steps finish in any order.
    Step {
        /// The stage.
        stage: Stage,
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
