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

#[test]
fn only_the_machine_may_be_unsafe() {
    for folder in crates() {
        let main = [folder.join("src/lib.rs"), folder.join("src/main.rs")].into_iter().find(|p| p.exists());
        let main = main.unwrap_or_else(|| panic!("{} has no root module", folder.display()));
        let text = fs::read_to_string(&main).unwrap();
        let machine = folder.ends_with("clausality-tm");
        assert_eq!(!text.contains("#![forbid(unsafe_code)]"), machine, "{}", main.display());
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
