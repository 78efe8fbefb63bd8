//! A table in several files: a folder, or a pattern such as `part-*.csv.gz`.
//!
//! The files are read one after the other in the order of their names, numbers in them by their value (`part-2` before `part-10`), whatever the
//! order in which the disk lists them: the table is the one that they would be in one file. All have the same columns in the same order;
//! the first that does not is refused by its name.

use super::file::{self, Format};
use super::raw::{How, RawTable};
use crate::data::Problem;
use crate::error::{Error, Place};
use glob::{MatchOptions, Pattern, glob_with};
use std::cmp::Ordering;
use std::fs;
use std::iter::Peekable;
use std::path::{Path, PathBuf};
use std::str::Chars;

/// A pattern means what it does in a shell: hidden files are not meant.
const LIKE_A_SHELL: MatchOptions =
    MatchOptions { case_sensitive: true, require_literal_separator: true, require_literal_leading_dot: true };

/// The files of a table that is a folder or a pattern, in the order in which they are read; nothing if the path is one file (or none at all).
///
/// # Errors
/// A folder that cannot be read; no file that could be a table.
pub fn parts(path: &Path) -> Result<Option<Vec<PathBuf>>, Error> {
    let name = path.display().to_string();
    let failed = |source| Error::Io { file: name.clone(), source };
    let mut found = Vec::new();
    if path.is_dir() {
        for entry in fs::read_dir(path).map_err(failed)? {
            let inside = path.join(entry.map_err(failed)?.file_name());
            if is_part(&inside) {
                found.push(a_file(inside)?);
            }
        }
    } else {
        let Some(pattern) = path.to_str().filter(|text| text.contains(['*', '?', '['])) else {
            return Ok(None);
        };
        // A file may be called so.
        if path.symlink_metadata().is_ok() || Pattern::new(pattern).is_err() {
            return Ok(None);
        }
        let files = glob_with(pattern, LIKE_A_SHELL).into_iter().flatten();
        for file in files {
            let file = file.map_err(|error| failed(error.into()))?;
            if file.is_file() || Format::is_named(&file) {
                found.push(a_file(file)?);
            }
        }
    }
    if found.is_empty() {
        let what = if path.is_dir() {
            "in this folder: no file in it ends in .csv, .tsv, .tab, .parquet, .pq, .arrow, .feather or .ipc (or one of these and .gz)"
        } else {
            "of this pattern"
        };
        return Err(Error::table(Place::file(&name), Problem::NoFiles { what }));
    }
    found.sort_by(|a, b| {
        by_numbers(&a.to_string_lossy(), &b.to_string_lossy()).then_with(|| a.as_os_str().cmp(b.as_os_str()))
    });
    Ok(Some(found))
}

/// What is named like a file of the table must be one: left out in silence, its rows would be missing.
fn a_file(path: PathBuf) -> Result<PathBuf, Error> {
    let what = match path.metadata() {
        Ok(found) if found.is_file() => return Ok(path),
        Ok(found) if found.is_dir() => "a folder",
        Err(_) if path.is_symlink() => "a link that leads nowhere",
        _ => "no regular file",
    };
    Err(Error::table(Place::file(&path.display().to_string()), Problem::NotAFile { what }))
}

/// Whether a file, there or not, would be read as a part of the table that a pattern is.
pub fn is_of_pattern(pattern: &Path, file: &Path) -> bool {
    let is_special = |part: &Path| part.to_str().is_none_or(|text| text.contains(['*', '?', '[']));
    // Other spellings of the folder that no part of the pattern chooses do not matter.
    let plain: PathBuf = pattern.iter().map(Path::new).take_while(|part| !is_special(part)).collect();
    let Ok(rest) = pattern.strip_prefix(&plain) else { return false };
    let Some(pattern) = whole(&plain)
        .to_str()
        .zip(rest.to_str())
        .map(|(plain, rest)| format!("{}/{rest}", Pattern::escape(plain)))
    else {
        return false;
    };
    Pattern::new(&pattern).is_ok_and(|pattern| pattern.matches_path_with(&whole(file), LIKE_A_SHELL))
}

/// The one path to something that there may only be later.
fn whole(path: &Path) -> PathBuf {
    // Nothing at all is where we stand; joined with nothing a path would end with a separator.
    let path = std::path::absolute(Path::new(".").join(path)).unwrap_or_else(|_| path.to_path_buf());
    let there = path.ancestors().find_map(|above| Some((fs::canonicalize(above).ok()?, above.to_path_buf())));
    let Some((there, above)) = there else { return path };
    path.strip_prefix(above).map_or(path.clone(), |rest| there.join(rest).components().collect())
}

/// Whether a file in a folder would be read as a part of the table that the folder is.
pub fn is_part(path: &Path) -> bool {
    let hidden = path.file_name().is_none_or(|name| name.to_string_lossy().starts_with(['.', '_']));
    !hidden && Format::is_named(path)
}

/// Reads files below each other.
pub(super) fn read(name: &str, files: &[PathBuf], how: How<'_>) -> Result<RawTable, Error> {
    let mut table: Option<RawTable> = None;
    for file in files {
        let first = table.is_none();
        let mut read = file::read(file, how, table.take())?;
        if first {
            read.first = file.display().to_string();
            // What is said of the table as a whole.
            read.name = name.to_string();
        }
        table = Some(read);
    }
    table.ok_or_else(|| Error::table(Place::file(name), Problem::NoFiles { what: "here" }))
}

/// Texts in order, runs of digits by their values.
fn by_numbers(a: &str, b: &str) -> Ordering {
    let (mut a, mut b) = (a.chars().peekable(), b.chars().peekable());
    loop {
        let order = match (a.peek(), b.peek()) {
            (Some(x), Some(y)) if x.is_ascii_digit() && y.is_ascii_digit() => {
                let (x, y) = (digits(&mut a), digits(&mut b));
                x.len().cmp(&y.len()).then_with(|| x.cmp(&y))
            }
            (None, None) => return Ordering::Equal,
            _ => a.next().cmp(&b.next()),
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}

/// The digits that come next, without zeros in front.
fn digits(text: &mut Peekable<Chars<'_>>) -> String {
    let mut found = String::new();
    while let Some(digit) = text.next_if(char::is_ascii_digit) {
        if !(found.is_empty() && digit == '0') {
            found.push(digit);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Bounds, DataSettings, Uncoded, read};

    /// Files with these texts in a folder, and the folder.
    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            fs::write(folder.path().join(name), text).unwrap();
        }
        folder
    }

    fn names(path: &Path) -> Vec<String> {
        let found = parts(path).unwrap().unwrap();
        found.iter().map(|file| file.file_name().unwrap().to_str().unwrap().to_string()).collect()
    }

    fn refused(files: &[(&str, &str)]) -> String {
        let folder = folder(files);
        let error = Uncoded::read(folder.path(), &DataSettings::default(), &Bounds::default()).unwrap_err();
        error.to_string().replace(&format!("{}/", folder.path().display()), "")
    }

    #[test]
    fn files_come_in_the_order_of_their_numbers() {
        let here = folder(&[
            ("part-10.csv", ""),
            ("part-9.csv", ""),
            ("part-09.tsv", ""),
            ("part-1.csv.gz", ""),
            (".hidden.csv", ""),
            ("_SUCCESS", ""),
            ("notes.md", ""),
        ]);
        fs::create_dir(here.path().join("deep")).unwrap();
        let all = ["part-1.csv.gz", "part-9.csv", "part-09.tsv", "part-10.csv"];
        assert_eq!(names(here.path()), all);
        assert_eq!(names(&here.path().join("part-?.csv")), ["part-9.csv"]);
        assert_eq!(names(&here.path().join("part-*")), all);
        assert_eq!(names(&here.path().join("*.md")), ["notes.md"], "who names it means it");
        assert!(parts(&here.path().join("part-9.csv")).unwrap().is_none());
        assert!(parts(&here.path().join("gone.csv")).unwrap().is_none());
        let none = parts(&here.path().join("q*.csv")).unwrap_err().to_string();
        assert!(none.ends_with("q*.csv: there is no table of this pattern"), "{none}");
        // What is named like a part and cannot be read would be missed by nobody.
        fs::create_dir(here.path().join("part-11.csv")).unwrap();
        for table in [here.path().to_path_buf(), here.path().join("part-*")] {
            let error = parts(&table).unwrap_err().to_string();
            assert!(error.contains("part-11.csv: this is a folder, and without its rows"), "{error}");
        }
        fs::remove_dir(here.path().join("part-11.csv")).unwrap();
        // A name that only looks like a pattern.
        fs::write(here.path().join("a[1].csv"), "").unwrap();
        assert!(parts(&here.path().join("a[1].csv")).unwrap().is_none());
    }

    #[test]
    fn files_below_each_other_are_one_table() {
        let row = |k: usize| {
            format!(
                "{},{},{}\n",
                ["x", "y", "z"][k % 3],
                k * 7 % 50,
                if k.is_multiple_of(9) { "" } else { "1.5" }
            )
        };
        let rows = |of: std::ops::Range<usize>| -> String { of.map(row).collect() };
        let header = "kind,size,rest\n";
        let one = header.to_string() + &rows(0..200);
        let cut = [0, 1, 80, 80, 200];
        let texts: Vec<String> = cut.windows(2).map(|w| header.to_string() + &rows(w[0]..w[1])).collect();
        let files: Vec<(String, &str)> =
            (8..).zip(&texts).map(|(k, text)| (format!("p{k}.csv"), text.as_str())).collect();
        let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), *text)).collect();
        let (whole, split) = (folder(&[("one.csv", &one)]), folder(&files));
        let read = |path: &Path| read(path, &DataSettings::default(), &Bounds::default()).unwrap();
        let (whole, split) = (read(&whole.path().join("one.csv")), read(split.path()));
        assert_eq!(whole.fingerprint, split.fingerprint);
        assert_eq!((whole.coding, whole.rows), (split.coding, split.rows));
    }

    #[test]
    fn a_file_of_another_schema_is_named() {
        let fine = ("a.csv", "x,y\n1,2\n");
        for (text, said) in [
            (
                "x,z\n1,2\n",
                "b.csv: column 2 is 'z', but 'y' in a.csv: all files of a table have the same columns in the same order",
            ),
            ("x\n1\n", "b.csv: there is 1 column, but 2 in a.csv"),
            ("x,y,z\n1,2,3\n", "b.csv: there are 3 columns, but 2 in a.csv"),
            ("x;y\n1;2\n", "b.csv: its cells are separated otherwise than those of a.csv"),
            ("x,y\n1,2\n3\n", "b.csv:3:1: this row has 1 field"),
            ("", "b.csv: "),
        ] {
            let found = refused(&[fine, ("b.csv", text)]);
            assert!(found.starts_with(said), "{found}");
        }
        let infinite = "x,y\n".to_string() + &(0..40).map(|k| format!("{k}.5,{k}\n")).collect::<String>();
        let folder = folder(&[("a.csv", &infinite), ("b.csv", "x,y\n1,2\n1,inf\n")]);
        let error =
            read(folder.path(), &DataSettings::default(), &Bounds::default()).unwrap_err().to_string();
        assert!(error.contains("b.csv:3:3: "), "{error}");
    }
}
