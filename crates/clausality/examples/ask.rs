//! Asking a network: posteriors, interventions, the most probable states, predictions for new rows.
//!
//! ```text
//! cargo run --release -p clausality --example ask                 # the embedded Asia network
//! cargo run --release -p clausality --example ask -- run lung     # a run folder or network file, and a node
//! ```

use clausality::bn::io::Limits;
use clausality::data::Absent;
use clausality::model::{Model, Reading, Rows, node};
use clausality::{Bounds, Frame, Unwatched};
use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let argument = words.next().unwrap_or_else(|| "@asia".into());
    let model = Model::read(Path::new(&argument), &Limits::default())?;
    let first = model.network.schema().name(0).to_string();
    let target = words.next().unwrap_or(if argument == "@asia" { "lung".into() } else { first });

    println!("P({target})");
    for (state, probability) in model.posterior(&target, &[])?.iter() {
        println!("  {state:12} {probability:.4}");
    }
    if argument != "@asia" {
        return Ok(());
    }

    let seen = model.posterior("lung", &[("xray", "yes"), ("smoke", "yes")])?;
    println!("with a shadow on the x-ray of a smoker: {:.4}", seen["yes"]);

    // What is done is not what is seen: arcs into the node are cut.
    let lung = node(model.network.schema(), "lung")?;
    let forced = model.evidence(&[("asia", "yes")], &[("smoke", "no")])?;
    let answer = model.question(vec![lung], forced).posterior(false)?;
    println!("if smoking were stopped: {:.4}", answer.probabilities[0][0]);

    let ill = model.evidence(&[("dysp", "yes")], &[])?;
    let together = model.question(vec![], ill).most_probable()?;
    for (name, state) in together.most_probable.iter().flat_map(|pairs| &pairs.0) {
        println!("most probable with dyspnoea: {name} = {state}");
    }

    let new = Frame::new("new patients").with("xray", ["yes", "no"]).with("smoke", ["no", "yes"]);
    let rows = Rows::read(&model, &new, &Reading::default(), Absent::Unknown, &Bounds::default())?;
    model.predict(lung, &rows, None, &Bounds::default(), &Unwatched)?.csv(&mut std::io::stdout().lock())?;
    Ok(())
}
