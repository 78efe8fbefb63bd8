//! What the paper publishes: facts to hold our own figures against.
//!
//! Source: C. Blakely, *Generating Bayesian Network Models from Data Using Tsetlin Machines* (arXiv 2305.10538), the tables "Four
//! networks and average similarity score across five models" and "Top three features derived from each node".

/// Mean similarity over ten networks, models I to V.
const SIMILARITY: [(&str, [f64; 5]); 4] = [
    ("asia", [0.834, 0.855, 0.791, 0.846, 0.821]),
    ("child", [0.875, 0.891, 0.908, 0.940, 0.805]),
    ("insurance", [0.831, 0.874, 0.924, 0.981, 0.819]),
    ("diabetes", [0.754, 0.790, 0.781, 0.877, 0.825]),
];

/// The three top features of every node of Insurance, in the paper's order.
const INSURANCE: [(&str, [&str; 3]); 27] = [
    ("SeniorTrain", ["RiskAversion", "Age", "RuggedAuto"]),
    ("OtherCar", ["SocioEcon", "RiskAversion", "Mileage"]),
    ("Antilock", ["CarValue", "MakeModel", "SocioEcon"]),
    ("ILiCost", ["Accident", "MakeModel", "DrivQuality"]),
    ("Cushioning", ["RuggedAuto", "RiskAversion", "SocioEcon"]),
    ("CarValue", ["MakeModel", "Mileage", "RiskAversion"]),
    ("PropCost", ["RiskAversion", "Age", "DrivQuality"]),
    ("Airbag", ["MakeModel", "RuggedAuto", "Accident"]),
    ("Theft", ["RiskAversion", "SocioEcon", "Mileage"]),
    ("ThisCarDam", ["Accident", "DrivQuality", "RiskAversion"]),
    ("DrivHist", ["RiskAversion", "DrivQuality", "DrivingSkill"]),
    ("ThisCarCost", ["DrivQuality", "Age", "RiskAversion"]),
    ("RuggedAuto", ["MakeModel", "SocioEcon", "RiskAversion"]),
    ("VehicleYear", ["CarValue", "ThisCarCost", "SocioEcon"]),
    ("DrivingSkill", ["DrivQuality", "MakeModel", "SocioEcon"]),
    ("GoodStudent", ["Age", "MakeModel", "RiskAversion"]),
    ("DrivQuality", ["RiskAversion", "MakeModel", "Mileage"]),
    ("Age", ["RiskAversion", "Theft", "Mileage"]),
    ("HomeBase", ["SocioEcon", "RiskAversion", "Age"]),
    ("Accident", ["DrivQuality", "Mileage", "RiskAversion"]),
    ("SocioEcon", ["MakeModel", "RiskAversion", "Theft"]),
    ("MedCost", ["RuggedAuto", "RiskAversion", "SocioEcon"]),
    ("Mileage", ["Age", "MakeModel", "RiskAversion"]),
    ("MakeModel", ["RiskAversion", "Mileage", "RuggedAuto"]),
    ("AntiTheft", ["RiskAversion", "SocioEcon", "Mileage"]),
    ("RiskAversion", ["Age", "MakeModel", "Mileage"]),
    ("OtherCarCost", ["RuggedAuto", "MakeModel", "RiskAversion"]),
];

/// The networks of the paper's validation, in its order.
pub fn networks() -> [&'static str; 4] {
    SIMILARITY.map(|(network, _)| network)
}

/// The published similarity of a network under a model (by its Roman number).
pub fn similarity(network: &str, model: &str) -> Option<f64> {
    let (_, figures) = SIMILARITY.iter().find(|(name, _)| *name == network)?;
    let place = crate::strengths::MODEL_NAMES.iter().position(|name| *name == model)?;
    Some(figures[place])
}

/// The published top features of every node of a network, best first, where there are any.
pub fn top_features(network: &str) -> Option<&'static [(&'static str, [&'static str; 3])]> {
    (network == "insurance").then_some(&INSURANCE)
}
