//! Feeds damaged files to the readers until the time is over.
//!
//! ```text
//! cargo run -p clausality --example fuzz -- net --minutes 10 [--seed 1] [--keep FOLDER]
//! ```
//!
//! Targets: bif, xmlbif, net, json, csv, toml, run (`crates/clausality-web/tests/bodies.rs` has those of HTTP). An input fails that panics, needs more than a second, takes the process over
//! 512 MiB, is refused without a place, or is read and does not come back as it was when written. It is kept in the
//! folder (by default the current one) and the run ends. Round `n` of a seed is always the same input.

mod damage;
mod readers;

use clausality::bn::random::Stream;
use damage::damaged;
use readers::Target;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::exit;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use std::{fs, path::PathBuf, thread};

const SECONDS: f64 = 1.0;
const MEBIBYTES: u64 = 512;
/// When an input is given up that will not end.
const GIVEN_UP: Duration = Duration::from_secs(20);

/// The input being read, and since when.
type Current = Arc<Mutex<Option<(Instant, Vec<u8>)>>>;

struct Options {
    name: String,
    target: Target,
    minutes: f64,
    seed: u64,
    keep: PathBuf,
}

fn options() -> Option<Options> {
    let mut args = std::env::args().skip(1);
    let name = args.next()?;
    let target = Target::named(&name)?;
    let mut options = Options { name, target, minutes: 1.0, seed: 1, keep: PathBuf::from(".") };
    while let Some(flag) = args.next() {
        let value = args.next()?;
        match flag.as_str() {
            "--minutes" => options.minutes = value.parse().ok()?,
            "--seed" => options.seed = value.parse().ok()?,
            "--keep" => options.keep = PathBuf::from(value),
            _ => return None,
        }
    }
    Some(options)
}

fn main() {
    let Some(options) = options() else {
        eprintln!("usage: fuzz bif|xmlbif|net|json|csv|toml|run [--minutes N] [--seed N] [--keep FOLDER]");
        exit(2);
    };
    let seeds = options.target.seeds();
    let current: Current = Arc::default();
    watch(Arc::clone(&current), options.keep.join(format!("hang.{}", options.name)));
    let started = Instant::now();
    let (mut rounds, mut accepted, mut bytes_read, mut slowest) = (0u64, 0u64, 0u64, 0.0f64);
    while started.elapsed().as_secs_f64() < options.minutes * 60.0 {
        let mut stream = Stream::new(options.seed, &format!("{} {rounds}", options.name));
        let input = damaged(options.target, &seeds, &mut stream);
        let begun = Instant::now();
        *current.lock().expect("the watch does not panic") = Some((begun, input.clone()));
        let worked = seconds_worked();
        let answer = catch_unwind(AssertUnwindSafe(|| options.target.try_on(&input)));
        let seconds = match (worked, seconds_worked()) {
            (Some(before), Some(after)) => after - before,
            _ => begun.elapsed().as_secs_f64(),
        };
        *current.lock().expect("the watch does not panic") = None;
        slowest = slowest.max(seconds);
        let fault = match answer {
            Err(_) => Some("a panic".to_string()),
            Ok(Err(fault)) => Some(fault),
            Ok(Ok(_)) if seconds > SECONDS => Some(format!("{seconds:.2} s")),
            Ok(Ok(_)) if peak_mebibytes() > MEBIBYTES => Some(format!("{} MiB", peak_mebibytes())),
            Ok(Ok(read)) => {
                accepted += u64::from(read);
                None
            }
        };
        if let Some(fault) = fault {
            let file = options.keep.join(format!("seed{}-round{rounds}.{}", options.seed, options.name));
            fs::write(&file, &input).expect("the folder can be written");
            println!("{}: {fault}; kept in {}", options.name, file.display());
            exit(1);
        }
        rounds += 1;
        bytes_read += input.len() as u64;
    }
    println!(
        "{}: {rounds} inputs ({} MB) in {:.0} s, {accepted} of them read, slowest {slowest:.3} s, peak {} MiB, no failure (seed {})",
        options.name,
        bytes_read / 1_000_000,
        started.elapsed().as_secs_f64(),
        peak_mebibytes(),
        options.seed
    );
}

/// Keeps an input that does not end, and ends the run.
fn watch(current: Current, file: PathBuf) {
    thread::spawn(move || {
        loop {
            thread::sleep(Duration::from_secs(1));
            let Ok(guard) = current.lock() else { return };
            if let Some((begun, input)) = &*guard
                && begun.elapsed() > GIVEN_UP
            {
                let _ = fs::write(&file, input);
                println!("no answer in {} s; kept in {}", GIVEN_UP.as_secs(), file.display());
                exit(1);
            }
        }
    });
}

/// How long this thread has had a processor, if the system says so: on a busy machine the clock runs for others too.
fn seconds_worked() -> Option<f64> {
    let status = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(status.split_whitespace().next()?.parse::<f64>().ok()? * 1e-9)
}

/// The most memory that the process has had (0 where the system does not say).
fn peak_mebibytes() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|kib| kib.parse::<u64>().ok()).unwrap_or(0) / 1024
}
