//! The validation in words and tables.

use crate::text::{Align, Grid, Paint, grouped, wrap};
use clausality::validate::{
    Figures, HitRate, Line, Method, NetworkTable, Protocol, Relation, Spread, TopFeatures, Validation,
};
use clausality::words::counted;

/// Everything on one page; `entries` shows the top features one by one.
pub(crate) fn tables(found: &Validation, entries: bool, width: usize, paint: Paint) -> String {
    let page = Page { width, paint };
    let mut text = page.prose(&intro(found));
    for table in &found.networks {
        text.push_str(&page.network(table));
    }
    if let Some(top) = &found.top_features {
        text.push_str(&page.rates(top));
        if entries {
            text.push_str(&page.entries(top));
        }
    }
    text
}

fn intro(found: &Validation) -> String {
    let leak = "K: similarity to the truth, 0 to 1, mean ± standard deviation over the samples; paper: the published score \
        (its kernel is not specified, K is our reading). F1: adjacencies. SHD: distance of the completed graphs. Left: \
        with the true roots given as parameters, which leaks part of the truth. Right: without roles. \
        '− null': strengths less those found for a permuted target.";
    format!("Validation of the paper's method, version {}, seed {}. {leak}", found.version, found.params.seed)
}

struct Page {
    width: usize,
    paint: Paint,
}

impl Page {
    fn prose(&self, text: &str) -> String {
        wrap(text, self.width).join("\n") + "\n"
    }

    fn network(&self, table: &NetworkTable) -> String {
        let mut grid = Grid::new([
            ("method", Align::Left),
            ("paper", Align::Right),
            ("K, roots", Align::Right),
            ("F1", Align::Right),
            ("SHD", Align::Right),
            ("K, no roles", Align::Right),
            ("F1", Align::Right),
            ("SHD", Align::Right),
        ]);
        for line in &table.lines {
            grid.row(cells(line));
        }
        let head = format!("{}: {}", table.network, about(table));
        let mut text = format!("\n{}\n", self.paint.bold(&wrap(&head, self.width).join("\n")));
        text.push_str(&grid.render(self.width, self.paint));
        if table.done != table.full {
            text.push_str(&self.prose(&reduced(table)));
        }
        text
    }

    fn rates(&self, top: &TopFeatures) -> String {
        let mut grid = Grid::new([
            ("whose lists", Align::Left),
            ("top 1", Align::Right),
            ("top 2", Align::Right),
            ("top 3", Align::Right),
            ("parents 1", Align::Right),
            ("parents 3", Align::Right),
        ]);
        for rate in &top.rates {
            let neighbours = rate.top.map(|hits| count(hits.adjacent));
            let parents = [0, 2].map(|i| count(rate.top[i].parents));
            let name = rate.method.as_ref().map_or("the paper".to_string(), |m| name(m, rate.corrected));
            grid.row([name].into_iter().chain(neighbours).chain(parents));
        }
        let entries = top.rates.first().map_or([0; 3], |rate: &HitRate| rate.top.map(|hits| hits.entries));
        let head = format!(
            "{}: listed features that are true neighbours, of {}, {} and {} (mean over the samples)",
            top.network, entries[0], entries[1], entries[2]
        );
        let p = &top.published;
        let outlook = format!(
            "The paper's lists name {} of the {} true adjacencies. Algorithms 2 and 3 make of them a graph with K = {:.2} (two \
             features a node; three: {:.2}); an oracle that keeps exactly those {} and turns them right reaches K = {:.2}.",
            p.adjacencies, p.of, p.kernel_two, p.kernel_three, p.adjacencies, p.kernel_oracle
        );
        let head = self.paint.bold(&wrap(&head, self.width).join("\n"));
        format!("\n{head}\n{}{}", grid.render(self.width, self.paint), self.prose(&outlook))
    }

    fn entries(&self, top: &TopFeatures) -> String {
        let mut grid = Grid::new([("node", Align::Left), ("the paper", Align::Wrap), ("ours", Align::Wrap)]);
        let list = |features: &[(String, Relation)]| {
            let marked: Vec<String> = features
                .iter()
                .map(|(name, relation)| format!("{name}\u{a0}{}", relation.letter()))
                .collect();
            marked.join(", ")
        };
        for entry in &top.entries {
            grid.row([entry.target.clone(), list(&entry.paper), list(&entry.ours)]);
        }
        let head = format!(
            "{}: the three first features of every node ({}, sample {})",
            top.network,
            name(&top.method, false),
            top.seed
        );
        let legend = "True relation to the node: P parent, C child, S shares a child, A ancestor, D descendant, K kin (a common \
            ancestor), N none of these.";
        let head = self.paint.bold(&wrap(&head, self.width).join("\n"));
        format!("\n{head}\n{}{}", grid.render(self.width, self.paint), self.prose(legend))
    }
}

fn about(table: &NetworkTable) -> String {
    let Protocol { repeats, rows, rounds, null_rounds, epochs, .. } = table.done;
    format!(
        "{}, {}, roots {}; {} of {} rows, {}, {} on permuted targets, {}",
        counted(table.nodes, "node"),
        counted(table.arcs, "arc"),
        if table.roots.len() > 4 { table.roots.len().to_string() } else { table.roots.join(", ") },
        counted(repeats, "sample"),
        grouped(rows),
        counted(rounds, "round"),
        null_rounds,
        counted(epochs, "epoch"),
    )
}

/// What a large network was not given.
fn reduced(table: &NetworkTable) -> String {
    let (full, done) = (&table.full, &table.done);
    let counts = [
        ("samples", full.repeats, done.repeats),
        ("rows", full.rows, done.rows),
        ("rounds", full.rounds, done.rounds),
        ("rounds on permuted targets", full.null_rounds, done.null_rounds),
        ("epochs", full.epochs, done.epochs),
    ];
    let mut parts: Vec<String> = counts
        .iter()
        .filter(|(_, full, done)| full != done)
        .map(|(what, full, done)| format!("{done} of {full} {what}"))
        .collect();
    if let Some(clauses) = done.clauses {
        let (least, most) = (table.states + 12, table.states + 92);
        parts.push(format!(
            "{clauses} clauses a machine in place of {} to {}",
            grouped(least),
            grouped(most)
        ));
    }
    if let Some(shown) = table.shown {
        parts.push(format!(
            "each machine sees {shown} of {} literals: the most informative and a changing random part",
            grouped(table.literals)
        ));
    }
    format!(
        "Reduced to a budget, so no figure of {} is at full protocol: {}.",
        table.network,
        parts.join("; ")
    )
}

fn cells(line: &Line) -> [String; 8] {
    let figures =
        |f: &Figures| [spread(f.kernel), short(f.skeleton_f1.mean), format!("{:.1}", f.cpdag_shd.mean)];
    let published = line.published.map_or(String::new(), |score| format!("{score:.3}").replace("0.", "."));
    let [k, f1, shd] = figures(&line.roots);
    let [k_none, f1_none, shd_none] = figures(&line.none);
    [name(&line.method, line.corrected), published, k, f1, shd, k_none, f1_none, shd_none]
}

fn name(method: &Method, corrected: bool) -> String {
    let name = match method {
        Method::Model(number) => format!("model {number}"),
        Method::Together(numbers) if numbers.len() == 5 => "all five".into(),
        Method::Together(numbers) => numbers.join("+"),
        Method::MutualInformation => "mutual inf.".into(),
        Method::Hybrid => "hybrid".into(),
    };
    if corrected { format!("{name} − null") } else { name }
}

fn spread(value: Spread) -> String {
    if value.n < 2 { short(value.mean) } else { format!("{} ± {}", short(value.mean), short(value.sd)) }
}

/// Two digits without the leading zero: `.52`, `1.00`.
fn short(value: f64) -> String {
    let text = format!("{value:.2}");
    text.strip_prefix('0').map_or(text.clone(), String::from)
}

/// A count over the samples: whole where there is one, else with a digit.
fn count(value: Spread) -> String {
    if value.n < 2 { format!("{:.0}", value.mean) } else { format!("{:.1} ± {:.1}", value.mean, value.sd) }
}
