//! Drawings from the command line.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};

#[track_caller]
fn good(folder: &Path, line: &str) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_clausality"));
    let command = command.args(line.split_whitespace()).current_dir(folder).stdin(Stdio::null());
    let output = command.output().unwrap();
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
}

fn svg(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap()
}

fn count(text: &str, part: &str) -> usize {
    text.matches(part).count()
}

#[test]
fn a_network_or_a_graph_is_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    good(at, "convert @asia -o asia.svg -o asia.svg.gz -o asia.dot -q");
    let drawn = svg(at, "asia.svg");
    assert!(drawn.starts_with("<svg ") && drawn.contains("<title>asia</title>"), "{drawn}");
    assert_eq!((count(&drawn, "data-node="), count(&drawn, "<path class=\"cl-arc")), (8, 8));
    assert!(!drawn.contains("data-weight"), "a network says nothing of how sure its arcs are");
    let mut unpacked = String::new();
    let packed = fs::File::open(at.join("asia.svg.gz")).unwrap();
    flate2::read::GzDecoder::new(packed).read_to_string(&mut unpacked).unwrap();
    assert_eq!(unpacked, drawn);
    good(at, "convert asia.dot -o picture --format svg -q");
    assert_eq!(count(&svg(at, "picture"), "<path class=\"cl-arc"), 8);
}

#[test]
fn a_small_picture_stays_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    good(folder.path(), "convert @cancer -o cancer.svg -q");
    let drawn = svg(folder.path(), "cancer.svg");
    let (head, rest) = drawn.split_once("<style>").unwrap();
    let (_, body) = rest.split_once("</style>").unwrap();
    insta::assert_snapshot!(format!("{head}{body}"));
}

#[test]
fn what_was_learned_is_drawn_with_roles_and_widths() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    good(at, "sample @asia -n 1500 -o asia.csv -q");
    good(at, "learn asia.csv --rounds 1 --parameter smoke --unobserved dysp -o net.svg --run run -q");
    let drawn = svg(at, "net.svg");
    assert_eq!(count(&drawn, "class=\"cl-node cl-parameter\""), 1);
    assert_eq!(count(&drawn, "class=\"cl-node cl-unobserved\""), 1);
    assert_eq!(count(&drawn, "data-weight="), count(&drawn, "<path class=\"cl-arc"));
    assert!(drawn.contains("thicker: stronger") && drawn.contains("the score would lose"), "{drawn}");
    good(at, "convert run -o again.svg -q");
    assert_eq!(svg(at, "again.svg"), drawn, "a run folder knows as much");
}
