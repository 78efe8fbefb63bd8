//! What gaps say, in words for the screen and the page.

use super::{Block, Course, Finding, Gaps, Pattern, Together, With};
use crate::words::{counted, grouped, is, percent, quoted};

/// Names that are listed of many.
const NAMED: usize = 6;

impl Gaps {
    /// How many there are, in a sentence.
    pub fn opening(&self) -> String {
        format!(
            "{} in {}; {} of {} rows are complete{}.",
            counted(self.cells, "gap"),
            counted(self.columns.len(), "column"),
            grouped(self.complete_rows),
            grouped(self.rows),
            if self.look_random() { ", and the gaps look random" } else { "" }
        )
    }

    /// Everything that was found, a sentence each.
    pub fn sentences(&self) -> Vec<String> {
        let together = self.together.iter().map(Together::sentence);
        let blocks = self.blocks.iter().map(Block::sentence);
        let findings = self.findings.iter().map(Finding::sentence);
        together.chain(blocks).chain(findings).collect()
    }
}

impl Pattern {
    /// The columns in a line.
    pub fn names(&self) -> String {
        quoted(&self.columns, NAMED)
    }
}

impl Together {
    /// In words.
    pub fn sentence(&self) -> String {
        let names = quoted(&self.columns, NAMED);
        match self.any - self.all {
            0 => format!("{names} are always missing together, in {}", counted(self.all, "row")),
            _ => format!(
                "{names} are missing together in {} of the {} that lack any of them",
                grouped(self.all),
                counted(self.any, "row")
            ),
        }
    }
}

impl Block {
    /// In words.
    pub fn sentence(&self) -> String {
        let verb = if self.columns.len() == 1 { "has" } else { "have" };
        let none = if self.share == 1.0 { "no value" } else { "hardly a value" };
        format!(
            "{} {verb} {none} in rows {} to {}",
            quoted(&self.columns, NAMED),
            grouped(self.from),
            grouped(self.to)
        )
    }
}

impl Finding {
    /// In words.
    pub fn sentence(&self) -> String {
        let gaps = format!("gaps of {}", quoted(&self.columns, NAMED));
        let (least, most) = (percent(self.least.share), percent(self.most.share));
        match &self.with {
            With::Values(name) => format!(
                "{gaps} depend on '{name}': {most} missing where {}, {least} where {}",
                is(name, &self.most.of),
                is(name, &self.least.of)
            ),
            With::Gaps(name) => {
                format!(
                    "{gaps} go with those of '{name}': {most} missing where it is missing, {least} elsewhere"
                )
            }
            With::Order(course) => self.along(&gaps, "the rows", *course),
            With::Time(column, course) => self.along(&gaps, &format!("time ('{column}')"), *course),
        }
    }

    fn along(&self, gaps: &str, order: &str, course: Course) -> String {
        let (least, most) = (percent(self.least.share), percent(self.most.share));
        let ends = format!("{least} missing in the first tenth, {most} in the last");
        match course {
            Course::Later => format!("{gaps} become more along {order}: {ends}"),
            Course::Earlier => format!("{gaps} become fewer along {order}: {ends}"),
            Course::Uneven => format!(
                "{gaps} are unevenly spread over {order}: {most} missing in {}, {least} in {}",
                self.most.of, self.least.of
            ),
        }
    }
}
