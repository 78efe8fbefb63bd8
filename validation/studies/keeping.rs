//! What it costs to keep what is finished of a run: the same learning with and without, in turn. `validation/resume.sh` runs it.

use clausality::data::Dataset;
use clausality::folder::{Kept, NewFolder, Scraps, Work};
use clausality::{Bounds, Profile, Settings, Unwatched, embedded, learn_keeping};
use std::time::Instant;

/// Pairs of each case; medians are told.
const PAIRS: usize = 15;

fn median(mut seconds: Vec<f64>) -> f64 {
    seconds.sort_by(f64::total_cmp);
    seconds[seconds.len() / 2]
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let desk = std::env::temp_dir().join(format!("keeping-{}", std::process::id()));
    println!("\n## What keeping costs\n\nSeconds of learning from 5,000 rows, medians of {PAIRS} in turn.\n");
    println!("| network, profile | nothing kept | kept | more | scraps |\n|---|---|---|---|---|");
    for (name, profile) in [
        ("insurance", Profile::Hybrid),
        ("insurance", Profile::Paper),
        ("alarm", Profile::Hybrid),
        ("hepar2", Profile::Hybrid),
    ] {
        let dataset = Dataset::drawn_from(&embedded::network(name)?, 5000, 1, &Bounds::default())?;
        let settings = Settings::of(profile);
        let (mut without, mut with, mut bytes) = (Vec::new(), Vec::new(), 0);
        for _ in 0..PAIRS {
            let learn = |kept: Kept<'_>| -> Result<f64, clausality::Error> {
                let start = Instant::now();
                learn_keeping(&dataset, &settings, &Bounds::default(), kept, &Unwatched)?;
                Ok(start.elapsed().as_secs_f64())
            };
            without.push(learn(Kept::default())?);
            let folder = NewFolder::for_run(&desk.join("run"))?;
            let scraps: Scraps = folder.scraps(Work::new("study", &dataset.table, &settings), true)?;
            with.push(learn(scraps.kept())?);
            bytes = std::fs::metadata(desk.join(".clausality-run.scraps"))?.len();
        }
        let (without, with) = (median(without), median(with));
        let more = 100.0 * (with / without - 1.0);
        println!(
            "| {name}, {} | {without:.3} | {with:.3} | {more:+.1} % | {:.1} MB |",
            profile.word(),
            bytes as f64 / 1e6
        );
    }
    std::fs::remove_dir_all(desk)?;
    Ok(())
}
