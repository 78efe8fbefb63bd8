//! Sentences, escaping and the shape of the page, on runs made by hand and learned from odd tables.

use super::*;
use crate::assemble::Assembler;
use crate::data::{self, Bounds, ColumnType, Input};
use crate::learn::{LearnedArc, learn_from};
use crate::rules::{Role, RuleSettings};
use crate::run::made::{self, arc};
use crate::run::{self, Clauses, Made, NodeClauses, Run, TargetSummary, Truth};
use crate::strengths::{Accuracy, Feature};
use crate::tell::Verdict;
use crate::{Settings, Unwatched};
use clausality_bn::Dag;
use clausality_bn::io::Structure;
use quick_xml::Reader;
use quick_xml::events::Event;

/// A node that is predicted so well, of two states.
fn node(name: &str, accuracy: Option<f64>, features: &[(&str, f64)]) -> NodeClauses {
    let feature = |(rank, (name, share)): (usize, &(&str, f64))| Feature {
        name: name.to_string(),
        rank: rank + 1,
        strength: *share,
        share: *share,
        null: None,
        fits: 4,
        hit_rate: Some(1.0),
    };
    let measured = |mean: f64| Accuracy { mean, spread: 0.0, chance: 0.5, z: 9.0, signal: mean > 0.7 };
    NodeClauses {
        name: name.into(),
        states: vec!["no".into(), "yes".into()],
        rows: 900,
        fits: 4,
        accuracy: accuracy.map(measured),
        shadow: None,
        features: features.iter().enumerate().map(feature).collect(),
        clauses: vec![],
    }
}

fn folder(nodes: Vec<NodeClauses>, arcs: Vec<LearnedArc>) -> RunFolder {
    let summary = |node: &NodeClauses| {
        let role = if node.name == "label" { Role::Unobserved } else { Role::Observed };
        let signal = Verdict::of(node.accuracy) == Verdict::Signal;
        TargetSummary { role, ..made::target(&node.name, node.accuracy.map(|a| a.mean), signal) }
    };
    let names: Vec<&str> = nodes.iter().map(|node| node.name.as_str()).collect();
    let run = Run { targets: nodes.iter().map(summary).collect(), ..made::run(&names, arcs) };
    let (format, version) = (run::CLAUSES_FORMAT.into(), "0".into());
    let fingerprint = run.fingerprint.clone();
    RunFolder {
        clauses: Clauses { format, run: String::new(), version, fingerprint, rows: 1000, targets: nodes },
        run,
    }
}

fn told(nodes: Vec<NodeClauses>, arcs: Vec<LearnedArc>) -> [String; 3] {
    summary::sentences(&folder(nodes, arcs))
}

#[test]
fn signal_is_told_with_where_it_comes_from() {
    let nodes = vec![
        node("a", Some(0.9), &[("b", 0.8), ("c", 0.2)]),
        node("b", Some(0.95), &[("a", 0.9), ("c", 0.1)]),
        node("c", Some(0.5), &[]),
    ];
    let [first, second, third] =
        told(nodes, vec![arc("a", "b", true), arc("b", "c", false), arc("a", "c", true)]);
    assert!(
        first.starts_with("From the 1,000 rows of t.csv a network of 3 variables and 3 arcs was learned: "),
        "{first}"
    );
    assert_eq!(
        second,
        "2 of 3 variables can be predicted from the others better than by guessing; best are b (right 95% of the time, each \
         state counting alike, where guessing is 50%, mostly from a) and a (90% against 50%, mostly from b and c)."
    );
    assert_eq!(
        third,
        "An arc is not yet a cause: the data cannot tell which way 1 of the 3 arcs runs, and the directions of the other 2 hold \
         only if the arcs are right and no common cause is missing from the table."
    );
}

#[test]
fn what_is_to_be_inferred_is_spoken_of_by_name() {
    let label = |accuracy| {
        vec![node("a", Some(0.9), &[("label", 1.0)]), node("label", Some(accuracy), &[("a", 1.0)])]
    };
    let [_, good, _] = told(label(0.8), vec![]);
    let inferred = ", and label (right 80% of the time, each state counting alike, where guessing is 50%, mostly from a), which is to \
                    be inferred, is one of them; best of the others is a (90% against 50%, mostly from label).";
    assert!(good.starts_with("All 2 variables can") && good.ends_with(inferred), "{good}");
    let [_, bad, _] = told(label(0.5), vec![]);
    assert!(
        bad.starts_with("1 of 2 variables can")
            && bad.contains(", but label, which is to be inferred, is not one of them")
    );
}

/// The target, else what is predicted best; but what repeats another column is no finding.
#[test]
fn the_finding_is_no_copy() {
    let nodes = || {
        vec![
            node("a", Some(0.8), &[("c", 0.9), ("copy", 0.1)]),
            node("b", Some(0.99), &[("copy", 0.9), ("a", 0.1)]),
            node("c", Some(0.75), &[("a", 1.0)]),
            node("copy", Some(0.99), &[("b", 1.0)]),
        ]
    };
    let mut found = folder(nodes(), vec![arc("b", "copy", false)]);
    assert!(summary::finding(&found).unwrap().starts_with("b goes with copy: right 99% of the time"));
    let twin = serde_json::json!({"name": "copy", "of": ["b"], "relation": "near-copy", "agree": 990, "rows": 1000, "leave_out": "copy"});
    found.run.twins = vec![serde_json::from_value(twin).unwrap()];
    assert_eq!(
        summary::finding(&found).unwrap(),
        "a goes with c: right 80% of the time, where guessing is 50%."
    );
    // What follows from a copy repeats what it is a copy of.
    let chain = serde_json::json!({"name": "copy", "of": ["c"], "relation": "function", "agree": 1000, "rows": 1000, "leave_out": "copy"});
    found.run.twins.push(serde_json::from_value(chain).unwrap());
    let repeats =
        |run: &Run, one, other| summary::repeats(run, one, other) && summary::repeats(run, other, one);
    assert!(repeats(&found.run, "b", "c") && !repeats(&found.run, "b", "a"));
    // Two functions of one column do not repeat each other.
    let function = serde_json::json!({"name": "a", "of": ["c"], "relation": "function", "agree": 1000, "rows": 1000, "leave_out": "a"});
    found.run.twins.push(serde_json::from_value(function).unwrap());
    assert!(repeats(&found.run, "a", "c") && !repeats(&found.run, "b", "a"));
    found.run.twins.truncate(1);
    found.run.arcs.push(LearnedArc { gain: 0.5, ..arc("c", "a", true) });
    found.run.arcs[0].gain = 90.0;
    let next = [
        "clausality explore 'my run'",
        "clausality query 'my run' --target a --next",
        "clausality explain 'my run' --node a",
    ];
    assert_eq!(super::next(&found.run, "my run"), next);
    let told = &summary::sentences(&found)[1];
    assert!(
        told.contains("best are a (right 80%") && told.contains(" and c (") && !told.contains("copy ("),
        "{told}"
    );
    // Of what is asked about itself a copy is named as one, and what else goes with it.
    found.run.targets[1].role = Role::Unobserved;
    assert_eq!(
        summary::finding(&found).unwrap(),
        "b is told by copy, which repeats it. Beside that it goes with a."
    );
    // What is to be inferred comes first, whatever is predicted better.
    let mut label = nodes();
    label.push(node("label", Some(0.72), &[("a", 1.0)]));
    let said = summary::finding(&folder(label, vec![])).unwrap();
    assert!(said.starts_with("label goes with a: right 72%"), "{said}");
    assert_eq!(summary::finding(&folder(vec![node("a", Some(0.5), &[])], vec![])), None);
}

#[test]
fn no_signal_is_said_plainly() {
    let silent = || vec![node("a", Some(0.5), &[]), node("b", Some(0.5), &[])];
    let [first, second, third] = told(silent(), vec![]);
    assert_eq!(
        first,
        "In the 1,000 rows of t.csv no two of its 2 variables are tied closely enough to be worth an arc."
    );
    assert_eq!(
        second,
        "There is no signal here: no variable can be predicted from the others better than by guessing."
    );
    assert!(third.starts_with("That is a finding too"), "{third}");
    let [_, with_arcs, _] = told(silent(), vec![arc("a", "b", false)]);
    assert!(with_arcs.ends_with("; do not build on the arcs below."), "{with_arcs}");
    let doubtful = vec![node("a", Some(0.65), &[]), node("b", Some(0.5), &[])];
    let [_, doubt, _] = told(doubtful, vec![]);
    assert!(doubt.ends_with(", though for 1 variable there are too few rows to be sure."), "{doubt}");
    let [_, unknown, _] = told(vec![node("a", None, &[]), node("b", None, &[])], vec![]);
    assert!(
        unknown.starts_with("How well a variable can be predicted from the others could not be measured"),
        "{unknown}"
    );
    let mut few = folder(silent(), vec![]);
    few.run.rows = 100;
    assert!(summary::sentences(&few)[1].ends_with(", at least not from 100 rows."));
}

#[test]
fn directions_are_told_in_the_singular_and_the_plural() {
    let nodes = || vec![node("a", Some(0.9), &[]), node("b", Some(0.9), &[]), node("c", Some(0.9), &[])];
    let caution = |arcs: Vec<LearnedArc>| told(nodes(), arcs)[2].replace("An arc is not yet a cause: ", "");
    let unless = "only if the arcs are right and no common cause is missing from the table.";
    assert_eq!(caution(vec![arc("a", "b", false)]), "the data cannot tell which way the one arc runs.");
    let one = unless.replace("the arcs are", "it is");
    assert_eq!(caution(vec![arc("a", "b", true)]), format!("the direction of the one arc holds {one}"));
    let both = |first, second| vec![arc("a", "b", first), arc("b", "c", second)];
    assert_eq!(caution(both(true, true)), format!("the directions of all 2 arcs hold {unless}"));
    assert_eq!(caution(both(false, false)), "the data cannot tell which way any of the 2 arcs runs.");
    assert_eq!(
        caution(both(false, true)),
        format!(
            "the data cannot tell which way 1 of the 2 arcs runs, and the direction of the other one holds {unless}"
        )
    );
    assert!(told(nodes(), vec![arc("a", "b", true)])[0].contains("3 variables and 1 arc was learned"));
    let mut paper = folder(nodes(), vec![arc("a", "b", true)]);
    paper.run.params.network.assembler = Some(Assembler::Paper);
    assert!(
        summary::sentences(&paper)[0].ends_with("joins a variable with one of those that say most about it.")
    );
}

#[test]
fn weak_support_is_told() {
    let nodes = || vec![node("a", Some(0.9), &[]), node("b", Some(0.9), &[]), node("c", Some(0.9), &[])];
    let with = |rates: &[Option<f64>]| {
        let ends = [("a", "b"), ("b", "c"), ("a", "c")];
        let arcs = ends.iter().zip(rates);
        let arcs = arcs.map(|((p, c), &hit_rate)| LearnedArc { hit_rate, ..arc(p, c, true) });
        told(nodes(), arcs.collect())[2].clone()
    };
    let start = "An arc is not yet a cause: ";
    let says = |rates: &[Option<f64>], words: &str| {
        let text = with(rates);
        assert!(text.starts_with(&format!("{start}{words}")), "{text}");
    };
    says(&[Some(1.0), Some(0.75), None], "the directions of all 3 arcs hold");
    says(&[Some(0.5), Some(0.75), None], "1 of the 3 arcs is weakly supported; the directions");
    says(&[Some(0.5), Some(0.0), None], "2 of the 3 arcs are weakly supported; the directions");
    says(&[Some(0.5), Some(0.0), Some(0.25)], "all 3 arcs are weakly supported; the directions");
    says(&[Some(0.25)], "the one arc is weakly supported; the direction of");
}

#[test]
fn columns_are_those_of_the_table_and_variables_those_of_the_network() {
    let (folder, network) = hostile();
    let page = html(&folder, &network).unwrap();
    let first = &summary::sentences(&folder)[0];
    // The date gives two variables, the identifier none.
    assert!(
        first.contains("240 rows and 5 columns of") && first.contains("a network of 5 variables"),
        "{first}"
    );
    assert!(page.contains(">Variables</a>") && page.contains("<h2>The variables one by one</h2>"));
    assert_eq!(page.matches("<th>Column</th>").count(), 1, "in the part about the data alone");
    assert!(page.contains("(BDeu)") && !page.contains("BDEU") && !page.contains(" % "));
}

/// A learned run of a table whose names try to be markup.
fn hostile() -> (RunFolder, Network) {
    let mut csv =
        String::from("<img src=x onerror=alert(1)>,\"\"\"quoted\"\" & 'single'\",</style><script>,when,id\n");
    for row in 0..240 {
        let a = ["<b>", "a&b", "\"'"][row * 7 % 3];
        let b = if row % 9 == 0 { "a&b" } else { a };
        let cell = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
        let c = ["]]>", "-->"][row / 2 % 2];
        let day = format!("2024-{:02}-{:02}", row / 28 % 12 + 1, row % 28 + 1);
        csv.push_str(&format!("{},{},{},{day},x{row}\n", cell(a), cell(b), cell(c)));
    }
    let name = "it's <i>my</i> \"table\".csv";
    let mut settings = Settings {
        rules: RuleSettings {
            unobserved: vec!["<img src=x onerror=alert(1)>".into()],
            tiers: vec![vec!["when month".into()], vec!["</style><script>".into()]],
            ..RuleSettings::default()
        },
        ..Settings::default()
    };
    settings.strengths.rounds = Some(2);
    settings.network.bootstrap = 3;
    settings.network.ess = Some(4.0);
    let dataset = data::read(Input::csv(csv.as_bytes(), name), &settings.data, &Bounds::default()).unwrap();
    let found = learn_from(&dataset, &settings, &Bounds::default(), &Unwatched).unwrap();
    let truth = Structure::new(vec!["<u>".into(), "when month".into()], Dag::from_arcs(2, [(0, 1)]).unwrap())
        .unwrap();
    let truth = Some(Truth::new("<truth>", &truth, &found.network));
    let made = Made { table: name.into(), top: 3, seconds: 0.25, truth, evaluations: vec![] };
    let folder = RunFolder { run: Run::new(&found, made), clauses: Clauses::new(&found) };
    (folder, found.network)
}

/// Every element and attribute of the page is one of ours, and no attribute holds a name.
#[test]
fn names_from_data_never_become_markup() {
    let (folder, network) = hostile();
    let page = html(&folder, &network).unwrap();
    const TAGS: &[&str] = &[
        "html", "head", "meta", "title", "style", "body", "main", "header", "section", "nav", "h1", "h2",
        "h3", "h4", "p", "a", "b", "br", "div", "span", "table", "thead", "tbody", "tr", "th", "td", "ul",
        "ol", "li", "dl", "dt", "dd", "pre", "details", "summary", "svg", "g", "path", "rect", "polygon",
        "text", "input", "label", "button", "script", "code",
    ];
    let mut reader = Reader::from_str(&page);
    let mut text = String::new();
    loop {
        match reader.read_event().expect("well-formed") {
            Event::Start(tag) | Event::Empty(tag) => {
                let name = String::from_utf8(tag.name().as_ref().to_vec()).unwrap();
                assert!(TAGS.contains(&name.as_str()), "<{name}>");
                for attribute in tag.attributes() {
                    let attribute = attribute.unwrap();
                    let key = String::from_utf8(attribute.key.as_ref().to_vec()).unwrap();
                    let value = attribute.unescape_value().unwrap();
                    assert!(!key.starts_with("on") && key != "style" && key != "src", "{key}={value}");
                    let plain = |c: char| c.is_ascii_alphanumeric() || " .,-#_/:;='%()".contains(c);
                    assert!(value.chars().all(plain) || key == "aria-label", "{key}={value}");
                    assert!(key != "href" || value.starts_with('#'), "{value}");
                }
            }
            Event::Text(part) => text.push_str(&part.decode().unwrap()),
            Event::GeneralRef(part) => {
                let sign = match &*part.decode().unwrap() {
                    "lt" => "<".to_string(),
                    "gt" => ">".to_string(),
                    "amp" => "&".to_string(),
                    "quot" => "\"".to_string(),
                    "apos" | "#39" => "'".to_string(),
                    other => panic!("&{other};"),
                };
                text.push_str(&sign);
            }
            Event::Eof => break,
            _ => {}
        }
    }
    for name in [
        "<img src=x onerror=alert(1)>",
        "\"quoted\" & 'single'",
        "</style><script>",
        "<b>",
        "]]>",
        "<u>",
        "<truth>",
    ] {
        assert!(text.contains(name), "{name}");
    }
    assert!(
        !page.contains("http:")
            || page.matches("http:").count() == page.matches("http://www.w3.org/2000/svg").count()
    );
    assert!(
        !page.contains("https:")
            && page.matches("<script").count() == 2
            && !page.contains("@import")
            && !page.contains("url(")
    );
}

#[test]
fn every_link_leads_somewhere() {
    let (folder, network) = hostile();
    let page = html(&folder, &network).unwrap();
    let after = |mark: &str| -> Vec<String> {
        page.split(mark).skip(1).map(|rest| rest.split('"').next().unwrap().to_string()).collect()
    };
    let places = after(" id=\"");
    for link in after("href=\"#") {
        assert!(places.contains(&link), "#{link}");
    }
    let mut unique = places.clone();
    unique.sort();
    unique.dedup();
    assert_eq!(unique.len(), places.len());
}

#[test]
fn the_command_is_whole_and_quoted() {
    let (folder, _) = hostile();
    let lines = command::again(&folder.run);
    assert_eq!(lines[0], "printf '%s\\n' 'tiers = [[\"when month\"],[\"</style><script>\"]]' > again.toml");
    assert_eq!(
        lines[1],
        "clausality learn 'it'\\''s <i>my</i> \"table\".csv' --bootstrap 3 --ess 4.0 \
         --rounds 2 --unobserved '<img src=x onerror=alert(1)>' --config again.toml"
    );
    let mut run = folder.run.clone();
    run.table = run::STANDARD_INPUT.into();
    let params = &mut run.params;
    params.rules = RuleSettings { parameter: vec!["a,b".into(), "c".into()], ..RuleSettings::default() };
    params.data.types = [("x y".into(), ColumnType::Numeric), ("z".into(), ColumnType::Ignore)].into();
    params.data.levels = [("s".into(), vec!["low".into(), "high".into()])].into();
    params.data.separator = Some('\t');
    params.data.na = vec!["-".into(), "a,b".into()].into();
    params.strengths.null = true;
    params.network.ess = None;
    assert_eq!(
        command::again(&run),
        [
            "printf '%s\\n' 'na = [\"-\",\"a,b\"]' > again.toml",
            "clausality learn - --bootstrap 3 --levels 's=low<high' --null --parameter '\"a,b\",c' --rounds 2 --separator tab \
             --type 'x y=numeric' --type z=ignore --config again.toml < TABLE"
        ]
    );
}

#[test]
fn documents_of_another_network_are_refused() {
    let (folder, _) = hostile();
    let asia = crate::embedded::network("asia").unwrap();
    let error = html(&folder, &asia).unwrap_err().to_string();
    assert!(error.contains("belong to different runs"), "{error}");
    let mut less = folder.clone();
    let (_, network) = hostile();
    less.clauses.targets.pop();
    assert!(matches!(html(&less, &network), Err(RunError::Strange(_))));
    let mut other = folder.clone();
    let (parent, child) = (other.run.arcs[0].parent.clone(), other.run.arcs[0].child.clone());
    (other.run.arcs[0].parent, other.run.arcs[0].child) = (child.clone(), parent);
    assert!(matches!(html(&other, &network), Err(RunError::Strange(_))), "an arc the other way round");
    other.run.arcs.remove(0);
    assert_eq!(html(&other, &network), Err(RunError::Strange(child)), "an arc less");
}

#[test]
fn one_combination_is_spoken_of_in_the_singular() {
    let said = |shown, seen| {
        let mut html = Html::default();
        table::notes(&mut html, 3, shown, seen, 2);
        html.finish()
    };
    assert!(
        said(2, Some(3)).contains("2 of 3 combinations are shown, the most frequent first; one is left out.")
    );
    assert!(
        said(1, Some(3)).contains("1 of 3 combinations is shown, the most frequent first; 2 are left out.")
    );
    assert_eq!(said(3, Some(3)), "");
}

/// A page needs only what the oldest runs have.
#[test]
fn runs_without_added_fields_have_a_page() {
    let (mut folder, network) = hostile();
    folder.run.columns.clear();
    folder.run.families.clear();
    folder.run.truth = None;
    folder.run.bootstrap = None;
    folder.run.params = Settings::default();
    folder.clauses.targets.iter_mut().for_each(|node| node.shadow = None);
    let page = html(&folder, &network).unwrap();
    assert!(page.contains("this run keeps no more about its table") && !page.contains("id=\"truth\""));
    folder.run.arcs.clear();
    let alone = Network::estimate(
        &Dag::new(network.len()),
        &clausality_bn::sample(&network, 50, 1),
        Default::default(),
        1 << 20,
    );
    let page = html(&folder, &alone.unwrap()).unwrap();
    assert!(!page.contains("id=\"picture\"") && !page.contains("href=\"#arcs\""));
}

/// What is worked out beforehand is what the network answers, and a network that is too large for that has a page without it.
#[test]
fn every_bar_can_be_asked_without_a_server() {
    let (folder, network) = hostile();
    let page = html(&folder, &network).unwrap();
    let text = page.split("id=\"posteriors\">").nth(1).unwrap().split("</script>").next().unwrap();
    let data: serde_json::Value = serde_json::from_str(text).unwrap();
    let variables = network.schema().variables();
    let states: usize = variables.iter().map(|variable| variable.cardinality()).sum();
    assert_eq!(data["prior"].as_array().unwrap().len(), states);
    assert_eq!(page.matches("<button ").count(), states);
    let mut infer = clausality_bn::infer::Infer::new(network.clone());
    let mut chosen = 0;
    for (node, variable) in variables.iter().enumerate() {
        for state in 0..variable.cardinality() {
            let mut evidence = clausality_bn::infer::Evidence::new(&network);
            evidence.observe(node, state as u8).unwrap();
            let exact = infer.posteriors(&evidence).unwrap().probabilities.concat();
            let told = data["given"][chosen].as_array().unwrap();
            for (told, exact) in told.iter().zip(exact) {
                let told = told.as_f64().unwrap() / 10_000.0;
                assert!((told - exact).abs() <= 0.000_1, "{} {state}: {told} for {exact}", variable.name);
            }
            chosen += 1;
        }
    }
    assert_eq!(chosen, data["given"].as_array().unwrap().len());
    let mut over_time = folder.clone();
    over_time.run.arcs.clear();
    let subject = Subject { folder: &over_time, network: &network };
    assert!(ask::Posteriors::of(&subject).is_none(), "where nothing hangs together nothing moves");
}

/// Variables of which there is nothing to say do not fill a table.
#[test]
fn variables_without_signal_are_one_line() {
    let (mut folder, network) = hostile();
    for node in &mut folder.clauses.targets {
        node.accuracy =
            node.accuracy.map(|accuracy| Accuracy { signal: false, mean: accuracy.chance, ..accuracy });
    }
    let page = html(&folder, &network).unwrap();
    let line = page.split("<p class=\"note silent\">").nth(1).unwrap().split("</p>").next().unwrap();
    let sought = folder.run.targets.iter().filter(|target| target.role == Role::Unobserved).count();
    assert_eq!(line.matches("<a ").count(), folder.clauses.targets.len() - sought, "{line}");
    assert!(line.starts_with("<b>No signal</b>: "), "{line}");
}
