//! Damaged bodies: whatever is sent, the answer is a document or a refusal in words. `CLAUSALITY_FUZZ_ROUNDS` asks for more of them.
#![allow(dead_code, reason = "the damage knows more kinds of files than are sent here")]

#[path = "../../../fuzz/src/bodies.rs"]
mod bodies;
#[path = "../../../fuzz/src/damage.rs"]
mod damage;
#[path = "../../../fuzz/src/readers.rs"]
mod readers;

use clausality::bn::random::Stream;
use damage::damaged;

fn rounds() -> u64 {
    std::env::var("CLAUSALITY_FUZZ_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(1500)
}

#[test]
fn damaged_bodies_are_answered() {
    let explorer = bodies::explorer();
    for door in &bodies::DOORS {
        let path = door.path;
        let seeds: Vec<Vec<u8>> = door.seeds.iter().map(|text| text.as_bytes().to_vec()).collect();
        let mut answered = 0;
        for round in 0..rounds() {
            let mut stream = Stream::new(11, &format!("{path} {round}"));
            let body = damaged(door.target, &seeds, &mut stream);
            match door.try_on(&explorer, &body) {
                Ok(taken) => answered += u64::from(taken),
                Err(fault) => panic!("{path}, round {round}: {fault}"),
            }
        }
        assert!(answered > 0 && answered < rounds(), "{path}: {answered} of {} were answered", rounds());
    }
}
