//! How far the work is: a bar on the terminal, or a line now and then.

use super::Session;
use crate::text::grouped;
use clausality::{Event, Stage, Watch};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How long a plain display is silent at most.
const SILENCE: Duration = Duration::from_secs(10);
/// How often a bar moves though nothing is known to have happened.
const TICK: Duration = Duration::from_millis(500);

/// Something under way, of so many steps. It is over when this is dropped.
pub(crate) struct Meter {
    bar: Option<ProgressBar>,
    lines: Option<Lines>,
}

impl Meter {
    pub(super) fn bar(bar: ProgressBar, what: &str) -> Self {
        let style =
            ProgressStyle::with_template("{spinner} {msg} {bar:30} {pos}/{len} {elapsed} (left: {eta})");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.set_message(what.to_string());
        bar.enable_steady_tick(TICK);
        Meter { bar: Some(bar), lines: None }
    }

    pub(super) fn lines(what: &str, steps: u64) -> Self {
        Meter { bar: None, lines: Some(Lines::begin(what, steps)) }
    }

    pub(super) fn hidden() -> Self {
        Meter { bar: None, lines: None }
    }

    /// So many steps are done.
    pub(crate) fn add(&self, steps: u64) {
        if let Some(bar) = &self.bar {
            bar.inc(steps);
        }
        if let Some(lines) = &self.lines {
            lines.add(steps);
        }
    }

    /// It turns out to take so many steps more.
    fn more(&self, steps: u64) {
        if let Some(bar) = &self.bar {
            bar.inc_length(steps);
        }
        if let Some(lines) = &self.lines {
            lines.about.steps.fetch_add(steps, Ordering::Relaxed);
        }
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

/// A line when it begins, one for every tenth but at most one a second, one whenever nothing was said for a while, and one at
/// the end.
struct Lines {
    about: Arc<About>,
    // Dropped before the thread is waited for: that ends it.
    end: Option<Sender<()>>,
    speaker: Option<JoinHandle<()>>,
}

struct About {
    what: String,
    start: Instant,
    steps: AtomicU64,
    done: AtomicU64,
    /// When and where the last line was.
    said: Mutex<(Instant, u64)>,
}

impl Lines {
    fn begin(what: &str, steps: u64) -> Self {
        let start = Instant::now();
        let about = Arc::new(About {
            what: what.to_string(),
            start,
            steps: AtomicU64::new(steps),
            done: AtomicU64::new(0),
            said: Mutex::new((start, 0)),
        });
        about.say();
        let (end, ended) = mpsc::channel();
        let speaker = Arc::clone(&about);
        // Also while nothing is known to have happened somebody should see that it goes on.
        let speaker = std::thread::spawn(move || {
            while ended.recv_timeout(SILENCE / 4) == Err(RecvTimeoutError::Timeout) {
                let silent = speaker.said.lock().unwrap_or_else(PoisonError::into_inner).0.elapsed();
                if silent >= SILENCE {
                    speaker.say();
                }
            }
        });
        Lines { about, end: Some(end), speaker: Some(speaker) }
    }

    fn add(&self, steps: u64) {
        let done = self.about.done.fetch_add(steps, Ordering::Relaxed) + steps;
        let (last, at) = *self.about.said.lock().unwrap_or_else(PoisonError::into_inner);
        let tenth = self.about.steps.load(Ordering::Relaxed) / 10;
        if done.saturating_sub(at) > tenth && last.elapsed() >= Duration::from_secs(1) {
            self.about.say();
        }
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(speaker) = self.speaker.take() {
            let _ = speaker.join();
        }
        let About { what, start, .. } = &*self.about;
        // A closed stderr must not stop the work.
        let _ = writeln!(io::stderr(), "{what}: done in {:.1} s", start.elapsed().as_secs_f64());
    }
}

impl About {
    fn say(&self) {
        let (done, steps) = (self.done.load(Ordering::Relaxed), self.steps.load(Ordering::Relaxed));
        let share = 100.0 * done as f64 / steps.max(1) as f64;
        let number = |n: u64| grouped(usize::try_from(n).unwrap_or(usize::MAX));
        let seconds = self.start.elapsed().as_secs();
        let line = format!("{}: {} of {} ({share:.0}%), {seconds} s", self.what, number(done), number(steps));
        let _ = writeln!(io::stderr(), "{line}");
        *self.said.lock().unwrap_or_else(PoisonError::into_inner) = (Instant::now(), done);
    }
}

/// Shows how far the work is.
pub(crate) struct Progress<'a> {
    session: &'a Session,
    meter: Mutex<Option<Meter>>,
}

impl<'a> Progress<'a> {
    pub(crate) fn new(session: &'a Session) -> Self {
        Progress { session, meter: Mutex::new(None) }
    }
}

impl Watch for Progress<'_> {
    fn event(&self, event: Event) {
        let Ok(mut meter) = self.meter.lock() else { return };
        match event {
            Event::Begin { stage, steps } => {
                let what = match stage {
                    Stage::Code => "coding rows",
                    Stage::Screen => "comparing columns",
                    Stage::Validate => "validating",
                    Stage::Evaluate => "evaluating",
                    Stage::Bootstrap => "learning again",
                    Stage::Assemble => "searching arcs",
                    Stage::Weigh => "drawing samples",
                    Stage::Test => "testing independences",
                    Stage::Forecast => "forecasting",
                    Stage::Fill => "filling gaps",
                    Stage::Expect => "weighing gaps",
                    Stage::Account => "accounting for arcs",
                    _ => "training",
                };
                *meter = Some(self.session.meter(what, steps));
            }
            Event::Resumed { stage, there, of } => {
                let what = match stage {
                    Stage::Bootstrap => "repetitions",
                    Stage::Code => "parts of the codes",
                    Stage::Assemble => "steps of the search",
                    _ => "tasks",
                };
                let number = |n: u64| grouped(usize::try_from(n).unwrap_or(usize::MAX));
                self.session.note(format!("resumed: {} of {} {what} were there", number(there), number(of)));
            }
            Event::Step { .. } => meter.iter().for_each(|meter| meter.add(1)),
            Event::More { steps, .. } => meter.iter().for_each(|meter| meter.more(steps)),
            Event::End { .. } => *meter = None,
            _ => {}
        }
    }
}
