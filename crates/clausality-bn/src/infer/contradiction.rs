//! Which findings cannot be together.
//!
//! Findings are left out, first half of them at once, then fewer, at last one at a time, and stay out where the rest is impossible all the same
//! (a deletion filter: Chinneck, Dravnieks 1991). Each that is left is needed: without it the others could be.

use super::{Evidence, Finding, Infer};
use crate::Error;

/// The nodes of a smallest set of findings that has probability 0, in the order of the network.
///
/// # Errors
/// [`Error::InferenceLimit`] where memory would not do.
pub fn contradiction(infer: &mut Infer, evidence: &Evidence) -> Result<Vec<usize>, Error> {
    let findings = evidence.findings().iter().enumerate();
    let mut kept: Vec<usize> =
        findings.filter(|(_, finding)| !matches!(finding, Finding::Free)).map(|(node, _)| node).collect();
    let mut rest = evidence.clone();
    let mut block = kept.len().div_ceil(2);
    while block > 0 {
        let mut at = 0;
        while at < kept.len() {
            let end = kept.len().min(at + block);
            let mut fewer = rest.clone();
            kept[at..end].iter().for_each(|&node| fewer.clear(node));
            if is_impossible(infer, &fewer)? {
                kept.drain(at..end);
                rest = fewer;
            } else {
                at = end;
            }
        }
        block = if block == 1 { 0 } else { block.div_ceil(2) };
    }
    Ok(kept)
}

fn is_impossible(infer: &mut Infer, evidence: &Evidence) -> Result<bool, Error> {
    // By its logarithm: many findings together may be too improbable for a number, and can be all the same.
    Ok(infer.evidence_probability(evidence)?.ln() == f64::NEG_INFINITY)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Network;
    use crate::io::{Limits, bif};

    /// `either` is yes exactly where `tub` or `lung` is; `smoke` has no part in it.
    fn network() -> Network {
        let root = |name: &str| format!("probability ( {name} ) {{ table 0.3, 0.7; }}\n");
        let node = |name: &&str| format!("variable {name} {{ type discrete [ 2 ] {{ yes, no }}; }}\n");
        let nodes: String = ["smoke", "tub", "lung", "either"].iter().map(node).collect();
        let roots: String = ["smoke", "tub", "lung"].map(root).concat();
        let either = "(yes, yes) 1.0, 0.0; (no, yes) 1.0, 0.0; (yes, no) 1.0, 0.0; (no, no) 0.0, 1.0;";
        let text =
            format!("network n {{ }}\n{nodes}{roots}probability ( either | tub, lung ) {{ {either} }}\n");
        bif::read(text.as_bytes(), &Limits::default()).unwrap()
    }

    #[test]
    fn only_findings_that_contradict_are_named() {
        let network = network();
        let known = |pairs: &[(usize, u8)]| {
            let mut evidence = Evidence::new(&network);
            pairs.iter().for_each(|&(node, state)| evidence.observe(node, state).unwrap());
            evidence
        };
        let mut infer = Infer::new(network.clone());
        let (smoke, tub, lung, either) = (0, 1, 2, 3);
        let evidence = known(&[(smoke, 0), (tub, 1), (lung, 0), (either, 1)]);
        assert_eq!(contradiction(&mut infer, &evidence).unwrap(), [lung, either]);
        let evidence = known(&[(smoke, 1), (tub, 1), (lung, 1), (either, 0)]);
        assert_eq!(contradiction(&mut infer, &evidence).unwrap(), [tub, lung, either]);
    }
}
