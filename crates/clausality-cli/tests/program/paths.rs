//! The instruction set may be chosen, and changes nothing: every path that the machine has gives the same run.

use clausality::tm::Path;
use std::process::{Command, Output};

fn strengths(table: &std::path::Path, simd: Option<&str>) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_clausality"));
    command.args(["strengths", "--json", "--rounds", "2"]).arg(table).env_remove("CLAUSALITY_SIMD");
    if let Some(name) = simd {
        command.env("CLAUSALITY_SIMD", name);
    }
    command.output().unwrap()
}

#[test]
fn every_path_gives_the_same_bytes_and_others_are_refused() {
    let desk = tempfile::tempdir().unwrap();
    let table = desk.path().join("child.csv");
    let mut sample = Command::new(env!("CARGO_BIN_EXE_clausality"));
    assert!(
        sample.args(["sample", "@child", "-n", "400", "-q", "-o"]).arg(&table).status().unwrap().success()
    );
    let usual = strengths(&table, None);
    assert!(usual.status.success());
    for name in Path::available() {
        let found = strengths(&table, Some(name));
        assert!(found.status.success() && found.stdout == usual.stdout, "{name}");
    }
    for name in ["", "sse2", "AVX512"] {
        let refused = strengths(&table, Some(name));
        let said = String::from_utf8(refused.stderr).unwrap();
        assert_eq!(refused.status.code(), Some(2), "{said}");
        let has = format!("it has {}", Path::available().join(", "));
        assert!(said.starts_with("error: CLAUSALITY_SIMD: ") && said.contains(&has), "{said}");
    }
}
