//! Holds the house against its drawing: who uses whom, where `unsafe` may stand, who may print, and what a packed crate
//! carries.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The import table of ARCHITECTURE.md: crate → the crates of ours it may use.
fn drawing() -> BTreeMap<String, BTreeSet<String>> {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let names =
        |cell: &str| -> BTreeSet<String> { cell.split('`').skip(1).step_by(2).map(str::to_string).collect() };
    text.lines()
        .filter(|line| line.starts_with("| `clausality"))
        .map(|line| line.trim_matches('|').split('|').collect::<Vec<_>>())
        .filter(|cells| cells.len() == 3)
        .map(|cells| (names(cells[0]).pop_first().unwrap(), names(cells[2])))
        .collect()
}

fn manifest(folder: &Path) -> toml::Table {
    fs::read_to_string(folder.join("Cargo.toml")).unwrap().parse().unwrap()
}

fn crates() -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> =
        fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    folders
}

#[test]
fn the_manifests_follow_the_drawing() {
    let drawing = drawing();
    let mut built = BTreeMap::new();
    for folder in crates() {
        let manifest = manifest(&folder);
        let mut uses = BTreeSet::new();
        for kind in ["dependencies", "build-dependencies"] {
            let names = manifest.get(kind).and_then(|d| d.as_table()).into_iter().flat_map(|d| d.keys());
            uses.extend(names.filter(|n| n.starts_with("clausality")).cloned());
        }
        built.insert(manifest["package"]["name"].as_str().unwrap().to_string(), uses);
    }
    assert_eq!(built, drawing, "left: the manifests, right: the table in ARCHITECTURE.md");
}

/// The code of a file without its tests and comments.
fn code(file: &Path) -> String {
    let text = fs::read_to_string(file).unwrap();
    let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.map(|line| line.to_string() + "\n").collect()
}

/// What stands behind `crate::` in a file: the rooms it uses.
fn rooms_used(code: &str) -> BTreeSet<String> {
    let word =
        |rest: &str| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap().to_string();
    let mut used: BTreeSet<String> = code.split("crate::").skip(1).map(word).collect();
    for group in code.split("crate::{").skip(1) {
        used.extend(group.split('}').next().unwrap().split(',').map(|part| word(part.trim())));
    }
    used
}

/// The floors of the library's rooms as ARCHITECTURE.md draws them, from the ground up.
fn floors() -> BTreeMap<String, usize> {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let lines = text.lines().filter_map(|line| line.strip_prefix("floors: "));
    let names =
        |line: &str| line.split("  ").next().unwrap().split(' ').map(String::from).collect::<Vec<_>>();
    lines
        .enumerate()
        .flat_map(|(floor, line)| names(line).into_iter().map(move |name| (name, floor)))
        .collect()
}

#[test]
fn rooms_use_only_floors_below_their_own() {
    let (floors, source) = (floors(), root().join("crates/clausality/src"));
    let mut seen = BTreeSet::new();
    for file in rust_files(&source) {
        let inside = file.strip_prefix(&source).unwrap();
        let room = inside.iter().next().unwrap().to_str().unwrap().trim_end_matches(".rs").to_string();
        let tests = ["tests.rs", "made.rs"].iter().any(|name| file.ends_with(name));
        if tests || ["lib", "error"].contains(&room.as_str()) {
            continue;
        }
        let floor =
            *floors.get(&room).unwrap_or_else(|| panic!("{room} stands on no floor of ARCHITECTURE.md"));
        for used in rooms_used(&code(&file)).iter().filter(|used| **used != room) {
            // Types that lib.rs hands on (`crate::Error`) count by the rooms they come from: only errors are free.
            let below = floors.get(used).is_none_or(|other| *other < floor);
            assert!(below, "{} uses {used}, which is not below {room}", file.display());
            let handed_on = used.chars().next().is_some_and(char::is_uppercase) && used != "Error";
            assert!(!handed_on, "{} takes {used} from lib.rs: name its room", file.display());
        }
        seen.insert(room);
    }
    assert_eq!(seen, floors.into_keys().collect(), "left: the rooms there are, right: those drawn");
}

#[test]
fn commands_borrow_from_rooms_and_never_from_each_other() {
    let source = root().join("crates/clausality-cli/src");
    for file in rust_files(&source) {
        let used = rooms_used(&code(&file));
        let inside = file.strip_prefix(&source).unwrap();
        let room = inside.iter().next().unwrap().to_str().unwrap().trim_end_matches(".rs");
        let back = |names: &[&'static str]| names.iter().find(|name| used.contains(**name)).copied();
        let wrong = match room {
            "main" | "usage" => None,
            "cli" => back(&["main", "usage"]),
            "commands" => back(&["cli", "commands", "usage"]).filter(|_| !file.ends_with("commands/mod.rs")),
            "args" | "show" | "files" => back(&["cli", "commands", "usage"]),
            _ => back(&["cli", "commands", "usage", "args", "show", "files"]),
        };
        assert_eq!(wrong, None, "{} points back", file.display());
    }
}

#[test]
fn only_the_machine_and_the_python_shim_may_be_unsafe() {
    for folder in crates() {
        let main = [folder.join("src/lib.rs"), folder.join("src/main.rs")].into_iter().find(|p| p.exists());
        let main = main.unwrap_or_else(|| panic!("{} has no root module", folder.display()));
        let text = fs::read_to_string(&main).unwrap();
        let may = folder.ends_with("clausality-tm") || folder.ends_with("clausality-py");
        assert_eq!(!text.contains("#![forbid(unsafe_code)]"), may, "{}", main.display());
        let lints = manifest(&folder).get("lints").and_then(|l| l.get("workspace")).and_then(|w| w.as_bool());
        assert_eq!(lints, Some(true), "{} does not take the workspace's lints", folder.display());
    }
    let kernel = root().join("crates/clausality-tm/src/kernel");
    for file in rust_files(&root().join("crates/clausality-tm/src")) {
        let code = fs::read_to_string(&file).unwrap();
        let has = code.lines().any(|l| l.contains("unsafe {") || l.contains("unsafe fn"));
        assert!(!has || file.starts_with(&kernel), "unsafe outside the kernel: {}", file.display());
    }
}

/// A crate is built from what it packs: whatever it embeds lies in a folder that its manifest includes.
#[test]
fn what_a_crate_embeds_is_packed_with_it() {
    let mut embedded = 0;
    for folder in crates() {
        let manifest = manifest(&folder);
        let included = manifest["package"]["include"].as_array().unwrap();
        for file in rust_files(&folder.join("src")) {
            let code = fs::read_to_string(&file).unwrap();
            let macros = [concat!("include_", "str!("), concat!("include_", "bytes!(")];
            for (place, _) in macros.iter().flat_map(|name| code.match_indices(name)) {
                // The path, or its beginning where the rest is put together.
                let path = code[place..].split('"').nth(1).unwrap();
                let mut full = file.parent().unwrap().to_path_buf();
                for part in path.split('/') {
                    match part {
                        ".." => assert!(full.pop()),
                        _ => full.push(part),
                    }
                }
                let inside = full.strip_prefix(&folder).map(|path| path.iter().next().unwrap());
                let top = inside.map(|name| format!("/{}", name.to_str().unwrap()));
                let packed = top.is_ok_and(|top| included.iter().any(|path| path.as_str() == Some(&top)));
                assert!(packed, "{}: {path} is not packed with the crate", file.display());
                embedded += 1;
            }
        }
    }
    assert!(embedded >= 8, "only {embedded} files are embedded: is the page still there?");
}

/// Libraries never print: their root modules say so to the linter.
#[test]
fn only_doors_talk() {
    for folder in crates().into_iter().filter(|folder| !folder.ends_with("clausality-cli")) {
        let text = fs::read_to_string(folder.join("src/lib.rs")).unwrap();
        let silent = text.contains("#![deny(clippy::print_stdout, clippy::print_stderr)]");
        assert!(silent, "{} may print", folder.display());
    }
}

#[test]
fn no_unfinished_work_is_marked_in_the_code() {
    let marks =
        [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("unimplemented", "!("), concat!("todo", "!(")];
    let studies = ["benches", "scripts", "validation"].map(|folder| root().join(folder));
    for file in crates().iter().chain(&studies).flat_map(|folder| rust_files(folder)) {
        let code = fs::read_to_string(&file).unwrap();
        for mark in marks {
            assert!(!code.contains(mark), "{mark} in {}", file.display());
        }
    }
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = vec![];
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
    files
}
