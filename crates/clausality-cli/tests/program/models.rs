//! The commands about networks, as people and scripts meet them.

use crate::ran::stderr;
use serde_json::Value;
use std::fs;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// A folder of its own in which the program runs, so that messages show file names as they were given.
struct Desk {
    folder: TempDir,
}

impl Desk {
    fn new() -> Self {
        Desk { folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn put(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).unwrap();
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_clausality"));
        command.args(line.split_whitespace()).current_dir(self.folder.path());
        command.env("COLUMNS", "80").env_remove("NO_COLOR").stdin(Stdio::null());
        command
    }

    fn run(&self, line: &str) -> Output {
        self.command(line).output().unwrap()
    }

    /// What a command that succeeds says on stdout.
    #[track_caller]
    fn good(&self, line: &str) -> String {
        let output = self.run(line);
        assert!(output.status.success(), "{line}: {}", stderr(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    #[track_caller]
    fn json(&self, line: &str) -> Value {
        serde_json::from_str(&self.good(line)).unwrap_or_else(|error| panic!("{line}: {error}"))
    }

    /// Both streams, for snapshots.
    #[track_caller]
    fn seen(&self, line: &str) -> String {
        let output = self.run(line);
        assert!(output.status.success(), "{line}: {}", stderr(&output));
        let out = String::from_utf8(output.stdout.clone()).unwrap();
        for text in out.lines() {
            assert!(text.chars().count() <= 80, "wider than 80 columns: {text}");
        }
        format!("$ clausality {line}\n{out}--- stderr ---\n{}", stderr(&output))
    }

    /// The one `error:` line of a command that fails; nothing may be on stdout and no new file on the desk.
    #[track_caller]
    fn bad(&self, line: &str, code: i32) -> String {
        let before = self.files();
        let output = self.run(line);
        let text = stderr(&output);
        assert_eq!(output.status.code(), Some(code), "{line}: {text}");
        assert!(output.stdout.is_empty(), "{line}");
        let errors: Vec<&str> = text.lines().filter(|line| !line.starts_with("warning: ")).collect();
        assert_eq!(errors.len(), 1, "{line}: {text}");
        assert_eq!(self.files(), before, "{line}");
        errors[0].strip_prefix("error: ").unwrap_or_else(|| panic!("{text}")).to_string()
    }
}

fn gunzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    flate2::read::GzDecoder::new(bytes).read_to_end(&mut out).unwrap();
    out
}

const RAIN: &str = "network rain { }
variable rain { type discrete [ 2 ] { yes, no }; }
variable hose { type discrete [ 2 ] { on, off }; }
variable wet { type discrete [ 2 ] { yes, no }; }
probability ( rain ) { table 0.2, 0.8; }
probability ( hose | rain ) { (yes) 0.0, 1.0; (no) 0.4, 0.6; }
probability ( wet | rain, hose ) {
  (yes, on) 1.0, 0.0; (yes, off) 0.9, 0.1; (no, on) 0.8, 0.2; (no, off) 0.0, 1.0;
}
";

#[test]
fn networks_say_where_they_come_from() {
    insta::assert_snapshot!(Desk::new().seen("networks --verbose"));
}

#[test]
fn check_shows_what_a_network_holds() {
    let desk = Desk::new();
    desk.put("rain.bif", RAIN);
    desk.put("g.dot", "digraph { a -> b; c -> b; d }");
    insta::assert_snapshot!(
        ["check @alarm", "check rain.bif", "check g.dot"].map(|line| desk.seen(line)).join("\n")
    );
    let summary = desk.json("check @alarm --json");
    assert_eq!(
        (&summary["nodes"], &summary["arcs"], &summary["parameters"]),
        (&37.into(), &46.into(), &509.into())
    );
    assert_eq!(summary["largest"]["node"], "CATECHOL");
    assert_eq!(desk.json("check g.dot --json")["cells"], Value::Null);
}

#[test]
fn check_refuses_with_the_place() {
    let desk = Desk::new();
    for (name, from, to, place) in [
        ("sum.bif", "table 0.2, 0.8;", "table 0.2, 0.7;", ":5:24: the probabilities of 'rain' sum to"),
        ("ghost.bif", "( hose | rain )", "( hose | ghost )", ":6:22: 'ghost' is not declared"),
        ("gap.bif", "(no) 0.4, 0.6;", "", ":6:15: no row for rain=no in the table of 'hose'"),
        ("arity.bif", "table 0.2, 0.8;", "table 1.0;", ":5:24: expected 2 probabilities for 'rain'"),
        ("nul.bif", "\nvariable hose", "\nvariable h\u{0}se", ":3:11: a NUL byte"),
    ] {
        assert!(RAIN.contains(from));
        desk.put(name, RAIN.replace(from, to));
        let message = desk.bad(&format!("check {name}"), 2);
        assert!(message.starts_with(&format!("{name}{place}")), "{message}");
    }
    desk.put("odd.json", "{\"format\": \"clausality-network/1\", \"nodes\": [\n  {\"name\": 1}]}");
    assert!(desk.bad("check odd.json", 2).starts_with("odd.json:2:"));
    desk.put("g.dot", "digraph {\n  a -> b -> a\n}");
    assert_eq!(
        desk.bad("check g.dot", 2),
        "g.dot:2:10: the arcs form a cycle: a -> b -> a; remove or turn one of them"
    );
    desk.put("e.csv", "parent,child\na,b\nb\n");
    assert!(desk.bad("check e.csv", 2).starts_with("e.csv:3:1: this row has 1 cells"));
    desk.put("empty.bif", "");
    assert!(desk.bad("check empty.bif", 2).starts_with("empty.bif:1:1: "));
    assert_eq!(desk.bad("check nowhere.bif", 2), "nowhere.bif: there is no such file");
    assert!(desk.bad("check @nowhere", 2).contains("cancer, earthquake"));
    assert!(desk.bad("check .", 2).contains("neither network.json nor network.bif"));
}

#[test]
fn endings_of_later_formats_are_refused_with_those_there_are() {
    let desk = Desk::new();
    for ending in ["pdf", "html"] {
        desk.put(&format!("n.{ending}"), "<BIF/>");
        let message = desk.bad(&format!("check n.{ending}"), 2);
        assert!(
            message.starts_with(&format!("n.{ending}: the ending .{ending} is not supported")),
            "{message}"
        );
        assert!(message.contains(".bif, .xmlbif, .xml, .net, .json"), "{message}");
        let message = desk.bad(&format!("convert @asia -o out.{ending}"), 2);
        assert!(
            message.contains("ends in .bif, .xmlbif, .xml, .net, .json, .dot, .csv, .graphml or .svg"),
            "{message}"
        );
    }
    desk.put("g.graphml", "<graphml/>");
    assert!(desk.bad("check g.graphml", 2).starts_with("g.graphml: GraphML is written and not read"));
    desk.put("g.svg", "<svg/>");
    assert!(desk.bad("check g.svg", 2).starts_with("g.svg: SVG is written and not read"));
}

#[test]
fn full_formats_hold_the_same_network() {
    let desk = Desk::new();
    desk.good("convert @insurance -o a.bif -o a.xmlbif -o a.xml.gz -o a.net -o a.json -o a.graphml -q");
    for (file, how) in
        [("a.xmlbif", ""), ("a.xml.gz", ""), ("a.net", ""), ("a.json", ""), ("a.net", " --from net")]
    {
        desk.good(&format!("convert {file}{how} -o again.bif -q"));
        assert_eq!(desk.text("again.bif"), desk.text("a.bif"), "{file}");
    }
    let answer = desk.good("query a.bif --target PropCost --given Age=Adolescent --json");
    assert_eq!(
        desk.good("query a.net --target PropCost --given Age=Adolescent --json").replace("a.net", "a.bif"),
        answer
    );
    desk.good("convert a.xmlbif -o plain.txt --format net -q");
    assert_eq!(desk.text("plain.txt"), desk.text("a.net"));
    assert!(desk.good("check plain.txt --format net").contains("a sound network"));
    desk.put("e.xml", "<!DOCTYPE BIF [\n<!ENTITY n \"A\"> ]>\n<BIF/>");
    assert!(desk.bad("check e.xml", 2).starts_with("e.xml:2:1: entity declarations are refused"));
    desk.put("d.net", "net { }\ndecision D { states = (\"a\"); }\n");
    assert!(desk.bad("check d.net", 2).starts_with("d.net:2:10: 'D' is a node of the kind 'decision'"));
    // A name that XML cannot hold leaves no file behind.
    desk.put(
        "c.bif",
        "variable \"a\u{1}\" { type discrete [ 1 ] { x }; }\nprobability ( \"a\u{1}\" ) { table 1; }\n",
    );
    assert!(desk.bad("convert c.bif -o c.xmlbif", 2).contains("U+0001, which XML cannot hold"));
}

#[test]
fn limits_refuse_with_their_own_code() {
    let desk = Desk::new();
    desk.good("convert @insurance -o i.bif -q");
    let message = desk.bad("check i.bif --memory-limit 2K", 3);
    assert!(message.starts_with("i.bif: has more than the limit of 2048 bytes"), "{message}");
    let parents: Vec<String> = (0..30).map(|i| format!("p{i}")).collect();
    let mut wide = String::new();
    for name in parents.iter().map(String::as_str).chain(["X"]) {
        wide.push_str(&format!("variable {name} {{ type discrete [ 2 ] {{ t, f }}; }}\n"));
    }
    wide.push_str(&format!("probability ( X | {} ) {{ default 0.5, 0.5; }}\n", parents.join(", ")));
    desk.put("wide.bif", &wide);
    let message = desk.bad("check wide.bif", 3);
    assert!(
        message.starts_with("wide.bif:32:15: the table of 'X'") && message.contains("2147483648"),
        "{message}"
    );
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    packer.write_all(&vec![b' '; 80 << 20]).unwrap();
    desk.put("bomb.bif.gz", packer.finish().unwrap());
    let message = desk.bad("check bomb.bif.gz", 3);
    assert!(message.contains("unpacks to more than the limit"), "{message}");
    // A structure whose table would not fit is refused by fit as well, before anything is counted.
    desk.good("sample @asia -n 100 -o rows.csv -q");
    let message = desk.bad("fit @asia rows.csv -o out.bif --memory-limit 100", 3);
    assert!(message.contains("limit"), "{message}");
}

#[test]
fn names_from_files_cannot_move_the_cursor() {
    let desk = Desk::new();
    let text = RAIN.replace("hose", "\"ho\u{1b}[31mse\u{202e}\"");
    desk.put("odd.bif", &text);
    desk.put("rain.bif", RAIN);
    let shown = desk.good("check odd.bif")
        + &desk.good("compare rain.bif odd.bif")
        + &desk.good("compare odd.bif rain.bif");
    assert!(shown.contains("ho\\u{1b}[31mse\\u{202e}"), "{shown}");
    assert!(!shown.contains(['\u{1b}', '\u{202e}']), "{shown}");
    desk.put("bad.bif", text.replace("table 0.2", "table 0.3"));
    assert!(!desk.bad("check bad.bif", 2).contains('\u{1b}'));
    desk.put("rows.csv", "rain,wet\nyes,yes\n");
    let message = desk.bad("score odd.bif rows.csv", 2);
    assert!(message.contains("no column for node 'ho\\u{1b}[31mse\\u{202e}'"), "{message}");
}

#[test]
fn sample_draws_the_same_rows_wherever_they_go() {
    let desk = Desk::new();
    let rows = desk.good("sample @asia -n 40000 --seed 7");
    assert_eq!(rows.lines().count(), 40_001);
    assert!(rows.starts_with("asia,tub,smoke,lung,bronc,either,xray,dysp\n"), "{}", &rows[..60]);
    assert!(rows.lines().skip(1).all(|row| row.split(',').all(|cell| cell == "yes" || cell == "no")));
    desk.good("sample @asia -n 40000 --seed 7 --threads 2 -o rows.csv");
    assert_eq!(desk.text("rows.csv"), rows);
    desk.good("sample @asia -n 40000 --seed 7 -o rows.csv.gz");
    assert_eq!(gunzip(&fs::read(desk.path("rows.csv.gz")).unwrap()), rows.as_bytes());
    assert_ne!(desk.good("sample @asia -n 40000 --seed 8"), rows);
    let document = desk.json("sample @asia -n 20000 --seed 7 --json");
    let drawn = document["rows"].as_array().unwrap();
    assert_eq!((drawn.len(), &document["seed"]), (20_000, &7.into()));
    for (drawn, row) in drawn.iter().zip(rows.lines().skip(1)) {
        let cells: Vec<&str> = drawn.as_array().unwrap().iter().map(|cell| cell.as_str().unwrap()).collect();
        assert_eq!(cells.join(","), row);
    }
    assert_eq!(desk.json("sample @asia -n 9 -o few.csv --json")["file"], "few.csv");
    insta::assert_snapshot!(desk.seen("sample @asia -n 3 -o few.csv") + &desk.text("few.csv"));
}

#[test]
fn sample_refuses_what_it_cannot_write() {
    let desk = Desk::new();
    assert!(desk.bad("sample @asia -n 0", 2).contains("--rows"));
    assert!(desk.bad("sample @asia -n 5 -o rows.parquet", 2).contains(".csv or .csv.gz"));
    assert!(desk.bad("sample @asia -n 5 -o no/rows.csv", 1).contains("no/rows.csv: cannot write here"));
    // No file of that name, which a pipe would wait for in vain.
    assert!(desk.bad("sample @asia -n 5 -o -", 2).contains("standard output is /dev/stdout"));
    desk.put("g.dot", "digraph { a -> b }");
    assert!(desk.bad("sample g.dot -n 5 -o rows.csv", 2).contains("graph without probabilities"));
}

#[test]
fn labels_that_need_quotes_come_back() {
    let desk = Desk::new();
    desk.put("rain.bif", RAIN.replace("yes", "\"yes, \\\"very\\\"\"").replace("rain", "\"a rain\""));
    desk.good("sample rain.bif -n 500 -o rows.csv -q");
    let scored = desk.json("score rain.bif rows.csv --json");
    assert_eq!((&scored["scored_rows"], &scored["impossible_rows"]), (&500.into(), &0.into()));
}

#[test]
fn conversions_keep_every_digit() {
    let desk = Desk::new();
    for name in ["alarm", "insurance", "hailfinder"] {
        desk.good(&format!("convert @{name} -o a.bif -o a.bif.gz -o a.json -o a.dot -o a.csv -q"));
        desk.good("convert a.json -o b.bif -q");
        desk.good("convert b.bif -o b.json -q");
        desk.good("convert a.bif.gz -o c.bif -q");
        assert_eq!(desk.text("b.bif"), desk.text("a.bif"));
        assert_eq!(desk.text("c.bif"), desk.text("a.bif"));
        assert_eq!(desk.text("b.json"), desk.text("a.json"));
        for graph in ["a.dot", "a.csv", "a.json"] {
            let same = desk.json(&format!("compare @{name} {graph} --json"));
            assert_eq!((&same["shd"], &same["kernel"]), (&0.into(), &1.0.into()), "{name} {graph}");
        }
    }
    fs::create_dir(desk.path("run")).unwrap();
    fs::copy(desk.path("a.json"), desk.path("run/network.json")).unwrap();
    assert_eq!(desk.json("check run --json")["name"], "hailfinder");
}

#[test]
fn conversions_are_whole_or_nothing() {
    let desk = Desk::new();
    desk.put("g.dot", "digraph { a -> b; lonely }");
    desk.put("old.bif", "precious");
    let message = desk.bad("convert g.dot -o h.dot -o old.bif", 2);
    assert!(message.contains("without probabilities"), "{message}");
    assert_eq!(desk.text("old.bif"), "precious");
    desk.bad("convert missing.bif -o old.bif", 2);
    assert_eq!(desk.text("old.bif"), "precious");
    insta::assert_snapshot!(
        desk.seen("convert g.dot -o e.csv -o h.dot") + &desk.text("e.csv") + &desk.text("h.dot")
    );
    let document = desk.json("convert g.dot -o h.dot --json");
    assert_eq!((&document["nodes"], &document["files"][0]), (&3.into(), &"h.dot".into()));
}

const LEARNED: &str = "parent,child\nasia,tub\nsmoke,lung\nbronc,smoke\neither,tub\neither,xray\nlung,either\nbronc,dysp\nspare,dysp\n";

#[test]
fn compare_shows_every_figure() {
    let desk = Desk::new();
    desk.put("learned.csv", LEARNED);
    desk.good("sample @asia -n 2000 -o rows.csv -q");
    desk.good("fit @asia rows.csv -o asia.bif -q");
    insta::assert_snapshot!(
        ["compare @asia learned.csv", "compare @asia asia.bif --table rows.csv"]
            .map(|line| desk.seen(line))
            .join("\n")
    );
    let document = desk.json("compare @asia learned.csv --json");
    for key in ["kernel", "walk_kernel", "shd", "cpdag_shd", "sid"] {
        assert!(document[key].is_number(), "{key}");
    }
    for key in ["skeleton", "directed"] {
        for rate in ["precision", "recall", "f1"] {
            assert!(document[key][rate].is_number(), "{key} {rate}");
        }
    }
    assert_eq!(document["only_in_learned"][0], "spare");
    assert_eq!(document["turned"].as_array().unwrap().len(), 2);
    let message = desk.bad("compare asia.bif learned.csv --table rows.csv --json", 2);
    assert!(message.starts_with("learned.csv: node 'spare' is not among the variables"), "{message}");
    let fit = &desk.json("compare @asia asia.bif --table rows.csv --json")["table"];
    assert!(
        fit["learned"]["log_likelihood_per_row"].as_f64() > fit["truth"]["log_likelihood_per_row"].as_f64()
    );
}

#[test]
fn compare_refuses_what_it_cannot_score() {
    let desk = Desk::new();
    desk.put("learned.csv", LEARNED);
    desk.put("g.dot", "digraph { smoke -> lung }");
    desk.put("rows.csv", "a,b\n1,2\n");
    let message = desk.bad("compare g.dot learned.csv --table rows.csv", 2);
    assert!(message.contains("graphs alone"), "{message}");
    assert!(desk.bad("compare @asia rows.csv", 2).starts_with("rows.csv:1:1: expected a header"));
    let message = desk.bad("compare @asia @cancer", 2);
    assert!(message.starts_with("@asia: it shares no node with @cancer, so the two cannot be compared: "));
    assert!(
        message.contains("@asia has 'asia', ") && message.contains("@cancer has 'Pollution', "),
        "{message}"
    );
    // To have found nothing is a result.
    desk.put("nothing.csv", "parent,child\n");
    assert_eq!(desk.json("compare @asia nothing.csv --json")["shd"], 8);
}

/// A small table with a number, a gap and a column that is no node.
fn people() -> String {
    let mut text = String::from("smoker,age,ill,note\n");
    for i in 0..200u32 {
        let (smoker, age) = (i % 3 == 0, 20 + (i * 37) % 60);
        let ill = smoker && age > 40 || i % 17 == 0;
        let ill = if i % 50 == 7 {
            ""
        } else if ill {
            "yes"
        } else {
            "no"
        };
        text.push_str(&format!("{},{age},{ill},n{}\n", if smoker { "yes" } else { "no" }, i % 5));
    }
    text
}

#[test]
fn fit_a_graph_to_a_table_and_score_with_the_kept_coding() {
    let desk = Desk::new();
    desk.put("people.csv", people());
    desk.put("g.dot", "digraph { smoker -> ill; age -> ill }");
    insta::assert_snapshot!(
        [
            "fit g.dot people.csv -o ill.json -o ill.bif --prior bdeu --ess 2",
            "score ill.json people.csv --top 4"
        ]
        .map(|line| desk.seen(line))
        .join("\n")
    );
    // The JSON network knows how ages become states; the BIF network knows only their labels.
    let scored = desk.json("score ill.json people.csv --json");
    assert_eq!((&scored["scored_rows"], &scored["complete_rows"]), (&200.into(), &196.into()));
    assert!((scored["log_likelihood_per_row"].as_f64().unwrap() + 2.4).abs() < 0.3, "{scored}");
    let refused = desk.run("score ill.bif people.csv");
    assert_eq!(refused.status.code(), Some(2));
    let told = stderr(&refused);
    assert!(
        told.contains("column 'age': no cell holds a state") && told.contains("keeps no cut points"),
        "{told}"
    );
    // New rows from standard input, cut like the first.
    let mut command = desk.command("score ill.json - --json");
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"ill,age,smoker\nyes,999,no\n").unwrap();
    let answer: Value = serde_json::from_slice(&child.wait_with_output().unwrap().stdout).unwrap();
    assert_eq!((&answer["table"], &answer["scored_rows"]), (&"standard input".into(), &1.into()));
    // Fitting the fitted network again changes nothing: same states, same counts.
    desk.good("fit ill.json people.csv -o again.json --prior bdeu --ess 2 -q");
    assert_eq!(desk.text("again.json"), desk.text("ill.json"));
}

#[test]
fn fit_counts_by_label_and_reports_the_rest() {
    let desk = Desk::new();
    desk.put("rain.bif", RAIN);
    desk.put("rows.csv", "wet,hose,rain,other\nyes,off,yes,1\nno,off,no,2\nno,broken,no,3\n,on,no,4\n");
    insta::assert_snapshot!(
        desk.seen("fit rain.bif rows.csv -o out.bif --prior mle") + &desk.text("out.bif")
    );
    let document = desk.json("fit rain.bif rows.csv -o out.json --alpha 0.5 --json");
    assert_eq!((&document["rows"], &document["complete_rows"]), (&4.into(), &2.into()));
    assert_eq!(document["prior"]["laplace"]["alpha"], 0.5);
}

#[test]
fn fit_refuses_what_does_not_belong_together() {
    let desk = Desk::new();
    desk.put("people.csv", people());
    desk.put("g.dot", "digraph { smoker -> il }");
    let message = desk.bad("fit g.dot people.csv -o out.bif", 2);
    assert_eq!(message, "people.csv: there is no column for node 'il' of the structure; did you mean 'ill'?");
    desk.put(
        "c.csv",
        people()
            .replace("n0", "n")
            .replace("n1", "n")
            .replace("n2", "n")
            .replace("n3", "n")
            .replace("n4", "n"),
    );
    desk.put("g.dot", "digraph { smoker -> note }");
    let message = desk.bad("fit g.dot c.csv -o out.bif", 2);
    assert!(
        message.starts_with("c.csv: column 'note' is a node of the structure, but cannot be used"),
        "{message}"
    );
    desk.put("h.csv", "smoker,ill\n");
    assert!(desk.bad("fit @asia h.csv -o out.bif", 2).contains("there is no column for node 'asia'"));
    assert!(
        desk.bad("fit g.dot people.csv -o out.bif --prior mle --prior-weight 2", 2)
            .contains("prior-weight is 2")
    );
    assert!(desk.bad("fit g.dot people.csv -o out.bif --prior-weight -1", 2).contains("prior-weight is -1"));
    assert!(desk.bad("fit g.dot people.csv -o out.bif --alpha 0", 2).contains("above 0"));
    assert!(desk.bad("fit g.dot people.csv", 2).contains("--output"));
}

#[test]
fn a_learned_run_is_a_model() {
    let desk = Desk::new();
    desk.put("people.csv", people());
    desk.good("learn people.csv --run run -q");
    let scored = desk.json("score run people.csv --json");
    assert_eq!(
        (&scored["scored_rows"], &scored["complete_rows"]),
        (&200.into(), &196.into()),
        "ages are cut as learned, and four rows have a gap"
    );
    assert_eq!(desk.json("compare run run/network.bif --json")["shd"], 0);
    assert_eq!(desk.json("check run --json")["model"], "run/network.json");
    assert_eq!(desk.good("sample run -n 10").lines().count(), 11);
}

#[test]
fn score_points_at_the_cell_that_surprises() {
    let desk = Desk::new();
    desk.put("rain.bif", RAIN);
    desk.put("rows.csv", "rain,hose,wet\nno,off,no\nyes,off,no\nno,on,yes\nyes,on,yes\nno,?,no\n");
    insta::assert_snapshot!(
        desk.seen("score rain.bif rows.csv -o surprise.csv") + &desk.text("surprise.csv")
    );
    let document = desk.json("score rain.bif rows.csv --json --top 2");
    assert_eq!((&document["impossible_rows"], &document["log_likelihood"]), (&1.into(), &Value::Null));
    let surprising = document["surprising"].as_array().unwrap();
    assert_eq!(surprising.len(), 2);
    assert_eq!((&surprising[0]["row"], &surprising[0]["column"]), (&4.into(), &"hose".into()));
    assert_eq!((&surprising[1]["row"], &surprising[1]["column"]), (&2.into(), &"wet".into()));
    assert_eq!(surprising[1]["given"], serde_json::json!(["rain=yes", "hose=off"]));
    assert!(
        (document["log_likelihood_of_possible_rows"].as_f64().unwrap()
            - (0.8f64 * 0.6).ln()
            - (0.2f64 * 0.1).ln()
            - (0.8f64 * 0.4 * 0.8).ln()
            - (0.8f64 * 0.6 + 0.8 * 0.4 * 0.2).ln())
        .abs()
            < 1e-9
    );
}

#[test]
fn a_column_without_any_state_is_told_of_and_unknown_however_long_it_is() {
    let desk = Desk::new();
    desk.put("rain.bif", RAIN);
    for rows in [1, 2, 20] {
        desk.put("strange.csv", "rain,hose,wet\n".to_string() + &"1,on,no\n".repeat(rows));
        desk.put("gaps.csv", "rain,hose,wet\n".to_string() + &",on,no\n".repeat(rows));
        let told = stderr(&desk.run("score rain.bif strange.csv"));
        let said = "column 'rain': no cell holds a state of the network's variable (expected yes, no): it counts as missing";
        assert!(told.contains(said), "{rows}: {told}");
        let likelihood =
            |table| desk.json(&format!("score rain.bif {table} --json"))["log_likelihood"].clone();
        assert_eq!(likelihood("strange.csv"), likelihood("gaps.csv"));
    }
}

#[test]
fn score_refuses_rows_it_cannot_use() {
    let desk = Desk::new();
    desk.put("rain.bif", RAIN);
    desk.put("none.csv", "rain,hose,wet\n,,\n,,\n");
    assert!(
        desk.bad("score rain.bif none.csv", 2).ends_with("none.csv: no cell holds a state of the network")
    );
    desk.put("head.csv", "rain,hose,wet\n");
    assert_eq!(
        desk.bad("score rain.bif head.csv", 2),
        "head.csv: no data rows: there is nothing below the names of the columns"
    );
    assert!(desk.bad("score rain.bif head.csv --ess 0", 2).starts_with("ess is 0"));
    desk.put("ragged.csv", "rain,hose,wet\nyes,off\n");
    assert!(desk.bad("score rain.bif ragged.csv", 2).starts_with("ragged.csv:2:"));
}
