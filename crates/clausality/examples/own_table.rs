//! A table of your own to a network, with everything behind it in a folder.
//!
//! ```text
//! cargo run --release -p clausality --example own_table -- customers.csv run
//! ```

use clausality::run::{Made, Run};
use clausality::{Settings, learn, tell};
use std::error::Error;
use std::fs;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let table = words.next().ok_or("which table? own_table TABLE.csv [FOLDER]")?;
    let folder = PathBuf::from(words.next().unwrap_or_else(|| "run".into()));
    if folder.exists() {
        return Err(format!("{} is there already", folder.display()).into());
    }

    let found = learn(table.as_str(), &Settings::default())?;
    for notice in &found.notices {
        println!("note: {notice}");
    }
    for arc in &found.arcs {
        println!("{} -> {}   without it the score loses {:.1}", arc.parent, arc.child, arc.gain);
    }
    for target in found.strengths.targets.iter().filter(|target| !target.signal()) {
        println!("{}: no signal", target.name);
    }

    let run = Run::new(&found, Made { table, ..Made::default() });
    fs::create_dir_all(&folder)?;
    for (name, bytes) in tell::files(&run, &found)? {
        fs::write(folder.join(name), bytes)?;
    }
    println!("wrote {} (open its report.html)", folder.display());
    Ok(())
}
