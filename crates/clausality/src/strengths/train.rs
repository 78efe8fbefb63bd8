//! From a task to its fit: rows are drawn, a machine is trained on them, and its clauses are judged.

use super::bench::Bench;
use super::judge::Judge;
use super::sample::{Labelled, Round};
use super::settings::StrengthSettings;
use super::shadows::{Circle, View};
use super::task::{Fit, Task};
use crate::Error;
use crate::elsewhere::{Engine, Opened, Parcel, made, named, written};
use crate::folder::Kept;
use crate::time::Runs;
use crate::watch::{Event, Stage, Underway, Unwatched, Watch, go_on};
use clausality_bn::MISSING;
use clausality_bn::random::Stream;
use clausality_tm::{ClauseSet, Machine};
use rayon::prelude::*;
use std::collections::BTreeMap;

impl Bench<'_> {
    /// The fit of one task: the same wherever and whenever it is made.
    ///
    /// # Errors
    /// A task of another table or other settings; a machine that cannot be built.
    pub fn fit(&self, task: &Task) -> Result<Fit, Error> {
        Subject::new(self, task)?.fit(task, &Unwatched)
    }

    /// The fits of many tasks, in the order of the tasks. Those of a target share what they have in common, which is held
    /// only while they are made.
    ///
    /// # Errors
    /// As [`Bench::fit`]; [`Error::Cancelled`].
    pub fn fit_all(&self, tasks: Vec<Task>, watch: &dyn Watch) -> Result<Vec<(Task, Fit)>, Error> {
        let stage = Underway::begin(watch, Stage::Train, tasks.len());
        self.fit_each(tasks, &|_, _| Ok(()), &stage)
    }

    /// The fits that are asked for, those that were kept and those that were left to make: of a target that is settled no more than that takes.
    pub(super) fn fit_left(&self, kept: Kept<'_>, watch: &dyn Watch) -> Result<Vec<(Task, Fit)>, Error> {
        let (all, table) = (self.tasks(), kept.table(self.table));
        let name = |task: &Task| format!("{table} {task}");
        let (mut fits, mut left) = (Vec::new(), Vec::new());
        let known = all.len();
        for task in all {
            match kept.find(&name(&task)) {
                Some(fit) => fits.push((task, fit)),
                None => left.push(task),
            }
        }
        if !fits.is_empty() {
            // Those that will be spared are known once all others are there.
            let settled = match left.iter().all(|task| self.may_be_spared(task)) {
                true => self.settled(&fits),
                false => Default::default(),
            };
            let spared = left.iter().filter(|task| settled.contains(&task.target)).count();
            let (there, of) = (fits.len() as u64, (known - spared) as u64);
            watch.event(Event::Resumed { stage: Stage::Train, there, of });
        }
        let stage = Underway::begin(watch, Stage::Train, left.len());
        let finished = |task: &Task, fit: &Fit| kept.keep(&name(task), fit);
        let make = |tasks: Vec<Task>| match kept.engine().filter(|_| !tasks.is_empty()) {
            Some(engine) => self.fit_elsewhere(engine, tasks, &finished, &stage),
            None => self.fit_each(tasks, &finished, &stage),
        };
        let (first, more): (Vec<Task>, Vec<Task>) =
            left.into_iter().partition(|task| !self.may_be_spared(task));
        fits.extend(make(first)?);
        let settled = self.settled(&fits);
        let (spared, asked): (Vec<Task>, Vec<Task>) =
            more.into_iter().partition(|task| settled.contains(&task.target));
        spared.iter().for_each(|_| stage.step());
        fits.extend(make(asked)?);
        Ok(fits)
    }

    fn fit_elsewhere(
        &self,
        engine: &dyn Engine,
        mut tasks: Vec<Task>,
        finished: &dyn Fn(&Task, &Fit) -> Result<(), Error>,
        stage: &Underway<'_>,
    ) -> Result<Vec<(Task, Fit)>, Error> {
        tasks.sort_unstable();
        let parcel = Parcel::new(FITS, self.table, &(self.runs, self.settings, self.seed))?;
        let fits = made(engine, &parcel, &tasks, |task, fit| {
            go_on(stage)?;
            finished(task, fit)?;
            stage.step();
            Ok(())
        })?;
        Ok(tasks.into_iter().zip(fits).collect())
    }

    fn fit_each(
        &self,
        mut tasks: Vec<Task>,
        finished: &(dyn Fn(&Task, &Fit) -> Result<(), Error> + Sync),
        stage: &Underway<'_>,
    ) -> Result<Vec<(Task, Fit)>, Error> {
        tasks.sort_unstable();
        let subjects: Vec<&[Task]> =
            tasks.chunk_by(|a, b| (&a.target, a.null) == (&b.target, b.null)).collect();
        let fits: Vec<Vec<Fit>> = subjects
            .into_par_iter()
            .map(|tasks| {
                let subject = Subject::new(self, &tasks[0])?;
                let fit = |task| {
                    go_on(stage)?;
                    let fit = subject.fit(task, stage)?;
                    stage.step();
                    finished(task, &fit)?;
                    Ok(fit)
                };
                tasks.par_iter().map(fit).collect()
            })
            .collect::<Result<_, Error>>()?;
        Ok(tasks.into_iter().zip(fits.into_iter().flatten()).collect())
    }
}

/// The kind of a parcel of tasks.
pub(crate) const FITS: &str = "fits";

/// The fits of tasks that somebody else sent, in the order in which they are named.
pub(crate) fn fits_of(mut parcel: Opened, names: &[String], watch: &dyn Watch) -> Result<Vec<String>, Error> {
    let (runs, settings, seed): (Option<Runs>, StrengthSettings, u64) = parcel.how()?;
    let bench = Bench { runs: runs.as_ref(), ..Bench::new(&parcel.table, &settings, seed, watch)? };
    let tasks: Vec<Task> = named(names)?;
    let fits: BTreeMap<Task, Fit> = bench.fit_all(tasks.clone(), watch)?.into_iter().collect();
    written(tasks.iter().map(|task| &fits[task]))
}

/// The rows of one target, true or permuted, and what all its fits share.
struct Subject<'a> {
    bench: &'a Bench<'a>,
    target: usize,
    labelled: Labelled,
    circle: Circle,
    judge: Judge<'a>,
}

impl<'a> Subject<'a> {
    /// The target of a task; that of a null task has its classes dealt to the rows at random.
    fn new(bench: &'a Bench<'a>, task: &Task) -> Result<Self, Error> {
        let target = bench.target(task)?;
        let mut labelled = labelled(bench, target);
        let shared = Task { model: 0, round: 0, ..task.clone() };
        let stream = |kind: &str| shared.stream(bench.seed, kind);
        if task.null {
            deal(bench, &mut labelled, &mut stream("classes"));
        }
        let judge = Judge::new(bench, target, &labelled, &mut stream("judged"));
        let circle = Circle::new(&labelled.rows, bench.table.rows(), bench.runs, &mut stream("circle"));
        Ok(Subject { bench, target, labelled, circle, judge })
    }

    fn fit(&self, task: &Task, watch: &dyn Watch) -> Result<Fit, Error> {
        let bench = self.bench;
        bench.target(task)?;
        let stream = |kind: &str| task.stream(bench.seed, kind);
        let settings = bench.settings;
        let round = self.labelled.draw(settings.balance, settings.samples(), &mut stream("rows"));
        if round.classes.len() < 2 {
            return Ok(Fit::Nothing);
        }
        let features = bench.screen.features(&bench.encoding, self.target, task, bench.seed);
        let view = View::new(bench, &self.circle, features, &mut stream("shadows"));
        if view.layout.literals() == 0 {
            return Ok(Fit::Nothing);
        }
        let readings = self.train(task, &view, &round, watch)?;
        Ok(Fit::Trained(self.judge.read(&readings, &view, (!task.null).then_some(&round))?))
    }

    /// The clauses of a machine after its last epoch, and before that after the epochs whose clauses are read too.
    fn train(
        &self,
        task: &Task,
        view: &View<'_>,
        round: &Round,
        watch: &dyn Watch,
    ) -> Result<Vec<ClauseSet>, Error> {
        let Bench { settings, models, seed, .. } = self.bench;
        let (matrix, labels) = (view.gather(&round.train), round.labels());
        let seed = task.stream(*seed, "machine").bits();
        let model = &models[task.model].machine;
        let mut machine = Machine::new(view.layout.literals(), round.classes.len(), model, seed)?;
        if let Some(path) = settings.path {
            machine = machine.on_path(path);
        }
        let (epochs, mut readings) = (settings.epochs(), Vec::new());
        for epoch in 0..epochs {
            go_on(watch)?;
            machine.fit_epoch(&matrix, &labels)?;
            if epoch + settings.readings() >= epochs {
                readings.push(machine.clauses());
            }
        }
        Ok(readings)
    }
}

/// Deals the classes to the rows at random; those of a series are read from another time of it.
fn deal(bench: &Bench<'_>, labelled: &mut Labelled, stream: &mut Stream) {
    let rows = labelled.classes.len();
    let Some(runs) = bench.runs else { return stream.choose(&mut labelled.classes, rows) };
    let circle = Circle::new(&labelled.rows, bench.table.rows(), Some(runs), stream);
    let shifts = circle.shifts(stream);
    let place = |row: u32| labelled.rows.partition_point(|&known| known < row);
    let class = |&row: &u32| labelled.classes[place(circle.other(row, &shifts))];
    labelled.classes = labelled.rows.iter().map(class).collect();
}

/// The rows in which a target has a value, and its classes.
fn labelled(bench: &Bench<'_>, target: usize) -> Labelled {
    let values = bench.encoding.values(target);
    let mut class = [None; 256];
    for (number, &code) in (0..=u8::MAX).zip(values) {
        class[code as usize] = Some(number);
    }
    class[MISSING as usize] = None;
    let classes = bench.table.column(target).iter().map(|&code| class[code as usize]);
    Labelled::new(classes, values.len())
}
