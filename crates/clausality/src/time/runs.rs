//! Which windows belong to one series: what is drawn, shuffled or left out must keep them together.

use clausality_bn::random::Stream;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// From so many series on whole series are drawn; with fewer, blocks of steps.
const MANY_SERIES: usize = 20;

/// The windows of a table by series.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Runs {
    /// The rows of each series, one after the other.
    pub series: Vec<Range<usize>>,
    /// Windows nearer than this share steps, or follow each other closely: 2L + 1.
    pub apart: usize,
    /// The columns of now, by place in the schema: all others are only ever parents.
    pub now: Range<usize>,
}

impl Runs {
    /// Whether a column is one of now.
    pub fn is_target(&self, variable: usize) -> bool {
        self.now.contains(&variable)
    }

    /// The same for some of the rows, which rise.
    pub fn select(&self, rows: &[usize]) -> Self {
        let place = |row: usize| rows.partition_point(|&kept| kept < row);
        let series = self.series.iter().map(|of| place(of.start)..place(of.end));
        Runs { series: series.filter(|of| !of.is_empty()).collect(), ..self.clone() }
    }

    /// Rows for learning anew, each once, in order: whole series drawn with replacement where there are many, else blocks.
    ///
    /// Implements: Künsch, *The jackknife and the bootstrap for general stationary observations*, Annals of Statistics 17, 1989 (moving
    /// blocks). A block has 2L + 1 windows or more, the cube root of the series' length.
    pub fn draw(&self, stream: &mut Stream) -> Vec<usize> {
        let rows = self.series.last().map_or(0, |of| of.end);
        let mut drawn = vec![false; rows];
        if self.series.len() >= MANY_SERIES {
            for _ in 0..self.series.len() {
                let of = &self.series[stream.below(self.series.len() as u64) as usize];
                drawn[of.clone()].fill(true);
            }
        } else {
            for of in &self.series {
                let root = (1..).take_while(|root| root * root * root <= of.len()).last().unwrap_or(1);
                let block = self.apart.max(root).min(of.len());
                for _ in 0..of.len().div_ceil(block) {
                    let start = of.start + stream.below((of.len() - block + 1) as u64) as usize;
                    drawn[start..start + block].fill(true);
                }
            }
        }
        (0..rows).filter(|&row| drawn[row]).collect()
    }

    /// Circles of these rows, which rise: shadows are read from another place on the same circle. The rows of a series are one if it is long
    /// enough to leave its neighbourhood; all short series together are another.
    pub(crate) fn circles(&self, rows: &[u32]) -> Vec<(Vec<u32>, usize)> {
        let place = |row: usize| rows.partition_point(|&kept| (kept as usize) < row);
        let mut circles = Vec::new();
        let (mut short, mut longest) = (Vec::new(), 0);
        for of in &self.series {
            let own = &rows[place(of.start)..place(of.end)];
            if own.len() >= 4 * self.apart {
                circles.push((own.to_vec(), self.apart));
            } else {
                longest = longest.max(own.len());
                short.extend_from_slice(own);
            }
        }
        if !short.is_empty() {
            let apart = longest.min(short.len() / 2).max(1);
            circles.push((short, apart));
        }
        circles
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(lengths: &[usize], lags: usize) -> Runs {
        let mut start = 0;
        let of = |&length: &usize| {
            start += length;
            start - length..start
        };
        Runs { series: lengths.iter().map(of).collect(), apart: 2 * lags + 1, now: 0..1 }
    }

    #[test]
    fn many_series_are_drawn_whole_and_few_in_blocks() {
        let many = runs(&[10; 30], 2);
        let rows = many.draw(&mut Stream::new(1, "draw"));
        assert!(rows.len() > 100 && rows.len() < 270, "{}", rows.len());
        let selected = many.select(&rows);
        assert!(selected.series.iter().all(|of| of.len() == 10));
        let few = runs(&[1000, 4], 2);
        let rows = few.draw(&mut Stream::new(1, "draw"));
        assert!(rows.len() > 500 && rows.len() < 760, "{}", rows.len());
        let breaks = rows.windows(2).filter(|pair| pair[1] != pair[0] + 1).count();
        assert!(breaks < 100, "blocks of ten rows stay together: {breaks}");
    }

    #[test]
    fn long_series_are_circles_of_their_own() {
        let circles =
            runs(&[100, 8, 9, 200], 2).circles(&(0..317).filter(|row| row % 3 > 0).collect::<Vec<_>>());
        let lengths: Vec<(usize, usize)> = circles.iter().map(|(rows, apart)| (rows.len(), *apart)).collect();
        assert_eq!(lengths.iter().map(|of| of.0).sum::<usize>(), 211);
        assert_eq!((lengths.len(), lengths[0].1, lengths[1].1), (3, 5, 5));
    }
}
