use super::place::{Place, mark_in};
use super::{FolderError, Held, NewFolder, OWN, Work, interrupted, lock, recover, steps};
use crate::error::ErrorClass;
use crate::memory::TooMuch;
use std::fs;
use std::path::{Path, PathBuf};

fn files(parts: &[(&str, &str)]) -> Vec<(String, Vec<u8>)> {
    parts.iter().map(|(name, text)| (name.to_string(), text.as_bytes().to_vec())).collect()
}

/// Every path below a folder with its content, hidden ones too.
fn all(folder: &Path) -> Vec<(String, String)> {
    fn walk(at: &Path, from: &Path, found: &mut Vec<(String, String)>) {
        for entry in fs::read_dir(at).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.is_symlink() {
                walk(&path, from, found);
            } else {
                let name = path.strip_prefix(from).unwrap().to_str().unwrap().to_string();
                found.push((name, fs::read_to_string(&path).unwrap_or_default()));
            }
        }
    }
    let mut found = Vec::new();
    walk(folder, folder, &mut found);
    found.sort();
    found
}

fn texts(parts: &[(&str, &str)]) -> Vec<(String, String)> {
    parts.iter().map(|(name, text)| (name.to_string(), text.to_string())).collect()
}

const RUN: &str = "{\"format\": \"clausality-run/1\"}";

fn put(folder: &Path, parts: &[(&str, &str)]) {
    for (name, text) in parts {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

#[test]
fn a_new_run_replaces_the_old_one_and_what_else_lay_there_stays() {
    let desk = tempfile::tempdir().unwrap();
    let at = desk.path();
    let old = [("run/run.json", RUN), ("run/consensus.json", "old"), ("run/notes.txt", "mine")];
    put(at, &old);
    put(at, &[("run/paper/run.json", RUN), ("run/paper/edges.csv", "old"), ("run/paper/mine/a", "b")]);
    let new = NewFolder::for_runs(&at.join("run"), &["paper"]).unwrap();
    new.fill(&files(&[("run.json", "1"), ("edges.csv", "2"), ("paper/run.json", "3")])).unwrap();
    let expected = [
        ("run/edges.csv", "2"),
        ("run/notes.txt", "mine"),
        ("run/paper/mine/a", "b"),
        ("run/paper/run.json", "3"),
        ("run/run.json", "1"),
    ];
    assert_eq!(all(at), texts(&expected));
    // What comes to nothing changes nothing, and folders that were made for it go.
    drop(NewFolder::for_run(&at.join("new/deep/run")).unwrap());
    put(at, &[("run/run.json", RUN)]);
    drop(NewFolder::for_run(&at.join("run")).unwrap());
    assert!(!at.join("new").exists() && all(at).len() == expected.len());
}

#[cfg(unix)]
#[test]
fn links_are_replaced_and_not_followed() {
    let desk = tempfile::tempdir().unwrap();
    let at = desk.path();
    put(at, &[("elsewhere/edges.csv", "kept"), ("run/run.json", RUN)]);
    std::os::unix::fs::symlink("../elsewhere/edges.csv", at.join("run/edges.csv")).unwrap();
    std::os::unix::fs::symlink("../elsewhere", at.join("run/link")).unwrap();
    std::os::unix::fs::symlink("run", at.join("here")).unwrap();
    NewFolder::for_run(&at.join("here"))
        .unwrap()
        .fill(&files(&[("run.json", "1"), ("edges.csv", "2")]))
        .unwrap();
    assert!(
        !at.join("run/edges.csv").is_symlink()
            && at.join("run/link").is_symlink()
            && at.join("here").is_symlink()
    );
    let found = all(at);
    assert!(found.contains(&("elsewhere/edges.csv".into(), "kept".into())), "{found:?}");
    assert!(found.contains(&("run/edges.csv".into(), "2".into())), "{found:?}");
    // A link in the place of the hidden folder leads nowhere either.
    std::os::unix::fs::symlink("elsewhere", at.join(".clausality-run.part")).unwrap();
    put(at, &[("run/run.json", RUN)]);
    NewFolder::for_run(&at.join("run")).unwrap().fill(&files(&[("run.json", "3")])).unwrap();
    assert_eq!(fs::read_to_string(at.join("elsewhere/edges.csv")).unwrap(), "kept");
}

#[test]
fn one_command_at_a_time() {
    let desk = tempfile::tempdir().unwrap();
    let at = desk.path().join("run");
    let busy = |path: PathBuf| matches!(NewFolder::for_run(&path), Err(FolderError::Busy { .. }));
    let first = NewFolder::for_run(&at).unwrap();
    assert!(busy(at.clone()) && matches!(Held::folder(&at), Err(FolderError::Busy { .. })));
    assert!(busy(at.join("paper")), "the folder around it is exchanged as a whole");
    first.fill(&files(&[("run.json", RUN)])).unwrap();
    let inner = NewFolder::for_run(&at.join("paper")).unwrap();
    let outer = NewFolder::for_runs(&at, &["paper"]);
    assert!(matches!(outer, Err(FolderError::Busy { .. })));
    drop(inner);
    // What lies inside one folder lies beside another: a run called "run" in a run is its own matter.
    let beside = NewFolder::for_run(&at.join("run")).unwrap();
    recover(&at);
    drop(NewFolder::for_run(&at).unwrap());
    beside.fill(&files(&[("run.json", RUN)])).unwrap();
    fs::remove_dir_all(at.join("run")).unwrap();
    // A page made anew holds the folder too.
    let held = Held::folder(&at).unwrap();
    assert!(busy(at.clone()));
    drop(held);
    // A file that nobody holds is no lock.
    fs::write(desk.path().join(".clausality-run.lock"), "").unwrap();
    NewFolder::for_run(&at).unwrap().fill(&files(&[("run.json", "1")])).unwrap();
    assert_eq!(all(desk.path()), texts(&[("run/run.json", "1")]));
}

/// Every state that a kill can leave, by the table in `steps.rs`: the run is whole, old or new, and nobody's files are lost.
#[test]
fn whoever_comes_next_finishes_or_clears_away() {
    let mark = ".clausality.mark";
    let part = ".clausality-run.part";
    type Files<'a> = &'a [(&'a str, &'a str)];
    let cases: &[(Files, Files)] = &[
        // Killed before the step.
        (
            &[
                ("run/run.json", "old"),
                ("run/notes", "n"),
                (&format!("{part}/{mark}"), ""),
                (&format!("{part}/run.json"), "ne"),
            ],
            &[("run/notes", "n"), ("run/run.json", "old")],
        ),
        // Right after it.
        (
            &[
                (&format!("run/{mark}"), ""),
                ("run/run.json", "new"),
                (&format!("{part}/run.json"), "old"),
                (&format!("{part}/notes"), "n"),
            ],
            &[("run/notes", "n"), ("run/run.json", "new")],
        ),
        // While the old one was cleared.
        (
            &[
                ("run/run.json", "new"),
                (&format!("{part}/edges.csv"), "old"),
                (&format!("{part}/mine/a"), "b"),
            ],
            &[("run/mine/a", "b"), ("run/run.json", "new")],
        ),
        // The same, and the user has removed the new one since.
        (&[(&format!("{part}/edges.csv"), "old"), (&format!("{part}/notes"), "n")], &[("run/notes", "n")]),
        // Between two renames.
        (
            &[
                (".clausality-run.old/run.json", "old"),
                (&format!("{part}/{mark}"), ""),
                (&format!("{part}/run.json"), "new"),
            ],
            &[("run/run.json", "old")],
        ),
        // After both.
        (
            &[
                (".clausality-run.old/run.json", "old"),
                (".clausality-run.old/notes", "n"),
                ("run/run.json", "new"),
                (&format!("run/{mark}"), ""),
            ],
            &[("run/notes", "n"), ("run/run.json", "new")],
        ),
        // On the way into a folder that stays.
        (
            &[
                ("run/.clausality.new/edges.csv", "new"),
                ("run/.clausality.new/consensus.json.gone", ""),
                ("run/run.json", "new"),
                ("run/edges.csv", "old"),
                ("run/consensus.json", "old"),
                ("run/notes", "n"),
            ],
            &[("run/edges.csv", "new"), ("run/notes", "n"), ("run/run.json", "new")],
        ),
        // Before that.
        (
            &[
                ("run/.clausality.part/edges.csv", "ne"),
                ("run/run.json", "old"),
                ("run/.clausality.lock", ""),
            ],
            &[("run/run.json", "old")],
        ),
        // A first run that came to nothing.
        (
            &[
                (&format!("{part}/{mark}"), ""),
                (&format!("{part}/paper/run.json"), "n"),
                (".clausality-run.lock", ""),
            ],
            &[],
        ),
    ];
    for (number, (left, expected)) in cases.iter().enumerate() {
        let desk = tempfile::tempdir().unwrap();
        put(desk.path(), left);
        recover(&desk.path().join("run"));
        assert_eq!(all(desk.path()), texts(expected), "case {number}");
    }
    // Not while somebody is at work.
    let desk = tempfile::tempdir().unwrap();
    let first = NewFolder::for_run(&desk.path().join("run")).unwrap();
    recover(&desk.path().join("run"));
    first.fill(&files(&[("run.json", "1")])).unwrap();
}

#[test]
fn the_other_ways_into_place_end_the_same() {
    let desk = tempfile::tempdir().unwrap();
    let at = desk.path();
    let place = Place::of(&at.join("run"), &OWN).unwrap();
    let old = [("run/run.json", "old"), ("run/consensus.json", "old"), ("run/notes", "n")];
    put(at, &old);
    let part = place.part().unwrap();
    put(&part, &[("run.json", "new")]);
    fs::write(mark_in(&part), "").unwrap();
    steps::by_renames(&place, &part).unwrap();
    assert_eq!(all(at), texts(&[("run/notes", "n"), ("run/run.json", "new")]));

    put(at, &old);
    put(&place.part_inside(), &[("run.json", "new"), ("consensus.json.gone", ""), ("paper/run.json", "new")]);
    steps::move_in(&place).unwrap();
    assert_eq!(all(at), texts(&[("run/notes", "n"), ("run/paper/run.json", "new"), ("run/run.json", "new")]));
}

#[test]
fn strangers_files_and_protected_ones_are_refused() {
    let desk = tempfile::tempdir().unwrap();
    let at = desk.path();
    put(at, &[("a/network.bif", "mine"), ("b/run.json", RUN), ("b/edges.csv", "kept"), ("file", "")]);
    let error = |name: &str| NewFolder::for_run(&at.join(name)).unwrap_err();
    assert!(matches!(error("a"), FolderError::Foreign { .. }));
    assert!(matches!(error("file"), FolderError::NotAFolder { .. }));
    let mut rights = fs::metadata(at.join("b/edges.csv")).unwrap().permissions();
    rights.set_readonly(true);
    fs::set_permissions(at.join("b/edges.csv"), rights).unwrap();
    assert!(error("b").to_string().ends_with("the file is read-only"), "{}", error("b"));
    assert_eq!(all(at).len(), 4, "nothing is left behind");
    assert!(!lock::is_held(&Place::of(&at.join("b"), &OWN).unwrap()));
}

/// Work that stopped on its way for want of memory goes on where there is more; work that never fits leaves nothing.
#[test]
fn what_was_finished_before_memory_ran_out_is_kept() {
    let table = crate::bn::sample(&crate::embedded::network("asia").unwrap(), 10, 1);
    let room = crate::memory::Room::of(1 << 20);
    let reached = || {
        let (work, taken, advice) = ("learning", 2 << 20, vec![]);
        TooMuch::Reached { work, taken, room, kept: false, advice }
    };
    let never = || {
        let plan = crate::memory::Plan::new("learning").need("rows", 1 << 40);
        plan.check(Some(room)).unwrap_err()
    };
    for (error, stays) in [(reached().into(), true), (never(), false)] {
        let desk = tempfile::tempdir().unwrap();
        let new = NewFolder::reserve(&desk.path().join("run"), &[]).unwrap();
        let scraps = new.scraps(Work::new("learn", &table, &0), false).unwrap();
        scraps.kept().keep("a piece", &7).unwrap();
        let told = scraps.kept().unless_in_vain::<()>(Err(error)).unwrap_err().to_string();
        assert_eq!(desk.path().join(".clausality-run.scraps").exists(), stays, "{told}");
        assert_eq!(told.ends_with("with more memory the same command goes on from there"), stays, "{told}");
    }
    // Nothing was finished: nothing to go on from.
    let desk = tempfile::tempdir().unwrap();
    let new = NewFolder::reserve(&desk.path().join("run"), &[]).unwrap();
    let scraps = new.scraps(Work::new("learn", &table, &0), false).unwrap();
    let told = scraps.kept().unless_in_vain::<()>(Err(reached().into())).unwrap_err().to_string();
    assert!(told.ends_with("the memory limit is 1 MiB"), "{told}");
}

/// Whoever cannot write is told that nothing that was finished is lost; whoever asks for the run, that it waits for its command.
#[test]
fn work_that_is_not_whole_says_how_it_goes_on() {
    let table = crate::bn::sample(&crate::embedded::network("asia").unwrap(), 10, 1);
    let desk = tempfile::tempdir().unwrap();
    let run = desk.path().join("run");
    let goes_on = "what is finished is kept, and once that is mended the same command goes on from there";
    let written = |keeps: bool| {
        let new = NewFolder::for_run(&run).unwrap();
        let scraps = new.scraps(Work::new("learn", &table, &0), false).unwrap();
        if keeps {
            scraps.kept().keep("a piece", &7).unwrap();
        }
        // A name that no disk has room for stands for a disk without room.
        let error = new.fill(&[("x".repeat(300), vec![])]).unwrap_err();
        assert_eq!(error.class(), ErrorClass::Surroundings);
        error.to_string()
    };
    assert!(!written(false).contains(goes_on));
    assert_eq!(interrupted(&run), None);
    assert!(written(true).ends_with(goes_on));
    assert_eq!(interrupted(&run).as_deref(), Some("learn"));
}
