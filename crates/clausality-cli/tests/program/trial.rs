//! A network on trial, `test`, as people and scripts meet it: independences and arcs, hidden causes, drift.

use crate::ask::{clausality, good, json};
use serde_json::Value;
use std::fs;
use tempfile::TempDir;

#[test]
fn a_test_on_hardly_any_rows_says_so_and_one_that_shuffled_labels_pass_too_is_no_support() {
    let folder = TempDir::new().unwrap();
    good(&folder, &["sample", "@asia", "-n", "500", "--seed", "2", "-o", "rows.csv"]);
    let rows = fs::read_to_string(folder.path().join("rows.csv")).unwrap();
    let head: Vec<&str> = rows.lines().take(4).collect();
    fs::write(folder.path().join("three.csv"), head.join("\n")).unwrap();
    let warned = |table: &str| {
        let output = clausality(&folder, &["test", "@asia", table]);
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let three = warned("three.csv");
    assert!(three.contains("only 3 rows: far too few to test a network on"), "{three}");
    assert!(three.contains("no implied independence could be tested on these rows"), "{three}");
    assert_eq!(warned("rows.csv"), "");
    // The same rows under each other's names.
    let (names, cells) = rows.split_once('\n').unwrap();
    let (first, others) = names.split_once(',').unwrap();
    fs::write(folder.path().join("turned.csv"), format!("{others},{first}\n{cells}")).unwrap();
    let turned = warned("turned.csv");
    assert!(turned.contains("no better on these rows than the same graph with shuffled labels"), "{turned}");
    let told = json(&folder, &["test", "@asia", "three.csv"]);
    assert_eq!(told["notices"].as_array().unwrap().len(), 2, "{told}");
    // One of three is one of three nodes.
    fs::write(folder.path().join("rain.csv"), "rain,step,wet\nyes,1,yes\nno,2,no\n").unwrap();
    let rain = r#"{"format": "clausality-dynamic/1", "order": 1, "start": [
        {"name": "rain@0", "states": ["yes", "no"], "rows": [[0.5, 0.5]]}, {"name": "wet@0", "states": ["yes", "no"], "rows": [[0.5, 0.5]]},
        {"name": "hot@0", "states": ["yes", "no"], "rows": [[0.5, 0.5]]}],
      "transition": [{"name": "rain", "states": ["yes", "no"], "rows": [[0.5, 0.5]]},
        {"name": "wet", "states": ["yes", "no"], "rows": [[0.5, 0.5]]}, {"name": "hot", "states": ["yes", "no"], "rows": [[0.5, 0.5]]}]}"#;
    fs::write(folder.path().join("rain.json"), rain).unwrap();
    let output =
        clausality(&folder, &["forecast", "rain.json", "rain.csv", "--time", "step", "--horizon", "1"]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(told.contains("1 of 3 nodes has no column"), "{told}");
}

/// Parents that act only together: all independences hold with any labels, the arcs do not.
#[test]
fn a_test_looks_at_arcs_too_and_not_at_equivalent_graphs() {
    let folder = TempDir::new().unwrap();
    let cells = |row: usize| {
        let bit = |k: usize| row >> k & 1;
        // Six columns of noise; one row in eleven says the opposite.
        let noise: Vec<String> = (2..8).map(|k| bit(k).to_string()).collect();
        format!(
            "{},{},{},{}\n",
            bit(0),
            bit(1),
            bit(0) ^ bit(1) ^ usize::from(row.is_multiple_of(11)),
            noise.join(",")
        )
    };
    let rows = "a,b,x,c,d,e,f,g,h\n".to_string() + &(0..1024).map(cells).collect::<String>();
    fs::write(folder.path().join("odd.csv"), rows).unwrap();
    let trial = |graph: &str| {
        fs::write(folder.path().join("odd.dot"), format!("digraph {{ {graph}; c; d; e; f; g; h }}")).unwrap();
        good(&folder, &["fit", "odd.dot", "odd.csv", "-o", "odd.json"]);
        json(&folder, &["test", "odd.json", "odd.csv"])
    };
    let right = trial("a -> x; b -> x");
    assert!(right["standing"]["p"].as_f64().unwrap() <= 0.05, "{}", right["standing"]);
    assert!(right.get("notices").is_none(), "{right}");
    let wrong = trial("a -> c; b -> c; x");
    assert!(wrong["notices"][0].as_str().unwrap().contains("do not bear it out"), "{wrong}");

    // Of two columns there is no other network with one arc.
    fs::write(folder.path().join("two.csv"), "y,z\n".to_string() + &"0,0\n1,1\n0,0\n1,0\n".repeat(50))
        .unwrap();
    good(&folder, &["learn", "two.csv", "--run", "two"]);
    let text = good(&folder, &["test", "two", "two.csv"]);
    assert!(!text.contains("shuffled labels"), "{text}");
}

/// A network without one of its arcs is found out, and the arc is named; the whole one is not.
#[test]
fn a_missing_arc_is_found_by_its_table() {
    let folder = TempDir::new().unwrap();
    good(&folder, &["sample", "@asia", "-n", "4000", "--seed", "5", "-o", "rows.csv"]);
    let whole = json(&folder, &["test", "@asia", "rows.csv"]);
    assert_eq!(whole["violated"], 0, "{}", whole["independences"][0]);
    assert_eq!(whole["implied"], 20);
    assert!(whole["standing"]["p"].as_f64().unwrap() <= 0.05, "{}", whole["standing"]);
    let fit = whole["fit"].as_array().unwrap();
    assert!(
        fit.len() == 8 && fit.iter().all(|node| node["z"].as_f64().is_none_or(|z| z.abs() < 4.0)),
        "{fit:?}"
    );
    let arcs =
        "parent,child\nasia,tub\nsmoke,lung\ntub,either\nlung,either\neither,xray\neither,dysp\nbronc,dysp\n";
    fs::write(folder.path().join("arcs.csv"), arcs).unwrap();
    good(&folder, &["fit", "arcs.csv", "rows.csv", "-o", "less.json", "--quiet"]);
    let less = json(&folder, &["test", "less.json", "rows.csv"]);
    let worst = &less["independences"][0];
    let ends = [worst["parent"].as_str().unwrap(), worst["child"].as_str().unwrap()];
    assert!(ends.contains(&"smoke") && ends.contains(&"bronc") && worst["violated"] == true, "{worst}");
    let text = good(&folder, &["test", "less.json", "rows.csv"]);
    assert!(text.contains(&format!("{} > {}", ends[0], ends[1])), "{text}");
}

/// Two effects of a column that is left out, each with a cause of its own: neither direction explains them. With the column there is nothing to mark.
#[test]
fn a_common_cause_outside_the_table_is_marked() {
    let folder = TempDir::new().unwrap();
    let bif = |node: &str, of: &str, rows: &str| format!("probability ( {node}{of} ) {{ {rows} }}\n");
    let mut text = "network hidden { }\n".to_string();
    for node in ["a", "b", "h", "x", "y"] {
        text += &format!("variable {node} {{ type discrete [ 2 ] {{ no, yes }}; }}\n");
    }
    for root in ["a", "b", "h"] {
        text += &bif(root, "", "table 0.5, 0.5;");
    }
    let rows = "(no, no) 0.9, 0.1; (no, yes) 0.45, 0.55; (yes, no) 0.55, 0.45; (yes, yes) 0.1, 0.9;";
    text += &bif("x", " | a, h", rows);
    text += &bif("y", " | b, h", rows);
    fs::write(folder.path().join("net.bif"), text).unwrap();
    good(&folder, &["sample", "net.bif", "-n", "5000", "--seed", "2", "-o", "rows.csv"]);
    let whole = json(&folder, &["test", "net.bif", "rows.csv"]);
    assert_eq!(whole["hidden"], serde_json::json!([]));
    let all = fs::read_to_string(folder.path().join("rows.csv")).unwrap();
    let place = all.lines().next().unwrap().split(',').position(|name| name == "h").unwrap();
    let less = |line: &str| {
        let cells = line.split(',').enumerate().filter(|(k, _)| *k != place).map(|(_, cell)| cell);
        cells.collect::<Vec<_>>().join(",")
    };
    let rows: Vec<String> = all.lines().map(less).collect();
    fs::write(folder.path().join("less.csv"), rows.join("\n")).unwrap();
    good(&folder, &["learn", "less.csv", "-o", "less.json", "--quiet"]);
    let found = json(&folder, &["test", "less.json", "less.csv"]);
    assert_eq!(found["hidden"][0]["between"], serde_json::json!(["x", "y"]), "{}", found["hidden"]);
    assert_eq!(found["hidden"][0]["against"][0]["node"], "a");
    let text = good(&folder, &["test", "less.json", "less.csv"]);
    assert!(text.contains("Perhaps a common cause outside the table") && text.contains("x - y"), "{text}");
}

/// More smokers: that is smoke's own drift, and what follows from it is inherited.
#[test]
fn drift_is_laid_where_it_comes_from() {
    let folder = TempDir::new().unwrap();
    good(&folder, &["sample", "@asia", "-n", "5000", "--seed", "5", "-o", "rows.csv"]);
    good(&folder, &["convert", "@asia", "-o", "asia.json", "--quiet"]);
    let file = folder.path().join("asia.json");
    let mut asia: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    let nodes = asia["nodes"].as_array_mut().unwrap();
    nodes.iter_mut().find(|node| node["name"] == "smoke").unwrap()["rows"] = serde_json::json!([[0.9, 0.1]]);
    fs::write(&file, asia.to_string()).unwrap();
    good(&folder, &["sample", "asia.json", "-n", "5000", "--seed", "6", "-o", "later.csv"]);
    let found = json(&folder, &["test", "@asia", "rows.csv", "--against", "later.csv"]);
    let kind = |name: &str| {
        let drift = found["drift"].as_array().unwrap();
        drift.iter().find(|node| node["node"] == name).unwrap()["kind"].clone()
    };
    assert_eq!(kind("smoke"), "own");
    assert!(kind("bronc") == "inherited" && kind("lung") == "inherited" && kind("asia") == "none", "{found}");
    let text = good(&folder, &["test", "@asia", "rows.csv", "--against", "later.csv"]);
    assert!(text.contains("its own") && text.contains("of its parents"), "{text}");
}
