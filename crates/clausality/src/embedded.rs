//! Ground-truth networks that travel with the program, reachable as `@name`.
//!
//! The files are those of the folder `networks`, packed; provenance and licence (CC BY-SA 3.0) stand in the README beside
//! them. A network is unpacked and read anew on every call: the largest takes a fraction of a second.
//!
//! ```
//! let asia = clausality::embedded::network("asia")?;
//! assert_eq!((asia.len(), asia.dag().arc_count()), (8, 8));
//! # Ok::<(), clausality::embedded::EmbeddedError>(())
//! ```

use clausality_bn::io::{Limits, bif};
use clausality_bn::{Network, shown};
use flate2::read::GzDecoder;
use serde::Serialize;
use std::io::Read;
use thiserror::Error as ThisError;

/// One embedded network: what it is, and where it comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Embedded {
    /// Its name, without the `@`.
    pub name: &'static str,
    /// The number of nodes.
    pub nodes: usize,
    /// The number of arcs.
    pub arcs: usize,
    /// The number of free parameters.
    pub parameters: usize,
    /// What it is about, in a few words.
    pub about: &'static str,
    /// Who published it.
    pub citation: &'static str,
    #[serde(skip)]
    packed: &'static [u8],
}

/// Why an embedded network cannot be had.
#[derive(Debug, Clone, PartialEq, ThisError)]
#[non_exhaustive]
pub enum EmbeddedError {
    /// No network of that name is embedded.
    #[error("there is no embedded network '{}'; there are {known}", shown(.name))]
    Unknown {
        /// The name asked for.
        name: String,
        /// The names there are.
        known: String,
    },
    /// The bytes in the program are damaged.
    #[error("the embedded network '{name}' is damaged: {reason}")]
    Damaged {
        /// Its name.
        name: &'static str,
        /// What the reader says.
        reason: String,
    },
}

/// The embedded networks, the smallest first.
pub fn list() -> &'static [Embedded] {
    &EMBEDDED
}

/// The network of that name (with or without a leading `@`).
pub fn network(name: &str) -> Result<Network, EmbeddedError> {
    let bare = name.strip_prefix('@').unwrap_or(name);
    let Some(entry) = EMBEDDED.iter().find(|e| e.name == bare) else {
        let known = EMBEDDED.map(|e| e.name).join(", ");
        return Err(EmbeddedError::Unknown { name: bare.to_string(), known });
    };
    let damaged = |reason: String| EmbeddedError::Damaged { name: entry.name, reason };
    let mut text = Vec::new();
    GzDecoder::new(entry.packed).read_to_end(&mut text).map_err(|e| damaged(e.to_string()))?;
    bif::read(&text, &Limits::default()).map_err(|e| damaged(e.to_string()))
}

macro_rules! embedded {
    ($name:literal, [$nodes:literal, $arcs:literal, $parameters:literal], $about:literal, $citation:literal) => {
        Embedded {
            name: $name,
            nodes: $nodes,
            arcs: $arcs,
            parameters: $parameters,
            about: $about,
            citation: $citation,
            packed: include_bytes!(concat!("../networks/", $name, ".bif.gz")),
        }
    };
}

static EMBEDDED: [Embedded; 12] = [
    embedded!(
        "cancer",
        [5, 4, 10],
        "lung cancer, a textbook example",
        "Korb KB, Nicholson AE (2010). Bayesian Artificial Intelligence, 2nd ed. CRC Press."
    ),
    embedded!(
        "earthquake",
        [5, 4, 10],
        "a burglar alarm, a textbook example",
        "Korb KB, Nicholson AE (2010). Bayesian Artificial Intelligence, 2nd ed. CRC Press."
    ),
    embedded!(
        "survey",
        [6, 6, 21],
        "choice of transport, a textbook example",
        "Scutari M, Denis J-B (2014). Bayesian Networks: with Examples in R. Chapman & Hall."
    ),
    embedded!(
        "asia",
        [8, 8, 18],
        "lung disease after a journey",
        "Lauritzen S, Spiegelhalter D (1988). Local Computation with Probabilities on Graphical Structures and their \
         Application to Expert Systems. J. Royal Statistical Society B 50(2):157-224."
    ),
    embedded!(
        "sachs",
        [11, 17, 178],
        "signalling proteins in human cells",
        "Sachs K, Perez O, Pe'er D, Lauffenburger DA, Nolan GP (2005). Science 308:523-529."
    ),
    embedded!(
        "child",
        [20, 25, 230],
        "heart disease in the newborn",
        "Spiegelhalter DJ, Cowell RG (1992). Learning in Probabilistic Expert Systems. Bayesian Statistics 4, 447-466. \
         Oxford University Press."
    ),
    embedded!(
        "insurance",
        [27, 52, 1008],
        "car insurance risks",
        "Binder J, Koller D, Russell S, Kanazawa K (1997). Adaptive Probabilistic Networks with Hidden Variables. \
         Machine Learning 29(2-3):213-244."
    ),
    embedded!(
        "alarm",
        [37, 46, 509],
        "monitoring of patients",
        "Beinlich I, Suermondt HJ, Chavez RM, Cooper GF (1989). The ALARM Monitoring System: A Case Study with Two \
         Probabilistic Inference Techniques for Belief Networks. Proc. 2nd European Conf. on Artificial Intelligence \
         in Medicine, 247-256."
    ),
    embedded!(
        "hailfinder",
        [56, 66, 2656],
        "severe summer hail in Colorado",
        "Abramson B, Brown J, Edwards W, Murphy A, Winkler RL (1996). Int. J. Forecasting 12(1):57-71."
    ),
    embedded!(
        "hepar2",
        [70, 123, 1453],
        "disorders of the liver",
        "Onisko A (2003). Probabilistic Causal Models in Medicine: Application to Diagnosis of Liver Disorders. PhD thesis, Polish Academy of Sciences."
    ),
    embedded!(
        "win95pts",
        [76, 112, 574],
        "printer troubles in Windows 95",
        "Microsoft printer-troubleshooting network, distributed with the GeNIe and Norsys collections."
    ),
    embedded!(
        "diabetes",
        [413, 602, 429_409],
        "insulin dosing over 24 hours",
        "Andreassen S, Hovorka R, Benn J, Olesen KG, Carson ER (1991). A Model-based Approach to Insulin Adjustment. \
         Proc. 3rd Conf. on Artificial Intelligence in Medicine (AIME 91), 239-248. Springer."
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_network_is_what_the_list_says() {
        for entry in list() {
            let network = network(entry.name).unwrap();
            let found = (network.len(), network.dag().arc_count(), network.free_parameters());
            assert_eq!(found, (entry.nodes, entry.arcs, entry.parameters), "{}", entry.name);
            assert_eq!(network.name(), entry.name);
            assert!(!entry.citation.is_empty() && !entry.about.is_empty());
        }
        assert!(list().windows(2).all(|pair| pair[0].nodes <= pair[1].nodes));
    }

    #[test]
    fn the_at_sign_is_optional_and_unknown_names_are_refused_with_the_list() {
        assert_eq!(network("@asia"), network("asia"));
        let message = network("@asian").unwrap_err().to_string();
        assert!(message.contains("'asian'") && message.contains("asia, sachs"), "{message}");
    }
}
