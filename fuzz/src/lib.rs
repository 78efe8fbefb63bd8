//! The readers and the explorer under a fuzzer that sees which code an input reaches. What they must do is written once, in `readers` and
//! `bodies`; the loop without coverage (`loop.rs`) and the tests hold them to the same.

#![forbid(unsafe_code)]

mod bodies;
mod readers;

use bodies::DOORS;
use clausality_web::Explorer;
use readers::Target;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::{fs, io};

/// The target that sends bodies: the first byte of an input picks the door, the rest is sent.
const BODIES: &str = "http";

/// Panics if a reader does not what it must. libFuzzer keeps the input then.
pub fn stands(name: &str, bytes: &[u8]) {
    let outcome = if name == BODIES { sent(bytes) } else { named(name).try_on(bytes) };
    if let Err(fault) = outcome {
        panic!("{name}: {fault}");
    }
}

/// Writes the files to begin with and the dictionary, before libFuzzer reads either.
pub fn begin(name: &str) {
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("target");
    write_seeds(name, &home.join("seeds").join(name)).expect("fuzz/target can be written");
    write_dictionary(name, &home.join(format!("{name}.dict"))).expect("fuzz/target can be written");
}

fn named(name: &str) -> Target {
    Target::named(name).unwrap_or_else(|| panic!("no target has the name {name}"))
}

fn sent(bytes: &[u8]) -> Result<bool, String> {
    static EXPLORER: OnceLock<Explorer> = OnceLock::new();
    let Some((&door, body)) = bytes.split_first() else { return Ok(false) };
    DOORS[usize::from(door) % DOORS.len()].try_on(EXPLORER.get_or_init(bodies::explorer), body)
}

fn write_seeds(name: &str, folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let seeds = if name == BODIES {
        (0u8..)
            .zip(&DOORS)
            .flat_map(|(i, door)| door.seeds.iter().map(move |seed| [&[b'0' + i], seed.as_bytes()].concat()))
            .collect()
    } else {
        named(name).seeds()
    };
    for (i, seed) in seeds.iter().enumerate() {
        fs::write(folder.join(format!("seed{i}")), seed)?;
    }
    Ok(())
}

/// In libFuzzer's format: one quoted word a line.
fn write_dictionary(name: &str, file: &PathBuf) -> io::Result<()> {
    let words: Vec<&str> = if name == BODIES {
        DOORS.iter().flat_map(|door| door.target.words()).copied().collect()
    } else {
        named(name).words().to_vec()
    };
    let quoted = |word: &&str| {
        let bytes: String = word.bytes().map(|byte| format!("\\x{byte:02x}")).collect();
        format!("\"{bytes}\"\n")
    };
    fs::create_dir_all(file.parent().expect("a folder"))?;
    fs::write(file, words.iter().map(quoted).collect::<String>())
}
