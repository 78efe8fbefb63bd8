//! What gaps say, in words for the screen and the page.

use super::{Block, Course, Finding, Gaps, Pattern, Telling, Together, With};
use crate::data::{ColumnReport, Decision, Told};
use crate::error::Advice;
use crate::words::{counted, grouped, is, part_of, percent, quoted};

/// Names that are listed of many.
const NAMED: usize = 6;

impl Gaps {
    /// How many there are in the columns of the table that are used, in a sentence.
    pub fn opening(&self, columns: &[ColumnReport]) -> String {
        let used = columns.iter().filter(|column| column.decision != Decision::Dropped).count();
        let (place, there) = match used < columns.len() {
            true if used == 1 => ("the one column that is used".to_string(), " in it"),
            true => (
                format!("{} of the {} that are used", self.columns.len(), counted(used, "column")),
                " in them",
            ),
            false => (counted(self.columns.len(), "column"), ""),
        };
        format!(
            "{} in {place}; {} {} complete{there}{}.",
            counted(self.cells, "gap"),
            part_of(self.complete_rows, self.rows, "row"),
            if self.complete_rows == 1 { "is" } else { "are" },
            match (self.look_random(), self.are_few()) {
                (true, true) => ", and the gaps are too few to tell what goes with them",
                (true, false) => ", and the gaps look random",
                (false, _) => "",
            }
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

impl Telling<'_> {
    /// The setting that makes the gap a state; where that would repeat another column, the one that leaves the column out.
    pub fn advice(&self) -> Advice {
        match self.repeats() {
            true => Advice::new("type", format!("{}=ignore", self.column)),
            false => Advice::new("missing", format!("{}=state", self.column)),
        }
    }
}

/// Gaps that seem to mean something, in one line for all columns, and the settings that make them states; and in another line those
/// that say what a second column says: they stay gaps, which cost nothing, and are in the way only of who predicts that column.
pub fn meaning(telling: &[Telling<'_>]) -> Vec<Told> {
    let (repeating, worth): (Vec<&Telling<'_>>, Vec<&Telling<'_>>) =
        telling.iter().partition(|one| one.repeats());
    let worth = told(&worth, |listed| match listed {
        [Telling { column, value, finding, .. }] => format!(
            "A gap in '{column}' seems to mean something: {}. Make it a state?",
            finding.by_value(value)
        ),
        several => format!(
            "Gaps in {} seem to mean something: {}. Make them states?",
            counted(several.len(), "column"),
            names(several)
        ),
    });
    let repeating = told(&repeating, |listed| match listed {
        [Telling { column, value, finding, .. }] => format!(
            "Gaps in '{column}' follow from '{value}': {}. They stay gaps: a state for them would repeat '{value}'. To predict '{value}', \
             leave '{column}' out if it is known only afterwards:",
            finding.by_value(value)
        ),
        several => {
            let mut others: Vec<&str> = several.iter().map(|one| one.value).collect();
            others.sort_unstable();
            others.dedup();
            let (others, these) =
                (quoted(&others, NAMED), if others.len() == 1 { "it" } else { "one of them" });
            format!(
                "Gaps in {} follow from {others}: {}. They stay gaps: states for them would repeat {others}. To predict {these}, leave out \
                 what is known only afterwards:",
                counted(several.len(), "column"),
                names(several)
            )
        }
    });
    worth.into_iter().chain(repeating).collect()
}

fn told(telling: &[&Telling<'_>], text: impl Fn(&[&Telling<'_>]) -> String) -> Option<Told> {
    let advice = telling.iter().map(|one| one.advice()).collect();
    (!telling.is_empty()).then(|| Told { text: text(telling), advice })
}

/// The columns with what their gaps go with; those that miss together share it.
fn names(several: &[&Telling<'_>]) -> String {
    let mut alike: Vec<(&Telling<'_>, Vec<&str>)> = Vec::new();
    for one in several {
        let same = |(other, _): &&mut (&Telling<'_>, _)| other.finding == one.finding;
        match alike.iter_mut().find(same) {
            Some((_, columns)) => columns.push(one.column),
            None => alike.push((one, vec![one.column])),
        }
    }
    let named = |(one, columns): &(&Telling<'_>, Vec<&str>)| {
        format!("{} ({})", quoted(columns, NAMED), one.finding.by_value(one.value))
    };
    let mut names: Vec<String> = alike.iter().take(NAMED).map(named).collect();
    let more: usize = alike.iter().skip(NAMED).map(|(_, columns)| columns.len()).sum();
    if more > 0 {
        names.push(format!("and {more} more"));
    }
    names.join("; ")
}

impl Finding {
    /// In words.
    pub fn sentence(&self) -> String {
        let gaps = format!("gaps of {}", quoted(&self.columns, NAMED));
        let (least, most) = (percent(self.least.share), percent(self.most.share));
        match &self.with {
            With::Values(name) => format!("{gaps} depend on '{name}': {}", self.by_value(name)),
            With::Gaps(name) => {
                format!(
                    "{gaps} go with those of '{name}': {most} missing where it is missing, {least} elsewhere"
                )
            }
            With::Order(course) => self.along(&gaps, "the rows", *course),
            With::Time(column, course) => self.along(&gaps, &format!("time ('{column}')"), *course),
        }
    }

    pub(super) fn by_value(&self, name: &str) -> String {
        format!(
            "{} missing where {}, {} where {}",
            percent(self.most.share),
            is(name, &self.most.of),
            percent(self.least.share),
            is(name, &self.least.of)
        )
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
