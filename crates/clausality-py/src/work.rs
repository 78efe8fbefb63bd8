//! Work on a thread of its own: the caller gives up the interpreter's lock, waits, looks for signals and tells how far it is.
//!
//! Signals are those of the calling thread (Python delivers them to the main thread only); no handler is installed. What a handler raises
//! ends the work through the library's [`Watch`]; work that does not look at it in time (reading a file, one large step of an exact question) is left to end by itself, and
//! its threads with it: the next call works with new ones.
//!
//! Where an engine of Python's has pieces of the work made elsewhere, it is the calling thread too that asks it: what people say of an engine
//! (`joblib.parallel_config`) holds for the thread that said it.
//!
//! Threads come from a pool of ours, not from rayon's global one: after a `fork` the global pool's threads would be gone and
//! waiting for them would never end. A pool belongs to the process that made it.

use crate::errors::{Cancelled, Failure};
use crate::options::Everywhere;
use clausality::elsewhere::{Engine, Parcel};
use clausality::{Error, Event, Stage, Watch};
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// How often signals are looked for and progress is told.
const TICK: Duration = Duration::from_millis(50);
/// How long work that was called off is waited for.
const PATIENCE: Duration = Duration::from_millis(700);

/// How far the work is, and whether it is to stop.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    cancelled: AtomicBool,
    /// The stage and its steps; changed together, seldom.
    stage: Mutex<Option<(&'static str, u64)>>,
    done: AtomicU64,
}

impl Progress {
    /// Whether somebody called the work off.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// Calls `tell` with the stage's name, its steps done and all its steps.
    fn tell(&self, tell: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let now = *self.stage.lock().unwrap_or_else(PoisonError::into_inner);
        let (Some(tell), Some((stage, steps))) = (tell, now) else { return Ok(()) };
        tell.call1((stage, self.done.load(Ordering::Relaxed), steps)).map(drop)
    }
}

impl Watch for Progress {
    fn event(&self, event: Event) {
        let stage = |now| *self.stage.lock().unwrap_or_else(PoisonError::into_inner) = now;
        match event {
            Event::Begin { stage: begun, steps } => {
                self.done.store(0, Ordering::Relaxed);
                stage(Some((word(begun), steps)));
            }
            Event::Step { .. } => drop(self.done.fetch_add(1, Ordering::Relaxed)),
            Event::End { .. } => stage(None),
            _ => {}
        }
    }

    fn cancelled(&self) -> bool {
        self.is_cancelled()
    }
}

/// The same words as on the command line.
fn word(stage: Stage) -> &'static str {
    match stage {
        Stage::Validate => "validating",
        Stage::Evaluate => "evaluating",
        Stage::Bootstrap => "learning again",
        Stage::Assemble => "searching arcs",
        Stage::Account => "accounting for arcs",
        Stage::Code => "coding rows",
        Stage::Screen => "comparing columns",
        Stage::Weigh => "drawing samples",
        Stage::Test => "testing independences",
        Stage::Forecast => "forecasting",
        Stage::Fill => "filling gaps",
        Stage::Expect => "weighing gaps",
        _ => "training",
    }
}

/// Does a job without the interpreter's lock. `tell` is called now and then with a stage's name, its steps done and all its steps.
pub(crate) fn run<T: Send + 'static>(
    py: Python<'_>,
    everywhere: &Everywhere,
    tell: Option<Bound<'_, PyAny>>,
    job: impl FnOnce(&Arc<Progress>) -> Result<T, Failure> + Send + 'static,
) -> PyResult<T> {
    run_with(py, everywhere, tell, None, move |progress, _| job(progress))
}

/// The same where `engine` may have pieces made elsewhere: it is called with a parcel and a list of names, and gives lists of pieces, one
/// after the other, in the order of the names. One that keeps rows has `ask`: it is called with a recipe, the lengths of files and a question,
/// and gives what all rows say; and `look`: it is called with a recipe and the lengths of files, and gives what workers see in them, one after
/// the other.
pub(crate) fn run_with<T: Send + 'static>(
    py: Python<'_>,
    everywhere: &Everywhere,
    tell: Option<Bound<'_, PyAny>>,
    engine: Option<Bound<'_, PyAny>>,
    job: impl FnOnce(&Arc<Progress>, Option<&dyn Engine>) -> Result<T, Failure> + Send + 'static,
) -> PyResult<T> {
    let pool = pool(everywhere.threads)?;
    let own_pool = Arc::clone(&pool);
    let progress = Arc::new(Progress::default());
    let (sender, receiver) = channel();
    let asked = sender.clone();
    let keeps_rows = engine.as_ref().map_or(Ok(false), |engine| engine.hasattr("ask"))?;
    let ask = Box::new(move |order| asked.send(Message::Asked(order)).is_ok());
    let caller = engine.as_ref().map(|_| Caller { ask, keeps_rows });
    // Only one thread waits, but the compiler cannot know which.
    let receiver = Mutex::new(receiver);
    let own = Arc::clone(&progress);
    let worker = thread::Builder::new().name("clausality".into()).spawn(move || {
        // Nobody may be waiting any more.
        let done = pool.install(|| job(&own, caller.as_ref().map(|caller| caller as &dyn Engine)));
        // Threads end with the last who holds their pool; that must be none of them.
        drop(pool);
        let _ = sender.send(Message::Done(done));
    })?;
    loop {
        let mut ordered = Ok(());
        match py.detach(|| wait(&receiver, TICK)) {
            Ok(Message::Done(result)) => return result.map_err(PyErr::from),
            Ok(Message::Asked(order)) => {
                let told = || progress.tell(tell.as_ref());
                ordered = engine.as_ref().map_or(Ok(()), |engine| order.filled(engine, &told));
            }
            Err(RecvTimeoutError::Disconnected) => {
                let bug = py.detach(|| worker.join().err());
                return Err(PyRuntimeError::new_err(bug_report(bug.as_deref())));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Err(error) =
            ordered.and_then(|()| progress.tell(tell.as_ref())).and_then(|()| py.check_signals())
        {
            progress.cancelled.store(true, Ordering::Relaxed);
            if let Err(RecvTimeoutError::Timeout) = py.detach(|| wait(&receiver, PATIENCE).map(drop)) {
                give_up(&own_pool);
            }
            if error.is_instance_of::<PyKeyboardInterrupt>(py) && !error.is_instance_of::<Cancelled>(py) {
                let cancelled = Cancelled::new_err("interrupted");
                cancelled.set_cause(py, Some(error));
                return Err(cancelled);
            }
            return Err(error);
        }
    }
}

/// What the thread that works says to the one that waits.
enum Message<T> {
    Done(Result<T, Failure>),
    Asked(Order),
}

/// What is to be done elsewhere, and where it goes.
enum Order {
    /// Pieces to be made.
    Pieces { parcel: Vec<u8>, names: Vec<String>, pieces: Sender<Vec<String>> },
    /// A question to all rows.
    Question { recipe: String, lengths: Vec<u64>, question: String, answer: Sender<String> },
    /// Files to be looked at.
    Look { recipe: String, lengths: Vec<u64>, seen: SyncSender<Vec<u8>> },
}

impl Order {
    /// Has an engine of Python's make the pieces, and passes them on until nobody wants them any more; or has it ask.
    fn filled(self, engine: &Bound<'_, PyAny>, told: &dyn Fn() -> PyResult<()>) -> PyResult<()> {
        let (parcel, names, pieces) = match self {
            Order::Pieces { parcel, names, pieces } => (parcel, names, pieces),
            Order::Question { recipe, lengths, question, answer } => {
                let said = engine.call_method1("ask", (recipe, lengths, question))?;
                // Nobody may want it any more.
                let _ = answer.send(said.extract()?);
                return Ok(());
            }
            Order::Look { recipe, lengths, seen } => {
                for some in engine.call_method1("look", (recipe, lengths))?.try_iter()? {
                    let some = some?.extract()?;
                    // Whoever puts them together takes one at a time, so that no more are held than must be.
                    if engine.py().detach(|| seen.send(some)).is_err() {
                        break;
                    }
                    told()?;
                    engine.py().check_signals()?;
                }
                return Ok(());
            }
        };
        let sent = PyBytes::new(engine.py(), &parcel);
        drop(parcel);
        for some in engine.call1((sent, names))?.try_iter()? {
            if pieces.send(some?.extract()?).is_err() {
                break;
            }
            told()?;
            engine.py().check_signals()?;
        }
        Ok(())
    }
}

/// The calling thread, as the one that has pieces made and rows asked.
struct Caller {
    ask: Box<dyn Fn(Order) -> bool + Send + Sync>,
    keeps_rows: bool,
}

impl std::fmt::Debug for Caller {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Caller")
    }
}

impl Engine for Caller {
    fn make(
        &self,
        parcel: &Parcel,
        names: Vec<String>,
        take: &mut dyn FnMut(&str) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let (pieces, came) = channel();
        if !(self.ask)(Order::Pieces { parcel: parcel.bytes().to_vec(), names, pieces }) {
            return Err(Error::Cancelled);
        }
        // Whatever Python raises ends the channel, and is raised again by whoever asked it.
        came.into_iter().flatten().try_for_each(|piece| take(&piece))
    }

    fn keeps_rows(&self) -> bool {
        self.keeps_rows
    }

    fn look(
        &self,
        recipe: &str,
        lengths: &[u64],
        take: &mut dyn FnMut(&[u8]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let (seen, came) = sync_channel(0);
        if !(self.ask)(Order::Look { recipe: recipe.to_string(), lengths: lengths.to_vec(), seen }) {
            return Err(Error::Cancelled);
        }
        came.into_iter().try_for_each(|some| take(&some))
    }

    fn ask(&self, recipe: &str, lengths: &[u64], question: &str) -> Result<String, Error> {
        let (answer, came) = channel();
        let (recipe, lengths, question) = (recipe.to_string(), lengths.to_vec(), question.to_string());
        if !(self.ask)(Order::Question { recipe, lengths, question, answer }) {
            return Err(Error::Cancelled);
        }
        came.recv().map_err(|_| Error::Cancelled)
    }
}

fn wait<T>(receiver: &Mutex<Receiver<T>>, time: Duration) -> Result<T, RecvTimeoutError> {
    receiver.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(time)
}

fn bug_report(bug: Option<&(dyn std::any::Any + Send)>) -> String {
    let text = bug.and_then(|bug| {
        bug.downcast_ref::<String>().map(String::as_str).or(bug.downcast_ref::<&str>().copied())
    });
    format!("this is a bug in clausality, please report it: {}", text.unwrap_or("no message"))
}

/// The threads of all cores, shared by all calls of the process that made them.
static SHARED: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

/// Leaves threads to work that nobody waits for any more: whoever comes next would have to wait for it.
fn give_up(pool: &Arc<ThreadPool>) {
    let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
    shared.take_if(|(_, shared)| Arc::ptr_eq(shared, pool));
}

/// The threads to work with: the shared ones, or as many as are asked for.
fn pool(threads: Option<usize>) -> PyResult<Arc<ThreadPool>> {
    if let Some(threads) = threads {
        return built(threads);
    }
    let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
    let own = std::process::id();
    if let Some((process, pool)) = &*shared
        && *process == own
    {
        return Ok(Arc::clone(pool));
    }
    let pool = built(0)?;
    // A pool of the parent process has no threads here that could be told to end.
    std::mem::forget(shared.replace((own, Arc::clone(&pool))));
    Ok(pool)
}

fn built(threads: usize) -> PyResult<Arc<ThreadPool>> {
    let name = |k| format!("clausality-{k}");
    let pool = ThreadPoolBuilder::new().num_threads(threads).thread_name(name).build();
    let pool =
        pool.map_err(|error| PyRuntimeError::new_err(format!("cannot start {threads} threads: {error}")))?;
    Ok(Arc::new(pool))
}
