//! What every command needs from its surroundings: the settings, and ways to talk.

mod given;
mod global;
mod progress;

pub(crate) use given::{Given, written};
pub(crate) use global::GlobalArgs;
pub(crate) use progress::{Meter, Progress};

use crate::failure::Failure;
use crate::text::{self, Paint};
use clausality::bn::io::Limits;
use clausality::config::Config;
use clausality::memory::{self, Held};
use clausality::settings::names_of;
use clausality::tm::Path;
use clausality::{Bounds, Settings};
use global::{Color, How};
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::num::NonZero;

/// The surroundings of one run of the program.
pub(crate) struct Session {
    /// Seed of all random choices.
    pub(crate) seed: u64,
    /// What the command may take.
    bounds: Bounds,
    /// Whether standard output is to carry one JSON document.
    pub(crate) json: bool,
    /// Whether to hold back progress and notes.
    pub(crate) quiet: bool,
    /// The configuration file; empty if none was given.
    pub(crate) config: Config,
    paint: Paint,
    width: usize,
    progress: How,
    bars: MultiProgress,
}

/// The settings that a configuration file may hold for every command.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct GlobalParams {
    seed: Option<u64>,
    threads: Option<usize>,
    memory_limit: Option<Size>,
    quiet: Option<bool>,
    json: Option<bool>,
}

/// A size in a configuration file: a number of bytes, or text such as `"512M"`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(try_from = "SizeText")]
struct Size(u64);

#[derive(Deserialize)]
#[serde(untagged)]
enum SizeText {
    Bytes(u64),
    Text(String),
}

impl TryFrom<SizeText> for Size {
    type Error = String;
    fn try_from(size: SizeText) -> Result<Self, String> {
        match size {
            SizeText::Bytes(bytes) => global::parse_size(&bytes.to_string()).map(Size),
            SizeText::Text(text) => global::parse_size(&text).map(Size),
        }
    }
}

/// The names of the settings that every command has.
pub(crate) fn setting_names() -> BTreeSet<String> {
    names_of::<GlobalParams>()
}

impl Session {
    /// Reads the configuration and sets up threads and terminal.
    pub(crate) fn open(args: &GlobalArgs, options: BTreeMap<String, bool>) -> Result<Self, Failure> {
        let held = Held::now();
        memory::enough_addresses()?;
        choose_instructions()?;
        let config = Config::load(args.config.as_deref(), &options)?;
        let file: GlobalParams = config.section()?;
        let threads = args.threads.or(file.threads).unwrap_or(0);
        if args.threads.or(file.threads) == Some(0) || threads > 4096 {
            return Err(Failure::Input(format!(
                "--threads is {threads}, but between 1 and 4096 are possible"
            )));
        }
        // Where the system allows no more threads, this one works alone: a result does not depend on how many there are.
        // More than the machine runs at once only wait for each other. Zero leaves the choice to the pool, which takes all.
        let cores = std::thread::available_parallelism().map_or(threads, NonZero::get);
        let (asked, threads) = (threads, threads.min(cores));
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build_global()
            .or_else(|_| rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build_global())
            .map_err(|error| Failure::Surroundings(format!("cannot start a single thread: {error}")))?;
        let memory_limit = args.memory_limit.or(file.memory_limit.map(|size| size.0));
        let bounds = Bounds::here(memory_limit, held);
        let quiet = args.quiet || file.quiet.unwrap_or(false);
        let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let session = Session {
            seed: args.seed.or(file.seed).unwrap_or(1),
            bounds,
            json: args.json || file.json.unwrap_or(false),
            quiet,
            config,
            paint: Paint::new(colored(args.color)),
            width: text::terminal_width(),
            progress: args.progress,
            bars: MultiProgress::with_draw_target(target),
        };
        if asked > threads {
            session.note(format!("--threads {asked}: this machine runs {threads} at once, and more would not help; results are the same"));
        }
        Ok(session)
    }

    /// Columns of text that fit beside each other.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// Colours for standard output, or none.
    pub(crate) fn paint(&self) -> Paint {
        self.paint
    }

    /// Bounds for reading and learning from a table.
    pub(crate) fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// Bounds for reading a network.
    pub(crate) fn limits(&self) -> Limits {
        self.bounds.limits()
    }

    /// Bytes that exact inference may take.
    pub(crate) fn inference_bytes(&self) -> u64 {
        self.bounds.inference_bytes()
    }

    /// The settings: what was given on the command line, over the configuration file, over the defaults.
    pub(crate) fn settings(&self, given: &[&dyn Given]) -> Result<Settings, Failure> {
        let mut documents = given.iter().map(|part| part.document()).collect::<Result<Vec<_>, _>>()?;
        documents.push(format!("seed = {}", self.seed));
        let settings = self.config.settings(&documents)?;
        settings.check()?;
        Ok(settings)
    }

    /// Writes a result to standard output.
    pub(crate) fn print(&self, text: &str) -> Result<(), Failure> {
        let mut out = io::stdout().lock();
        out.write_all(text.as_bytes())?;
        out.flush()?;
        Ok(())
    }

    /// Writes a result: as the one JSON document if that is asked for, otherwise as this text.
    pub(crate) fn answer(
        &self,
        value: &impl Serialize,
        text: impl FnOnce() -> String,
    ) -> Result<(), Failure> {
        if self.json { self.print_json(value) } else { self.print(&text()) }
    }

    /// Writes a result as the one JSON document.
    pub(crate) fn print_json(&self, value: &impl Serialize) -> Result<(), Failure> {
        // As it is written, not as a whole before: the strengths of a wide table are larger as text than as they are held.
        let mut out = BufWriter::new(io::stdout().lock());
        serde_json::to_writer_pretty(&mut out, value).map_err(|error| match error.is_io() {
            true => Failure::from(io::Error::from(error)),
            false => Failure::Surroundings(format!("cannot write JSON: {error}")),
        })?;
        out.write_all(b"\n")?;
        Ok(out.flush()?)
    }

    /// Warns on stderr; the message names the column or node.
    pub(crate) fn warn(&self, message: impl AsRef<str>) {
        self.talk(&format!("warning: {}", text::clean(message.as_ref())));
    }

    /// Says something that is nice to know, unless `--quiet`.
    pub(crate) fn note(&self, message: impl AsRef<str>) {
        if !self.quiet {
            self.talk(&text::clean(message.as_ref()));
        }
    }

    /// How far something of so many steps is, on stderr: a bar on a terminal, lines where they were asked for.
    pub(crate) fn meter(&self, what: &str, steps: u64) -> Meter {
        match self.progress {
            _ if self.quiet => Meter::hidden(),
            How::Off => Meter::hidden(),
            How::Plain => Meter::lines(what, steps),
            How::Auto if !io::stderr().is_terminal() => Meter::hidden(),
            How::Auto => Meter::bar(self.bars.add(ProgressBar::new(steps)), what),
        }
    }

    fn talk(&self, line: &str) {
        let lines = text::spoken(line);
        // A closed stderr must not stop the work.
        self.bars.suspend(|| drop(writeln!(io::stderr(), "{lines}")));
    }
}

/// For tests and bug reports: the results are the same bits whatever is chosen.
fn choose_instructions() -> Result<(), Failure> {
    let Some(name) = std::env::var_os(SIMD) else { return Ok(()) };
    Path::choose(&name.to_string_lossy()).map_err(|error| Failure::Input(format!("{SIMD}: {error}")))
}

/// The variable that names the instruction set for training.
const SIMD: &str = "CLAUSALITY_SIMD";

fn colored(color: Color) -> bool {
    let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    match color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => io::stdout().is_terminal() && !set("NO_COLOR") && !dumb,
    }
}
