//! Counting that ends when the work is called off.
//!
//! Whatever takes long counts rows, and one pass over them takes milliseconds. So whoever watches is asked before each pass. After a
//! yes nothing is counted any more: what is shown then is nothing, and [`Watched::whole`] keeps anybody from believing it.

use crate::watch::{Cancelled, Watch};
use clausality_bn::counts::{Cells, Count, Counts};

/// Counts for somebody who may call it off.
pub(crate) struct Watched<'t> {
    count: Box<dyn Count + Send + 't>,
    watch: &'t dyn Watch,
    cancelled: bool,
}

impl<'t> Watched<'t> {
    pub(crate) fn new(count: impl Count + Send + 't, watch: &'t dyn Watch) -> Self {
        Watched { count: Box::new(count), watch, cancelled: false }
    }

    /// Asks, as before a pass over the rows: for loops that count nothing for long.
    pub(crate) fn go_on(&mut self) -> Result<(), Cancelled> {
        self.cancelled = self.cancelled || self.watch.cancelled();
        self.whole()
    }

    /// Refuses unless everything so far was counted.
    pub(crate) fn whole(&self) -> Result<(), Cancelled> {
        if self.cancelled { Err(Cancelled) } else { Ok(()) }
    }
}

impl Count for Watched<'_> {
    fn states(&self) -> &[usize] {
        self.count.states()
    }

    fn rows(&self) -> usize {
        self.count.rows()
    }

    fn count(&mut self, families: &[&[usize]]) -> Vec<Cells> {
        let mut counted = Vec::with_capacity(families.len());
        for family in families {
            match self.go_on() {
                Ok(()) => counted.extend(self.count.count(&[family])),
                Err(Cancelled) => counted.push(Cells::new(family.len())),
            }
        }
        counted
    }

    fn tally(&mut self, tail: &[usize], heads: &[usize], see: &mut dyn FnMut(usize, &[u32])) -> usize {
        match self.go_on() {
            Ok(()) => self.count.tally(tail, heads, see),
            Err(Cancelled) => 0,
        }
    }

    fn tally_occurring(
        &mut self,
        tail: &[usize],
        heads: &[usize],
        see: &mut dyn FnMut(usize, Counts<'_>),
    ) -> usize {
        match self.go_on() {
            Ok(()) => self.count.tally_occurring(tail, heads, see),
            Err(Cancelled) => 0,
        }
    }

    fn cells_beside(&mut self, tail: &[usize]) -> usize {
        self.count.cells_beside(tail)
    }

    fn foresee(&mut self, families: Vec<Vec<usize>>) {
        self.count.foresee(families);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{bn, embedded};
    use clausality_bn::counts::Counter;
    use std::sync::atomic::{AtomicBool, Ordering};

    impl Watch for AtomicBool {
        fn cancelled(&self) -> bool {
            self.load(Ordering::Relaxed)
        }
    }

    #[test]
    fn after_a_yes_nothing_is_counted_and_nothing_believed() {
        let table = bn::sample(&embedded::network("asia").unwrap(), 100, 1);
        let off = AtomicBool::new(false);
        let mut count = Watched::new(Counter::new(&table).unwrap(), &off);
        let all = |count: &mut Watched| {
            let mut seen = 0;
            let passes = count.tally(&[0, 1], &[2, 3], &mut |_, counts| seen += counts.iter().sum::<u32>());
            let rows: Vec<u64> = count.count(&[&[0], &[1, 2]]).iter().map(Cells::rows).collect();
            (passes > 0, seen, rows)
        };
        assert_eq!(all(&mut count), (true, 200, vec![100, 100]));
        assert_eq!(count.whole(), Ok(()));
        off.store(true, Ordering::Relaxed);
        assert_eq!(count.whole(), Ok(()), "nobody has asked since");
        assert_eq!(all(&mut count), (false, 0, vec![0, 0]));
        // One who changes his mind gets no result that half was counted for.
        off.store(false, Ordering::Relaxed);
        assert_eq!(all(&mut count), (false, 0, vec![0, 0]));
        assert_eq!(count.whole(), Err(Cancelled));
    }
}
