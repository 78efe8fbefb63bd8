//! What somebody keeps with a run while looking at it: named scenarios, and nodes moved by hand.
//!
//! It is a file of its own in the folder, `explorer.json`, and no part of the run: nothing of it changes an answer, no digest covers it, and like notes it moves
//! along when the folder is learned anew. It is written beside and renamed, so that it is whole or as it was.

use super::{FolderError, sync};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read, Write};
use std::path::Path;

/// The file.
pub const DESK: &str = "explorer.json";

const FORMAT: &str = "clausality-explorer/1";
const PART: &str = ".clausality-explorer.part";
/// The largest that is written and read, in bytes.
const MOST_BYTES: u64 = 1 << 20;
const MOST_SCENARIOS: usize = 100;
const MOST_PLACES: usize = 10_000;

/// What is kept.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Desk {
    /// What was known, under names.
    #[serde(default)]
    pub scenarios: Vec<Scenario>,
    /// Nodes moved by hand: where the middle of each stands in the drawing.
    #[serde(default)]
    pub places: BTreeMap<String, [f64; 2]>,
}

/// What was known, under a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// The name.
    pub name: String,
    /// What was known, as the fragment of the explorer's address: `see:HR=LOW&do:CVP=HIGH`.
    pub text: String,
}

/// The file's content.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    format: String,
    #[serde(default)]
    scenarios: Vec<Scenario>,
    #[serde(default)]
    places: BTreeMap<String, [f64; 2]>,
}

impl Desk {
    /// What the folder keeps; nothing where nobody kept anything.
    ///
    /// # Errors
    /// A file that cannot be read, or is none of these.
    pub fn read(folder: &Path) -> Result<Desk, FolderError> {
        let path = folder.join(DESK);
        let cannot = |error: &io::Error| FolderError::cannot(&path, "cannot read what was kept", error);
        let file = match fs::File::open(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Desk::default()),
            found => found.map_err(|error| cannot(&error))?,
        };
        let mut text = vec![];
        file.take(MOST_BYTES + 1).read_to_end(&mut text).map_err(|error| cannot(&error))?;
        let strange = |why: &str| FolderError::Cannot {
            path: path.display().to_string(),
            doing: "cannot read what was kept",
            reason: format!("{why}: move the file away to begin anew"),
        };
        if text.len() as u64 > MOST_BYTES {
            return Err(strange("it is larger than 1 MiB"));
        }
        let found: Document = serde_json::from_slice(&text).map_err(|error| strange(&error.to_string()))?;
        if found.format != FORMAT {
            return Err(strange(&format!("expected the format {FORMAT}")));
        }
        let desk = Desk { scenarios: found.scenarios, places: found.places };
        desk.check().map_err(|why| strange(&why))?;
        Ok(desk)
    }

    /// Keeps it in the folder, in place of what was there.
    ///
    /// # Errors
    /// More than is kept; a folder that may not be written.
    pub fn write(&self, folder: &Path) -> Result<(), FolderError> {
        let path = folder.join(DESK);
        let refused = |reason: String| FolderError::Cannot {
            path: path.display().to_string(),
            doing: "cannot keep this",
            reason,
        };
        self.check().map_err(refused)?;
        let Desk { scenarios, places } = self.clone();
        let document = Document { format: FORMAT.to_string(), scenarios, places };
        let text = serde_json::to_vec_pretty(&document).map_err(|error| refused(error.to_string()))?;
        if text.len() as u64 > MOST_BYTES {
            return Err(refused("it is larger than 1 MiB: forget some scenarios first".to_string()));
        }
        let part = folder.join(PART);
        let put = || {
            // What a killed explorer left, or a link that somebody laid there.
            match fs::remove_file(&part) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
            let mut file = fs::File::create_new(&part)?;
            file.write_all(&text)?;
            file.sync_all()?;
            fs::rename(&part, &path)?;
            sync(folder)
        };
        put().map_err(|error| {
            let _ = fs::remove_file(&part);
            FolderError::cannot(&path, "cannot keep this", &error)
        })
    }

    /// Numbers that are numbers, and no more of anything than is kept.
    fn check(&self) -> Result<(), String> {
        if self.scenarios.len() > MOST_SCENARIOS {
            return Err(format!("more than {MOST_SCENARIOS} scenarios: forget one first"));
        }
        if self.places.len() > MOST_PLACES {
            return Err(format!("more than {MOST_PLACES} nodes moved by hand"));
        }
        match self.places.iter().find(|(_, at)| !at.iter().all(|x| x.is_finite())) {
            Some((node, _)) => Err(format!("the place of {node:?} is no pair of numbers")),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept() -> Desk {
        let scenario = Scenario { name: "bad \"day\"".into(), text: "see:HR=LOW".into() };
        Desk { scenarios: vec![scenario], places: [("HR".to_string(), [12.5, -3.0])].into() }
    }

    #[test]
    fn what_is_kept_is_found_again_and_nothing_else_is_left() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Desk::read(folder.path()).unwrap(), Desk::default());
        fs::write(folder.path().join(PART), "torn").unwrap();
        kept().write(folder.path()).unwrap();
        assert_eq!(Desk::read(folder.path()).unwrap(), kept());
        Desk::default().write(folder.path()).unwrap();
        assert_eq!(Desk::read(folder.path()).unwrap(), Desk::default());
        let names: Vec<_> =
            fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, [DESK]);
    }

    #[test]
    fn too_much_and_strange_files_are_refused_and_stay() {
        let folder = tempfile::tempdir().unwrap();
        kept().write(folder.path()).unwrap();
        let many = Desk { scenarios: vec![kept().scenarios[0].clone(); 101], ..Desk::default() };
        assert!(many.write(folder.path()).unwrap_err().to_string().contains("forget one"));
        let long = Scenario { name: "x".into(), text: "y".repeat(1 << 20) };
        let long = Desk { scenarios: vec![long], ..Desk::default() };
        assert!(long.write(folder.path()).unwrap_err().to_string().contains("1 MiB"));
        let nowhere = Desk { places: [("HR".to_string(), [f64::NAN, 0.0])].into(), ..Desk::default() };
        assert!(nowhere.write(folder.path()).unwrap_err().to_string().contains("\"HR\""));
        assert_eq!(Desk::read(folder.path()).unwrap(), kept());
        for strange in
            ["", "{}", "{\"format\": \"else/1\"}", "{\"format\": \"clausality-explorer/1\", \"places\": 3}"]
        {
            fs::write(folder.path().join(DESK), strange).unwrap();
            let error = Desk::read(folder.path()).unwrap_err().to_string();
            assert!(error.contains(DESK) && error.contains("move the file away"), "{error}");
        }
    }
}
