//! Real network files: the embedded ones always, the reference collection where it is asked for.

mod shared;

use clausality_bn::io::{Limits, Structure, bif, dot, edges, json, net, xmlbif};
use clausality_bn::random::Stream;
use clausality_bn::{Error, Network};
use std::path::{Path, PathBuf};

fn read(path: &Path) -> Network {
    bif::read(&shared::bytes(path), &Limits::default()).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn embedded() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../clausality/networks");
    let files = shared::files(&folder, ".bif.gz");
    assert_eq!(files.len(), 12, "the embedded networks");
    files
}

/// Read, written and read again: the same structure, order and doubles; written twice: the same bytes.
fn round_trips(path: &Path) {
    let first = read(path);
    let text = bif::write(&first);
    let second = bif::read(text.as_bytes(), &Limits::default()).unwrap();
    assert_eq!(first, second, "{}", path.display());
    for (a, b) in first.cpts().iter().zip(second.cpts()) {
        assert_eq!(a.parents(), b.parents());
        for j in 0..a.configurations() {
            let bits = |row: &[f64]| row.iter().map(|p| p.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(a.row(j)), bits(b.row(j)));
            assert_eq!(bits(a.written_row(j)), bits(b.written_row(j)));
        }
    }
    assert_eq!(bif::write(&second), text, "{}", path.display());
    // Debug texts of doubles differ wherever their bits do, so the BIF text stands for them.
    let third = json::read(json::write(&first).as_bytes(), &Limits::default()).unwrap();
    assert_eq!(bif::write(&third), text, "{}", path.display());
    let fourth = xmlbif::read(xmlbif::write(&first).unwrap().as_bytes(), &Limits::default()).unwrap();
    assert_eq!(bif::write(&fourth), text, "{}", path.display());
    let fifth = net::read(net::write(&first).as_bytes(), &Limits::default()).unwrap();
    assert_eq!(bif::write(&fifth), text, "{}", path.display());
}

#[test]
fn embedded_networks_round_trip_and_are_as_we_write_them() {
    for path in embedded() {
        round_trips(&path);
        assert_eq!(bif::write(&read(&path)).into_bytes(), shared::bytes(&path), "{}", path.display());
    }
}

#[test]
#[ignore = "needs the reference files (CLAUSALITY_SHARED)"]
fn reference_networks_round_trip_with_the_doubles_of_the_file() {
    let files = shared::files(&shared::folder().join("networks"), ".bif.gz");
    assert!(files.len() >= 21);
    for path in files {
        round_trips(&path);
        // Every number of the file, in its order, parsed on its own, is the number the writer puts there: both list
        // the first parent fastest.
        let numbers = |text: &str| -> Vec<u64> {
            let rows = text.lines().filter(|l| l.starts_with("  table") || l.starts_with("  ("));
            let tail = rows
                .map(|l| l.trim_start_matches("  table ").rsplit(") ").next().unwrap().trim_end_matches(';'));
            tail.flat_map(|r| r.split(", ").map(|n| n.parse::<f64>().unwrap().to_bits()).collect::<Vec<_>>())
                .collect()
        };
        let original = String::from_utf8(shared::bytes(&path)).unwrap();
        let ours = bif::write(&read(&path));
        let (a, b) = (numbers(&original), numbers(&ours));
        assert!(a.len() == read(&path).cells() && a == b, "{}", path.display());
    }
}

#[test]
#[ignore = "needs the reference files (CLAUSALITY_SHARED)"]
fn embedded_networks_are_those_of_the_collection() {
    let folder = shared::folder();
    for path in embedded() {
        let original = folder.join("networks").join(path.file_name().unwrap());
        assert_eq!(read(&path), read(&original).renamed(read(&path).name()));
    }
}

#[test]
fn sizes_are_those_of_the_literature() {
    let sizes: Vec<(String, usize, usize, usize, usize)> = embedded()
        .iter()
        .map(|path| {
            let n = read(path);
            let stem = path.file_name().unwrap().to_string_lossy().trim_end_matches(".bif.gz").to_string();
            (stem, n.len(), n.dag().arc_count(), n.free_parameters(), n.cells())
        })
        .collect();
    let expected = [
        ("alarm", 37, 46, 509, 752),
        ("asia", 8, 8, 18, 36),
        ("cancer", 5, 4, 10, 20),
        ("child", 20, 25, 230, 344),
        ("diabetes", 413, 602, 429_409, 461_069),
        ("earthquake", 5, 4, 10, 20),
        ("hailfinder", 56, 66, 2656, 3741),
        ("hepar2", 70, 123, 1453, 2139),
        ("insurance", 27, 52, 1008, 1419),
        ("sachs", 11, 17, 178, 267),
        ("survey", 6, 6, 21, 37),
        ("win95pts", 76, 112, 574, 1148),
    ];
    let expected: Vec<_> = expected.map(|(n, a, b, c, d)| (n.to_string(), a, b, c, d)).to_vec();
    assert_eq!(sizes, expected);
}

#[test]
#[ignore = "needs the reference files (CLAUSALITY_SHARED)"]
fn old_and_foreign_dialects_are_read_right() {
    let folder = shared::folder();
    let dog = read(&folder.join("formats/dog-problem.bif"));
    assert_eq!(
        (dog.name(), dog.len(), dog.dag().arc_count(), dog.free_parameters()),
        ("Dog_Problem", 5, 4, 10)
    );
    let row = |child: &str, states: &[&str]| {
        let v = dog.schema().require(child).unwrap();
        let cpt = dog.cpt(v);
        let code = |(&p, s): (&usize, &&str)| dog.schema().variable(p).code(s).unwrap();
        let codes: Vec<u8> = cpt.parents().iter().zip(states).map(code).collect();
        cpt.row(cpt.configuration(&codes)).to_vec()
    };
    assert_eq!(row("dog_out", &["true", "true"]), [0.99, 0.01]);
    assert_eq!(row("dog_out", &["true", "false"]), [0.97, 0.03]);
    assert_eq!(row("dog_out", &["false", "true"]), [0.9, 0.1]);
    assert_eq!(row("hear_bark", &["false"]), [0.01, 0.99]);

    // The same Asia network as in the collection, with other names: the tables must agree node by node.
    let foreign = read(&folder.join("formats/asia_default_rows.bif"));
    let asia = read(&folder.join("networks/asia.bif.gz"));
    let names = [
        ("visit_to_Asia", "asia"),
        ("tuberculosis", "tub"),
        ("tuberculos_or_cancer", "either"),
        ("positive_XraY", "xray"),
        ("lung_cancer", "lung"),
        ("smoking", "smoke"),
        ("bronchitis", "bronc"),
        ("dyspnoea", "dysp"),
    ];
    agree(&foreign, &asia, &names);

    let bytes = shared::bytes(&folder.join("formats/asia_xmlbif03.xml"));
    let foreign = xmlbif::read(&bytes, &Limits::default()).unwrap();
    let names = [
        ("VisitAsia", "asia"),
        ("Tuberculosis", "tub"),
        ("TbOrCa", "either"),
        ("XRay", "xray"),
        ("Cancer", "lung"),
        ("Smoking", "smoke"),
        ("Bronchitis", "bronc"),
        ("Dyspnea", "dysp"),
    ];
    assert_eq!((foreign.name(), foreign.dag().arc_count()), ("Asia", 8));
    agree(&foreign, &asia, &names);

    let bytes = shared::bytes(&folder.join("formats/chest_clinic.net"));
    let foreign = net::read(&bytes, &Limits::default()).unwrap();
    let names = [
        ("A", "asia"),
        ("T", "tub"),
        ("E", "either"),
        ("X", "xray"),
        ("L", "lung"),
        ("S", "smoke"),
        ("B", "bronc"),
        ("D", "dysp"),
    ];
    assert_eq!((foreign.len(), foreign.dag().arc_count()), (8, 8));
    agree(&foreign, &asia, &names);
}

/// The same tables under other names, whatever the order of the parents (all have two states).
fn agree(foreign: &Network, ours: &Network, names: &[(&str, &str)]) {
    for (theirs, own) in names {
        let a = foreign.cpt(foreign.schema().require(theirs).unwrap());
        let b = ours.cpt(ours.schema().require(own).unwrap());
        let renamed = |&p: &usize| names.iter().find(|(t, _)| *t == foreign.schema().name(p)).unwrap().1;
        let parents: Vec<&str> = a.parents().iter().map(renamed).collect();
        let order: Vec<usize> = b
            .parents()
            .iter()
            .map(|&p| parents.iter().position(|&n| n == ours.schema().name(p)).unwrap())
            .collect();
        for j in 0..a.configurations() {
            let codes = a.parent_codes(j);
            let turned: Vec<u8> = order.iter().map(|&i| codes[i]).collect();
            assert_eq!(a.row(j), b.row(b.configuration(&turned)), "{theirs}");
        }
    }
}

/// Faults of whole files, each with its line.
#[test]
fn bad_files_are_refused_with_their_place() {
    let rain = "network rain { }\nvariable rain { type discrete [ 2 ] { yes, no }; }\n";
    let wet = "variable wet { type discrete [ 3 ] { dry, damp, soaked }; }\n";
    let root = "probability ( rain ) { table 0.25, 0.75; }\n";
    let fault = |parts: &[&str]| bif::read(parts.concat().as_bytes(), &Limits::default()).unwrap_err();
    let says = |parts: &[&str], line: usize, message: &str| {
        let error = fault(parts);
        assert_eq!(error.position().map(|p| p.0), Some(line), "{error}");
        assert!(error.to_string().contains(message), "{error}");
        assert!(!error.is_limit());
    };
    let child = "probability ( wet | rain ) {\n  (yes) 0, 0.5, 0.5;\n  (no) 0.8, 0.2, 0;\n}\n";
    let turned = "probability ( rain | wet ) {\n  default 0.5, 0.5;\n}\n";
    assert!(bif::read([rain, wet, root, child].concat().as_bytes(), &Limits::default()).is_ok());
    says(&[rain, wet, turned, child], 7, "cycle: rain -> wet -> rain");
    says(&[rain, wet, root, &child.replace("0.8", "0.75")], 7, "sum to 0.95");
    says(&[rain, root.replace(" )", " | snow )").as_str()], 3, "'snow' is not declared");
    says(&[rain, wet, root, &child.replace("  (no) 0.8, 0.2, 0;\n", "")], 5, "no row for rain=no");
    says(&[rain, wet, root, &child.replace("0, 0.5, 0.5", "0.5, 0.5")], 6, "expected 3 probabilities");
    // A table that no memory holds is refused before it is made.
    let causes: String =
        (0..30).map(|i| format!("variable c{i} {{ type discrete [ 2 ] {{ t, f }}; }}\n")).collect();
    let names: Vec<String> = (0..30).map(|i| format!("c{i}")).collect();
    let huge = format!("probability ( rain | {} ) {{ default 0.5, 0.5; }}\n", names.join(", "));
    let error = fault(&[rain, &causes, &huge]);
    assert!(error.is_limit());
    let Error::Limit { node, parents, cells, bytes, limit } = error.kind() else { panic!("{error}") };
    assert_eq!((node.as_str(), parents.len(), *cells), ("rain", 30, 1 << 31));
    assert!(*bytes >= 1 << 34 && *limit == 128 << 20);
    assert!(error.to_string().contains("2147483648 cells"), "{error}");
}

/// Real files with bytes changed, dropped, doubled and swapped: always a network or an error with a place.
#[test]
fn damaged_files_are_answered() {
    let mut stream = Stream::new(1, "damage");
    let small = Limits { table_bytes: 1 << 20, ..Limits::default() };
    let texts: Vec<Vec<u8>> =
        embedded().iter().map(|p| shared::bytes(p)).filter(|text| text.len() < 60_000).collect();
    let mut refused = 0;
    for round in 0..1500 {
        let mut bytes = texts[round % texts.len()].clone();
        for _ in 0..=stream.below(4) {
            damage(&mut bytes, &mut stream);
        }
        match bif::read(&bytes, &small) {
            Ok(network) => {
                let again = bif::read(bif::write(&network).as_bytes(), &small);
                assert_eq!(again.as_ref(), Ok(&network));
            }
            Err(error) => {
                assert!(error.position().is_some(), "{error}");
                refused += 1;
            }
        }
    }
    assert!(
        (300..1500).contains(&refused),
        "the damage should mostly be noticed and sometimes harmless: {refused}"
    );
}

/// The same for the other formats: what is still read must read back, and what is not has a place.
#[test]
fn damaged_files_of_other_formats_are_answered() {
    let mut stream = Stream::new(2, "damage");
    let small = Limits { table_bytes: 1 << 20, ..Limits::default() };
    let networks: Vec<Network> = embedded().iter().map(|p| read(p)).filter(|n| n.cells() < 1000).collect();
    let mut refused = [0; 5];
    for round in 0..2500 {
        let network = &networks[round % networks.len()];
        let structure = Structure::from(network);
        let text = match round % 5 {
            0 => json::write(network),
            1 => dot::write("g", &structure),
            2 => edges::write(&structure),
            3 => xmlbif::write(network).unwrap(),
            _ => net::write(network),
        };
        let mut bytes = text.into_bytes();
        for _ in 0..=stream.below(4) {
            damage(&mut bytes, &mut stream);
        }
        let again = |structure: Structure| {
            // An edge list cannot hold isolated nodes, and lists the others in the order of the arcs.
            let text = dot::write("g", &structure);
            assert_eq!(dot::read(text.as_bytes(), &small).as_ref(), Ok(&structure));
        };
        let answer = match round % 5 {
            0 => json::read(&bytes, &small)
                .map(|n| assert_eq!(json::read(json::write(&n).as_bytes(), &small).as_ref(), Ok(&n))),
            1 => dot::read(&bytes, &small).map(again),
            2 => edges::read(&bytes, &small).map(again),
            3 => xmlbif::read(&bytes, &small).map(|n| {
                let text = xmlbif::write(&n).unwrap();
                assert_eq!(xmlbif::read(text.as_bytes(), &small).as_ref(), Ok(&n));
            }),
            _ => net::read(&bytes, &small)
                .map(|n| assert_eq!(net::read(net::write(&n).as_bytes(), &small).as_ref(), Ok(&n))),
        };
        if let Err(error) = answer {
            assert!(error.position().is_some(), "{error}");
            refused[round % 5] += 1;
        }
    }
    assert!(refused.iter().all(|n| (100..500).contains(n)), "{refused:?}");
}

fn damage(bytes: &mut Vec<u8>, stream: &mut Stream) {
    const LIKELY: &[u8] = b"{}()[],;|\"/*\\ \n09.e-+xX\x00\xff\xc3";
    if bytes.is_empty() {
        return bytes.push(b';');
    }
    let at = stream.below(bytes.len() as u64) as usize;
    let to = (at + 1 + stream.below(60) as usize).min(bytes.len());
    match stream.below(6) {
        0 => bytes[at] = stream.bits() as u8,
        1 => bytes[at] = LIKELY[stream.below(LIKELY.len() as u64) as usize],
        2 => bytes.insert(at, LIKELY[stream.below(LIKELY.len() as u64) as usize]),
        3 => drop(bytes.drain(at..to)),
        4 => {
            let piece = bytes[at..to].to_vec();
            let place = stream.below(bytes.len() as u64) as usize;
            bytes.splice(place..place, piece);
        }
        _ => bytes.truncate(at.max(1)),
    }
}

/// A reader with a hidden square would not come to an end with this size.
#[test]
fn large_files_are_read() {
    let nodes = 60_000;
    let mut text = String::new();
    for v in 0..nodes {
        text.push_str(&format!("variable v{v} {{ type discrete [ 2 ] {{ a, b }}; }}\n"));
    }
    // Blocks in an order that keeps a growing chain on both sides of every new arc.
    for v in (0..nodes).step_by(2).chain((1..nodes).step_by(2)) {
        let parents = if v == 0 { String::new() } else { format!(" | v{}", v - 1) };
        text.push_str(&format!("probability ( v{v}{parents} ) {{ default 0.5, 0.5; }}\n"));
    }
    let network = bif::read(text.as_bytes(), &Limits::default()).unwrap();
    assert_eq!(network.dag().arc_count(), nodes - 1);
}
