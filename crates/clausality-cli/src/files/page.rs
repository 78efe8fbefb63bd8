//! A page about a run, as a file.

use super::output::OutputFile;
use crate::failure::Failure;
use clausality::folder::Held;
use clausality::run::PAGE;
use std::fs;
use std::path::Path;

/// A file for a page, reserved before the work.
pub(crate) struct PageFile {
    file: OutputFile,
    /// The run folder it stands in, if it is that of the page: nobody exchanges the run meanwhile.
    _held: Option<Held>,
}

impl PageFile {
    /// Whether the ending asks for a page.
    pub(crate) fn is_asked(path: &Path) -> bool {
        path.extension()
            .is_some_and(|ending| ending.eq_ignore_ascii_case("html") || ending.eq_ignore_ascii_case("htm"))
    }

    /// Makes sure that the page can be written.
    pub(crate) fn reserve(path: &Path) -> Result<Self, Failure> {
        refuse_other_endings(path)?;
        Ok(PageFile { file: OutputFile::reserve(path)?, _held: None })
    }

    /// The same for a page about a run, which may be the one in its folder.
    pub(crate) fn reserve_about(run: &Path, path: &Path) -> Result<Self, Failure> {
        let own = fs::canonicalize(run).map(|run| run.join(PAGE));
        let same = |path: &Path| {
            let folder = path
                .parent()
                .map(|folder| if folder.as_os_str().is_empty() { Path::new(".") } else { folder });
            let name = path.file_name().unwrap_or_default();
            folder.and_then(|folder| fs::canonicalize(folder).ok()).map(|folder| folder.join(name))
        };
        if own.is_err() || same(path) != own.ok() {
            return PageFile::reserve(path);
        }
        let held = Held::folder(run).map_err(clausality::Error::from)?;
        Ok(PageFile { file: OutputFile::reserve_anywhere(path)?, _held: Some(held) })
    }

    /// Writes the page.
    pub(crate) fn write(self, page: &str) -> Result<(), Failure> {
        self.file.write(page.as_bytes())
    }

    /// Writes the page without putting it in place.
    pub(crate) fn fill(&mut self, page: &str) -> Result<(), Failure> {
        self.file.fill(page.as_bytes())
    }

    /// Puts it in place.
    pub(crate) fn place(self) -> Result<(), Failure> {
        self.file.place()
    }
}

fn refuse_other_endings(path: &Path) -> Result<(), Failure> {
    if !PageFile::is_asked(path) && path.extension().is_some() {
        return Err(Failure::Input(format!("{}: a report is written as .html", path.display())));
    }
    Ok(())
}
