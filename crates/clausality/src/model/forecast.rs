//! The series of a table under a network over time: forecasts, and what was hidden in them.

use super::answer::Now;
use super::ask::{Past, check_samples};
use super::rows::{absent_from, without_column};
use super::{CODING, DynamicModel, Model, ModelError, Question, Reading, TIME};
use crate::Error;
use crate::data::{Absent, Bounds, Input, Stamped, csv_cell};
use crate::time::{Course, Step, Track, Tracks};
use crate::watch::{Stage, Underway, Watch};
use crate::words::counted;
use clausality_bn::dynamic::Lagged;
use clausality_bn::infer::{Drawn, Evidence, Finding, InferSeries, Moment, SeriesEvidence, weigh_series};
use clausality_bn::io::Limits;
use clausality_bn::{MISSING, Network, Schema, Table, Variable};
use serde::Serialize;

/// How the rows of a table are put in order, as far as that is not what the network keeps.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct InTime {
    /// The column with the stamps.
    pub time: Option<String>,
    /// The column with the entities.
    pub entity: Option<String>,
    /// What lies between two rows.
    pub step: Option<Step>,
}

/// The series of a table under the states of a network over time.
#[derive(Debug, Clone)]
pub struct SeriesRows {
    /// What messages call the table.
    pub name: String,
    /// The series.
    pub tracks: Tracks,
    /// The statics, then the processes, row by row.
    table: Table,
    statics: usize,
    /// Whether a step that is missing has a state of its own.
    stated: bool,
    /// What deserves to be said of the cells.
    pub notices: Vec<String>,
}

/// What a network says of the steps after the last row of each series.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Forecast {
    /// Where the network was read.
    pub model: String,
    /// The table.
    pub table: String,
    /// The column with the stamps.
    pub time: String,
    /// The column with the entities, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entity: Option<String>,
    /// How many steps ahead.
    pub horizon: usize,
    /// From how many weighted series it was estimated; none where it is exact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub samples: Option<usize>,
    /// One for each series.
    pub series: Vec<SeriesForecast>,
    /// Whether times are what clocks on the wall show, whatever their offset from UTC will be then; else they are instants.
    #[serde(skip)]
    pub by_wall: bool,
    /// The version of the program.
    pub version: &'static str,
}

/// What comes after the last row of one series.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SeriesForecast {
    /// Whose.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub entity: String,
    /// Of an estimate: how many unweighted series it is worth.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effective_samples: Option<f64>,
    /// The steps, the next first.
    pub steps: Vec<StepForecast>,
}

/// What one step will be like.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StepForecast {
    /// When.
    pub time: String,
    /// How many steps ahead.
    pub ahead: usize,
    /// Every process with its states and their probabilities.
    pub nodes: Vec<NodeForecast>,
}

/// The states of a process with their probabilities.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NodeForecast {
    /// The process.
    pub node: String,
    /// In the order of its states.
    pub states: Vec<(String, f64)>,
    /// Of an estimate: the standard error of each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<f64>,
}

/// How forecasts are worked out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Worked {
    /// Exactly, if that fits into so many bytes.
    Exactly {
        /// The bytes.
        memory: u64,
    },
    /// From weighted series that are drawn.
    Drawn(Drawn),
}

/// The distributions of some processes at some steps, one step after the other, and of an estimate how sure they are.
struct Chances {
    probabilities: Vec<Vec<f64>>,
    errors: Vec<Vec<f64>>,
    effective: Option<f64>,
}

impl DynamicModel {
    /// What is kept of the series that it was learned from.
    ///
    /// # Errors
    /// [`ModelError::Coding`] for a note that is damaged.
    pub fn course(&self) -> Result<Option<Course>, Error> {
        let wrong = |error: serde_json::Error| ModelError::Coding {
            file: self.source.clone(),
            reason: format!("{TIME}: {error}"),
        };
        Ok(self
            .extra
            .get(TIME)
            .map(|kept| serde_json::from_value(kept.clone()).map_err(wrong))
            .transpose()?)
    }

    /// The statics, then the processes: the variables of a row.
    fn row_schema(&self) -> Result<Schema, Error> {
        let variables = self.network.statics().variables().iter().chain(self.network.processes().variables());
        Ok(Schema::new(variables.cloned().collect())?)
    }

    /// Reads the series of a table with the coding that the network keeps, else by the labels of its states.
    ///
    /// # Errors
    /// Whatever is wrong with the table, its stamps or its entities; no column of any variable.
    pub fn read_series<'a>(
        &self,
        table: impl Into<Input<'a>>,
        reading: &Reading,
        order: &InTime,
        bounds: &Bounds,
    ) -> Result<SeriesRows, Error> {
        let course = self.course()?;
        let kept = course.as_ref();
        let time = order.time.clone().or(kept.map(|course| course.time.clone())).ok_or_else(|| {
            let expected = "named: which column puts the rows in order?";
            Error::Setting { name: "time", value: "not given".into(), expected }
        })?;
        let entity = order.entity.clone().or(kept.and_then(|course| course.entity.clone()));
        let step = match (order.step, kept) {
            (Some(step), _) => step,
            (None, Some(course)) => course.step.parse().map_err(|reason| ModelError::Coding {
                file: self.source.clone(),
                reason: format!("{TIME}: step: {reason}"),
            })?,
            (None, None) => Step::Auto,
        };
        let stamps = match kept.filter(|course| course.time == time) {
            None => Stamped::Anyhow,
            Some(course) => course.order().map_or(Stamped::Numbers, Stamped::Dates),
        };
        let schema = self.row_schema()?;
        let coding = reading.coding(self.coding()?, &schema);
        let input = table.into();
        let name = input.name().into_owned();
        let (coded, sequence) =
            coding.apply_in_time(input, (&time, entity.as_deref()), stamps, bounds, Absent::Unknown)?;
        let known = coding.restricted(&schema).variables().len();
        if known != schema.len() {
            let reason = format!("its {CODING} does not name every variable");
            return Err(ModelError::Coding { file: self.source.clone(), reason }.into());
        }
        let table = coded.table.recoded(&schema)?;
        let seen = (0..schema.len()).any(|v| table.column(v).iter().any(|&code| code != MISSING));
        if !seen {
            return Err(super::RowsError::NoValue(name).into());
        }
        let absent = absent_from(&table, &coded.missing, &coded.unknown);
        let unknown = coded.unknown.iter().map(|(column, cells)| {
            format!(
                "column '{column}': in {} the cell is no state of the network and counts as missing",
                counted(*cells, "row")
            )
        });
        let tracks = Tracks::new(sequence, step)?;
        Ok(SeriesRows {
            notices: without_column(&absent, schema.len())
                .into_iter()
                .chain(unknown)
                .chain(tracks.notices.iter().cloned())
                .collect(),
            name,
            tracks,
            table,
            statics: self.network.statics().len(),
            stated: kept.is_some_and(|course| course.treated == "state"),
        })
    }

    /// What deserves to be said of forecasts of some processes, whatever the rows.
    ///
    /// # Errors
    /// As [`DynamicModel::course`].
    pub fn cautions(&self, processes: &[usize]) -> Result<Vec<String>, Error> {
        let trends = self.course()?.map_or(Vec::new(), |course| course.trends);
        let asked = |name: &str| processes.iter().any(|&p| self.network.processes().name(p) == name);
        Ok(trends.iter().filter(|trend| asked(&trend.name)).map(|trend| trend.sentence()).collect())
    }

    /// What each of some processes will be like after the last row of every series, for `horizon` steps.
    ///
    /// # Errors
    /// Rows that the network says cannot be, or that no sample agrees with; a question too large; [`Error::Cancelled`].
    pub fn forecast(
        &self,
        rows: &SeriesRows,
        processes: &[usize],
        horizon: usize,
        worked: Worked,
        watch: &dyn Watch,
    ) -> Result<Forecast, Error> {
        let samples = match worked {
            Worked::Exactly { .. } => None,
            Worked::Drawn(drawn) => Some(drawn.samples),
        };
        check_samples(samples.unwrap_or(0))?;
        let mut infer = InferSeries::new(self.network.clone());
        if let Worked::Exactly { memory } = worked {
            infer = infer.with_limit(memory);
        }
        let stage = Underway::begin(watch, Stage::Forecast, rows.tracks.tracks.len());
        let mut series = Vec::with_capacity(rows.tracks.tracks.len());
        for track in &rows.tracks.tracks {
            if watch.cancelled() {
                return Err(Error::Cancelled);
            }
            let known = self.seen(rows, track)?;
            let from = track.steps();
            let found = match worked {
                Worked::Exactly { .. } => {
                    let steps = infer.posteriors(processes, from..from + horizon, &known)?;
                    let probabilities = steps.into_iter().flat_map(|step| step.probabilities).collect();
                    Chances { probabilities, errors: Vec::new(), effective: None }
                }
                Worked::Drawn(drawn) => {
                    let at = |step| processes.iter().map(move |&process| Moment::At(process, step));
                    let asked: Vec<Moment> = (from..from + horizon).flat_map(at).collect();
                    let stop = || watch.cancelled();
                    let found = weigh_series(&self.network, &asked, &known, drawn, &stop)?;
                    let effective = Some(found.effective);
                    Chances { probabilities: found.probabilities, errors: found.errors, effective }
                }
            };
            let node = |(k, process): (usize, &usize), step: usize| {
                let variable = self.network.processes().variable(*process);
                let place = step * processes.len() + k;
                let chances = found.probabilities[place].iter().copied();
                NodeForecast {
                    node: variable.name.clone(),
                    states: variable.states.iter().cloned().zip(chances).collect(),
                    errors: found.errors.get(place).cloned().unwrap_or_default(),
                }
            };
            let steps = (0..horizon).map(|step| StepForecast {
                time: rows.tracks.later(track, step + 1),
                ahead: step + 1,
                nodes: processes.iter().enumerate().map(|process| node(process, step)).collect(),
            });
            series.push(SeriesForecast {
                entity: track.entity.clone(),
                effective_samples: found.effective,
                steps: steps.collect(),
            });
            stage.step();
        }
        let (time, entity) = rows.tracks.columns();
        Ok(Forecast {
            by_wall: rows.tracks.by_wall(),
            model: self.source.clone(),
            table: rows.name.clone(),
            time: time.to_string(),
            entity: entity.map(String::from),
            horizon,
            samples,
            series,
            version: env!("CARGO_PKG_VERSION"),
        })
    }

    /// The steps around the last row of a series that reach from the first to the last of those named, from where the rows know all that the rest
    /// depends on, or else from the first row: with the rows of these steps as evidence, an ordinary network that says of the others what the series does.
    ///
    /// # Errors
    /// Steps before the first of the series; as [`DynamicModel::unrolled`].
    pub fn around_rows(
        &self,
        rows: &SeriesRows,
        track: &Track,
        named: impl IntoIterator<Item = i64>,
        limits: &Limits,
    ) -> Result<Model, Error> {
        let (now, order) = (track.steps() as i64 - 1, self.network.order() as i64);
        let named: Vec<i64> = named.into_iter().collect();
        if let Some(early) = named.iter().find(|&&step| step < -now) {
            return Err(self.before_the_first(rows, track, &format!("step {early}")));
        }
        let (first, last) = self.reach(named);
        let told = first.max(-now);
        let seen = self.seen(rows, track)?;
        let begin = (1..=(now + told).min(now - order + 1)).rev().find(|&step| self.decides(&seen, step));
        self.stretch(begin.unwrap_or(0) - now, told, last.max(order - 1 - now), limits)
    }

    /// Whether what is known of the steps from this one on, as many as the network looks back to, leaves nothing that any later one depends on open.
    fn decides(&self, seen: &SeriesEvidence, step: i64) -> bool {
        let known = |moment: Moment| seen.finding(moment).state().is_some();
        let Ok(step) = usize::try_from(step) else { return false };
        let processes = self.network.processes().len();
        let mut steps = step..step + self.network.order();
        (0..self.network.statics().len()).all(|v| known(Moment::Static(v)))
            && steps.all(|step| (0..processes).all(|process| known(Moment::At(process, step))))
    }

    fn before_the_first(&self, rows: &SeriesRows, track: &Track, what: &str) -> Error {
        Error::TooLittleData(format!(
            "{}: {what} lies before the first of the {} of the series",
            rows.name,
            counted(track.steps(), "step")
        ))
    }

    /// A question about a series whose rows are known, in terms of the steps around its last row: those of [`DynamicModel::around_with_past`], or of
    /// [`DynamicModel::around_rows`] where more is asked than the distribution of every target by itself.
    ///
    /// # Errors
    /// Steps before the first of the series; evidence against the rows.
    pub fn question_after<'m>(
        &self,
        rows: &SeriesRows,
        track: &Track,
        around: &'m Model,
        targets: Vec<usize>,
        evidence: Evidence,
    ) -> Result<Question<'m>, Error> {
        let now = track.steps() as i64 - 1;
        let moment = |variable: &Variable| {
            let Lagged { name, step } = Lagged::parse(&variable.name);
            let Some(step) = step else {
                return Ok(self.network.statics().index(&variable.name).map(Moment::Static));
            };
            let process = self.network.processes().require(name)?;
            // Steps before the first row are nobody's: nothing may be said or asked of them.
            Ok(usize::try_from(now + step).ok().map(|step| Moment::At(process, step)))
        };
        let schema = around.network.schema();
        let moments = schema.variables().iter().map(moment).collect::<Result<Vec<_>, Error>>()?;
        let mut known = self.seen(rows, track)?;
        let mut spoken = targets.clone();
        for (node, finding) in evidence.findings().iter().enumerate() {
            if *finding != Finding::Free {
                spoken.push(node);
            }
        }
        if let Some(&early) = spoken.iter().find(|&&node| moments[node].is_none()) {
            return Err(self.before_the_first(rows, track, &format!("'{}'", schema.name(early))));
        }
        let alone = known.clone();
        let mut ground = known.clone();
        for (node, (finding, moment)) in evidence.findings().iter().zip(&moments).enumerate() {
            let Some(moment) = moment.filter(|_| *finding != Finding::Free) else { continue };
            if let Finding::Observed(state) = alone.finding(moment) {
                let variable = schema.variable(node);
                return Err(Error::TooLittleData(format!(
                    "{}: '{}' is '{}' in the rows of the series (now is {}): leave it out of what is given or done, or the cell out of the \
                     table",
                    rows.name,
                    variable.name,
                    variable.states[usize::from(*state)],
                    rows.tracks.now(track)
                )));
            }
            match finding {
                Finding::Free => {}
                Finding::Observed(state) => known.observe(moment, *state)?,
                Finding::Set(state) => {
                    known.intervene(moment, *state)?;
                    ground.intervene(moment, *state)?;
                }
                Finding::Likelihood(numbers) => known.among(moment, numbers.clone())?,
            }
        }
        let now = Now {
            table: rows.name.clone(),
            entity: track.entity.clone(),
            now: rows.tracks.now(track),
            steps: track.steps(),
            log_probability: 0.0,
        };
        let window = self.in_window(&around.network, &moments, &alone)?;
        let past = Past { network: self.network.clone(), known, alone, ground, now, moments, window };
        Ok(around.question(targets, evidence).after(past))
    }

    /// What the rows say of the nodes of a stretch; nothing where that is not all that the rows say of its open nodes.
    fn in_window(
        &self,
        network: &Network,
        moments: &[Option<Moment>],
        seen: &SeriesEvidence,
    ) -> Result<Option<Evidence>, Error> {
        let step = |moment: &Option<Moment>| match moment {
            Some(Moment::At(_, step)) => Some(*step),
            _ => None,
        };
        let begin = moments.iter().filter_map(step).min().unwrap_or(0);
        let whole = begin == 0 || self.decides(seen, begin as i64);
        if !whole || moments.contains(&None) {
            return Ok(None);
        }
        let mut found = Evidence::new(network);
        for (node, moment) in moments.iter().enumerate() {
            if let Some(state) = moment.and_then(|moment| seen.finding(moment).state()) {
                found.observe(node, state)?;
            }
        }
        Ok(Some(found))
    }

    /// What the rows of a series say.
    ///
    /// # Errors
    /// A static that changes within the series.
    pub fn seen(&self, rows: &SeriesRows, track: &Track) -> Result<SeriesEvidence, Error> {
        let mut known = SeriesEvidence::new(&self.network);
        for v in 0..rows.statics {
            let mut codes = track.rows.iter().map(|&(_, row)| rows.table.column(v)[row]);
            // What is held for a whole series stands in any of its rows.
            if let Some(code) = codes.find(|&code| code != MISSING) {
                known.observe(Moment::Static(v), code)?;
            }
        }
        let mut next = 0;
        for &(step, row) in &track.rows {
            for missing in next..step {
                self.state_hole(rows, missing, &mut known)?;
            }
            next = step + 1;
            for process in 0..self.network.processes().len() {
                let code = rows.table.column(rows.statics + process)[row];
                if code != MISSING {
                    known.observe(Moment::At(process, step), code)?;
                }
            }
        }
        Ok(known)
    }

    /// A step without a row: unknown, or where that was learned a state of its own.
    fn state_hole(&self, rows: &SeriesRows, step: usize, known: &mut SeriesEvidence) -> Result<(), Error> {
        if rows.stated {
            for (process, variable) in self.network.processes().variables().iter().enumerate() {
                if let Some(code) = variable.missing_state() {
                    known.observe(Moment::At(process, step), code)?;
                }
            }
        }
        Ok(())
    }
}

impl Forecast {
    /// The names of the columns after those of entity and time: where one of these has such a name already, ours ends with `_`.
    pub fn heads(&self) -> [String; 5] {
        ["ahead", "node", "state", "probability", "standard_error"].map(|name| {
            let taken = |name: &String| self.time == *name || self.entity.as_ref() == Some(name);
            let names = std::iter::successors(Some(name.to_string()), |name| Some(format!("{name}_")));
            names.into_iter().find(|name| !taken(name)).unwrap_or_default()
        })
    }

    /// A row for every series, step, process and state.
    pub fn csv(&self) -> String {
        let entity = self.entity.as_deref();
        let mut out = String::new();
        let heads = self.heads();
        let ours = &heads[..if self.samples.is_some() { 5 } else { 4 }];
        let head = [entity, Some(&self.time)].into_iter().flatten().chain(ours.iter().map(String::as_str));
        out.push_str(&(head.map(csv_cell).collect::<Vec<_>>().join(",") + "\n"));
        for series in &self.series {
            let whose = entity.map_or(String::new(), |_| csv_cell(&series.entity) + ",");
            for step in &series.steps {
                for NodeForecast { node, states, errors } in &step.nodes {
                    for (k, (state, p)) in states.iter().enumerate() {
                        let (time, node, state) = (csv_cell(&step.time), csv_cell(node), csv_cell(state));
                        let error = errors.get(k).map_or(String::new(), |error| format!(",{error:?}"));
                        out.push_str(&format!("{whose}{time},{},{node},{state},{p:?}{error}\n", step.ahead));
                    }
                }
            }
        }
        out
    }
}
