//! The counter of rows that lie far away: on a disk, on other machines.
//!
//! A round trip costs as much as counting many families. So whoever will ask for more says so ([`Count::foresee`]): the first family that is
//! not known yet is asked for together with those that come next, and what was counted stays as long as there is room, for every clone of
//! the counter.

use super::{Cells, Count, Places, Sum, tally_cells};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// Cells that are asked for together.
const A_TRIP: usize = 1 << 21;
/// Cells that are known before all are forgotten.
const KNOWN: usize = 1 << 22;

/// Rows that lie far away, and that others count.
pub trait FarRows: Sync {
    /// How many states every variable has, and which have gaps.
    fn places(&self) -> Places<'_>;

    /// How many rows there are, at most `u32::MAX`.
    fn rows(&self) -> usize;

    /// Counts families, in their order. Nothing where that cannot be: whoever keeps the rows knows why and tells.
    fn sums(&self, families: &[Vec<usize>]) -> Option<Vec<Sum>>;
}

/// Counts families of rows that lie far away. Where they are not to be had nothing is counted.
#[derive(Clone)]
pub struct FarCounter<'r> {
    rows: &'r dyn FarRows,
    known: Arc<Mutex<Known>>,
}

#[derive(Default)]
struct Known {
    sums: BTreeMap<Vec<usize>, Arc<Sum>>,
    cells: usize,
    next: VecDeque<Vec<usize>>,
}

impl fmt::Debug for FarCounter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FarCounter({} rows)", self.rows.rows())
    }
}

impl<'r> FarCounter<'r> {
    /// A counter of these rows.
    pub fn new(rows: &'r dyn FarRows) -> Self {
        FarCounter { rows, known: Arc::default() }
    }

    /// What is held of a family, and travels.
    fn cells(&self, family: &[usize]) -> usize {
        self.rows.places().few(family).unwrap_or(A_TRIP)
    }

    /// What was counted of families, now or before.
    fn found(&self, families: &[Vec<usize>]) -> Option<Vec<Arc<Sum>>> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let Known { sums, cells, next } = &mut *known;
        if *cells > KNOWN {
            (*sums, *cells) = (BTreeMap::new(), 0);
        }
        let mut asked: Vec<Vec<usize>> =
            families.iter().filter(|family| !sums.contains_key(*family)).cloned().collect();
        if !asked.is_empty() {
            let mut trip: usize = asked.iter().map(|family| self.cells(family)).sum();
            let mut once: BTreeSet<Vec<usize>> = asked.iter().cloned().collect();
            while let Some(family) = next.pop_front() {
                if sums.contains_key(&family) || !once.insert(family.clone()) {
                    continue;
                }
                trip += self.cells(&family);
                if trip > A_TRIP {
                    next.push_front(family);
                    break;
                }
                asked.push(family);
            }
            for (family, sum) in asked.iter().zip(self.rows.sums(&asked)?) {
                *cells += self.cells(family);
                sums.insert(family.clone(), Arc::new(sum));
            }
        }
        families.iter().map(|family| sums.get(family).cloned()).collect()
    }

    /// The same, a trip at a time; false where nothing is to be had.
    fn each(&self, families: &[Vec<usize>], mut see: impl FnMut(usize, &Sum)) -> bool {
        let mut done = 0;
        while done < families.len() {
            let mut cells = 0;
            let fits = |family: &&Vec<usize>| {
                cells += self.cells(family);
                cells <= A_TRIP
            };
            let trip = &families[done..][..families[done..].iter().take_while(fits).count().max(1)];
            let Some(found) = self.found(trip) else { return false };
            found.iter().enumerate().for_each(|(place, sum)| see(done + place, sum));
            done += trip.len();
        }
        true
    }
}

impl Count for FarCounter<'_> {
    fn states(&self) -> &[usize] {
        self.rows.places().states
    }

    fn rows(&self) -> usize {
        self.rows.rows()
    }

    fn count(&mut self, families: &[&[usize]]) -> Vec<Cells> {
        let families: Vec<Vec<usize>> = families.iter().map(|family| family.to_vec()).collect();
        let mut cells = Vec::with_capacity(families.len());
        let places = self.rows.places();
        if !self.each(&families, |place, sum| cells.push(sum.cells(&places, &families[place]))) {
            return families.iter().map(|family| Cells::new(family.len())).collect();
        }
        cells
    }

    fn tally(&mut self, tail: &[usize], heads: &[usize], see: &mut dyn FnMut(usize, &[u32])) -> usize {
        let mut families: Vec<Vec<usize>> = heads.iter().map(|&head| [&[head], tail].concat()).collect();
        if families.is_empty() {
            families.push(tail.to_vec());
        }
        if families.iter().any(|family| self.rows.places().few(family).is_none()) {
            return tally_cells(self, tail, heads, see);
        }
        let mut passes = 0;
        self.each(&families, |place, sum| {
            if let Sum::Placed(counts) = sum {
                see(place, counts);
                passes += 1;
            }
        });
        passes
    }

    fn foresee(&mut self, families: Vec<Vec<usize>>) {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).next = families.into();
    }
}
