//! How far the work is, as a bar on the terminal.

use super::Session;
use clausality::{Event, Stage, Watch};
use indicatif::ProgressBar;
use std::sync::Mutex;

/// Shows how far the work is.
pub(crate) struct Progress<'a> {
    session: &'a Session,
    bar: Mutex<Option<ProgressBar>>,
}

impl<'a> Progress<'a> {
    pub(crate) fn new(session: &'a Session) -> Self {
        Progress { session, bar: Mutex::new(None) }
    }
}

impl Watch for Progress<'_> {
    fn event(&self, event: Event) {
        let Ok(mut bar) = self.bar.lock() else { return };
        match event {
            Event::Begin { stage, steps } => {
                let what = match stage {
                    Stage::Validate => "validating",
                    Stage::Evaluate => "evaluating",
                    Stage::Bootstrap => "learning again",
                    Stage::Assemble => "searching arcs",
                    _ => "training",
                };
                *bar = Some(self.session.progress(what, steps));
            }
            Event::Step { .. } => bar.iter().for_each(|bar| bar.inc(1)),
            Event::End { .. } => {
                if let Some(bar) = bar.take() {
                    bar.finish_and_clear();
                }
            }
            _ => {}
        }
    }
}
