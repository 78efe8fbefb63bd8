//! What helps to decide, as tables.

use crate::text::{Align, Grid, Paint, chance, clean, grouped, percent, shortened, wrap};
use clausality::model::{AskNext, Decided, Insight, Number, Pairs, Swing, Why};
use clausality::words::{counted, quoted};

/// Rows that are shown; all are in `--json`.
const SHOWN: usize = 15;
/// States of a target that have a column each.
const COLUMNS: usize = 4;
/// The longest name of a state in a heading.
const HEADING: usize = 12;

/// Everything that was asked for, each with its heading.
pub(crate) fn tables(insight: &Insight<'_>, width: usize, paint: Paint) -> String {
    let tables = [
        insight.next.as_ref().map(|next| ask_next(next)),
        insight.why.as_ref().map(why),
        insight.tornado.as_ref().map(|tornado| swings(tornado, insight.still.unwrap_or(0))),
        insight.sensitivity.as_ref().map(|numbers| sensitivity(numbers)),
        insight.decision.as_ref().map(decision),
        insight.decision.as_ref().and_then(information),
    ];
    let mut text = String::new();
    for Shown { title, grid, more, note } in tables.into_iter().flatten() {
        for line in wrap(&clean(&title), width) {
            text.push_str(&format!("{}\n", paint.bold(&line)));
        }
        text.push_str(&format!("\n{}", grid.render(width, paint)));
        if more > 0 {
            text.push_str(&format!("and {} more, see --json\n", grouped(more)));
        }
        for line in wrap(&clean(&note), width).iter().filter(|line| !line.is_empty()) {
            text.push_str(&format!("{}\n", paint.dim(line)));
        }
        text.push('\n');
    }
    text
}

struct Shown {
    title: String,
    grid: Grid,
    /// How many rows were left out.
    more: usize,
    note: String,
}

impl Shown {
    fn new(title: impl Into<String>, grid: Grid, rows: usize) -> Self {
        Shown { title: title.into(), grid, more: rows.saturating_sub(SHOWN), note: String::new() }
    }
}

fn ask_next(next: &[AskNext<'_>]) -> Shown {
    let priced = next.iter().any(|ask| ask.cost != 1.0);
    let mut columns = vec![("node", Align::Left), ("bits", Align::Right), ("of the doubt", Align::Right)];
    if priced {
        columns.extend([("cost", Align::Right), ("bits per cost", Align::Right)]);
    }
    let mut grid = Grid::new(columns);
    for ask in next.iter().take(SHOWN) {
        let mut cells = vec![ask.node.to_string(), bits(ask.information), share(ask.share)];
        if priced {
            cells.extend([ask.cost.to_string(), bits(ask.per_cost)]);
        }
        grid.row(cells);
    }
    Shown::new("What to ask next: what seeing it would tell on average", grid, next.len())
}

/// Information, of which there may be more than one bit.
fn bits(information: f64) -> String {
    if information < 1.0 { chance(information) } else { format!("{information:.4}") }
}

fn why(why: &Why<'_>) -> Shown {
    let states = why.after.0.len().min(COLUMNS);
    // Where there are many states, those that moved most.
    let mut order: Vec<usize> = (0..why.after.0.len()).collect();
    let moved = |k: usize| (why.after.0[k].1 - why.before.0[k].1).abs();
    if why.after.0.len() > COLUMNS {
        order.sort_by(|&a, &b| moved(b).total_cmp(&moved(a)));
    }
    let order = &order[..states];
    let headings: Vec<String> =
        order.iter().map(|&k| shortened(&clean(why.after.0[k].0), HEADING).into_owned()).collect();
    let columns = headings.iter().map(|name| (name.as_str(), Align::Right));
    let mut grid = Grid::new([("finding", Align::Wrap)].into_iter().chain(columns));
    let row = |name: String, pairs: &Pairs<'_, f64>, show: &dyn Fn(f64) -> String| {
        let cells: Vec<String> = order.iter().map(|&k| show(pairs.0[k].1)).collect();
        [vec![name], cells].concat()
    };
    grid.dim_row(row("before".into(), &why.before, &chance));
    for push in why.findings.iter().take(SHOWN) {
        let name = match push.state {
            Some(state) => format!("{}={state}", push.node),
            None => format!("what is known of {}", push.node),
        };
        grid.row(row(name, &push.push, &|p| format!("{p:+.4}")));
    }
    grid.dim_row(row("after".into(), &why.after, &chance));
    Shown::new("Why: what each finding did, whatever their order", grid, why.findings.len())
}

fn swings(tornado: &[Swing<'_>], still: usize) -> Shown {
    let mut grid = Grid::new([
        ("node", Align::Left),
        ("moves", Align::Wrap),
        ("from", Align::Right),
        ("where", Align::Wrap),
        ("to", Align::Right),
        ("where", Align::Wrap),
    ]);
    for swing in tornado.iter().take(SHOWN) {
        let (low, high) = (chance(swing.low.probability), chance(swing.high.probability));
        grid.row([swing.node, swing.state, &low, swing.low.given, &high, swing.high.given]);
    }
    let note = match still {
        0 => String::new(),
        some => format!(
            "{} would not move it",
            counted(some, if tornado.is_empty() { "node" } else { "other node" })
        ),
    };
    let title = "Tornado: how each node, once seen, would move the answer";
    Shown { note, ..Shown::new(title, grid, tornado.len()) }
}

fn sensitivity(numbers: &[Number<'_>]) -> Shown {
    let mut grid = Grid::new([
        ("number of a table", Align::Wrap),
        ("is", Align::Right),
        ("moves", Align::Wrap),
        ("slope", Align::Right),
        ("turns at", Align::Right),
    ]);
    for number in numbers.iter().take(SHOWN) {
        // Of two that move as much, the first: of two states that is always the same one.
        let steepest = |best: Option<(_, f64)>, (state, slope): (_, f64)| match best {
            Some((_, most)) if most.abs() >= slope.abs() - 1e-12 => best,
            _ => Some((state, slope)),
        };
        let (state, slope) = number
            .slope
            .0
            .iter()
            .map(|(state, slope)| (*state, *slope))
            .fold(None, steepest)
            .unwrap_or_default();
        let turns = match &number.flip {
            Some(flip) => chance(flip.value),
            None if number.flip_sought => String::new(),
            None => "not sought".into(),
        };
        grid.row([parameter(number), chance(number.value), state.to_string(), format!("{slope:+.4}"), turns]);
    }
    let nearest = numbers.iter().filter_map(|number| Some((number, number.flip.as_ref()?)));
    let nearest = nearest.min_by(|a, b| a.1.change.abs().total_cmp(&b.1.change.abs()));
    let note = match nearest {
        Some((number, flip)) => format!(
            "The smallest change of one number that turns the answer to '{}': {} from {} to {}",
            flip.state,
            parameter(number),
            chance(number.value),
            chance(flip.value)
        ),
        None => "No change of one number turns the answer".to_string(),
    };
    let steps = numbers.iter().any(|number| number.steps > 1);
    let sought = numbers.iter().filter(|number| number.flip_sought).count();
    let which = match numbers.len() - sought {
        0 => String::new(),
        _ => format!(" (of the {sought} that were looked at, those with the largest slopes)"),
    };
    let note = match steps {
        true => format!(
            "{note}{which}. Numbers that hold at every step are told as those of now, and changed at all steps together"
        ),
        false => note,
    };
    Shown { note, ..Shown::new("Sensitivity: what an error in one number would do", grid, numbers.len()) }
}

/// `P(node = state | parents)`.
fn parameter(number: &Number<'_>) -> String {
    let given: Vec<String> = number.given.0.iter().map(|(node, state)| format!("{node}={state}")).collect();
    let bar = if given.is_empty() { "" } else { " | " };
    format!("P({}={}{bar}{})", number.node, number.state, given.join(", "))
}

fn decision(decided: &Decided<'_>) -> Shown {
    let banded = decided.actions.iter().any(|action| action.low != action.high);
    let mut columns = vec![("action", Align::Wrap), ("cost", Align::Right), ("worth", Align::Right)];
    if banded {
        columns.push(("from … to", Align::Right));
    }
    if decided.replicates.is_some() {
        columns.push(("again", Align::Right));
    }
    columns.push(("", Align::Left));
    let mut grid = Grid::new(columns);
    let costs = places(decided.actions.iter().map(|action| action.cost));
    let worth = places(decided.actions.iter().flat_map(|action| [action.expected, action.low, action.high]));
    let band = |low: f64, high: f64| match low == high {
        true => String::new(),
        false => format!("{} … {}", amount(low, worth), amount(high, worth)),
    };
    let level = !decided.level.is_empty();
    for action in &decided.actions {
        let mut cells = vec![done(&action.set), amount(action.cost, costs), amount(action.expected, worth)];
        if banded {
            cells.push(band(action.low, action.high));
        }
        cells.extend(action.replicates.map(|again| band(again.low, again.high)));
        cells.push(
            if !action.best {
                ""
            } else if level {
                "level"
            } else {
                "best"
            }
            .into(),
        );
        grid.row(cells);
    }
    let arcs: Vec<String> =
        decided.open.iter().map(|arc| format!("{} - {}", arc.parent, arc.child)).collect();
    let note = match (decided.sure, arcs.is_empty()) {
        (true, true) => String::new(),
        (true, false) => format!(
            "{} all {} that are equally good, whichever way these run: {}",
            if level { "None is better in" } else { "It is the best in" },
            counted(decided.members, "graph"),
            arcs.join(", ")
        ),
        (false, _) => format!(
            "In some of the {}{} that are equally good another action is better; nothing in the data or the rules directs {}",
            if decided.all_members { "" } else { "more than " },
            counted(decided.members, "graph"),
            arcs.join(", ")
        ),
    };
    let equals = level.then(|| {
        let equals: Vec<String> = [&decided.best].into_iter().chain(&decided.level).map(done).collect();
        match equals.as_slice() {
            [one, other] => format!("Both '{one}' and '{other}' are worth the same: any of them"),
            more => format!("{} are worth the same: any of them", quoted(more, more.len())),
        }
    });
    let again = decided.replicates.as_ref().map(|again| {
        format!(
            "again: what the rows leave open; 99 of 100 values of {} learned from rows drawn anew, with tables drawn {}. '{}' is the best in {} of them",
            counted(again.rounds, "graph"),
            counted(again.draws, "time"),
            done(&decided.best),
            percent(again.best)
        )
    });
    let caution = decided.caution.iter().cloned();
    let note = equals
        .into_iter()
        .chain(again)
        .chain(caution)
        .chain([note])
        .filter(|said| !said.is_empty())
        .collect::<Vec<_>>()
        .join(". ");
    Shown {
        note,
        more: 0,
        ..Shown::new("What to do: what each action is worth, its cost taken off", grid, 0)
    }
}

fn information(decided: &Decided<'_>) -> Option<Shown> {
    let worth: Vec<_> = decided.information.iter().filter(|node| node.value > 1e-9).collect();
    let mut grid = Grid::new([("node", Align::Left), ("worth", Align::Right)]);
    let digits = places(worth.iter().map(|node| node.value));
    worth.iter().take(SHOWN).for_each(|node| grid.row([node.node.to_string(), amount(node.value, digits)]));
    let shown = Shown::new("What knowing a node before deciding would be worth", grid, worth.len());
    (!worth.is_empty()).then_some(shown)
}

/// What an action sets.
fn done(set: &Pairs<'_, &str>) -> String {
    let parts: Vec<String> = set.0.iter().map(|(node, state)| format!("{node}={state}")).collect();
    if parts.is_empty() { "do nothing".into() } else { parts.join(", ") }
}

/// How many places the values of a column have: none where all are whole, four where all are small.
fn places(values: impl Iterator<Item = f64> + Clone) -> usize {
    match values.clone().map(f64::abs).fold(0.0, f64::max) {
        _ if values.clone().all(|value| value.fract() == 0.0) => 0,
        largest if largest >= 10.0 => 2,
        _ => 4,
    }
}

fn amount(value: f64, places: usize) -> String {
    format!("{value:.places$}")
}

fn share(share: f64) -> String {
    format!("{:.1}%", 100.0 * share)
}
