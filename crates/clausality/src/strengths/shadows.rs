//! Shadows: copies of features read from another row, so that they say nothing about the target but by luck.
//!
//! All shadows of a row are read from one other row, a fixed way along a circle of rows in random order: they keep what they
//! have to do with each other and lose only what they have to do with the target. Where rows are windows of time, every series is a circle in its
//! own order, and the way along it is at least 2L + 1: a shuffle would take a slow column's memory away, and two slow columns
//! that have nothing to do with each other would look better than any shadow.

use super::bench::Bench;
use crate::encode::Layout;
use crate::time::Runs;
use clausality_bn::random::Stream;
use clausality_tm::BitMatrix;

/// Rows in circles, and the place of every row of the table in them: one circle in random order, or one for every series.
pub(super) struct Circle {
    order: Vec<u32>,
    places: Vec<u32>,
    rings: Vec<Ring>,
}

/// A circle: where its rows stand in the order, and the shortest way along it that leaves a row's neighbourhood.
struct Ring {
    start: usize,
    end: usize,
    apart: usize,
}

/// What one machine sees of a row: features, and shadows of some of them.
pub(super) struct View<'s> {
    bench: &'s Bench<'s>,
    circle: &'s Circle,
    /// How far along each circle shadows are read.
    shifts: Vec<usize>,
    /// Features by place in the schema, in the order of names.
    pub(super) features: Vec<usize>,
    shadows: Vec<usize>,
    pub(super) layout: Layout,
}

impl Circle {
    /// Of these rows of a table with so many rows.
    pub(super) fn new(rows: &[u32], all: usize, runs: Option<&Runs>, stream: &mut Stream) -> Self {
        let circles = runs.map_or_else(
            || {
                let mut order = rows.to_vec();
                stream.choose(&mut order, rows.len());
                vec![(order, 1)]
            },
            |runs| runs.circles(rows),
        );
        let (mut order, mut rings) = (Vec::with_capacity(rows.len()), Vec::with_capacity(circles.len()));
        for (own, apart) in circles {
            let start = order.len();
            order.extend(own);
            rings.push(Ring { start, end: order.len(), apart });
        }
        let mut places = vec![0; all];
        for (place, &row) in (0u32..).zip(&order) {
            places[row as usize] = place;
        }
        Circle { order, places, rings }
    }

    /// A way along each circle, at random. A circle needs two rows to go anywhere.
    pub(super) fn shifts(&self, stream: &mut Stream) -> Vec<usize> {
        let shift = |ring: &Ring| {
            let (length, apart) = (ring.end - ring.start, ring.apart);
            if length < 2 { 0 } else { apart + stream.below((length - 2 * apart + 1) as u64) as usize }
        };
        self.rings.iter().map(shift).collect()
    }

    /// The row so far along its circle.
    pub(super) fn other(&self, row: u32, shifts: &[usize]) -> u32 {
        let place = self.places[row as usize] as usize;
        let number = match self.rings.len() {
            1 => 0,
            _ => self.rings.partition_point(|ring| ring.end <= place),
        };
        let (Ring { start, end, .. }, next) = (&self.rings[number], place + shifts[number]);
        self.order[if next < *end { next } else { next - end + start }]
    }
}

impl<'s> View<'s> {
    /// Adds shadows to features: of a run of them from a random place, in the order of names. The circle needs two rows.
    pub(super) fn new(
        bench: &'s Bench<'s>,
        circle: &'s Circle,
        features: Vec<usize>,
        stream: &mut Stream,
    ) -> Self {
        let count = (bench.settings.shadows() * features.len() as f64).ceil() as usize;
        let start = stream.below(features.len() as u64) as usize;
        let chosen = features.iter().cycle().skip(start).take(count.min(features.len()));
        let shadows: Vec<usize> = chosen.copied().collect();
        let shifts = circle.shifts(stream);
        let layout = Layout::new(&bench.encoding, &features, &shadows);
        View { bench, circle, shifts, features, shadows, layout }
    }

    /// Some rows as the machine sees them.
    pub(super) fn gather(&self, rows: &[u32]) -> BitMatrix {
        self.gather_as(&self.layout, rows)
    }

    /// The shadows of some rows alone.
    pub(super) fn gather_shadows(&self, rows: &[u32]) -> BitMatrix {
        self.gather_as(&Layout::new(&self.bench.encoding, &[], &self.shadows), rows)
    }

    fn gather_as(&self, layout: &Layout, rows: &[u32]) -> BitMatrix {
        let other = |&row: &u32| self.circle.other(row, &self.shifts);
        let others: Vec<u32> =
            if layout.has_copies() { rows.iter().map(other).collect() } else { Vec::new() };
        let Bench { encoding, filled, rows: all, .. } = self.bench;
        layout.gather_from(encoding, filled, all, rows, &others)
    }
}
