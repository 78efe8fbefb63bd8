//! Which findings cannot be together.
//!
//! Findings are left out, first half of them at once, then fewer, at last one at a time, and stay out where the rest is impossible all the same
//! (a deletion filter: Chinneck, Dravnieks 1991). Each that is left is needed: without it the others could be.

use clausality::bn::Error;
use clausality::bn::infer::{Evidence, Finding, Infer};

/// The nodes of a smallest set of findings that has probability 0, in the order of the network.
pub(crate) fn contradiction(infer: &mut Infer, evidence: &Evidence) -> Result<Vec<usize>, Error> {
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

    #[test]
    fn only_findings_that_contradict_are_named() {
        let network = clausality::embedded::network("asia").unwrap();
        let node = |name: &str| network.schema().index(name).unwrap();
        let known = |pairs: &[(&str, u8)]| {
            let mut evidence = Evidence::new(&network);
            pairs.iter().for_each(|&(name, state)| evidence.observe(node(name), state).unwrap());
            evidence
        };
        let mut infer = Infer::new(network.clone());
        // `either` is yes exactly where `tub` or `lung` is.
        let evidence =
            known(&[("asia", 0), ("smoke", 1), ("lung", 0), ("either", 1), ("xray", 0), ("dysp", 1)]);
        let mut expected = vec![node("lung"), node("either")];
        expected.sort_unstable();
        assert_eq!(contradiction(&mut infer, &evidence).unwrap(), expected);
        let evidence = known(&[("lung", 1), ("either", 0), ("tub", 1), ("bronc", 0)]);
        let mut expected = vec![node("lung"), node("either"), node("tub")];
        expected.sort_unstable();
        assert_eq!(contradiction(&mut infer, &evidence).unwrap(), expected);
    }
}
