//! The page about a run: written by every run, made again by `report`, and refused where a folder is not one.

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn run_in(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_clausality"));
    command.args(args).current_dir(folder).env("COLUMNS", "80").stdin(Stdio::null());
    command.output().unwrap()
}

#[track_caller]
fn good(folder: &Path, args: &[&str]) -> String {
    let output = run_in(folder, args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The one `error:` line of bad input.
#[track_caller]
fn bad(folder: &Path, args: &[&str]) -> String {
    let output = run_in(folder, args);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{args:?}: {text}");
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with("warning: ")).collect();
    assert!(matches!(lines.as_slice(), [one] if one.starts_with("error: ")), "{args:?}: {lines:?}");
    lines[0].to_string()
}

/// A table with an id, gaps, and two columns that go together.
fn shop(rows: usize) -> String {
    let mut text = String::from("id,size,price,\"colour, outer\"\n");
    for k in 0..rows {
        let size = ["S", "M", "L"][k * 7 % 3];
        let price = match (size, k % 10) {
            (_, 0) => "",
            ("S", _) => "low",
            ("M", 1..=7) => "low",
            _ => "high",
        };
        let colour = if k * k % 13 < 6 { "red" } else { "<blue>" };
        text.push_str(&format!("x{k},{size},{price},{colour}\n"));
    }
    text
}

/// A folder with a table and a run of it.
fn desk() -> tempfile::TempDir {
    let desk = tempfile::tempdir().unwrap();
    fs::write(desk.path().join("the shop.csv"), shop(400)).unwrap();
    good(
        desk.path(),
        &["learn", "the shop.csv", "--run", "run", "--rounds", "2", "--unobserved", "price", "-q"],
    );
    desk
}

/// What a reader sees: the page without tags and style, a line for every block.
fn text_of(page: &str) -> String {
    let body = &page[page.find("<body").unwrap()..];
    // What runs at its end has tests of its own, too.
    let body = &body[..body.find("<script").unwrap_or(body.len())];
    // The picture has tests of its own.
    let picture =
        body.find("<svg xmlns").map_or(0..0, |start| start..start + body[start..].find("</svg>").unwrap());
    let body = format!("{}{}", &body[..picture.start], &body[picture.end..]);
    let mut text = String::new();
    for piece in body.split('<').skip(1) {
        let (tag, words) = piece.split_once('>').unwrap();
        let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap();
        if ["h1", "h2", "h3", "h4", "p", "tr", "li", "summary", "dt", "pre", "br", "div", "svg", "g"]
            .contains(&name)
        {
            // A term and what it is stand on one line.
            text.push_str(if tag == "/dt" { "" } else { "\n" });
        } else if ["td", "th", "dd"].contains(&name) && !tag.starts_with('/') {
            text.push_str(" | ");
        }
        text.push_str(words);
    }
    for (sign, character) in [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")]
    {
        text = text.replace(sign, character);
    }
    let lines = text.lines().map(|line| line.trim().trim_start_matches("| ")).filter(|line| !line.is_empty());
    // The time it took is never the same.
    let timeless = lines.map(|line| if line.starts_with("Time | ") { "Time | …" } else { line });
    timeless.collect::<Vec<_>>().join("\n")
}

#[test]
fn the_page_of_a_run_is_made_again_byte_for_byte() {
    let desk = desk();
    let at = desk.path();
    let written = fs::read_to_string(at.join("run/report.html")).unwrap();
    assert_eq!(good(at, &["report", "run"]), written);
    let told: Value =
        serde_json::from_str(&good(at, &["report", "run", "-o", "page.html", "--json"])).unwrap();
    assert_eq!((&told["file"], &told["bytes"]), (&"page.html".into(), &written.len().into()));
    assert_eq!(fs::read_to_string(at.join("page.html")).unwrap(), written);
    // The page may be made anew where it stands.
    good(at, &["report", "run", "-o", "run/report.html"]);
    assert_eq!(fs::read_to_string(at.join("run/report.html")).unwrap(), written);
    insta::assert_snapshot!("the_page_in_words", text_of(&written));

    // The demo knows the truth, and its folder keeps it.
    good(at, &["demo", "asia", "--rows", "600", "--rounds", "1", "-q"]);
    for folder in ["clausality-demo", "clausality-demo/paper"] {
        let written = fs::read_to_string(at.join(folder).join("report.html")).unwrap();
        assert!(written.contains("id=\"truth\"") && written.contains("The true network is @asia"));
        assert!(good(at, &["report", folder]) == written, "{folder}");
    }
}

#[test]
fn the_page_says_how_the_run_is_made_again() {
    let desk = desk();
    let at = desk.path();
    fs::write(at.join("tiers.txt"), "size\n\"colour, outer\",price\n").unwrap();
    let options = [
        "--rounds",
        "1",
        "--na",
        "-",
        "--tiers",
        "tiers.txt",
        "--parameter",
        "size",
        "--score",
        "bic",
        "--seed",
        "7",
    ];
    good(at, &[&["learn", "the shop.csv", "--run", "first", "-q"], &options[..]].concat());
    let text = text_of(&fs::read_to_string(at.join("first/report.html")).unwrap());
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("printf ") || line.starts_with("clausality learn "))
        .collect();
    let program = Path::new(env!("CARGO_BIN_EXE_clausality")).parent().unwrap();
    let script = format!("PATH={}:$PATH\n{} --run second -q", program.display(), lines.join("\n"));
    if cfg!(unix) {
        let output = Command::new("sh").args(["-c", &script]).current_dir(at).output().unwrap();
        assert!(output.status.success(), "{script}: {}", String::from_utf8_lossy(&output.stderr));
        for file in ["network.bif", "edges.csv", "strengths.csv", "clauses.json"] {
            let [first, second] = ["first", "second"].map(|run| fs::read(at.join(run).join(file)).unwrap());
            assert!(first == second, "{file}: {script}");
        }
    }
}

#[test]
fn the_truth_is_named_or_there_is_none() {
    let desk = desk();
    let at = desk.path();
    assert!(!good(at, &["report", "run"]).contains("id=\"truth\""));
    fs::write(at.join("truth.csv"), "parent,child\nprice,size\nprice,<cost>\n").unwrap();
    let text = text_of(&good(at, &["report", "run", "--truth", "truth.csv"]));
    assert!(text.contains("The true network is truth.csv, with 2 arcs; the learned one has 1."), "{text}");
    assert!(text.contains("Missing: 1 arc in the truth only\nprice → <cost>"), "{text}");
    assert!(text.contains("Variables that only the truth has\n<cost>"), "{text}");
    assert!(bad(at, &["report", "run", "--truth", "@nowhere"]).contains("nowhere"));
    // A truth about something else would only be wrong everywhere.
    let other = bad(at, &["report", "run", "--truth", "@cancer", "-o", "other.html"]);
    assert!(other.contains(
        "@cancer: it shares no node with run, so the two cannot be compared: @cancer has 'Pollution', "
    ));
    assert!(other.contains("; run has ") && other.contains("'price'"), "{other}");
    assert!(!at.join("other.html").exists());
    fs::write(at.join("one.csv"), "parent,child\nprice,other\n").unwrap();
    let one = bad(at, &["report", "run", "--truth", "one.csv"]);
    assert!(one.contains("one.csv: it shares only 'price' with run, so"), "{one}");
}

#[test]
fn learn_writes_a_page_by_its_ending() {
    let desk = desk();
    let at = desk.path();
    good(at, &["learn", "the shop.csv", "-o", "page.html", "-o", "net.bif", "--rounds", "2", "-q"]);
    let page = fs::read_to_string(at.join("page.html")).unwrap();
    assert!(
        page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n") && at.join("net.bif").is_file()
    );
    assert!(bad(at, &["convert", "run", "-o", "net.html"]).contains(".html"));
}

#[test]
fn what_is_no_run_has_no_page() {
    let desk = desk();
    let at = desk.path();
    let path = |name: &str| at.join("run").join(name);
    assert!(bad(at, &["report", "nowhere", "-o", "p.html"]).contains("nowhere: this is no run folder"));
    assert!(bad(at, &["report", "the shop.csv", "-o", "p.html"]).contains("it is a file"));
    assert!(bad(at, &["report", "run", "-o", "p.pdf"]).contains("p.pdf: a report is written as .html"));
    assert!(bad(at, &["report", "run", "--json"]).contains("-o FILE.html"));
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("run/run.json", at.join("link.html")).unwrap();
        assert!(bad(at, &["report", "run", "-o", "link.html"]).contains("is an input of the command"));
    }
    let run = fs::read_to_string(path("run.json")).unwrap();
    let unnamed: String = run.split_inclusive('\n').filter(|line| !line.contains("\"id\": \"")).collect();
    for (content, part) in [
        (run.replace("clausality-run/1", "clausality-run/9"), "clausality-run/9"),
        (run[..run.len() / 2].to_string(), "run/run.json:"),
        (run.replacen("\"rows\": ", "\"rows\": -", 1), "damaged: invalid value"),
        (run.replace("\"size\"", "\"sise\""), "run.json is not as the run wrote it"),
        // As versions wrote it that gave no id.
        (unnamed, "network.json belongs to another run"),
    ] {
        fs::write(path("run.json"), content).unwrap();
        let line = bad(at, &["report", "run", "-o", "p.html"]);
        assert!(line.contains(part), "{line}");
    }
    fs::remove_file(path("run.json")).unwrap();
    assert!(bad(at, &["report", "run", "-o", "p.html"]).contains("it has no run.json"));
    assert!(!at.join("p.html").exists());
}

/// What is printed last can be typed as it stands, whatever the folder is called.
#[test]
#[cfg(unix)]
fn learn_and_demo_end_with_what_to_do_next() {
    let desk = desk();
    let at = desk.path();
    let options = ["--rounds", "1", "-q"];
    let learned = good(at, &[&["learn", "the shop.csv", "--run", "my run"], &options[..]].concat());
    let shown = good(at, &[&["demo", "asia", "--rows", "400", "--run", "demo run"], &options[..]].concat());
    let program = Path::new(env!("CARGO_BIN_EXE_clausality")).parent().unwrap();
    for (text, label) in [(learned, "Next"), (shown, "next")] {
        let lines: Vec<&str> = text.lines().skip_while(|line| !line.starts_with(label)).collect();
        let commands: Vec<&str> = lines.iter().map(|line| line.trim_start_matches(label).trim()).collect();
        let [explore, query, explain] = commands[..] else { panic!("{commands:?}") };
        assert!(explore.starts_with("clausality explore '") && explore.ends_with(" run'"), "{explore}");
        assert!(query.contains(" --target ") && explain.contains(" --node "), "{query}, {explain}");
        for command in [query, explain] {
            let script = format!("PATH={}:$PATH {command}", program.display());
            let output = Command::new("sh").args(["-c", &script]).current_dir(at).output().unwrap();
            assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
        }
    }
}

/// What was kept in the explorer stands on the page, and what rows mark where a table is named; the run's own page knows of neither.
#[test]
fn scenarios_and_marks_stand_beside_the_run() {
    let desk = desk();
    let at = desk.path();
    let alone = good(at, &["report", "run"]);
    let run: Value = serde_json::from_str(&fs::read_to_string(at.join("run/network.json")).unwrap()).unwrap();
    let node = &run["nodes"][0];
    let (name, state) = (node["name"].as_str().unwrap(), node["states"][0].as_str().unwrap());
    let escaped = |text: &str| text.bytes().map(|byte| format!("%{byte:02X}")).collect::<String>();
    let text = format!("do:{}={}", escaped(name), escaped(state));
    let kept = serde_json::json!({ "format": "clausality-explorer/1", "scenarios": [{ "name": "<b>what if</b>", "text": text }, { "name": "gone", "text": "see:nobody=yes" }] });
    fs::write(at.join("run/explorer.json"), kept.to_string()).unwrap();
    let page = good(at, &["report", "run"]);
    assert!(
        page.contains("<a href=\"#scenarios\">What if</a>") && page.contains("&lt;b&gt;what if&lt;/b&gt;"),
        "{page}"
    );
    assert!(page.contains("<b>gone</b>: this network does not have nobody = yes"), "{page}");
    fs::write(at.join("run/explorer.json"), "notes of mine").unwrap();
    assert_eq!(good(at, &["report", "run"]), alone, "notes that cannot be read are left out");
    fs::remove_file(at.join("run/explorer.json")).unwrap();
    let table = fs::read_dir(at)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.extension().is_some_and(|ending| ending == "csv"))
        .unwrap();
    let page = good(at, &["report", "run", "--table", table.to_str().unwrap()]);
    assert!(page.contains("<section id=\"outside\">") && page.contains("ask for a common cause"), "{page}");
}
