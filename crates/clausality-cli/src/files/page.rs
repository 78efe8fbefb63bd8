//! A page about a run, as a file.

use super::output::OutputFile;
use crate::failure::Failure;
use std::path::Path;

/// A file for a page, reserved before the work.
pub(crate) struct PageFile(OutputFile);

impl PageFile {
    /// Whether the ending asks for a page.
    pub(crate) fn is_asked(path: &Path) -> bool {
        path.extension()
            .is_some_and(|ending| ending.eq_ignore_ascii_case("html") || ending.eq_ignore_ascii_case("htm"))
    }

    /// Makes sure that the page can be written.
    pub(crate) fn reserve(path: &Path) -> Result<Self, Failure> {
        if !PageFile::is_asked(path) && path.extension().is_some() {
            return Err(Failure::Input(format!("{}: a report is written as .html", path.display())));
        }
        Ok(PageFile(OutputFile::reserve(path)?))
    }

    /// Writes the page.
    pub(crate) fn write(self, page: &str) -> Result<(), Failure> {
        self.0.write(page.as_bytes())
    }
}
