//! Windows: L + 1 consecutive steps of an entity as one row.

use super::{Course, MOST_LAGS, Runs, Stretch, Timeline};
use crate::Error;
use crate::data::{CodedVariable, Dataset, Fingerprint};
use crate::error::{Advice, Place};
use crate::words::counted;
use clausality_bn::dynamic::{DynamicNetwork, Lagged};
use clausality_bn::{MISSING, Schema, Table, Variable};

/// Fewer windows than this say nothing.
const LEAST_WINDOWS: usize = 50;

/// The windows of a table.
#[derive(Debug, Clone)]
pub struct Windows {
    /// A row for each: the statics, then every process `L` steps ago, and so on, and last as it is now.
    pub dataset: Dataset,
    /// Which of them belong to one series.
    pub runs: Runs,
    /// What there is to tell of the series.
    pub course: Course,
    /// Columns with one value for a whole series, as variables.
    pub statics: Vec<Variable>,
    /// The others.
    pub processes: Vec<Variable>,
    /// The instant of each window's last step.
    pub instants: Vec<i64>,
}

impl Windows {
    /// How many steps a window looks back.
    pub fn lags(&self) -> usize {
        self.course.lags
    }
}

/// The codes of a table's series, step by step.
pub(crate) struct Coded {
    pub(crate) statics: Vec<CodedVariable>,
    pub(crate) processes: Vec<CodedVariable>,
    /// For each static its code by entity.
    held: Vec<Vec<u8>>,
    /// For each process its code by row of the table, and the one of a step that is missing.
    codes: Vec<(Vec<u8>, u8)>,
}

impl Coded {
    /// The code of a process at a step.
    pub(crate) fn code(&self, process: usize, row: Option<u32>) -> u8 {
        let (codes, missing) = &self.codes[process];
        row.map_or(*missing, |row| codes[row as usize])
    }

    /// The code of a static of an entity.
    pub(crate) fn held(&self, variable: usize, owner: u32) -> u8 {
        self.held[variable][owner as usize]
    }
}

impl Timeline {
    /// The variables of a table, told apart, with what they are in every row.
    pub(crate) fn coded(&self, dataset: &Dataset) -> Coded {
        let owners = dataset.sequence.as_ref().map_or(&[][..], |sequence| &sequence.owners);
        let stated = self.holes == super::Holes::State && self.course.holes > 0;
        let mut coded = Coded { statics: vec![], processes: vec![], held: vec![], codes: vec![] };
        for (v, variable) in dataset.coding.variables().iter().enumerate() {
            let codes = dataset.table.column(v);
            if self.course.statics.contains(&variable.variable.name) {
                let mut held = vec![MISSING; self.course.series];
                for (&owner, &code) in owners.iter().zip(codes).filter(|(_, code)| **code != MISSING) {
                    held[owner as usize] = code;
                }
                coded.held.push(held);
                coded.statics.push(variable.clone());
                continue;
            }
            let mut variable = variable.clone();
            let missing = if stated { variable.state_of_missing() } else { MISSING };
            coded.codes.push((codes.to_vec(), missing));
            coded.processes.push(variable);
        }
        coded
    }

    /// Where every window ends: its stretch, and the place of its last step there.
    pub(crate) fn ends(&self, lags: usize) -> impl Iterator<Item = (&Stretch, usize)> {
        let of = move |stretch| (lags..Stretch::steps(stretch)).map(move |end| (stretch, end));
        self.stretches.iter().flat_map(of)
    }

    /// The windows over so many lags.
    ///
    /// # Errors
    /// Series too short for that, or too few windows; names that read like names with a lag.
    pub fn windows(&self, dataset: &Dataset, lags: usize) -> Result<Windows, Error> {
        let coded = self.coded(dataset);
        let variables =
            |of: &[CodedVariable]| of.iter().map(|v| v.variable.clone()).collect::<Vec<Variable>>();
        let (statics, processes) = (variables(&coded.statics), variables(&coded.processes));
        let schema = DynamicNetwork::window_schema(&statics, &processes, lags)?;
        let ends = || self.ends(lags);
        self.enough(dataset, lags)?;
        let mut columns: Vec<Vec<u8>> = Vec::with_capacity(schema.len());
        for v in 0..statics.len() {
            columns.push(ends().map(|(stretch, _)| coded.held(v, stretch.owner)).collect());
        }
        for lag in (0..=lags).rev() {
            for process in 0..processes.len() {
                columns.push(
                    ends().map(|(stretch, end)| coded.code(process, stretch.rows[end - lag])).collect(),
                );
            }
        }
        let mut series: Vec<std::ops::Range<usize>> = Vec::new();
        let mut last = None;
        for (window, (stretch, _)) in ends().enumerate() {
            match (series.last_mut(), last) {
                (Some(of), Some(owner)) if owner == stretch.owner => of.end = window + 1,
                _ => series.push(window..window + 1),
            }
            last = Some(stretch.owner);
        }
        // A step that is missing is as late as the last row before it.
        let stamps = dataset.sequence.as_ref().map_or(&[][..], |sequence| &sequence.stamps);
        let instant = |(stretch, end): (&Stretch, usize)| {
            stretch.rows[..=end].iter().rev().flatten().next().map_or(0, |&row| stamps[row as usize].instant)
        };
        let now = schema.len() - processes.len()..schema.len();
        let table = Table::new(schema, columns)?;
        let course = Course { lags, windows: table.rows(), ..self.course.clone() };
        Ok(Windows {
            instants: ends().map(instant).collect(),
            dataset: over_windows(dataset, table, &coded),
            runs: Runs { series, apart: 2 * lags + 1, now },
            course,
            statics,
            processes,
        })
    }

    /// How many windows of so many lags there are.
    fn count(&self, lags: usize) -> usize {
        self.stretches.iter().map(|stretch| stretch.steps().saturating_sub(lags)).sum()
    }

    /// Whether there are windows enough of so many lags.
    pub(crate) fn has_enough(&self, lags: usize) -> bool {
        self.count(lags) >= LEAST_WINDOWS
    }

    /// Refuses more lags than there are windows for.
    pub(crate) fn enough(&self, dataset: &Dataset, lags: usize) -> Result<(), Error> {
        let windows = self.count(lags);
        let table = dataset.sequence.as_ref().map_or("", |sequence| &sequence.table);
        let longest = self.longest_stretch();
        if longest <= lags {
            let message = format!(
                "{} need series of {} consecutive steps, and the longest has {longest}: look back fewer steps, fill holes, or take rows as they \
                 come",
                counted(lags, "lag"),
                lags + 1
            );
            let advice =
                [("holes", "carry:1"), ("step", "rows")].map(|(name, value)| Advice::new(name, value));
            return Err(self.refused(table, message, advice.into()));
        }
        if windows < LEAST_WINDOWS {
            let message = format!(
                "only {} of {} consecutive steps, and at least {LEAST_WINDOWS} are needed: {}bring longer series",
                counted(windows, "window"),
                lags + 1,
                if self.has_enough(1) { "look back fewer steps, or " } else { "" }
            );
            return Err(self.refused(table, message, vec![]));
        }
        Ok(())
    }

    /// Names the most lags that there are windows for, if there are any.
    fn refused(&self, table: &str, message: String, mut advice: Vec<Advice>) -> Error {
        let deepest = (1..self.longest_stretch()).rev().find(|&lags| self.has_enough(lags));
        if let Some(lags) = deepest {
            advice.insert(0, Advice::new("lags", lags.min(MOST_LAGS).to_string()));
        }
        Error::Series { place: Place::file(table), message, advice }
    }
}

/// A table of windows with how its columns came about: those of the past are read from columns with a lag in their names.
fn over_windows(dataset: &Dataset, table: Table, coded: &Coded) -> Dataset {
    let find = |name: &str| -> Option<CodedVariable> {
        let Lagged { name, step } = Lagged::parse(name);
        let own = coded.statics.iter().chain(&coded.processes).find(|v| v.variable.name == name)?;
        let lagged = |text: &str| Lagged { name: text, step }.to_string();
        let variable = Variable { name: lagged(&own.variable.name), ..own.variable.clone() };
        Some(CodedVariable { column: lagged(&own.column), variable, rule: own.rule.clone() })
    };
    let schema: &Schema = table.schema();
    let variables = schema.variables().iter().filter_map(|v| find(&v.name)).collect();
    Dataset {
        rows: table.rows(),
        coding: dataset.coding.of_variables(variables),
        fingerprint: Fingerprint::of(&table),
        sequence: None,
        owners: None,
        weights: None,
        grades: Vec::new(),
        fine: None,
        beyond: None,
        indexes: Vec::new(),
        table,
        ..dataset.clone()
    }
}
