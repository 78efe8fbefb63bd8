//! Input is read for what it is, or refused: other kinds of files, names that look alike, documents that cannot be true, numbers too small for a double.

use serde_json::{Value, json};
use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

struct Said {
    code: Option<i32>,
    out: String,
    err: String,
}

fn run<S: AsRef<OsStr>>(folder: &Path, arguments: &[S]) -> Said {
    let output = Command::new(env!("CARGO_BIN_EXE_clausality"))
        .args(arguments)
        .current_dir(folder)
        .env("COLUMNS", "200")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Said { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

fn words(folder: &Path, line: &str) -> Said {
    run(folder, &line.split(' ').collect::<Vec<_>>())
}

#[track_caller]
fn good(folder: &Path, line: &str) -> Said {
    let said = words(folder, line);
    assert_eq!(said.code, Some(0), "{line}: {}", said.err);
    said
}

#[track_caller]
fn refused(folder: &Path, line: &str, says: &str) {
    let said = words(folder, line);
    assert_eq!(said.code, Some(2), "{line}: {}{}", said.out, said.err);
    let error = said.err.lines().find(|line| line.starts_with("error: ")).unwrap_or_default();
    assert!(error.contains(says), "{line}: {}", said.err);
}

fn table() -> String {
    "rain,hose,wet\n".to_string() + &"no,off,no\nyes,off,yes\nno,on,yes\nno,off,no\n".repeat(30)
}

#[test]
fn what_is_no_table_of_text_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let utf16 = |big: bool| -> Vec<u8> {
        let unit = |unit: u16| if big { unit.to_be_bytes() } else { unit.to_le_bytes() };
        table().encode_utf16().flat_map(unit).collect()
    };
    let cases: [(&str, Vec<u8>, &str); 7] = [
        ("little.csv", utf16(false), "UTF-16"),
        ("big.csv", utf16(true), "UTF-16"),
        (
            "book.xlsx",
            b"PK\x03\x04\x14\0\x06\0\x08\0\0\0!\0[Content_Types].xml".to_vec(),
            "Excel workbook (.xlsx)",
        ),
        (
            "book.csv",
            b"PK\x03\x04\x14\0\x06\0\x08\0\0\0!\0xl/workbook.xml".to_vec(),
            "Excel workbook (.xlsx)",
        ),
        ("page.csv", b"<!DOCTYPE html>\n<html><body>log in</body></html>\n".to_vec(), "web page (HTML)"),
        ("paper.csv", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n".to_vec(), "PDF"),
        ("hole.csv", table().replacen("yes,off", "yes,o\0f", 1).into_bytes(), "hole.csv:3:6: a NUL byte"),
    ];
    for (file, content, says) in cases {
        fs::write(at.join(file), content).unwrap();
        for command in ["inspect", "learn -o out.bif", "predict @asia --target lung", "score @asia"] {
            let (command, rest) = command.split_once(' ').unwrap_or((command, ""));
            let line = match rest.starts_with('@') {
                true => format!("{command} {} {file}{}", "@asia", rest.strip_prefix("@asia").unwrap()),
                false => format!("{command} {file} {rest}"),
            };
            refused(at, line.trim(), says);
        }
    }
    assert!(!at.join("out.bif").exists());
}

#[test]
fn columns_that_look_alike_are_warned_of() {
    let folder = tempfile::tempdir().unwrap();
    let rows: String = (0..120).map(|i| format!("{},{},{}\n", i % 2, i % 3, (i / 2) % 2)).collect();
    fs::write(folder.path().join("t.csv"), format!("rain,Rain,rain\u{200b}\n{rows}")).unwrap();
    let said = good(folder.path(), "inspect t.csv");
    let warning = said.err.lines().find(|line| line.contains("differ only by")).unwrap_or_default();
    assert!(warning.starts_with("warning: columns 'rain' and 'Rain' and 'rain\\u{200b}'"), "{}", said.err);
    fs::write(folder.path().join("good.csv"), table()).unwrap();
    assert!(!good(folder.path(), "inspect good.csv").err.contains("differ only by"));
}

#[cfg(target_os = "linux")]
#[test]
fn names_of_files_need_not_be_utf8() {
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let [rows, net, kept, filled] =
        [&b"t\xff.csv"[..], b"n\xff.json", b"r\xff", b"f\xff.csv"].map(OsStr::from_bytes);
    fs::write(at.join(rows), table()).unwrap();
    let plain = OsStr::new;
    let lines: [&[&OsStr]; 8] = [
        &[plain("inspect"), rows],
        &[plain("learn"), rows, plain("--rounds"), plain("2"), plain("-o"), net, plain("--run"), kept],
        &[plain("query"), kept, plain("--target"), plain("wet")],
        &[plain("predict"), net, rows, plain("--target"), plain("wet")],
        &[plain("score"), net, rows],
        &[plain("impute"), net, rows, plain("-o"), filled],
        &[plain("compare"), net, kept, plain("--table"), rows],
        &[plain("report"), kept],
    ];
    for line in lines {
        let said = run(at, line);
        assert_eq!(said.code, Some(0), "{line:?}: {}", said.err);
    }
    assert!(at.join(kept).join("run.json").is_file() && at.join(filled).is_file());
    refused(at, "inspect missing.csv", "missing.csv");
}

/// Changes one document of a run; without its seal, so that only what it says can be wrong.
fn edited(run: &Path, file: &str, sealed: bool, edit: impl Fn(&mut Value)) {
    let read = |name: &str| -> Value { serde_json::from_slice(&fs::read(run.join(name)).unwrap()).unwrap() };
    let write = |name: &str, document: &Value| {
        fs::write(run.join(name), serde_json::to_vec_pretty(document).unwrap()).unwrap()
    };
    let mut document = read(file);
    edit(&mut document);
    write(file, &document);
    if !sealed {
        let mut sealing = read("run.json");
        sealing.as_object_mut().unwrap().remove("id");
        sealing.as_object_mut().unwrap().remove("files");
        write("run.json", &sealing);
    }
}

#[test]
fn edited_runs_are_refused_by_every_reader() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::write(at.join("t.csv"), table()).unwrap();
    good(at, "learn t.csv --rounds 3 --seed 1 --run kept");
    let run = at.join("run");
    let anew = || {
        let _ = fs::remove_dir_all(&run);
        fs::create_dir(&run).unwrap();
        for entry in fs::read_dir(at.join("kept")).unwrap() {
            let entry = entry.unwrap();
            fs::copy(entry.path(), run.join(entry.file_name())).unwrap();
        }
    };
    // A rule of some node; the table is so plain that there are some.
    let rule = |document: &mut Value, key: &str, value: Value| {
        let nodes = document["targets"].as_array_mut().unwrap();
        let node =
            nodes.iter_mut().find(|node| !node["clauses"].as_array().unwrap().is_empty()).expect("a rule");
        node["clauses"][0][key] = value;
    };
    let precise = |document: &mut Value| rule(document, "precision", json!(5.0));
    let supported = |document: &mut Value| rule(document, "support", json!(100_000));
    let haunted = |document: &mut Value| document["arcs"][0]["parent"] = json!("ghost");
    type Edit<'e> = &'e dyn Fn(&mut Value);
    let cases: [(&str, Edit<'_>, &str); 3] = [
        ("clauses.json", &precise, "precision of 5"),
        ("clauses.json", &supported, "100000 rows of 120"),
        ("run.json", &haunted, "'ghost', which is no node"),
    ];
    for (file, edit, says) in cases {
        anew();
        edited(&run, file, true, edit);
        for line in [
            "explain run --node wet",
            "report run -o page.html",
            "explore run --no-open",
            "query run --target wet",
            "check run",
            "convert run -o n.bif",
        ] {
            refused(at, line, file);
        }
        // Nothing tells by its digest.
        anew();
        edited(&run, file, false, edit);
        for line in ["explain run --node wet", "report run -o page.html", "explore run --no-open"] {
            refused(at, line, says);
        }
    }
}

#[test]
fn an_empty_name_is_not_written_where_it_cannot_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    good(at, "convert @asia -o asia.json");
    let text = fs::read_to_string(at.join("asia.json")).unwrap().replace("\"smoke\"", "\"\"");
    fs::write(at.join("n.json"), text).unwrap();
    for file in ["o.bif", "o.xmlbif", "o.net", "o.dot"] {
        good(at, &format!("convert n.json -o {file}"));
        let compared = good(at, &format!("compare n.json {file} --json")).out;
        assert_eq!(serde_json::from_str::<Value>(&compared).unwrap()["shd"], json!(0), "{file}");
    }
    for file in ["o.csv", "o.graphml"] {
        refused(at, &format!("convert n.json -o {file}"), "empty name");
        assert!(!at.join(file).exists());
    }
    // Nor a sign that no reader of texts takes.
    let text = fs::read_to_string(at.join("asia.json")).unwrap().replace("\"smoke\"", "\"a\\u0000b\"");
    fs::write(at.join("nul.json"), text).unwrap();
    good(at, "convert nul.json -o again.json");
    refused(at, "convert nul.json -o nul.bif", "NUL");
}

#[test]
fn evidence_about_the_target_is_said_to_be_so() {
    let folder = tempfile::tempdir().unwrap();
    for line in
        ["query @asia --target lung,tub --given lung=yes", "query @asia --target lung --do lung=yes --json"]
    {
        let said = good(folder.path(), line);
        assert!(said.err.contains("warning: 'lung' is asked about and known at once"), "{}", said.err);
        assert!(!said.err.contains("'tub'"), "{}", said.err);
    }
    assert_eq!(good(folder.path(), "query @asia --target lung --given tub=yes").err, "");
}

#[test]
fn what_is_too_small_for_a_double_is_told_in_logarithms() {
    let folder = tempfile::tempdir().unwrap();
    let nodes: String = (0..300)
        .map(|i| format!("variable v{i} {{ type discrete [ 2 ] {{ y, n }}; }}\nprobability ( v{i} ) {{ table 0.001, 0.999; }}\n"))
        .collect();
    fs::write(folder.path().join("n.bif"), format!("network n {{ }}\n{nodes}")).unwrap();
    let given: Vec<String> = (1..300).map(|i| format!("v{i}=y")).collect();
    let line = format!("query n.bif --target v0 --given {}", given.join(","));
    let expected = 299.0 * 0.001f64.ln();
    let text = good(folder.path(), &line).out;
    assert!(text.contains(&format!("the evidence has probability e^{expected:.1}")), "{text}");
    for line in [format!("{line} --json"), format!("{line} --mpe --json").replace("--target v0 ", "")] {
        let document: Value = serde_json::from_str(&good(folder.path(), &line).out).unwrap();
        assert_eq!(document["evidence_probability"], json!(0.0));
        let found = document["evidence_log_probability"].as_f64().unwrap();
        assert!((found - expected).abs() < 1e-9 * expected.abs(), "{found} {expected}");
    }
}

#[test]
fn threads_that_would_not_help_are_not_started() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("t.csv"), table()).unwrap();
    let many = good(folder.path(), "inspect t.csv --threads 4000");
    let cores = std::thread::available_parallelism().unwrap();
    assert!(many.err.contains(&format!("this machine runs {cores} at once")), "{}", many.err);
    assert_eq!(many.out, good(folder.path(), "inspect t.csv --threads 1").out);
    assert!(!good(folder.path(), "inspect t.csv --threads 1").err.contains("at once"));
}

#[test]
fn compare_reads_rows_by_the_coding_that_a_network_keeps() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let rows: String = (0..400)
        .map(|i| format!("{},{}\n", (i * 37) % 101, if (i * 37) % 101 > 50 { "old" } else { "young" }))
        .collect();
    fs::write(at.join("t.csv"), format!("age,group\n{rows}")).unwrap();
    good(at, "learn t.csv --rounds 2 -o kept.json -o bare.bif");
    // A BIF file keeps no cut points, wherever it stands.
    let fit = |line: &str| serde_json::from_str::<Value>(&good(at, line).out).unwrap()["table"].clone();
    let one = fit("compare bare.bif kept.json --table t.csv --json");
    let other = fit("compare kept.json bare.bif --table t.csv --json");
    assert_eq!(one["rows"], json!(400));
    assert_eq!(one["truth"]["bic"], other["truth"]["bic"]);
    refused(at, "compare bare.bif bare.bif --table t.csv", "keeps no cut points");
}
