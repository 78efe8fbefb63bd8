//! Learning from the command line: options and configuration, run folders, explanations, the demo.

use crate::ran::{stderr, stdout};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn run_in(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_clausality"));
    command.args(args).current_dir(folder).env("COLUMNS", "80").stdin(Stdio::null());
    command.output().unwrap()
}

/// What a successful command printed.
#[track_caller]
fn text(folder: &Path, args: &[&str]) -> String {
    let output = run_in(folder, args);
    assert!(output.status.success(), "{args:?}: {}", stderr(&output));
    let text = stdout(&output);
    if !args.contains(&"--json") {
        let wide = text.lines().find(|line| line.chars().count() > 80);
        assert_eq!(wide, None, "{args:?}: fits eighty columns");
    }
    text
}

#[track_caller]
fn json(folder: &Path, args: &[&str]) -> Value {
    serde_json::from_str(&text(folder, &[args, &["--json"]].concat())).unwrap()
}

/// The one `error:` line of bad input.
#[track_caller]
fn refusal(folder: &Path, args: &[&str]) -> String {
    let output = run_in(folder, args);
    assert_eq!(output.status.code(), Some(2), "{args:?}: {}", stderr(&output));
    let lines: Vec<String> =
        stderr(&output).lines().filter(|l| !l.starts_with("warning: ")).map(String::from).collect();
    assert!(matches!(lines.as_slice(), [one] if one.starts_with("error: ")), "{lines:?}");
    lines[0].clone()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// A folder with 1,500 rows of asia in `asia.csv`.
fn asia() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    text(folder.path(), &["sample", "@asia", "-n", "1500", "-o", "asia.csv"]);
    folder
}

fn arcs(run: &Value) -> Vec<(String, String)> {
    let end = |arc: &Value, key: &str| arc[key].as_str().unwrap().to_string();
    run["arcs"].as_array().unwrap().iter().map(|arc| (end(arc, "parent"), end(arc, "child"))).collect()
}

const FILES: [&str; 7] =
    ["clauses.json", "edges.csv", "network.bif", "network.json", "report.html", "run.json", "strengths.csv"];

#[test]
fn repeated_learning_tells_how_sure_every_arc_is() {
    let folder = asia();
    let at = folder.path();
    let learn = ["learn", "asia.csv", "--rounds", "1", "--run", "run", "--bootstrap", "8"];
    let run = json(at, &learn);
    assert_eq!((&run["bootstrap"]["rounds"], &run["bootstrap"]["threshold"]), (&8.into(), &0.5.into()));
    for arc in run["arcs"].as_array().unwrap() {
        let joined = arc["confidence"].as_f64().unwrap();
        assert!((0.0..=1.0).contains(&joined) && (joined * 8.0).fract() == 0.0, "{arc}");
    }
    assert!(names(&at.join("run")).contains(&"consensus.json".to_string()));
    let found = json(at, &["compare", "@asia", "run/consensus.json"]);
    assert!(found["skeleton"]["f1"].as_f64().unwrap() > 0.7);
    // The same bytes whatever the number of threads, but for the time it took.
    let timeless = |mut run: Value| {
        run["seconds"] = Value::Null;
        run
    };
    let threads = |count| json(at, &[&learn[..], &["--threads", count]].concat());
    assert_eq!(timeless(threads("1")), timeless(threads("3")));
    let printed = text(at, &learn);
    assert!(printed.contains("Learned again from 8 tables of rows drawn anew"), "{printed}");
    assert!(printed.contains("Consensus of pairs joined in at least 50% of them"), "{printed}");
    // A later run without repetitions leaves no consensus of an earlier one.
    text(at, &learn[..6]);
    assert_eq!(names(&at.join("run")), FILES);
}

#[test]
fn a_run_folder_holds_everything_and_is_a_model() {
    let folder = asia();
    let at = folder.path();
    for profile in ["hybrid", "paper"] {
        let args =
            ["learn", "asia.csv", "--profile", profile, "--rounds", "1", "--run", "out/run", "--top", "4"];
        let printed = json(at, &args);
        let run = at.join("out/run");
        assert_eq!(names(&run), FILES);
        let kept: Value = serde_json::from_slice(&fs::read(run.join("run.json")).unwrap()).unwrap();
        assert_eq!(printed, kept);
        for key in ["nodes", "arcs", "targets", "score", "seconds", "params", "seed", "version", "trace"] {
            assert!(!printed[key].is_null(), "{key}");
        }
        for arc in printed["arcs"].as_array().unwrap() {
            let keys =
                ["parent", "child", "compelled", "strength", "confidence", "share", "hit_rate", "gain"];
            assert!(keys.iter().all(|key| arc.get(key).is_some()), "{arc}");
            assert!(arc["gain"].is_f64() && arc["strength"].is_f64());
        }
        let target = &printed["targets"][1];
        assert!(target["accuracy"].is_f64() && target["signal"].is_boolean() && target["name"] == "bronc");
        assert_eq!(target["top"].as_array().unwrap().len(), 4);
        assert!(["feature", "strength", "share"].iter().all(|key| target["top"][0].get(key).is_some()));
        let edges = fs::read_to_string(run.join("edges.csv")).unwrap();
        assert!(edges.starts_with("parent,child,"), "{edges}");
        assert_eq!(edges.lines().count(), printed["arcs"].as_array().unwrap().len() + 1);
        let strengths = fs::read_to_string(run.join("strengths.csv")).unwrap();
        assert!(strengths.starts_with("target,feature,rank,strength,share,"));
        assert_eq!(strengths.lines().count(), 8 * 7 + 1);
        let clauses: Value = serde_json::from_slice(&fs::read(run.join("clauses.json")).unwrap()).unwrap();
        assert_eq!(clauses["format"], "clausality-clauses/1");
        let clause = &clauses["targets"][2]["clauses"][0];
        for key in ["when", "then", "weight", "weights", "support", "precision"] {
            assert!(!clause[key].is_null(), "{key}");
        }
        let made = &json(at, &["compare", "@asia", "out/run"])["skeleton"]["f1"];
        assert!(made.as_f64().unwrap() > 0.5, "{profile}: {made}");
        text(at, &["check", "out/run"]);
        text(at, &["score", "out/run", "asia.csv"]);
    }
}

#[test]
fn nodes_and_arcs_are_explained_in_words() {
    let folder = asia();
    let at = folder.path();
    text(at, &["learn", "asia.csv", "--run", "run", "--require", "bronc>dysp"]);
    let node = text(at, &["explain", "run", "--node", "dysp"]);
    assert!(node.contains("dysp = yes when") && node.contains("bronc = yes"), "{node}");
    for part in
        ["signal: ", "parents", "children", "weight", "rows", "right", "usual", "beat shadows", "2 of 2"]
    {
        assert!(node.contains(part), "{part}: {node}");
    }
    let told = json(at, &["explain", "run", "--node", "dysp"]);
    assert_eq!(
        (&told["node"], &told["signal"], &told["version"]),
        (&"dysp".into(), &true.into(), &env!("CARGO_PKG_VERSION").into())
    );
    let rule = &told["rules"][0];
    assert!(rule["text"].as_str().unwrap().starts_with("dysp = "));
    // Support and precision are those of the rows themselves.
    let rows = fs::read_to_string(at.join("asia.csv")).unwrap();
    let column = |name: &str| rows.lines().next().unwrap().split(',').position(|n| n == name).unwrap();
    let conditions = rule["when"].as_array().unwrap();
    let holds = |row: &Vec<&str>| {
        conditions.iter().all(|c| {
            let cell = row[column(c["variable"].as_str().unwrap())];
            c["states"].as_array().unwrap().iter().any(|state| state == cell)
        })
    };
    let matching: Vec<Vec<&str>> =
        rows.lines().skip(1).map(|line| line.split(',').collect()).filter(holds).collect();
    assert_eq!(rule["support"], matching.len());
    let right = matching.iter().filter(|row| rule["then"] == row[column("dysp")]).count();
    assert!((rule["precision"].as_f64().unwrap() - right as f64 / matching.len() as f64).abs() < 1e-12);

    let arc = text(at, &["explain", "run", "--arc", "bronc>dysp"]);
    for part in [
        "is in the network",
        "score gain",
        "rules of dysp that use bronc",
        "rules of bronc that use dysp",
        "required",
    ] {
        assert!(arc.contains(part), "{part}: {arc}");
    }
    let opposite = text(at, &["explain", "run", "--arc", "dysp > bronc"]);
    assert!(opposite.contains("the opposite arc bronc -> dysp"), "{opposite}");
    let absent = json(at, &["explain", "run", "--arc", "asia>smoke"]);
    assert_eq!((&absent["present"], &absent["arc"]), (&false.into(), &Value::Null));
    assert!(absent["verdict"].as_str().unwrap().starts_with("there is no arc between asia and smoke: "));

    assert!(refusal(at, &["explain", "run", "--node", "dyps"]).ends_with("did you mean 'dysp'?"));
    assert!(refusal(at, &["explain", "run", "--arc", "bronc>dyspp"]).contains("'dyspp'"));
    assert!(refusal(at, &["explain", "run", "--arc", "dysp>dysp"]).contains("its own parent"));
    assert!(refusal(at, &["explain", "run", "--arc", "dysp"]).contains("PARENT>CHILD"));
    // As it is printed where nothing tells the direction, and from its end.
    assert_eq!(text(at, &["explain", "run", "--arc", "bronc - dysp"]), arc);
    assert_eq!(text(at, &["explain", "run", "--arc", "dysp <- bronc"]), arc);
    assert!(refusal(at, &["explain", "run"]).contains("--node"));
    assert!(refusal(at, &["explain", "run", "--node", "dysp", "--arc", "a>b"]).contains("--arc"));
}

#[test]
fn every_dropped_arc_has_its_reason() {
    let folder = asia();
    let at = folder.path();
    for profile in ["hybrid", "paper"] {
        let run = json(
            at,
            &[
                "learn",
                "asia.csv",
                "--profile",
                profile,
                "--rounds",
                "1",
                "--forbid",
                "bronc>dysp",
                "--parameter",
                "smoke",
            ],
        );
        let trace = run["trace"].as_array().unwrap();
        let outcomes: Vec<&str> = trace.iter().map(|t| t["outcome"].as_str().unwrap()).collect();
        assert!(outcomes.contains(&"kept") && outcomes.contains(&"refused"), "{profile}: {outcomes:?}");
        let dropped = ["no-gain", "opposed", "turned", "duplicate", "closes-cycle", "reoriented"];
        assert!(outcomes.iter().any(|o| dropped.contains(o)), "{profile}: {outcomes:?}");
        assert!(trace.iter().all(|t| t["gain"].is_f64() && t["reason"].as_str().unwrap().len() > 10));
        let refused = trace.iter().find(|t| t["parent"] == "bronc" && t["child"] == "dysp").unwrap();
        assert_eq!(refused["reason"], "the rules do not allow it: the arc is forbidden");
    }
}

/// Two columns that are one but for a few rows, and a third that depends on it: whichever of the two an arc joins, it says so.
#[test]
fn copies_are_named_and_so_are_arcs_that_could_join_either() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let mut table = String::from("sex,left,complained,key,region,country\n");
    for k in 0..1500u64 {
        let draw = |salt: u64| {
            let mixed = (k * 8 + salt + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            ((mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 40) % 100
        };
        let left = draw(1) < 20;
        let complained = left != (k % 499 == 3);
        let sex = draw(2) < if left { 70 } else { 40 };
        let country = draw(3) % 6;
        table.push_str(&format!("{sex},{left},{complained},{},r{},c{country}\n", 9000 + k, country / 2));
    }
    fs::write(at.join("copies.csv"), table).unwrap();
    let quick = ["learn", "copies.csv", "--rounds", "1", "--unobserved", "left", "--run", "copies"];
    let out = text(at, &quick);
    let out = out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        out.contains("complained looks like the answer itself: 1,497 of 1,500 rows agree with left."),
        "{out}"
    );
    assert!(
        out.contains("--type 'complained=ignore'") && out.contains("region follows from country in all"),
        "{out}"
    );
    let run = json(at, &quick);
    assert_eq!(run["twins"][0]["leave_out"], "complained");
    let told = |arc: &&Value| arc["parent"] == "sex" || arc["child"] == "sex";
    let arc = run["arcs"].as_array().unwrap().iter().find(told).unwrap();
    assert!(arc["or"] == "left" || arc["or"] == "complained", "{arc}");
    assert!(
        arc["or_for"] != arc["or"] && (arc["or_for"] == arc["parent"] || arc["or_for"] == arc["child"]),
        "{arc}"
    );
    let page = fs::read_to_string(at.join("copies/report.html")).unwrap();
    let (first, lead) =
        (page.find("looks like the answer itself").unwrap(), page.find("class=\"lead\"").unwrap());
    assert!(first < lead);
    let explained = text(at, &["explain", "copies", "--arc", "region -> country"]);
    assert!(explained.contains("region") && explained.contains("country"), "{explained}");
}

#[test]
fn options_work_in_both_profiles_and_in_configuration_files() {
    let folder = asia();
    let at = folder.path();
    fs::write(at.join("tiers.txt"), "smoke, asia\n\nlung,tub,bronc\nxray,dysp\n").unwrap();
    let flags = [
        "--score",
        "bic",
        "--max-parents",
        "1",
        "--top",
        "2",
        "--tiers",
        "tiers.txt",
        "--require",
        "tub>dysp",
        "--forbid",
        "smoke>lung",
        "--parameter",
        "asia",
        "--unobserved",
        "dysp",
        "--competing",
        "total",
        "--cycles",
        "dfs",
        "--features",
        "3",
        "--rounds",
        "1",
        "--ensemble",
        "supply",
        "--clauses",
        "20",
    ];
    let config = "score = 'bic'\nmax-parents = 1\ntop = 2\ntiers = [['smoke', 'asia'], ['lung', 'tub', 'bronc'], ['xray', 'dysp']]\n\
        require = ['tub>dysp']\nforbid = ['smoke>lung']\nparameter = ['asia']\nunobserved = ['dysp']\ncompeting = 'total'\n\
        cycles = 'dfs'\nfeatures = 3\nrounds = 1\nensemble = 'supply'\nclauses = 20\n";
    for profile in ["hybrid", "paper"] {
        let base = ["learn", "asia.csv", "--profile", profile];
        let by_flags = json(at, &[&base[..], &flags[..]].concat());
        fs::write(at.join("c.toml"), config).unwrap();
        let by_file = json(at, &[&base[..], &["--config", "c.toml"]].concat());
        let same = ["params", "arcs", "targets", "score", "trace", "nodes"];
        assert!(same.iter().all(|key| by_flags[key] == by_file[key]), "{profile}");
        assert_eq!(by_flags["params"]["score"], "bic");
        assert_eq!(by_flags["targets"][0]["top"].as_array().unwrap().len(), 2);
        let found = arcs(&by_flags);
        let has = |p: &str, c: &str| found.contains(&(p.to_string(), c.to_string()));
        assert!(has("tub", "dysp") && !has("smoke", "lung"));
        assert!(found.iter().all(|(_, c)| c != "asia"), "{found:?}");
        let late = ["xray", "dysp"];
        assert!(
            !found
                .iter()
                .any(|(p, c)| late.contains(&p.as_str()) && !late.contains(&c.as_str()) && c != "either")
        );
        let crowded = found.iter().any(|(_, c)| found.iter().filter(|(_, other)| other == c).count() > 1);
        assert!(!crowded, "{found:?}");
    }
    let mut scores = Vec::new();
    for score in ["bdeu", "bic", "aic", "qnml", "fnml"] {
        let run = json(at, &["learn", "asia.csv", "--rounds", "1", "--score", score]);
        scores.push(run["score"].as_f64().unwrap());
    }
    scores.sort_by(f64::total_cmp);
    scores.dedup();
    assert_eq!(scores.len(), 5, "each score is its own");
    for (args, part) in [
        (vec!["--require", "a>dysp"], "there is no column 'a'"),
        (vec!["--require", "lung>dysp", "--forbid", "lung>dysp"], "require lung>dysp: contradicts the rules"),
        (vec!["--parameter", "dysp", "--unobserved", "dysp"], "column 'dysp' is both"),
        (vec!["--score", "best"], "qnml"),
        (vec!["--ess", "0"], "ess is 0"),
        (vec!["--features", "0"], "features is 0"),
        (vec!["--score", "bic", "--ess", "2"], "ess is 2; it must be left open: it is for the score bdeu"),
    ] {
        let line = refusal(at, &[vec!["learn", "asia.csv"], args].concat());
        assert!(line.contains(part), "{line}");
    }
}

#[test]
fn what_the_rules_decide_is_told_from_what_the_data_tell() {
    let folder = asia();
    let at = folder.path();
    fs::write(at.join("tiers.txt"), "smoke,asia\nlung,tub,bronc\n").unwrap();
    let rules = ["learn", "asia.csv", "--tiers", "tiers.txt", "--require", "asia>xray"];
    let shown = text(at, &rules);
    assert!(shown.contains("smoke^") && shown.contains("asia!"), "{shown}");
    assert!(shown.contains("^ the rules leave") && shown.contains("! the rules require"), "{shown}");
    let run = json(at, &rules);
    let arc = |p: &str| {
        let arcs = run["arcs"].as_array().unwrap();
        arcs.iter().find(|arc| arc["parent"] == p).unwrap_or_else(|| panic!("no arc of {p}")).clone()
    };
    assert_eq!((&arc("smoke")["compelled"], &arc("smoke")["ruled"]), (&false.into(), &true.into()));
    assert_eq!(arc("asia")["required"], true);
    let free = text(at, &["learn", "asia.csv"]);
    assert!(!free.contains('^') && !free.contains('!') && free.contains('~'), "{free}");

    let idle = run_in(at, &["learn", "asia.csv", "--alpha", "0.01", "--rounds", "1"]);
    assert!(stderr(&idle).contains("--alpha changes nothing here"), "{}", stderr(&idle));
    let used = run_in(at, &["learn", "asia.csv", "--alpha", "0.01", "--rounds", "1", "--assembler", "pc"]);
    assert!(used.status.success() && !stderr(&used).contains("changes nothing"), "{}", stderr(&used));
    assert!(refusal(at, &["learn", "asia.csv", "--forbid", "xray>xray"]).contains("never its own parent"));
}

#[test]
fn strengths_list_what_the_rules_allow() {
    let folder = asia();
    let at = folder.path();
    let found = json(
        at,
        &["strengths", "asia.csv", "--rounds", "1", "--parameter", "smoke,asia", "--forbid", "bronc>dysp"],
    );
    let features = |target: &str| -> Vec<(String, u64)> {
        let targets = found["targets"].as_array().unwrap();
        let target = targets.iter().find(|t| t["name"] == target).unwrap();
        let listed = target["features"].as_array().unwrap().iter();
        listed.map(|f| (f["name"].as_str().unwrap().to_string(), f["rank"].as_u64().unwrap())).collect()
    };
    let dysp = features("dysp");
    assert!(dysp.iter().all(|(name, _)| name != "bronc") && dysp.len() == 6, "{dysp:?}");
    assert_eq!(dysp.iter().map(|(_, rank)| *rank).collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6]);
    assert!(features("smoke").iter().all(|(name, _)| name != "asia"), "a parameter lists its children");
    text(at, &["strengths", "asia.csv", "--rounds", "1", "--unobserved", "dysp", "--top", "2"]);
    assert!(refusal(at, &["strengths", "asia.csv", "--parameter", "smok"]).contains("did you mean 'smoke'?"));
}

#[test]
fn names_may_hold_the_arrow() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let rows: String = (0..160)
        .map(|r| format!("{},{},{}\n", r % 2, (r + usize::from(r % 9 == 0)) % 2, r / 2 % 2))
        .collect();
    fs::write(at.join("t.csv"), format!("a>b,c,d\n{rows}")).unwrap();
    let run = json(at, &["learn", "t.csv", "--run", "r", "--require", "a>b>c"]);
    assert!(arcs(&run).contains(&("a>b".to_string(), "c".to_string())));
    let told = json(at, &["explain", "r", "--arc", "a>b>c"]);
    assert_eq!(
        (&told["parent"], &told["child"], &told["present"]),
        (&"a>b".into(), &"c".into(), &true.into())
    );
    assert_eq!(json(at, &["explain", "r", "--arc", "c>a>b"])["child"], "a>b");
    assert!(text(at, &["explain", "r", "--node", "a>b"]).contains("a>b = "));
}

#[test]
fn numbers_read_as_intervals() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let wine = Path::new(env!("CARGO_MANIFEST_DIR")).join("../clausality/tests/data/wine.csv");
    fs::copy(&wine, at.join("wine.csv")).unwrap();
    text(at, &["learn", "wine.csv", "--run", "r", "--rounds", "4", "--bins", "6"]);
    let clauses = fs::read_to_string(at.join("r/clauses.json")).unwrap();
    let clauses: Value = serde_json::from_str(&clauses).unwrap();
    let texts: Vec<&str> = clauses["targets"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|t| t["clauses"].as_array().unwrap())
        .flat_map(|c| c["when"].as_array().unwrap())
        .map(|c| c["text"].as_str().unwrap())
        .collect();
    assert!(texts.iter().any(|t| t.contains(" between ") && t.contains(" and ")), "{texts:?}");
    assert!(
        texts.iter().any(|t| t.contains(" <= "))
            && texts.iter().any(|t| t.contains(" > ") || t.contains(" >= "))
    );
    for text in &texts {
        assert!(!text.contains(" to ") && !text.contains("= <") && !text.contains("= >"), "{text}");
    }
    let negations = texts.iter().filter(|t| t.starts_with("not ")).count();
    assert!(negations * 10 < texts.len(), "{negations} of {}", texts.len());
}

#[test]
fn damaged_runs_are_refused() {
    let folder = asia();
    let at = folder.path();
    text(at, &["learn", "asia.csv", "--run", "r", "--rounds", "1"]);
    let path = |name: &str| -> PathBuf { at.join("r").join(name) };
    let explain = ["explain", "r", "--node", "dysp"];
    let clauses = fs::read_to_string(path("clauses.json")).unwrap();
    for (content, part) in [
        (clauses.replace("clausality-clauses/1", "clausality-clauses/9"), "clausality-clauses/9"),
        (clauses[..clauses.len() / 2].to_string(), "r/clauses.json:"),
        (clauses.replacen("\"support\": ", "\"support\": -", 1), "damaged: invalid value"),
        ("[1, 2]".into(), "damaged"),
        (clauses.replacen("\"fingerprint\": \"", "\"fingerprint\": \"f", 1), "different tables"),
    ] {
        fs::write(path("clauses.json"), content).unwrap();
        let line = refusal(at, &explain);
        assert!(line.contains(part), "{line}");
    }
    fs::remove_file(path("clauses.json")).unwrap();
    assert!(refusal(at, &explain).contains("no clauses.json"));
    assert!(
        refusal(at, &["explain", "nowhere", "--node", "dysp"]).contains("nowhere: this is no run folder")
    );
    assert!(refusal(at, &["explain", "asia.csv", "--node", "dysp"]).contains("it is a file"));
    // Nothing is left of a run that came to nothing.
    fs::write(at.join("bad.csv"), "a,b\n1,2,3\n").unwrap();
    refusal(at, &["learn", "bad.csv", "--run", "new/run"]);
    assert!(!at.join("new").exists());
}

#[test]
fn the_demo_learns_with_both_profiles_and_says_where_the_files_are() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let shown = text(at, &["demo", "asia", "--rows", "800", "--rounds", "1"]);
    for part in [
        "hybrid  paper",
        "skeleton F1",
        "CPDAG-SHD",
        "The truth:",
        "clausality-demo/paper/",
        "clausality explain clausality-demo --node",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert_eq!(names(&at.join("clausality-demo/paper")), FILES);
    text(at, &["explain", "clausality-demo", "--node", "dysp"]);
    let told = json(
        at,
        &[
            "demo",
            "asia",
            "--rows",
            "400",
            "--rounds",
            "1",
            "--run",
            "here",
            "--profile",
            "hybrid",
            "--parameter",
            "smoke",
        ],
    );
    let profiles = told["profiles"].as_array().unwrap();
    assert_eq!((profiles.len(), &profiles[0]["profile"]), (1, &"hybrid".into()));
    assert!(profiles[0]["comparison"]["skeleton"]["f1"].is_f64() && profiles[0]["arcs"].is_array());
    assert!(arcs(&profiles[0]).iter().all(|(_, child)| child != "smoke"));
    assert_eq!(names(&at.join("here")), FILES);
    assert!(refusal(at, &["demo", "nowhere"]).contains("nowhere"));
}
