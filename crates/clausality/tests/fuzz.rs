//! Damaged files in every format: a short run of `fuzz/src/loop.rs`, and the inputs that it or a person once found. Time is
//! for the long run to watch: here an input that takes the square of its size would be noticed by whoever waits.

#[path = "../../../fuzz/src/damage.rs"]
mod damage;
#[path = "../../../fuzz/src/readers.rs"]
mod readers;

use clausality::bn::random::Stream;
use damage::damaged;
use readers::Target;
use std::fs;
use std::path::Path;

#[test]
fn damaged_files_are_answered() {
    for (name, target) in Target::ALL {
        let seeds = target.seeds();
        for (i, seed) in seeds.iter().enumerate() {
            assert_eq!(target.try_on(seed), Ok(true), "{name}, seed {i}");
        }
        let mut read = 0;
        for round in 0..400 {
            let mut stream = Stream::new(7, &format!("{name} {round}"));
            let input = damaged(target, &seeds, &mut stream);
            match target.try_on(&input) {
                Ok(accepted) => read += usize::from(accepted),
                Err(fault) => panic!("{name}, round {round}: {fault}"),
            }
        }
        assert!(
            (5..395).contains(&read),
            "{name}: {read} of 400 were read: the damage is too small or too large"
        );
    }
}

#[test]
fn inputs_that_once_failed_are_answered() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz");
    let mut files: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut tried = 0;
    for file in files {
        let Some(target) = file.extension().and_then(|e| e.to_str()).and_then(Target::named) else {
            continue;
        };
        if let Err(fault) = target.try_on(&fs::read(&file).unwrap()) {
            panic!("{}: {fault}", file.display());
        }
        tried += 1;
    }
    assert!(tried >= 5, "the kept inputs");
}
