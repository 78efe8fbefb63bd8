//! Two ways to learn the same table, held against the truth and against each other.
//!
//! ```text
//! cargo run --release -p clausality --example compare -- child 2000
//! ```

use clausality::bn::{self, compare::Comparison};
use clausality::data::Dataset;
use clausality::{Bounds, Profile, Settings, Unwatched, embedded, learn_from};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let name = words.next().unwrap_or_else(|| "child".into());
    let rows = words.next().map_or(Ok(2000), |rows| rows.parse())?;
    let truth = embedded::network(&name)?;
    let table = Dataset::sampled(bn::sample(&truth, rows, 1));

    let mut found = Vec::new();
    for profile in [Profile::Hybrid, Profile::Paper] {
        let learned = learn_from(&table, &Settings::of(profile), &Bounds::default(), &Unwatched)?;
        let near = Comparison::of(&truth, &learned.network);
        println!(
            "{:7} {:3} arcs, skeleton F1 {:.2}, CPDAG-SHD {}",
            profile.word(),
            learned.arcs.len(),
            near.skeleton.f1,
            near.cpdag_shd
        );
        found.push(learned);
    }
    let apart = Comparison::of(&found[0].network, &found[1].network);
    println!("the two from each other: SHD {}", apart.shd);
    Ok(())
}
