use super::*;
use crate::data::{DataSettings, Input};
use std::fs;
use tempfile::tempdir;

fn load(path: impl AsRef<Path>) -> Result<Loaded, Error> {
    Loaded::read(path.as_ref(), &Limits::default())
}

fn message(path: impl AsRef<Path>) -> String {
    load(path).unwrap_err().to_string()
}

#[test]
fn every_format_reads_back_what_it_keeps() {
    let folder = tempdir().unwrap();
    let asia = load("@asia").unwrap();
    let Loaded::Model(model) = &asia else { panic!("a network") };
    for name in [
        "a.bif",
        "a.bif.gz",
        "a.xmlbif",
        "a.xml.gz",
        "a.net",
        "A.JSON",
        "a.json.gz",
        "a.dot",
        "a.gv.gz",
        "a.csv",
    ] {
        let path = folder.path().join(name);
        let target = FileFormat::of(&path).unwrap();
        let bytes = target.write(&asia).unwrap();
        assert_eq!(bytes, target.write(&asia).unwrap());
        fs::write(&path, bytes).unwrap();
        let again = load(&path).unwrap();
        assert_eq!(again.source(), path.display().to_string());
        match (&again, target.keeps_probabilities()) {
            (Loaded::Model(again), true) => assert_eq!(again.network, model.network, "{name}"),
            (Loaded::Graph { structure, name, .. }, false) => {
                let arcs = |s: &Structure| {
                    let mut arcs: Vec<(String, String)> =
                        s.named_arcs().map(|(p, c)| (p.into(), c.into())).collect();
                    arcs.sort();
                    arcs
                };
                assert_eq!(arcs(structure), arcs(&asia.structure()));
                assert_eq!(name, "a");
                let needs = FileFormat::of("x.bif".as_ref()).unwrap().write(&again).unwrap_err();
                assert!(needs.to_string().contains("without probabilities"), "{needs}");
            }
            _ => panic!("{name}"),
        }
    }
    assert!(Model::read(&folder.path().join("a.dot"), &Limits::default()).is_err());
    // A format that is named wins over the ending.
    let path = folder.path().join("a.txt");
    fs::write(&path, FileFormat::as_format(&path, Format::Net).write(&asia).unwrap()).unwrap();
    let again = Loaded::read_as(&path, Format::Net, &Limits::default()).unwrap();
    assert_eq!(again.structure(), asia.structure());
    assert!(Loaded::read_as(&path, Format::Xmlbif, &Limits::default()).is_err());
    assert!(Format::NAMES.iter().all(|name| Format::named(name).is_some()));
    let drawn =
        FileFormat::of("a.graphml".as_ref()).unwrap().write(&load(folder.path().join("a.dot")).unwrap());
    assert!(String::from_utf8(drawn.unwrap()).unwrap().contains("<edge source=\"asia\" target=\"tub\"/>"));
}

#[test]
fn a_run_folder_is_its_network() {
    let folder = tempdir().unwrap();
    assert!(message(folder.path()).contains("neither network.json nor network.bif"));
    let asia = load("@asia").unwrap();
    let write = |name: &str, loaded: &Loaded| {
        let path = folder.path().join(name);
        fs::write(&path, FileFormat::of(&path).unwrap().write(loaded).unwrap()).unwrap();
    };
    write("network.bif", &asia);
    assert_eq!(load(folder.path()).unwrap().structure(), asia.structure());
    let cancer = load("@cancer").unwrap();
    write("network.json", &cancer);
    assert_eq!(
        load(folder.path()).unwrap().structure(),
        cancer.structure(),
        "JSON keeps more: it goes first"
    );
}

#[test]
fn what_cannot_be_read_is_said() {
    let folder = tempdir().unwrap();
    let file = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        path
    };
    assert!(message("@asai").contains("no embedded network 'asai'"));
    assert!(message("no/such.bif").starts_with("no/such.bif: there is no such file"));
    for nothing in ["nofolder", "no/such.run"] {
        let message = message(nothing);
        let start = format!("{nothing}: there is no such file or folder; expected a network (.bif, ");
        assert!(message.starts_with(&start) && message.contains("a run folder or @NAME"), "{message}");
    }
    assert!(message("asia").contains("no such file or folder (did you mean @asia?);"));
    let message_of_graphml = message(file("n.graphml", b"<x/>"));
    assert!(message_of_graphml.contains("GraphML is written and not read"), "{message_of_graphml}");
    let message_of_svg = message(file("n.svg", b"<svg/>"));
    assert!(message_of_svg.contains("SVG is written and not read"), "{message_of_svg}");
    for ending in ["pdf", "html"] {
        let name = format!("n.{ending}");
        let message = message(file(&name, b"<x/>"));
        assert!(message.contains(&format!("the ending .{ending} is not supported")), "{message}");
        assert!(message.contains(".bif") && message.contains(".json"), "{message}");
        assert!(FileFormat::of(name.as_ref()).is_err());
    }
    assert!(message(file("noending", b"")).contains("a name without ending"));
    let path = file("bad.bif", b"network x {\n}\nvariable A {\n  kind\n}\n");
    let error = load(&path).unwrap_err();
    assert_eq!(error.class(), ErrorClass::Input);
    assert_eq!(error.place(), Some(&Place::at(&path.display().to_string(), 4, 3)));
    assert!(error.to_string().starts_with(&format!("{}:4:3: expected 'type'", path.display())), "{error}");
    let stump = FileFormat::of("a.bif.gz".as_ref()).unwrap().write(&load("@asia").unwrap()).unwrap();
    let error = load(file("stump.bif.gz", &stump[..stump.len() / 2])).unwrap_err();
    assert_eq!(error.class(), ErrorClass::Input, "{error}");
}

#[test]
fn sizes_are_bounded() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("bomb.bif.gz");
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    std::io::Write::write_all(&mut packer, &vec![b' '; 70 << 20]).unwrap();
    fs::write(&path, packer.finish().unwrap()).unwrap();
    let error = load(&path).unwrap_err();
    assert_eq!(error.class(), ErrorClass::Limit);
    assert!(error.to_string().contains("unpacks to more than"), "{error}");
    let plain = folder.path().join("plain.bif");
    fs::write(&plain, vec![b' '; 2000]).unwrap();
    let limits = Limits { input_bytes: 1999, ..Limits::default() };
    let error = Loaded::read(&plain, &limits).unwrap_err();
    assert_eq!(error.class(), ErrorClass::Limit);
    assert!(error.to_string().contains("has more than the limit of 1999 bytes"), "{error}");
    // A table too large keeps its place and is a limit, not a fault.
    let limits = Limits { table_bytes: 100, ..Limits::default() };
    let wide = folder.path().join("asia.json");
    fs::write(&wide, FileFormat::of(&wide).unwrap().write(&load("@asia").unwrap()).unwrap()).unwrap();
    let error = Loaded::read(&wide, &limits).unwrap_err();
    assert_eq!(error.class(), ErrorClass::Limit);
    assert!(error.place().is_some_and(|place| place.line.is_some()), "{error}");
}

#[test]
fn a_kept_coding_comes_back_if_it_fits() {
    let csv = "smoker,age\n".to_string() + &"yes,31\nno,44\nno,19\nyes,70\nno,55\n".repeat(30);
    let table = Input::csv(csv.as_bytes(), "t");
    let dataset = crate::data::read(table, &DataSettings::default(), &Default::default()).unwrap();
    let dag = clausality_bn::Dag::from_arcs(2, [(1, 0)]).unwrap();
    let network = Network::estimate(&dag, &dataset.table, Default::default(), 1 << 20).unwrap();
    let mut extra = Extra::new();
    extra.insert(CODING.into(), serde_json::to_value(&dataset.coding).unwrap());
    let model = Model { network: network.into(), extra, source: "t.json".into() };
    let target = FileFormat::of("t.json".as_ref()).unwrap();
    let folder = tempdir().unwrap();
    let path = folder.path().join("t.json");
    fs::write(&path, target.write(&Loaded::Model(model.clone())).unwrap()).unwrap();
    let again = Model::read(&path, &Limits::default()).unwrap();
    assert_eq!(again.coding().unwrap(), Some(dataset.coding));
    let other = Model { extra: model.extra, ..Model::read("@asia".as_ref(), &Limits::default()).unwrap() };
    assert!(other.coding().unwrap_err().to_string().contains("does not give the states of 'asia'"));
}

/// A table with few whole numbers and holes between them, the hour of a time, and so many towns that most share a state.
fn odd_table() -> crate::data::Dataset {
    let row = |k: usize| {
        // 24 is rare, and joined with 32; nobody has 6.
        let memory = [2, 4, 8, 16, 32, 8, 4, 16, 2, if k == 9 { 24 } else { 32 }][k % 10];
        // Ten towns that are frequent, and five that share a state.
        let town = if k % 20 == 19 { 10 + k / 20 % 5 } else { k % 10 };
        let (day, hour) = (k % 28 + 1, k / 3 % 24);
        format!("{memory},2013-{:02}-{day:02} {hour:02}:30,Town{town:02} on sea,{}\n", k % 12 + 1, k % 3)
    };
    let text = "ram,seen,town,y\n".to_string() + &(0..2400).map(row).collect::<String>();
    let settings = DataSettings { max_categories: Some(11), ..DataSettings::default() };
    crate::data::read(Input::csv(text.as_bytes(), "t"), &settings, &Default::default()).unwrap()
}

#[test]
fn what_no_row_had_is_taken_and_told() {
    let dataset = odd_table();
    let (schema, coding) = (dataset.table.schema(), Some(&dataset.coding));
    let of = |name: &str| schema.variable(node(schema, name).unwrap());
    let label = |name: &str, text: &str| {
        let variable = of(name);
        match said(variable, coding, text)? {
            Said::State(code) => Some(variable.states[usize::from(code)].as_str()),
            Said::Among(_) => None,
        }
    };
    let told = |name: &str, text: &str| beyond(of(name), &dataset.coding, text).unwrap_or_default();
    assert_eq!(of("ram").states, ["2", "4", "8", "16", ">= 24"]);
    assert_eq!(label("ram", "6"), Some("8"));
    assert!(
        told("ram", "6").starts_with("ram=6 is none of the numbers that were learned from and counts as '8'")
    );
    assert!(told("ram", "64").starts_with("ram=64 lies beyond"), "{}", told("ram", "64"));
    assert_eq!([told("ram", "8"), told("ram", "8.0"), told("ram", "30")], ["", "", ""]);
    // Values that share a state do; a slip of the pen does not, nor what is no value.
    assert_eq!(label("town", "Hammerfest"), Some("other"));
    assert!(told("town", "Hammerfest").contains("counts as 'other', as all such values do"));
    assert_eq!(label("town", "Town03 on see"), None);
    assert_eq!(label("town", "Town03 on sea"), Some("Town03 on sea"));
    // Cells of new rows are told of in a line.
    let rows = "ram,seen,town,y\n6,,Town01 on sea,1\n8,,Town01 on sea,1\n";
    let coded = dataset.coding.apply(
        Input::csv(rows.as_bytes(), "new"),
        &Default::default(),
        crate::data::Absent::Refuse,
    );
    assert_eq!(coded.unwrap().moved.into_iter().collect::<Vec<_>>(), [("ram".to_string(), 1)]);
}

/// Where rare values share a state, short words and codes that resemble a label are such values; long words are slips of the pen.
#[test]
fn what_resembles_a_label_may_be_a_rare_value() {
    let kept = ["NY", "A3", "C100", "Germany", "2nd street"];
    let rows =
        |k: usize| format!("{},{}\n", kept.get(k % 6).map_or(format!("rare {k}"), |v| (*v).into()), k % 3);
    let text = "place,y\n".to_string() + &(0..600).map(rows).collect::<String>();
    let settings = DataSettings { max_categories: Some(6), ..DataSettings::default() };
    let dataset =
        crate::data::read(Input::csv(text.as_bytes(), "t"), &settings, &Default::default()).unwrap();
    let place = dataset.table.schema().variable(0);
    let coding = Some(&dataset.coding);
    let other = Some(Said::State(place.code("other").unwrap()));
    for value in ["WY", "NYC", "E3", "C101", "Hungary", "3rd street"] {
        assert_eq!(said(place, coding, value), other, "{value}");
        let told = beyond(place, &dataset.coding, value).unwrap();
        assert!(told.contains("counts as 'other', as all such values do"), "{told}");
    }
    for (slip, meant) in
        [("Germny", "Germany"), ("germany", "Germany"), ("2nd stret", "2nd street"), ("ny", "NY")]
    {
        assert_eq!(said(place, coding, slip), None, "{slip}");
        let why = no_state(place, coding, slip).to_string();
        assert!(why.contains(&format!("did you mean '{meant}'? values without a state")), "{why}");
    }
}

/// Of a range within one state the network knows no more than the state.
#[test]
fn a_range_within_a_state_is_told() {
    let rows: String = (0..400).map(|k| format!("{}.{:02},{}\n", k / 4, k * 37 % 100, k % 2)).collect();
    let text = format!("fare,y\n{rows}");
    let dataset =
        crate::data::read(Input::csv(text.as_bytes(), "t"), &DataSettings::default(), &Default::default())
            .unwrap();
    let schema = dataset.table.schema();
    let fare = schema.variable(node(schema, "fare").unwrap());
    let told = |text: &str| beyond(fare, &dataset.coding, text).unwrap_or_default();
    let last = fare.states.last().unwrap();
    assert_eq!(
        told(">95"),
        format!(
            "fare: '>95' lies within '{last}', and the answer is that for all of it: for finer states learn with cuts of your own"
        )
    );
    assert_eq!([told(">5"), told(last), told("<=99")], ["", "", ""]);
}

#[test]
fn parts_of_dates_are_taken_as_people_say_them() {
    let dataset = odd_table();
    let schema = dataset.table.schema();
    let label = |name: &str, text: &str| {
        let variable = schema.variable(node(schema, name).unwrap());
        state(variable, Some(&dataset.coding), text).map(|code| variable.states[usize::from(code)].as_str())
    };
    for (name, text, expected) in [
        ("seen month", "3", Some("Mar")),
        ("seen month", "march", Some("Mar")),
        ("seen month", "Sept", Some("Sep")),
        ("seen month", "13", None),
        ("seen month", "ma", None),
        ("seen month", "2013-03-31", Some("Mar")),
        ("seen hour", "14", label("seen hour", "2013-01-01 14:30")),
        ("seen hour", "14h", label("seen hour", "2013-01-01 14:30")),
        ("seen hour", "24", None),
    ] {
        assert_eq!(label(name, text), expected, "{name} {text}");
    }
    assert!(label("seen hour", "14").is_some());
    let shares = |name: &str, text: &str| match said(
        schema.variable(node(schema, name).unwrap()),
        Some(&dataset.coding),
        text,
    ) {
        Some(Said::Among(shares)) => shares,
        other => panic!("{name}{text}: {other:?}"),
    };
    assert_eq!(shares("seen hour", ">=14"), [0.0, 0.0, 0.0, 0.5, 1.0, 1.0]);
    assert_eq!(shares("seen hour", "<2"), [0.5, 0.0, 0.0, 0.0, 0.0, 0.0]);
    assert_eq!(shares("seen month", "<=march").iter().sum::<f64>(), 3.0);
    assert_eq!(shares("seen month", "10..12").iter().sum::<f64>(), 3.0);
    // Over the turn of the year, and of the day.
    let winter = shares("seen month", "Nov..feb");
    assert_eq!(winter, shares("seen month", "nov|dec|jan|feb"));
    assert_eq!(shares("seen hour", "22 .. 1h"), [0.5, 0.0, 0.0, 0.0, 0.0, 0.5]);
    let month = schema.variable(node(schema, "seen month").unwrap());
    assert_eq!(
        super::evidence::said(month, None, "Nov..Feb"),
        Some(Said::Among(winter)),
        "by its labels alone"
    );
    let error = node(schema, "seen").unwrap_err().to_string();
    assert!(error.contains("did you mean 'seen month' or 'seen"), "{error}");
    let month = schema.variable(node(schema, "seen month").unwrap());
    let said = out_of_reach(month, &dataset.coding).unwrap_or_default();
    assert!(said.contains("nobody sets"), "{said}");
    assert_eq!(out_of_reach(schema.variable(node(schema, "y").unwrap()), &dataset.coding), None);
}

#[test]
fn signs_of_one_letter_are_signs() {
    let dataset = odd_table();
    let ram = dataset.table.schema().variable(0);
    for (one, two) in [("≥8", ">=8"), ("≤ 8", "<= 8"), ("≠8", "!=8")] {
        let (found, expected) =
            (said(ram, Some(&dataset.coding), one), said(ram, Some(&dataset.coding), two));
        assert!(found.is_some() && found == expected, "{one}: {found:?}");
    }
}

/// One line for all columns with the same odd cells.
#[test]
fn odd_cells_of_many_columns_are_one_line() {
    let dataset = odd_table();
    let names: Vec<String> = (0..12).map(|k| format!("c{k:02}")).collect();
    let counts =
        |columns: usize| names[..columns].iter().zip(1..).map(|(name, rows)| (name.clone(), rows)).collect();
    let rows = |columns: usize| Rows { unknown: counts(columns), ..Rows::of("t", dataset.table.clone()) };
    let said = |columns: usize| rows(columns).notices();
    assert_eq!(
        said(1),
        ["column 'c00': in 1 of 2,400 rows the cell is no state of the network and counts as missing"]
    );
    let [line] = &said(12)[..] else { panic!("{:?}", said(12)) };
    let start = "in some rows of 12 columns the cell is no state of the network and counts as missing: 'c11' (in 12 of 2,400 rows), 'c10'";
    assert!(line.starts_with(start) && line.ends_with(" more"), "{line}");
}

#[test]
fn periods_are_asked_by_dates() {
    let row = |k: usize| format!("{}-{:02}-15,{}\n", 2001 + k / 12 % 40, k % 12 + 1, k % 3);
    let text = "seen,y\n".to_string() + &(0..480).map(row).collect::<String>();
    let dataset =
        crate::data::read(Input::csv(text.as_bytes(), "t"), &DataSettings::default(), &Default::default())
            .unwrap();
    let schema = dataset.table.schema();
    let when = schema.variable(node(schema, "seen when").unwrap());
    assert_eq!(when.states, ["<= 2010", "2011 to 2020", "2021 to 2030", ">= 2031"]);
    let shares = |text: &str| match said(when, Some(&dataset.coding), text) {
        Some(Said::Among(shares)) => shares,
        other => panic!("{text}: {other:?}"),
    };
    assert_eq!(shares(">=2021-01-01"), [0.0, 0.0, 1.0, 1.0]);
    let half = shares("<2016-01-01");
    assert!(half[0] == 1.0 && (half[1] - 0.5).abs() < 0.001 && half[2..] == [0.0, 0.0], "{half:?}");
    assert_eq!(shares(">=2035-06-01"), [0.0, 0.0, 0.0, 1.0], "nobody knows where the last one ends");
}

#[test]
fn a_run_that_was_interrupted_says_how_it_goes_on() {
    let folder = tempdir().unwrap();
    let run = folder.path().join("run");
    let table = crate::bn::sample(&crate::embedded::network("asia").unwrap(), 10, 1);
    let new = crate::folder::NewFolder::for_run(&run).unwrap();
    let scraps = new.scraps(crate::folder::Work::new("learn", &table, &0), false).unwrap();
    scraps.kept().keep("a piece", &7).unwrap();
    drop((scraps, new));
    let said = message(&run);
    assert!(said.contains("run: the run of this folder was interrupted"), "{said}");
    assert!(said.ends_with("give the same `learn` command again, and it goes on from there"), "{said}");
}
