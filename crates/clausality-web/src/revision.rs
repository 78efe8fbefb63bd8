//! Learning again: one at a time, in a thread of its own, watched and called off.
//!
//! It ends by itself when it takes longer than [`Patience`] has, more memory than the bounds allow, or when nobody has asked for it for a while: a page
//! that was closed leaves no work behind. What is learned is [`clausality::revise`]'s business.

use crate::Explored;
use crate::answers::bug;
use crate::other::Other;
use crate::reply::Refusal;
use axum::http::StatusCode;
use clausality::data::Dataset;
use clausality::revise::{Cost, Edit, ReviseError, revise, rows_again};
use clausality::{Event, Stage, Watch};
use serde::{Deserialize, Serialize};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How long learning again is waited for.
#[derive(Debug, Clone, Copy)]
struct Patience {
    /// What it may take.
    most: Duration,
    /// How long nobody may ask for it.
    silent: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Patience { most: Duration::from_secs(900), silent: Duration::from_secs(60) }
    }
}

/// What is to be changed.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Wanted {
    pub(crate) edits: Vec<Edit>,
}

/// How far it is.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "state", rename_all = "kebab-case")]
pub(crate) enum Told {
    None,
    Running {
        /// What is done now, in words.
        doing: &'static str,
        done: u64,
        of: u64,
        seconds: f64,
    },
    Done(Box<Outcome>),
    Failed {
        error: String,
    },
}

/// What came of it.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Outcome {
    edits: Vec<Edit>,
    seconds: f64,
    score: Cost,
    /// What the score is called.
    score_name: &'static str,
    held_out: Option<Cost>,
    command: Vec<String>,
}

enum State {
    None,
    Running(Arc<Work>),
    Done(Outcome, Arc<Other>),
    Failed(String),
}

/// Where learning again happens.
pub(crate) struct Revisions {
    explored: Arc<Explored>,
    state: Arc<Mutex<State>>,
    /// The rows, once they are read.
    rows: Arc<Mutex<Option<Arc<Dataset>>>>,
    patience: Patience,
}

impl std::fmt::Debug for Revisions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Revisions")
    }
}

fn open<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Why this cannot be learned again; nothing where it can.
pub(crate) fn refused(explored: &Explored) -> Option<String> {
    let Some(again) = &explored.again else {
        return Some("only a run can be learned again: `clausality learn TABLE --run DIR`, then `clausality explore DIR`".into());
    };
    let run = &explored.run.as_ref()?.run;
    let sampled = run.table.starts_with('@');
    match run.time.is_some() {
        true => Some(ReviseError::OverTime.to_string()),
        false if again.table.is_none() && !sampled => {
            Some(ReviseError::NoTable { table: run.table.clone() }.to_string())
        }
        false => None,
    }
}

impl Revisions {
    pub(crate) fn new(explored: Arc<Explored>) -> Self {
        let state = Arc::new(Mutex::new(State::None));
        Revisions { explored, state, rows: Arc::default(), patience: Patience::default() }
    }

    pub(crate) fn start(&self, wanted: Wanted) -> Result<Told, Refusal> {
        if let Some(why) = refused(&self.explored) {
            return Err(Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, why));
        }
        let work = Arc::new(Work::new(self.patience));
        {
            let mut state = open(&self.state);
            if matches!(*state, State::Running(_)) {
                let why = "it is being learned again already: cancel that first";
                return Err(Refusal::new(StatusCode::CONFLICT, why));
            }
            *state = State::Running(work.clone());
        }
        let (explored, state, rows) = (self.explored.clone(), self.state.clone(), self.rows.clone());
        let learn = move || {
            // A panic is a bug of ours and costs this result, not the page.
            let found = catch_unwind(AssertUnwindSafe(|| learned(&explored, &rows, wanted.edits, &work)));
            let found = found.unwrap_or_else(|_| Err(bug().1));
            let mut state = open(&state);
            // Somebody who called it off, or began anew, does not want it any more.
            if matches!(&*state, State::Running(now) if Arc::ptr_eq(now, &work)) {
                *state = match found {
                    Ok((outcome, other)) => State::Done(outcome, Arc::new(other)),
                    Err(why) => State::Failed(why),
                };
            }
        };
        let begun = thread::Builder::new().name("revision".into()).spawn(learn);
        if let Err(error) = begun {
            *open(&self.state) = State::None;
            return Err(Refusal::new(StatusCode::SERVICE_UNAVAILABLE, error.to_string()));
        }
        Ok(self.told())
    }

    pub(crate) fn told(&self) -> Told {
        match &*open(&self.state) {
            State::None => Told::None,
            State::Running(work) => work.told(),
            State::Done(outcome, _) => Told::Done(Box::new(outcome.clone())),
            State::Failed(error) => Told::Failed { error: error.clone() },
        }
    }

    /// Calls it off, or forgets what came of it.
    pub(crate) fn end(&self) -> Told {
        let mut state = open(&self.state);
        if let State::Running(work) = &*state {
            work.called_off.store(true, Ordering::Relaxed);
        }
        *state = State::None;
        Told::None
    }

    /// The network that was learned.
    pub(crate) fn other(&self) -> Option<Arc<Other>> {
        match &*open(&self.state) {
            State::Done(_, other) => Some(other.clone()),
            _ => None,
        }
    }
}

impl Drop for Revisions {
    fn drop(&mut self) {
        self.end();
    }
}

fn learned(
    explored: &Explored,
    kept: &Mutex<Option<Arc<Dataset>>>,
    edits: Vec<Edit>,
    work: &Work,
) -> Result<(Outcome, Other), String> {
    let (Some(again), Some(folder)) = (&explored.again, &explored.run) else { return Err(bug().1) };
    let said = |error: clausality::Error| match error {
        clausality::Error::Cancelled if work.is_late() => {
            format!(
                "learning again took more than {} minutes: use the command line",
                work.patience.most.as_secs() / 60
            )
        }
        error => error.to_string(),
    };
    // Who asks next waits here until an earlier one, called off, has left.
    let mut kept = open(kept);
    let dataset = match &*kept {
        Some(dataset) => dataset.clone(),
        None => {
            let read = rows_again(&folder.run, &explored.model, again.table.as_deref(), &again.bounds);
            kept.insert(Arc::new(read.map_err(said)?)).clone()
        }
    };
    let named = again.table.as_ref().map(|table| table.display().to_string());
    let before = (&folder.run, &explored.model);
    let found = revise(before, &dataset, named.as_deref(), &edits, &again.bounds, work).map_err(said)?;
    let outcome = Outcome {
        edits,
        seconds: work.since.elapsed().as_secs_f64(),
        score: found.score,
        score_name: folder.run.params.network.score.title(),
        held_out: found.held_out,
        command: found.command,
    };
    let other =
        Other::of(explored, found.model, "the revised network".into()).map_err(|error| error.to_string())?;
    Ok((outcome, other))
}

/// Learning that is under way.
struct Work {
    patience: Patience,
    since: Instant,
    called_off: AtomicBool,
    /// When somebody asked last, in milliseconds since it began.
    asked: AtomicU64,
    stage: Mutex<(&'static str, u64, u64)>,
}

impl Work {
    fn new(patience: Patience) -> Self {
        Work {
            patience,
            since: Instant::now(),
            called_off: AtomicBool::new(false),
            asked: AtomicU64::new(0),
            stage: Mutex::new(("reading the table", 0, 0)),
        }
    }

    fn told(&self) -> Told {
        let elapsed = self.since.elapsed();
        self.asked.store(elapsed.as_millis() as u64, Ordering::Relaxed);
        let (doing, done, of) = *open(&self.stage);
        Told::Running { doing, done, of, seconds: elapsed.as_secs_f64() }
    }

    fn is_late(&self) -> bool {
        self.since.elapsed() > self.patience.most
    }
}

impl Watch for Work {
    fn event(&self, event: Event) {
        let mut stage = open(&self.stage);
        match event {
            Event::Begin { stage: now, steps } => *stage = (words(now), 0, steps),
            Event::Step { .. } => stage.1 += 1,
            Event::More { steps, .. } => stage.2 += steps,
            _ => {}
        }
    }

    fn cancelled(&self) -> bool {
        let silent =
            self.since.elapsed().saturating_sub(Duration::from_millis(self.asked.load(Ordering::Relaxed)));
        self.called_off.load(Ordering::Relaxed) || self.is_late() || silent > self.patience.silent
    }
}

fn words(stage: Stage) -> &'static str {
    match stage {
        Stage::Code => "coding rows",
        Stage::Screen => "comparing columns",
        Stage::Train => "training machines",
        Stage::Assemble => "looking for arcs",
        Stage::Account => "estimating probabilities",
        _ => "learning",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Again;
    use clausality::memory::Room;
    use clausality::run::{Clauses, Made, Run, RunFolder};
    use clausality::{Bounds, Settings, Unwatched, embedded, learn_from};

    /// A run on rows of asia, to be learned again with so many clauses and within these bounds.
    fn asia(clauses: Option<usize>, bounds: Bounds, patience: Patience) -> Revisions {
        let table = clausality::bn::sample(&embedded::network("asia").unwrap(), 800, 1);
        let settings = Settings::default();
        let learned =
            learn_from(&Dataset::sampled(table), &settings, &Bounds::default(), &Unwatched).unwrap();
        let mut run = Run::new(&learned, Made { table: "@asia".into(), ..Made::default() });
        let model = run.model(&learned);
        run.params.strengths.clauses = clauses;
        let run = Some(RunFolder { run, clauses: Clauses::new(&learned) });
        let again = Some(Again { table: None, bounds });
        let explored = Explored { run, again, ..Explored::new(model, "run".into()) };
        let mut revisions = Revisions::new(Arc::new(explored));
        revisions.patience = patience;
        revisions
    }

    /// Begins, and waits for the end without asking how far it is: that would count as interest.
    fn error(revisions: &Revisions) -> String {
        revisions.start(Wanted { edits: vec![] }).unwrap();
        let begun = Instant::now();
        while matches!(&*open(&revisions.state), State::Running(_)) {
            assert!(begun.elapsed() < Duration::from_secs(60), "it does not end");
            thread::sleep(Duration::from_millis(5));
        }
        match revisions.told() {
            Told::Failed { error } => error,
            told => panic!("{told:?}"),
        }
    }

    #[test]
    fn what_takes_too_long_ends_and_says_so() {
        let patience = Patience { most: Duration::ZERO, ..Patience::default() };
        let told = error(&asia(None, Bounds::default(), patience));
        assert_eq!(told, "learning again took more than 0 minutes: use the command line");
    }

    #[test]
    fn what_nobody_asks_for_any_more_ends() {
        let patience = Patience { silent: Duration::ZERO, ..Patience::default() };
        assert_eq!(error(&asia(None, Bounds::default(), patience)), clausality::Error::Cancelled.to_string());
    }

    #[test]
    fn what_would_take_more_memory_is_refused() {
        let bounds = Bounds { room: Some(Room::of(1 << 20)), ..Bounds::default() };
        let told = error(&asia(Some(1_000_000), bounds, Patience::default()));
        assert!(told.contains("memory"), "{told}");
    }

    #[test]
    fn a_server_that_ends_leaves_no_work_behind() {
        let revisions = asia(None, Bounds::default(), Patience::default());
        revisions.start(Wanted { edits: vec![] }).unwrap();
        let work = match &*open(&revisions.state) {
            State::Running(work) => work.clone(),
            _ => panic!("it is not under way"),
        };
        assert!(!work.cancelled());
        drop(revisions);
        assert!(work.cancelled());
    }
}
