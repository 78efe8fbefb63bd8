//! Bad input of every kind, made here: the exit code, the one line that says what and where, and nothing left behind.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn run(folder: &Path, line: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_clausality"))
        .args(line.split_whitespace())
        .current_dir(folder)
        .env("COLUMNS", "80")
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// The file is refused by the command with this exit code and a line that begins so and says this.
#[track_caller]
fn refused(file: &str, content: impl AsRef<[u8]>, command: &str, code: i32, begins: &str, says: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("good.csv"), good_table()).unwrap();
    fs::write(folder.path().join(file), content).unwrap();
    let names = || fs::read_dir(folder.path()).unwrap().count();
    let before = names();
    let output = run(folder.path(), command);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{command}: {text}");
    assert!(output.stdout.is_empty(), "{command}");
    assert_eq!(names(), before, "{command} leaves something behind");
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with("warning: ")).collect();
    let [line] = lines[..] else { panic!("{command}: {text}") };
    assert!(line.starts_with(&format!("error: {begins}")), "{command}: {line}");
    assert!(says.iter().all(|part| line.contains(part)), "{command}: {line}");
    assert!(!line.contains(char::is_control), "{command}: {line:?}");
}

fn good_table() -> String {
    "rain,hose,wet\n".to_string() + &"no,off,no\nyes,off,yes\nno,on,yes\nno,off,no\n".repeat(20)
}

#[test]
fn tables() {
    let rows = "no,off,no\nyes,off,yes\n";
    let cases: [(&str, Vec<u8>, &str, &[&str]); 8] = [
        (
            "long.csv",
            format!("rain,hose,wet\n{rows}no,on,yes,dawn\n").into(),
            ":4:11: ",
            &["4 fields", "3 columns"],
        ),
        ("short.csv", format!("rain,hose,wet\n{rows}no,on\n").into(), ":4:", &["2 fields", "3 columns"]),
        ("twice.csv", format!("rain,hose,rain\n{rows}").into(), ":1:11: ", &["duplicate", "rain"]),
        ("latin.csv", b"rain,hose\nno,off\nno,gie\xdft\n".to_vec(), ":3:7: ", &["UTF-8"]),
        ("empty.csv", vec![], ": ", &[]),
        ("header.csv", b"rain,hose,wet\n".to_vec(), ": ", &["no data rows"]),
        ("open.csv", format!("rain,hose,wet\n{rows}no,\"on,yes\n").into(), ":4:4: ", &["quote"]),
        ("noise.csv.gz", b"\x1f\x8bnot packed at all".to_vec(), ": ", &[]),
    ];
    for (file, content, place, says) in cases {
        for command in ["inspect", "learn --seed 1 -o out.bif"] {
            refused(file, &content, &format!("{command} {file}"), 2, &format!("{file}{place}"), says);
        }
    }
}

#[test]
fn a_constant_column_is_told_and_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let table: String = good_table().lines().map(|line| format!("{line},oslo\n")).collect();
    fs::write(folder.path().join("t.csv"), table.replacen(",oslo", ",site", 1)).unwrap();
    for command in ["inspect t.csv", "learn t.csv --seed 1 -o out.bif"] {
        let output = run(folder.path(), command);
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{command}: {text}");
        assert!(text.lines().any(|line| line.starts_with("warning: ") && line.contains("'site'")), "{text}");
    }
}

#[test]
fn networks() {
    let nodes = "network n { }\nvariable rain { type discrete [ 2 ] { yes, no }; }\n\
        variable wet { type discrete [ 3 ] { dry, damp, soaked }; }\n";
    let root = "probability ( rain ) { table 0.25, 0.75; }\n";
    let child = "probability ( wet | rain ) {\n  (yes) 0, 0.5, 0.5;\n  (no) 0.8, 0.2, 0;\n}\n";
    let turned = "probability ( rain | wet ) {\n  default 0.5, 0.5;\n}\n";
    let check = |parts: &[&str], code: i32, place: &str, says: &[&str]| {
        for command in ["check n.bif", "convert n.bif -o out.json", "query n.bif --target rain"] {
            refused("n.bif", parts.concat(), command, code, &format!("n.bif{place}"), says);
        }
    };
    check(&[nodes, turned, child], 2, ":7:", &["cycle: rain -> wet -> rain"]);
    check(&[nodes, root, &child.replace("0.8", "0.75")], 2, ":7:", &["sum to 0.95"]);
    check(&[nodes, &root.replace(" )", " | snow )"), child], 2, ":4:", &["'snow' is not declared"]);
    check(&[nodes, root, &child.replace("  (no) 0.8, 0.2, 0;\n", "")], 2, ":5:", &["no row for rain=no"]);
    check(&[nodes, root, &child.replace("0, 0.5, 0.5", "0.5, 0.5")], 2, ":6:", &["expected 3", "found 2"]);
    check(&[nodes, root, &child[..40]], 2, ":5:1: ", &["never ends"]);
    let causes: String =
        (0..30).map(|i| format!("variable c{i} {{ type discrete [ 2 ] {{ t, f }}; }}\n")).collect();
    let names: Vec<String> = (0..30).map(|i| format!("c{i}")).collect();
    let huge = format!("probability ( rain | {} ) {{ default 0.5, 0.5; }}\n", names.join(", "));
    check(&[nodes, &causes, &huge], 3, ":34:", &["'rain'", "2147483648 cells"]);
}

#[test]
fn xml() {
    let body = "<BIF VERSION=\"0.3\"><NETWORK><NAME>n</NAME>\n<VARIABLE TYPE=\"nature\"><NAME>rain</NAME>\
        <OUTCOME>yes</OUTCOME><OUTCOME>no</OUTCOME></VARIABLE>\n\
        <DEFINITION><FOR>rain</FOR><TABLE>0.25 0.75</TABLE></DEFINITION>\n</NETWORK></BIF>\n";
    let folder = tempfile::tempdir().unwrap();
    let types =
        "<!DOCTYPE BIF [\n  <!ELEMENT BIF ( NETWORK )*>\n  <!ATTLIST BIF VERSION CDATA #REQUIRED>\n]>\n";
    fs::write(folder.path().join("types.xml"), format!("<?xml version=\"1.0\"?>\n{types}{body}")).unwrap();
    let output = run(folder.path(), "check types.xml");
    assert!(output.status.success(), "an internal DTD is right: {}", String::from_utf8_lossy(&output.stderr));
    let entity = format!("<?xml version=\"1.0\"?>\n<!DOCTYPE BIF [ <!ENTITY r \"rain\"> ]>\n{body}");
    refused("e.xml", entity, "check e.xml", 2, "e.xml:2:", &["entity"]);
    refused("s.xml", body.replace("0.25", "0.35"), "check s.xml", 2, "s.xml:3:", &["sum"]);
    refused("o.xml", body.replace("</NETWORK>", ""), "check o.xml", 2, "o.xml:4:", &["</NETWORK>"]);
}

#[test]
fn configurations() {
    let learn = "learn good.csv --config c.toml -o out.bif";
    refused("c.toml", "seed = 7\nthreads = \"two\nrounds = 20\n", learn, 2, "c.toml:2:", &[]);
    refused("c.toml", "seed = 7\nsead = 8\n", learn, 2, "c.toml:2:", &["sead"]);
    refused("c.toml", "seed = \"seven\"\n", learn, 2, "c.toml:1:", &[]);
}
