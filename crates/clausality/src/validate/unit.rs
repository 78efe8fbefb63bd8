//! One network, one sample, one method: the graphs it leads to, held against the truth.

use super::{Method, Outcome, Record, Roles, Unit, published, roots};
use crate::Error;
use crate::assemble::{NetworkSettings, assemble_hybrid, assemble_paper, equivalent_sample_size};
use crate::candidates::{Candidates, StrengthMatrix};
use crate::memory::Room;
use crate::rules::{RuleSettings, Rules};
use crate::strengths::{self, StrengthSettings, Strengths};
use crate::watch::{Quiet, Watch};
use clausality_bn::compare::{Comparison, Named};
use clausality_bn::{Dag, Network, Schema, Table};
use rayon::prelude::*;

/// Machines of the paper.
pub(super) fn machines(
    models: &[String],
    rounds: usize,
    null_rounds: usize,
    epochs: usize,
    clauses: Option<usize>,
) -> StrengthSettings {
    StrengthSettings {
        models: models.to_vec(),
        rounds: Some(rounds),
        null: true,
        null_rounds: Some(null_rounds),
        epochs: Some(epochs),
        clauses,
        ..StrengthSettings::of_the_paper()
    }
}

/// Does a unit.
pub(super) fn run(
    unit: &Unit,
    truth: &Network,
    table: &Table,
    room: Option<Room>,
    watch: &dyn Watch,
) -> Result<Record, Error> {
    let work = Work { unit, truth, table, room, watch: &Quiet(watch) };
    let (matrices, outcomes) = match &unit.method {
        Method::Model(name) => work.paper(std::slice::from_ref(name))?,
        Method::Together(names) => work.paper(names)?,
        Method::MutualInformation => work.information()?,
        Method::Hybrid => work.hybrid()?,
    };
    let lists = match published::top_features(&unit.network) {
        Some(_) => matrices.iter().map(|matrix| top(matrix, truth.schema())).collect(),
        None => Vec::new(),
    };
    Ok(Record { unit: unit.clone(), outcomes, lists })
}

struct Work<'a> {
    unit: &'a Unit,
    truth: &'a Network,
    table: &'a Table,
    room: Option<Room>,
    watch: &'a dyn Watch,
}

type Found = (Vec<StrengthMatrix>, Vec<Outcome>);

impl Work<'_> {
    /// Equation (1), Algorithms 2 and 3. One measurement serves both corrections and both settings of the roles.
    fn paper(&self, models: &[String]) -> Result<Found, Error> {
        let protocol = &self.unit.protocol;
        let share = |rounds: usize| (rounds / models.len()).max(1);
        let (rounds, null_rounds) = (share(protocol.rounds), share(protocol.null_rounds));
        let settings = machines(models, rounds, null_rounds, protocol.epochs, protocol.clauses);
        strengths::plan(self.table, &settings).check(self.room)?;
        let found = strengths::measure(self.table, &settings, self.unit.seed, self.watch)?;
        let schema = self.table.schema();
        let matrices = vec![plain(&found, schema), found.matrix(schema)];
        let outcomes = self.outcomes(&matrices);
        Ok((matrices, outcomes))
    }

    /// Mutual information in place of strengths, everything else as in the paper.
    fn information(&self) -> Result<Found, Error> {
        let size = self.table.schema().len();
        let mut matrix = StrengthMatrix::new(size);
        for (target, row) in strengths::mutual_information(self.table, self.watch)?.iter().enumerate() {
            row.iter().enumerate().for_each(|(feature, &nats)| matrix.set(target, feature, nats));
        }
        let matrices = vec![matrix];
        let outcomes = self.outcomes(&matrices);
        Ok((matrices, outcomes))
    }

    fn outcomes(&self, matrices: &[StrengthMatrix]) -> Vec<Outcome> {
        let schema = self.table.schema();
        let graph = |matrix: &StrengthMatrix, roles| {
            assemble_paper(matrix, schema, &self.rules(roles), &NetworkSettings::default()).dag
        };
        let both = |(corrected, matrix): (usize, &StrengthMatrix)| {
            [Roles::Roots, Roles::None]
                .map(|roles| self.outcome(roles, corrected == 1, &graph(matrix, roles)))
        };
        matrices.iter().enumerate().flat_map(both).collect()
    }

    fn hybrid(&self) -> Result<Found, Error> {
        let schema = self.table.schema();
        let machines = StrengthSettings::default();
        strengths::plan(self.table, &machines).check(self.room)?;
        let matrix = strengths::measure(self.table, &machines, self.unit.seed, self.watch)?.matrix(schema);
        let ess = Some(equivalent_sample_size(self.table, self.watch)?);
        let search = NetworkSettings { ess, ..NetworkSettings::default() };
        let outcome = |&roles: &Roles| {
            let rules = self.rules(roles);
            let found = assemble_hybrid(self.table, &matrix, &rules, &search, self.unit.seed, self.watch)?;
            Ok(self.outcome(roles, false, &found.dag))
        };
        let outcomes: Result<Vec<Outcome>, Error> =
            [Roles::Roots, Roles::None].par_iter().map(outcome).collect();
        Ok((vec![matrix], outcomes?))
    }

    fn rules(&self, roles: Roles) -> Rules {
        if roles == Roles::Roots { with_roots(self.truth) } else { Rules::none(self.truth.len()) }
    }

    fn outcome(&self, roles: Roles, corrected: bool, dag: &Dag) -> Outcome {
        Outcome { roles, corrected, comparison: compare(self.truth, self.table.schema(), dag) }
    }
}

/// The true roots as parameters.
pub(super) fn with_roots(truth: &Network) -> Rules {
    let given = RuleSettings { parameter: roots(truth), ..RuleSettings::default() };
    // Of a network without arcs every node is a root, and giving them all away would leave nothing to learn.
    Rules::new(truth.schema(), &given).unwrap_or_else(|_| Rules::none(truth.len()))
}

/// A graph over a schema against the truth.
pub(super) fn compare(truth: &Network, schema: &Schema, dag: &Dag) -> Comparison {
    let names: Vec<&str> = schema.variables().iter().map(|v| v.name.as_str()).collect();
    let learned = Named::new(&names, dag).expect("a schema's names are unique, and the graph is over it");
    Comparison::of(truth, learned)
}

/// The strengths before what chance gives was subtracted.
fn plain(found: &Strengths, schema: &Schema) -> StrengthMatrix {
    found.matrix_of(schema, |feature| feature.strength + feature.null.unwrap_or(0.0))
}

/// The three strongest features of every target, by name.
fn top(matrix: &StrengthMatrix, schema: &Schema) -> Vec<(String, Vec<String>)> {
    let ranked = Candidates::rank(matrix, schema, &Rules::none(schema.len()), 3);
    let names = |v: usize| ranked.list(v).iter().map(|c| schema.name(c.feature).to_string()).collect();
    let mut lists: Vec<(String, Vec<String>)> =
        (0..schema.len()).map(|v| (schema.name(v).to_string(), names(v))).collect();
    lists.sort();
    lists
}
