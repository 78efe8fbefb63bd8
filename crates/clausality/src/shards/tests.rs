use super::*;
use crate::data::{self, Absent, DataSettings, Dataset};
use crate::elsewhere::Parcel;
use crate::folder::{NewFolder, Work};
use crate::memory::Held;
use crate::watch::Unwatched;
use crate::{Learned, Settings, bn, embedded, learn_from, learn_keeping};
use clausality_bn::counts::{Cells, Count, Counter, FarCounter};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

const ROWS: usize = 150_000;

fn settings() -> Settings {
    let mut settings = Settings::default();
    settings.data.rows_held = 3000;
    settings
}

/// Rows of asia as CSV, in files that end before these rows; the last row alone has a state of its own.
fn folder(ends: &[usize]) -> tempfile::TempDir {
    folder_with(ends, usize::MAX)
}

/// The same with a gap in every so many rows.
fn folder_with(ends: &[usize], gaps: usize) -> tempfile::TempDir {
    let table = bn::sample(&embedded::network("asia").unwrap(), ROWS, 5);
    let schema = table.schema();
    let names: Vec<&str> = schema.variables().iter().map(|v| v.name.as_str()).collect();
    let label = |v: usize, row: usize| match (v, row + 1) {
        (2, ROWS) => "hardly ever",
        (6, number) if number % gaps == 0 => "",
        _ => schema.variable(v).states[usize::from(table.column(v)[row])].as_str(),
    };
    let line = |row: usize| (0..schema.len()).map(|v| label(v, row)).collect::<Vec<_>>().join(",") + "\n";
    let folder = tempfile::tempdir().unwrap();
    let mut start = 0;
    for (k, &end) in ends.iter().enumerate() {
        let text = names.join(",") + "\n" + &(start..end).map(line).collect::<String>();
        fs::write(folder.path().join(format!("part-{k}.csv")), text).unwrap();
        start = end;
    }
    folder
}

fn read(folder: &Path, settings: &DataSettings) -> Dataset {
    data::read(folder, settings, &Bounds::default()).unwrap()
}

fn learned(ends: &[usize]) -> Learned {
    let (folder, settings) = (folder(ends), settings());
    let dataset = read(folder.path(), &settings.data);
    learn_from(&dataset, &settings, &Bounds::default(), &Unwatched).unwrap()
}

#[test]
fn one_file_or_many_all_rows_are_counted_and_nothing_tells_them_apart() {
    let one = learned(&[ROWS]);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let many = pool.install(|| learned(&[1, 1, 65_536, 65_537, 70_000, 131_072, ROWS]));
    assert_eq!((&one.network, &one.columns, &one.trace), (&many.network, &many.columns, &many.trace));
    assert_eq!(one.strengths.fingerprint, many.strengths.fingerprint);
    assert_eq!((one.score.to_bits(), one.strengths.rows), (many.score.to_bits(), ROWS));
    // The same from all rows in memory.
    let folder = folder(&[ROWS]);
    let whole = one.coding.apply(folder.path(), &Bounds::default(), Absent::Refuse).unwrap().table;
    let prior = one.chosen.settings.network.believed();
    let twin = bn::Network::estimate(one.network.dag(), &whole, prior, u64::MAX).unwrap();
    assert_eq!(one.network, twin);
    let told: Vec<String> = one.notices.iter().map(ToString::to_string).collect();
    assert!(told[0].starts_with("150,000 rows are more than are held: columns are decided"), "{told:?}");
    assert!(told.contains(&"arcs are settled and probabilities counted on all 150,000 rows".into()));
    let rare = &one.columns[2].variables[0].states;
    assert_eq!(rare.iter().find(|state| state.label == "hardly ever").map(|state| state.rows), Some(1));
    let found = bn::compare::Comparison::of(&embedded::network("asia").unwrap(), &one.network);
    assert!(found.skeleton.f1 > 0.9, "{found:?}");
}

#[test]
fn gaps_that_are_unknown_leave_arcs_and_probabilities_to_the_rows_held() {
    let (folder, mut settings) = (folder_with(&[ROWS], 50), settings());
    let mut told = |rule| {
        settings.data.missing = data::ByColumn::all(rule);
        let dataset = read(folder.path(), &settings.data);
        let found = learn_from(&dataset, &settings, &Bounds::default(), &Unwatched).unwrap();
        assert_eq!(found.columns[6].missing, ROWS / 50);
        let told = found.notices.iter().map(|notice| notice.message.clone());
        // The score is of the rows that were counted for it.
        let held = found.score_rows == Some(dataset.table.rows());
        assert_eq!(held, rule == data::MissingRule::Em);
        assert!(held || found.score_rows.is_none());
        (told.collect::<Vec<_>>().join("\n"), found.probabilities.em_rounds.is_some())
    };
    let (unknown, em) = told(data::MissingRule::Em);
    assert!(unknown.contains("arcs and probabilities come from the rows held") && em, "{unknown}");
    let (stated, em) = told(data::MissingRule::State);
    assert!(stated.contains("arcs are settled and probabilities counted on all") && !em, "{stated}");
}

#[test]
fn codes_that_change_are_an_error_and_so_is_a_table_that_does() {
    let folder = folder(&[80_000, ROWS]);
    let dataset = read(folder.path(), &settings().data);
    let (beyond, kept) = (dataset.beyond.as_ref().unwrap(), Kept::default());
    let code = || AllRows::coded(beyond, &dataset.coding, &Bounds::default(), kept, &Unwatched);
    let all = code().unwrap();
    let whole = dataset.coding.apply(folder.path(), &Bounds::default(), Absent::Refuse).unwrap().table;
    let rows = all.counted(&Unwatched);
    let families: [&[usize]; 3] = [&[0, 1], &[7], &[2, 5, 6]];
    let count = || FarCounter::new(&rows).count(&families);
    assert_eq!(count(), Counter::new(&whole).unwrap().count(&families));
    assert!(rows.whole(()).is_ok());
    let Keeper::Disk(shards) = &all.kept else { panic!("nobody else is there") };
    shards.write_at(1, 3, b"\x01\x00\x01");
    assert!(count().iter().all(Cells::is_empty));
    let error = rows.whole(()).unwrap_err().to_string();
    assert!(error.contains("the codes of rows 65,536 to 131,072 changed"), "{error}");

    let file = folder.path().join("part-0.csv");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.trim_end().rsplit_once('\n').unwrap().0).unwrap();
    let error = code().unwrap_err().to_string();
    assert!(error.contains("part-0.csv: the file changed"), "{error}");
    let schema = dataset.table.schema();
    let nowhere = nameless(Some(Path::new("/no/such/folder")));
    let error = Shards::kept(nowhere, schema, &mut |_| Ok(())).unwrap_err().to_string();
    assert!(error.starts_with("/no/such/folder: cannot keep the codes of all rows here"), "{error}");
    fs::remove_file(&file).unwrap();
    assert!(code().is_err());
}

/// Workers of so many files each, all in this process; each may be asked to forget its rows.
#[derive(Debug)]
struct Near {
    at_a_time: usize,
    parts: Mutex<Vec<Part>>,
    trips: AtomicUsize,
    /// A file that is taken away when its rows were drawn.
    taken: Option<PathBuf>,
}

impl Near {
    fn new(at_a_time: usize) -> Self {
        Near { at_a_time, parts: Mutex::default(), trips: AtomicUsize::new(0), taken: None }
    }
}

impl Engine for Near {
    fn make(
        &self,
        parcel: &Parcel,
        names: Vec<String>,
        take: &mut dyn FnMut(&str) -> Result<(), Error>,
    ) -> Result<(), Error> {
        crate::learn::pieces(parcel.bytes(), &names, Held::default(), &Unwatched)?
            .iter()
            .try_for_each(|p| take(p))
    }

    fn keeps_rows(&self) -> bool {
        true
    }

    fn look(
        &self,
        recipe: &str,
        lengths: &[u64],
        take: &mut dyn FnMut(&[u8]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        for start in (0..lengths.len()).step_by(self.at_a_time) {
            let files = start..(start + self.at_a_time).min(lengths.len());
            take(&data::look(recipe, files, &Bounds::default())?)?;
        }
        let trips = self.trips.fetch_add(1, Ordering::Relaxed);
        if let Some(file) = self.taken.as_ref().filter(|_| trips == 1) {
            fs::rename(file, file.with_extension("away")).unwrap();
        }
        Ok(())
    }

    fn ask(&self, recipe: &str, lengths: &[u64], question: &str) -> Result<String, Error> {
        let mut parts = self.parts.lock().unwrap();
        if self.trips.fetch_add(1, Ordering::Relaxed) % 4 == 3 {
            // One is lost, and made again.
            parts.clear();
        }
        if parts.is_empty() {
            for start in (0..lengths.len()).step_by(self.at_a_time) {
                let files = start..(start + self.at_a_time).min(lengths.len());
                parts.push(Part::made(recipe, files, None, &Bounds::default(), &Unwatched)?);
            }
        }
        let answers = parts.iter().map(|part| part.answer(question, &Unwatched));
        together(&answers.collect::<Result<Vec<_>, _>>()?)
    }
}

#[test]
fn whoever_keeps_the_rows_nothing_tells() {
    let ends = [1, 1, 65_536, 65_537, 70_000, 131_072, ROWS];
    let (folder, settings) = (folder(&ends), settings());
    let dataset = read(folder.path(), &settings.data);
    let learned = |kept: Kept<'_>| {
        let found = learn_keeping(&dataset, &settings, &Bounds::default(), kept, &Unwatched).unwrap();
        format!(
            "{:?}",
            (
                found.network,
                found.strengths,
                found.trace,
                found.families,
                found.score,
                found.columns,
                found.notices
            )
        )
    };
    let here = learned(Kept::default());
    for at_a_time in [1, 3, 7] {
        let near = Near::new(at_a_time);
        assert_eq!(learned(Kept::default().made_by(Some(&near))), here);
        let trips = near.trips.into_inner();
        assert!((4..20).contains(&trips), "{trips} trips");
    }
}

#[test]
fn files_that_change_while_they_are_counted_are_an_error() {
    let (folder, near) = (folder(&[80_000, ROWS]), Near::new(1));
    let dataset = read(folder.path(), &settings().data);
    let (beyond, kept) = (dataset.beyond.as_ref().unwrap(), Kept::default().made_by(Some(&near)));
    let all = AllRows::coded(beyond, &dataset.coding, &Bounds::default(), kept, &Unwatched).unwrap();
    let file = folder.path().join("part-0.csv");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.trim_end().rsplit_once('\n').unwrap().0).unwrap();
    near.parts.lock().unwrap().clear();
    let rows = all.counted(&Unwatched);
    assert!(FarCounter::new(&rows).count(&[&[0]])[0].is_empty() && rows.cancelled());
    let error = rows.whole(()).unwrap_err().to_string();
    assert!(error.contains("changed while their rows were counted"), "{error}");
}

#[test]
fn what_is_no_recipe_no_question_and_no_answer_is_refused() {
    let folder = folder(&[ROWS]);
    let dataset = read(folder.path(), &settings().data);
    let recipe = part::recipe(dataset.beyond.as_ref().unwrap(), &dataset.coding).unwrap();
    let make = |recipe: &str| Part::made(recipe, 0..1, None, &Bounds::default(), &Unwatched);
    let other = recipe.replacen(env!("CARGO_PKG_VERSION"), "0.0.7", 1);
    for (recipe, told) in
        [("", "EOF"), ("{}", "missing field"), (&other, "install the same version everywhere")]
    {
        let error = make(recipe).unwrap_err().to_string();
        assert!(error.contains(told), "{error}");
    }
    let part = make(&recipe).unwrap();
    let ask = |question: &str| part.answer(question, &Unwatched).map_err(|error| error.to_string());
    let counted = |v: &str| ask(&format!(r#"{{"about":false,"by_name":true,"families":[{v}]}}"#));
    for question in ["", "{}", "7"] {
        assert!(ask(question).is_err());
    }
    assert!(counted("[8]").unwrap_err().contains("other columns") && counted("[]").is_err());
    let (one, two) = (counted("[0]").unwrap(), counted("[0,1]").unwrap());
    assert!(together(&[&one, &two]).unwrap_err().to_string().contains("different questions"));
    assert!(together(&[""; 0]).is_err() && together(&["{}"]).is_err());
    assert_eq!(part::read(&together(&[&one, &one]).unwrap()).unwrap().content.rows, 2 * ROWS);
}

#[test]
fn tables_whose_rows_are_needed_at_once_are_held_whole() {
    let folder = folder(&[ROWS]);
    let mut settings = settings().data;
    assert!(read(folder.path(), &settings).beyond.is_some());
    settings.discretize = Some(data::Discretize::Mdl);
    let whole = read(folder.path(), &settings);
    assert!(whole.beyond.is_none() && whole.table.rows() == ROWS);
    settings = DataSettings { rows_held: ROWS, ..DataSettings::default() };
    assert!(read(folder.path(), &settings).beyond.is_none());
}

/// What an interrupted run leaves is taken where it is as it was: the same rows, however many of them had to be coded again.
#[test]
fn codes_that_are_there_are_not_made_again() {
    let (folder, desk) = (folder(&[80_000, ROWS]), tempfile::tempdir().unwrap());
    let settings = settings();
    let dataset = read(folder.path(), &settings.data);
    let beyond = dataset.beyond.as_ref().unwrap();
    let place = NewFolder::for_run(&desk.path().join("run")).unwrap();
    let shards = desk.path().join(".clausality-run.shards");
    let coded = |told: &Told| {
        let scraps = place.scraps(Work::new("learn", &dataset.table, &settings), false).unwrap();
        let all = AllRows::coded(beyond, &dataset.coding, &Bounds::default(), scraps.kept(), told).unwrap();
        let rows = all.counted(&Unwatched);
        (all.fingerprint().clone(), all.seen.clone(), FarCounter::new(&rows).count(&[&[0, 1], &[2, 5, 6]]))
    };
    let once = coded(&Told::default());
    let whole = fs::read(&shards).unwrap();
    let again = Told::default();
    assert_eq!(coded(&again), once);
    assert_eq!(again.0.into_inner(), 2);
    // Changed, torn off, gone: made again from there on. The codes of the first file end before byte 640,000.
    let changed = |at: usize| [&whole[..at], &[whole[at] ^ 1], &whole[at + 1..]].concat();
    let torn = whole[..whole.len() - 1].to_vec();
    for (spoiled, there) in [(changed(70_000), 0), (changed(640_001), 1), (torn, 1), (vec![], 0)] {
        fs::write(&shards, spoiled).unwrap();
        let told = Told::default();
        assert_eq!(coded(&told), once);
        assert_eq!(told.0.into_inner(), there);
        assert!(fs::read(&shards).unwrap() == whole);
    }
    // Files that changed are coded anew, all of them.
    let file = folder.path().join("part-1.csv");
    fs::write(&file, fs::read(&file).unwrap()).unwrap();
    let told = Told::default();
    let other = read(folder.path(), &settings.data);
    let scraps = place.scraps(Work::new("learn", &dataset.table, &settings), false).unwrap();
    let beyond = other.beyond.as_ref().unwrap();
    let all = AllRows::coded(beyond, &other.coding, &Bounds::default(), scraps.kept(), &told).unwrap();
    assert_eq!((all.fingerprint(), told.0.into_inner()), (&once.0, 0));
}

/// Rows that are not held were changed: what is held cannot tell, and the work is refused all the same, and stays.
#[test]
fn rows_that_changed_beyond_those_held_are_another_table() {
    let (folder, desk) = (folder(&[80_000, ROWS]), tempfile::tempdir().unwrap());
    let mut settings = settings();
    settings.strengths.rounds = Some(1);
    let place = NewFolder::for_run(&desk.path().join("run")).unwrap();
    let (scraps, part) = (desk.path().join(".clausality-run.scraps"), folder.path().join("part-0.csv"));
    let learn = || {
        let dataset = read(folder.path(), &settings.data);
        let scraps = place.scraps(Work::new("learn", &dataset.table, &settings), false).unwrap();
        let ended = learn_keeping(&dataset, &settings, &Bounds::default(), scraps.kept(), &Unwatched);
        (dataset.table, ended.map(|found| found.score.to_bits()))
    };
    let (held, score) = learn();
    let (text, finished) = (fs::read_to_string(&part).unwrap(), fs::read(&scraps).unwrap());
    // Of the first rows some are held because their states are met there first; of the others one in sixty-four.
    let mut rows: Vec<String> = text.lines().map(String::from).collect();
    let row = &mut rows[1001];
    *row = if row.starts_with("yes") { row.replacen("yes", "no", 1) } else { row.replacen("no", "yes", 1) };
    fs::write(&part, rows.join("\n") + "\n").unwrap();
    assert!(read(folder.path(), &settings.data).table == held, "the row that was changed is held");
    let refused = learn().1.unwrap_err().to_string();
    assert!(refused.contains("was of another table, or of the table before it was changed"), "{refused}");
    assert!(fs::read(&scraps).unwrap().starts_with(&finished), "what was finished is there");
    fs::write(&part, text).unwrap();
    assert_eq!(learn().1.unwrap(), score.unwrap());
}

/// Hears how many parts of the codes were there.
#[derive(Default)]
struct Told(AtomicUsize);

impl Watch for Told {
    fn event(&self, event: Event) {
        if let Event::Resumed { stage: Stage::Code, there, .. } = event {
            self.0.store(there as usize, Ordering::Relaxed);
        }
    }
}

#[test]
fn a_first_pass_is_found_again_and_only_for_the_same_files() {
    let (folder, desk) = (folder(&[80_000, ROWS]), tempfile::tempdir().unwrap());
    let (settings, rows) = (settings().data, desk.path().join("rows"));
    let look =
        |settings: &DataSettings| decided(folder.path(), settings, data::FirstPass::kept(Some(rows.clone())));
    let once = look(&settings);
    let kept = fs::read(&rows).unwrap();
    assert!(look(&settings) == once);
    assert!(fs::read(&rows).unwrap() == kept);
    for spoiled in [kept.len() / 2, kept.len() - 1] {
        let mut other = kept.clone();
        other[spoiled] ^= 1;
        for torn in [&other[..], &kept[..spoiled], &[]] {
            fs::write(&rows, torn).unwrap();
            assert!(look(&settings) == once);
            assert!(fs::read(&rows).unwrap() == kept);
        }
    }
    assert!(look(&DataSettings { rows_held: 2000, ..settings.clone() }) != once);
    let file = folder.path().join("part-1.csv");
    let text = fs::read_to_string(&file).unwrap().replace("hardly ever", "never");
    fs::write(&file, text).unwrap();
    assert!(look(&settings).contains("never"));
}

/// Everything that is decided of a table after a first pass.
fn decided(folder: &Path, settings: &DataSettings, first: data::FirstPass<'_>) -> String {
    let found = data::read_first(folder, settings, &Bounds::default(), first).unwrap();
    let table = (found.fingerprint, found.table.rows());
    format!("{:?}", (table, found.coding, found.report, found.notices, found.twins, found.beyond))
}

/// The same by one who looks at all files, or by several.
fn decided_by(folder: &Path, settings: &DataSettings, engine: Option<&dyn Engine>) -> String {
    decided(folder, settings, data::FirstPass::default().made_by(engine))
}

/// Rows of columns of many kinds, in files that end before these rows.
fn kinds(ends: &[usize], cell: impl Fn(usize, usize) -> String) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut start = 0;
    for (k, &end) in ends.iter().enumerate() {
        let line = |row| (0..6).map(|column| cell(column, row)).collect::<Vec<_>>().join(",") + "\n";
        let text =
            "shop,price,name,rare,day,many\n".to_string() + &(start..end).map(line).collect::<String>();
        fs::write(folder.path().join(format!("part-{k}.csv")), text).unwrap();
        start = end;
    }
    folder
}

#[test]
fn whoever_looks_first_nothing_tells() {
    let mixed = |row: usize| (row as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
    let cell = |column: usize, row: usize| match column {
        0 => format!("shop {}", mixed(row) % 7),
        1 => format!("{:.2}", mixed(row) as f64 / 100.0),
        2 => format!("name {}", mixed(row) % 30_000),
        // Three rows have a text of their own, one of them the very last.
        3 if [3, 90_001, 139_999].contains(&row) => format!("once {row}"),
        3 => (mixed(row + 7) % 5).to_string(),
        4 => format!("2024-{:02}-{:02}", 1 + mixed(row) % 12, 1 + mixed(row + 1) % 28),
        _ => (mixed(row + 3) % 3000).to_string(),
    };
    let ends = [60_000, 60_000, 60_001, 100_000, 131_072, 140_000];
    let folder = kinds(&ends, cell);
    for rows_held in [1000, 5000, 139_999] {
        let settings = DataSettings { rows_held, ..DataSettings::default() };
        let alone = decided_by(folder.path(), &settings, None);
        for at_a_time in [1, 2, 4] {
            // Nobody else reads the files: one of them is not there any more.
            let file = folder.path().join("part-3.csv");
            let near = Near { taken: Some(file.clone()), ..Near::new(at_a_time) };
            let found = decided_by(folder.path(), &settings, Some(&near));
            fs::rename(file.with_extension("away"), file).unwrap();
            let differs = found.bytes().zip(alone.bytes()).position(|(one, other)| one != other);
            let near = |text: &str| {
                text.chars()
                    .skip(differs.unwrap_or_default().saturating_sub(200))
                    .take(400)
                    .collect::<String>()
            };
            assert!(found == alone, "{rows_held} {at_a_time}:\n{}\n{}", near(&found), near(&alone));
        }
    }
}

/// Where what a column is may hang on rows that are let go, whoever asked looks at all files: the same again.
#[test]
fn what_hangs_on_rows_that_are_let_go_is_looked_at_once_more() {
    let mixed = |row: usize| (row as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
    let odd: [&dyn Fn(usize) -> String; 3] = [
        // Numbers, and in the last file a text; few numbers at first, and then many; numbers in two spellings.
        &|row| if row == 119_000 { "none".into() } else { mixed(row).to_string() },
        &|row| if row < 60_000 { (row % 5).to_string() } else { mixed(row).to_string() },
        &|row| if row % 2 == 0 { format!("{}.0", mixed(row)) } else { mixed(row).to_string() },
    ];
    for odd in odd {
        let cell =
            |column: usize, row: usize| if column == 1 { odd(row) } else { (row % (column + 2)).to_string() };
        let folder = kinds(&[60_000, 100_000, 120_000], cell);
        let settings = DataSettings { rows_held: 2000, ..DataSettings::default() };
        let near = Near::new(1);
        assert!(
            decided_by(folder.path(), &settings, Some(&near)) == decided_by(folder.path(), &settings, None)
        );
    }
}
