//! Shadows: copies of features read from another row, so that they say nothing about the target but by luck.
//!
//! All shadows of a row are read from one other row, a fixed way along a circle of rows in random order: they keep what they
//! have to do with each other and lose only what they have to do with the target.

use super::bench::Bench;
use crate::encode::Layout;
use clausality_bn::random::Stream;
use clausality_tm::BitMatrix;

/// Rows in random order, and the place of every row of the table in it.
pub(super) struct Circle {
    order: Vec<u32>,
    places: Vec<u32>,
}

/// What one machine sees of a row: features, and shadows of some of them.
pub(super) struct View<'s> {
    bench: &'s Bench<'s>,
    circle: &'s Circle,
    /// How far along the circle shadows are read.
    shift: usize,
    /// Features by place in the schema, in the order of names.
    pub(super) features: Vec<usize>,
    shadows: Vec<usize>,
    pub(super) layout: Layout,
}

impl Circle {
    /// Of these rows of a table with so many rows.
    pub(super) fn new(rows: &[u32], all: usize, stream: &mut Stream) -> Self {
        let mut order = rows.to_vec();
        stream.choose(&mut order, rows.len());
        let mut places = vec![0; all];
        for (place, &row) in (0u32..).zip(&order) {
            places[row as usize] = place;
        }
        Circle { order, places }
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
        let shift = 1 + stream.below(circle.order.len() as u64 - 1) as usize;
        let layout = Layout::new(&bench.encoding, &features, &shadows);
        View { bench, circle, shift, features, shadows, layout }
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
        let Circle { order, places } = self.circle;
        let other = |&row: &u32| {
            let place = places[row as usize] as usize + self.shift;
            order[if place < order.len() { place } else { place - order.len() }]
        };
        let others: Vec<u32> =
            if layout.has_copies() { rows.iter().map(other).collect() } else { Vec::new() };
        layout.gather(&self.bench.rows, rows, &others)
    }
}
