//! What is known beforehand: roles, tiers, required and forbidden arcs.
//!
//! ```text
//! cargo run --release -p clausality --example roles_and_rules
//! ```

use clausality::bn;
use clausality::data::Dataset;
use clausality::learn::Way;
use clausality::{Bounds, Settings, Unwatched, embedded, learn_from};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    // 2,000 patients of the Asia network stand for a table of your own.
    let patients = Dataset::sampled(bn::sample(&embedded::network("asia")?, 2000, 1));

    // The same words as in a configuration file; as fields: `settings.rules.parameter`, …
    let settings: Settings = serde_json::from_str(
        r#"{
            "parameter": ["asia", "smoke"],
            "unobserved": ["lung"],
            "require": ["smoke>bronc"],
            "forbid": ["xray>dysp"],
            "tiers": [["asia", "smoke"], ["tub", "lung", "bronc"], ["either", "xray", "dysp"]],
            "max-parents": 3
        }"#,
    )?;
    let found = learn_from(&patients, &settings, &Bounds::default(), &Unwatched)?;
    for arc in &found.arcs {
        let why = match (arc.required, arc.way()) {
            (true, _) => "the rules require it",
            (_, Way::Rules) => "the rules leave it no other direction",
            (_, Way::Calendar) => "its parent is a calendar part",
            (_, Way::Time) => "its parent comes before it in time",
            (_, Way::Data) => "the data tell its direction",
            (_, Way::Open) => "the data cannot tell its direction",
        };
        println!("{} -> {}: {why}", arc.parent, arc.child);
    }

    // A contradiction is refused by name.
    let mut wrong = settings;
    wrong.rules.forbid.push("smoke>bronc".parse()?);
    if let Err(error) = learn_from(&patients, &wrong, &Bounds::default(), &Unwatched) {
        println!("refused: {error}");
    }
    Ok(())
}
