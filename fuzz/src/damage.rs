//! Damage done to real files.

use crate::readers::Target;
use clausality::bn::random::Stream;

fn pick(n: usize, stream: &mut Stream) -> usize {
    stream.below(n as u64) as usize
}

/// Changes after which a file is often still one: another letter everywhere, and more blanks.
fn strained(mut bytes: Vec<u8>, stream: &mut Stream) -> Vec<u8> {
    let from = b'A' + stream.below(26) as u8;
    let to = stream.below(128) as u8;
    bytes.iter_mut().filter(|b| **b == from).for_each(|b| *b = to);
    for _ in 0..pick(4, stream) {
        let blanks: Vec<usize> = (0..bytes.len()).filter(|&i| bytes[i] == b' ').collect();
        if !blanks.is_empty() {
            let blank = [b' ', b'\n', b'\t', b'\r'][pick(4, stream)];
            bytes.insert(blanks[pick(blanks.len(), stream)], blank);
        }
    }
    bytes
}

/// A seed with one to eight changes, or a third of the time a strained one.
pub(crate) fn damaged(target: Target, seeds: &[Vec<u8>], stream: &mut Stream) -> Vec<u8> {
    let mut bytes = seeds[pick(seeds.len(), stream)].clone();
    if stream.below(3) == 0 {
        return strained(bytes, stream);
    }
    for _ in 0..=pick(8, stream) {
        if bytes.is_empty() {
            bytes.push(b' ');
        }
        let at = pick(bytes.len(), stream);
        let to = (at + 1 + pick(80, stream)).min(bytes.len());
        let words = target.words();
        match stream.below(9) {
            0 => bytes[at] = stream.bits() as u8,
            1 => bytes[at] ^= 1 << stream.below(8),
            2 | 3 => {
                let word = words[pick(words.len(), stream)];
                bytes.splice(at..at, word.bytes());
            }
            4 => drop(bytes.drain(at..to)),
            5 => {
                let piece = bytes[at..to].repeat(1 << stream.below(10));
                let place = pick(bytes.len(), stream);
                bytes.splice(place..place, piece);
            }
            6 => {
                let other = &seeds[pick(seeds.len(), stream)];
                let from = pick(other.len(), stream);
                let piece = other[from..(from + 200).min(other.len())].to_vec();
                bytes.splice(at..to, piece);
            }
            7 => {
                let number = ["0", "1", "0.5", "-1", "1e-400", "99999999999999999999", "nan", "2147483648"];
                bytes.splice(at..at, number[pick(number.len(), stream)].bytes());
            }
            _ => bytes.truncate(at.max(1)),
        }
    }
    bytes
}
