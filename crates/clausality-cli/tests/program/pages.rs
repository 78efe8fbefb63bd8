//! The worked examples under `docs/`: their commands run, and what they claim holds. They are about tables that may not be
//! committed, so the tests are ignored unless asked for: `scripts/test` does where the tables are at hand.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// A page, and a folder with the table that it is about.
struct Page {
    text: String,
    desk: TempDir,
}

impl Page {
    fn open(page: &str, table: &str) -> Page {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let shared = std::env::var_os("CLAUSALITY_SHARED").map_or(root.join("../shared"), PathBuf::from);
        let source = shared.join("datasets").join(table);
        assert!(source.is_file(), "set CLAUSALITY_SHARED to the folder with datasets/{table}");
        let desk = tempfile::tempdir().unwrap();
        fs::copy(source, desk.path().join(table)).unwrap();
        let text = fs::read_to_string(root.join("docs").join(page)).unwrap();
        Page { text, desk }
    }

    /// The commands in the page's `sh` blocks.
    fn commands(&self) -> Vec<&str> {
        let lines = self.block("```sh").into_iter();
        lines.map(|line| line.strip_prefix("clausality ").expect("a command of ours")).collect()
    }

    /// The lines that the page shows as printed.
    fn shown(&self) -> Vec<&str> {
        self.block("```text")
    }

    /// The lines in all blocks of a kind.
    fn block(&self, kind: &str) -> Vec<&str> {
        let mut inside = false;
        let mut found = Vec::new();
        for line in self.text.lines() {
            match line {
                _ if line == kind => inside = true,
                "```" => inside = false,
                _ if inside => found.push(line),
                _ => {}
            }
        }
        found
    }

    /// What a command prints.
    #[track_caller]
    fn run(&self, command: &str) -> String {
        let output = Command::new(env!("CARGO_BIN_EXE_clausality"))
            .args(command.split_whitespace())
            .current_dir(self.desk.path())
            .env("COLUMNS", "80")
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }
}

/// The first features of a column in the printed table, which may run over several lines.
fn features<'a>(printed: &'a str, column: &str, of: &[&'a str]) -> Vec<&'a str> {
    let start = printed.find(&format!("\n{column} ")).expect("a line for the column") + 1;
    let lines: Vec<&str> = printed[start..].lines().collect();
    let more = lines[1..].iter().take_while(|line| line.starts_with(' ')).count();
    let cell = lines[..=more].join("\n");
    let mut found: Vec<(usize, &str)> =
        of.iter().filter_map(|name| Some((cell[column.len()..].find(name)?, *name))).collect();
    found.sort_unstable();
    found.into_iter().map(|(_, name)| name).collect()
}

#[test]
#[ignore = "needs a table that may not be committed (CLAUSALITY_SHARED)"]
fn supply_chain() {
    let page = Page::open("supply-chain.md", "supply_chain_data.csv");
    let printed: Vec<String> = page.commands().iter().map(|command| page.run(command)).collect();
    let [plain, null, hybrid, paper] = &printed[..] else { panic!("four commands") };
    let verdict = "No signal: no column can be predicted from the others better than by chance.";
    assert!(plain.contains(verdict) && null.contains(verdict), "{plain}\n{null}");
    assert!(hybrid.contains("23 nodes, 0 arcs") && hybrid.contains("No arcs:"), "{hybrid}");
    assert!(paper.contains("43 arcs"), "{paper}");
    for line in page.shown().iter().filter(|line| !line.contains("learned in")) {
        assert!(printed.iter().any(|text| text.lines().any(|other| other == *line)), "{line}");
    }
    // The page's table is what the first command writes.
    let written = fs::read_to_string(page.desk.path().join("supply.csv")).unwrap();
    let top: Vec<&str> = written
        .lines()
        .filter(|line| line.starts_with("Price,"))
        .take(2)
        .map(|line| line.split(',').nth(1).unwrap())
        .collect();
    let row = page.text.lines().find(|line| line.starts_with("| Price |")).unwrap();
    assert!(row.contains(&format!("| {} |", top.join(", "))), "{row}: {top:?}");
}

#[test]
#[ignore = "needs a table that may not be committed (CLAUSALITY_SHARED)"]
fn bank_churn() {
    let page = Page::open("bank-churn.md", "Customer-Churn-Records.csv");
    let commands = page.commands();
    let printed: Vec<String> = commands.iter().map(|command| page.run(command)).collect();
    let [with, without, _network, plain, null, surname] = &printed[..] else { panic!("six commands") };
    let drivers = ["NumOfProducts", "Age", "IsActiveMember", "Geography", "Gender"];
    let others = ["Complain", "CreditScore", "EstimatedSalary", "Balance", "Card Type"];
    let of: Vec<&str> = drivers.iter().chain(&others).copied().collect();
    assert_eq!(features(with, "Exited", &of)[0], "Complain", "{with}");
    for lists in [without, null] {
        let top = features(lists, "Exited", &of);
        let true_drivers = top.iter().take(5).filter(|f| drivers.contains(f)).count();
        assert!(
            true_drivers >= 3 && !top.contains(&"CreditScore") && !top.contains(&"EstimatedSalary"),
            "{top:?}"
        );
    }
    for column in ["CreditScore", "EstimatedSalary", "Satisfaction Score"] {
        for lists in [without, plain, null] {
            let line = lists.lines().find(|line| line.starts_with(column)).unwrap();
            assert!(line.contains("no signal"), "{line}");
        }
    }
    assert_eq!(features(surname, "Exited", &["Surname", "Complain", "Age"])[0], "Surname", "{surname}");
    assert!(page.desk.path().join("churn.bif").is_file());
}
