//! Real files, and what every reader must do with them, damaged or not.

use clausality::bn::io::{Limits, bif, json, net, xmlbif};
use clausality::bn::{Error, Network};
use clausality::config::Config;
use clausality::data::{self, DataSettings, Input};
use clausality::embedded;
use clausality::run::{Clauses, Made, Run, RunFolder};
use clausality::{Settings, learn};
use std::fs;

/// A reader under test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Target {
    Bif,
    Xmlbif,
    Net,
    Json,
    Csv,
    /// A configuration.
    Toml,
    /// The two documents of a run folder, one after the other.
    Run,
}

impl Target {
    pub(crate) const ALL: [(&'static str, Target); 7] = [
        ("bif", Target::Bif),
        ("xmlbif", Target::Xmlbif),
        ("net", Target::Net),
        ("json", Target::Json),
        ("csv", Target::Csv),
        ("toml", Target::Toml),
        ("run", Target::Run),
    ];

    pub(crate) fn named(name: &str) -> Option<Self> {
        Target::ALL.iter().find(|(known, _)| *known == name).map(|(_, target)| *target)
    }

    /// Files to begin with: the small embedded networks in this format, or tables.
    pub(crate) fn seeds(self) -> Vec<Vec<u8>> {
        match self {
            Target::Csv => return tables(),
            Target::Toml => return CONFIGURATIONS.map(|text| text.as_bytes().to_vec()).to_vec(),
            Target::Run => return vec![run_documents()],
            _ => {}
        }
        let names = ["asia", "cancer", "survey", "sachs", "child", "alarm", "insurance"];
        let mut seeds: Vec<Vec<u8>> =
            names.map(|name| self.write(&embedded::network(name).unwrap()).into_bytes()).to_vec();
        seeds.extend(self.awkward().iter().map(|text| text.as_bytes().to_vec()));
        seeds
    }

    /// Corners of the formats that the networks do not have.
    fn awkward(self) -> &'static [&'static str] {
        match self {
            Target::Bif => &[
                "network \"a b\" { property x ; }\n// c\nvariable \"A\\\"\" { type discrete [ 2 ] { \"<5\", été }; }\n\
                /* c */ probability ( \"A\\\"\" ) { default 0.5 0.5; }\n",
            ],
            Target::Xmlbif => &[
                "<?xml version=\"1.0\" encoding=\"US-ASCII\"?>\n<!DOCTYPE BIF [\n<!ELEMENT BIF ( NETWORK )*>\n\
                <!ATTLIST VARIABLE TYPE (nature|decision) \"nature\">\n]>\n<BIF VERSION=\"0.3\"><!-- c --><NETWORK><NAME>a &lt;5</NAME>\
                <VARIABLE TYPE=\"nature\"><NAME>&#32;A<![CDATA[ <b> ]]></NAME><OUTCOME>t</OUTCOME><OUTCOME/><PROPERTY>p</PROPERTY></VARIABLE>\
                <DEFINITION><FOR>&#32;A &lt;b&gt;&#32;</FOR><TABLE>0.5 <!-- c --> 0.5</TABLE></DEFINITION></NETWORK></BIF>\n",
            ],
            Target::Net => &[
                "% c\nnet { name = \"a\\tb\"; HR_X = (1 (2 \"3\")); }\ndiscrete node A { label = \"x\"; states = (t \"f f\"); }\n\
                node B { states = (\"t\" \"f\"); clausality_name = \"b b\"; }\npotential (A |) { data = (0.5 0.5); }\n\
                potential (B | A) { data = ((0.1 0.9) % c\n(1 0)); }\n",
            ],
            Target::Json | Target::Csv | Target::Toml | Target::Run => &[],
        }
    }

    fn write(self, network: &Network) -> String {
        match self {
            Target::Xmlbif => xmlbif::write(network).expect("names without control characters"),
            Target::Net => net::write(network),
            Target::Json => json::write(network),
            Target::Bif | Target::Csv | Target::Toml | Target::Run => bif::write(network),
        }
    }

    /// Words that a change may put in.
    pub(crate) fn words(self) -> &'static [&'static str] {
        match self {
            Target::Bif => &[
                "variable ",
                "probability ( ",
                "property ",
                "table ",
                "default ",
                "type discrete [ 2 ]",
                "/*",
                "\"",
            ],
            Target::Xmlbif => &[
                "<TABLE>",
                "</",
                "<!--",
                "-->",
                "<![CDATA[",
                "]]>",
                "&lt;",
                "&#x41;",
                "&n;",
                "<!DOCTYPE",
                "<!ENTITY",
                "<?",
                "/>",
                "<GIVEN>",
            ],
            Target::Net => &[
                "node ",
                "potential (",
                "data = ",
                "states = (",
                "((((",
                "))))",
                "%",
                "clausality_name = \"x\";",
                "| ",
            ],
            Target::Json => &[
                "\"rows\":",
                "[[[[",
                "]]]]",
                "{\"a\":",
                "\\u0000",
                "\\ud800",
                "null",
                "1e999",
                "\"parents\": [",
                "\"extra\": {",
            ],
            Target::Toml => &[
                "seed = ",
                "[bins]\n",
                "[[",
                "]]",
                "\"\"\"",
                "'",
                "= {",
                "}",
                "\\u0000",
                "1979-05-27",
                "0x",
                "_",
                "\n",
            ],
            Target::Run => &[
                "\"precision\":5",
                "\"nodes\":[",
                "[[[[",
                "null",
                "1e999",
                "-1",
                "\"files\":{",
                "\"id\":\"",
                "\\u0000",
                SEAM,
            ],
            Target::Csv => {
                &[",,,", ";", "\t", "\"", "\"\"", "\r\n", "NA", "\n\n", "2020-01-01", "1e300", "-0", "|"]
            }
        }
    }

    /// Reads the bytes; what is read must be written and read back, and what is refused has a place.
    pub(crate) fn try_on(self, bytes: &[u8]) -> Result<bool, String> {
        match self {
            Target::Csv => {
                let read = data::read(Input::csv(bytes, "t"), &DataSettings::default(), &Default::default());
                return Ok(read.is_ok());
            }
            Target::Toml => return Ok(configured(bytes)),
            Target::Run => return Ok(read_run(bytes)),
            _ => {}
        }
        match self.read(bytes) {
            Err(error) if error.position().is_some() || error.is_limit() => Ok(false),
            Err(error) => Err(format!("refused without a place: {error}")),
            Ok(network) if self.read(self.write(&network).as_bytes()).as_ref() == Ok(&network) => Ok(true),
            Ok(_) => Err("what was read is not read back as it was".to_string()),
        }
    }

    fn read(self, bytes: &[u8]) -> Result<Network, Error> {
        let limits = Limits::default();
        match self {
            Target::Xmlbif => xmlbif::read(bytes, &limits),
            Target::Net => net::read(bytes, &limits),
            Target::Json => json::read(bytes, &limits),
            Target::Bif | Target::Csv | Target::Toml | Target::Run => bif::read(bytes, &limits),
        }
    }
}

const CONFIGURATIONS: [&str; 2] = [
    "seed = 7\nrounds = 20\nbins = 5\nparameter = [\"a\"]\n",
    "profile = \"paper\"\nclauses = 40\nmissing = \"state\"\n# a remark\n[cuts]\nage = [18, 30.5]\n",
];

/// Whether a configuration is taken; a file that is refused must not bring anything down.
fn configured(bytes: &[u8]) -> bool {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("c.toml");
    fs::write(&path, bytes).expect("a file");
    let mut options = clausality::settings::names_of::<Settings>();
    // Settings that say nothing by default are not among their names.
    options.extend(["seed", "profile", "clauses", "missing", "cuts"].map(String::from));
    let options = options.into_iter().map(|name| (name, true)).collect();
    Config::load(Some(&path), &options)
        .and_then(|config| config.settings(&[]))
        .and_then(|settings| settings.check())
        .is_ok()
}

/// What stands between `run.json` and `clauses.json` in one input.
const SEAM: &str = "\n=====\n";

/// A small run without the digests that would give every change away.
fn run_documents() -> Vec<u8> {
    let rows = "no,off,no\nyes,off,yes\nno,on,yes\nno,off,no\n".repeat(30);
    let table = format!("rain,hose,wet\n{rows}");
    let mut settings = Settings::default();
    settings.strengths.rounds = Some(2);
    let learned = learn(Input::csv(table.as_bytes(), "t.csv"), &settings).expect("a table to learn from");
    let run =
        Run { id: String::new(), ..Run::new(&learned, Made { table: "t.csv".into(), ..Made::default() }) };
    let text = |value: serde_json::Result<Vec<u8>>| value.expect("a document");
    [
        text(serde_json::to_vec(&run)),
        SEAM.as_bytes().to_vec(),
        text(serde_json::to_vec(&Clauses::new(&learned))),
    ]
    .concat()
}

fn read_run(bytes: &[u8]) -> bool {
    let at = bytes.windows(SEAM.len()).position(|window| window == SEAM.as_bytes());
    let (run, clauses) = at.map_or((bytes, &b""[..]), |at| (&bytes[..at], &bytes[at + SEAM.len()..]));
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("run.json"), run).expect("a file");
    fs::write(folder.path().join("clauses.json"), clauses).expect("a file");
    RunFolder::read(folder.path(), &Limits::default()).is_ok()
}

fn tables() -> Vec<Vec<u8>> {
    let row = |i: u64| {
        format!(
            "{},{},{}.5,2020-01-{:02},\"a, \"\"{}\"\"\"\n",
            i % 3,
            ["yes", "no", ""][i as usize % 3],
            i,
            i % 28 + 1,
            i % 4
        )
    };
    let comma: String = (0..60).map(row).collect();
    let mixed: String = (0..40u64).map(|i| format!("{};été {};{}\r\n", i % 2, i % 5, i * 37 % 11)).collect();
    vec![
        format!("a,b,c,d,e\n{comma}").into_bytes(),
        format!("\u{feff}x;y y;z\r\n{mixed}").into_bytes(),
        format!("a\tb\n{}", "1\t2\n2\t2\n1\t1\n".repeat(10)).into_bytes(),
    ]
}
