//! Weighted samples of series, for networks too wide for an exact answer: a particle filter.
//!
//! Every particle is a series drawn step by step; what is seen weighs it and is not drawn:
//!
//! ```text
//! w_t = Π_{v seen at t} P(e_v | parents) · Π_{v reported at t} L(x_v)
//! P(e) ≈ Π_t Σ_i w_{t-1}(i) w_t(i) / Σ_i w_{t-1}(i)
//! ```
//!
//! Where the weights count as little as half as many even ones, particles are drawn anew in proportion to their weight (systematically, from
//! one random number), so that few steps back do not decide everything.
//!
//! Implements: the bootstrap filter (Gordon, Salmond and Smith 1993) with systematic resampling (Kitagawa 1996) when `(Σw)² / Σw²` falls below half (Liu and Chen
//! 1995). Errors are those of so many independent draws as the weights are worth in the end; of steps long before the last of which
//! something is known they say too little, as most particles share their past there.

use super::{Moment, SeriesEvidence};
use crate::Error;
use crate::dynamic::{DynamicNetwork, Place, drawn};
use crate::infer::{Finding, Tiny, Weighted};
use crate::random::Stream;
use crate::{Cpt, Network};

/// Particles, a window of codes each, and what they were at the moments asked about.
struct Particles {
    width: usize,
    windows: Vec<u8>,
    told: usize,
    answers: Vec<u8>,
    weights: Vec<f64>,
}

/// How many series are drawn, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Drawn {
    /// How many.
    pub samples: usize,
    /// The seed of all random choices.
    pub seed: u64,
    /// Bytes that they may take.
    pub limit: u64,
}

/// Estimates what each of some moments is like from weighted series. [`Weighted::targets`] are their places in `asked`. `stop` is
/// asked at every step.
///
/// # Errors
/// [`Error::NoSampleAgrees`] where no series agrees with what is known; [`Error::SampleLimit`]; no samples; a variable that is not there; [`Error::Stopped`] after a yes.
pub fn weigh_series(
    network: &DynamicNetwork,
    asked: &[Moment],
    known: &SeriesEvidence,
    Drawn { samples, seed, limit }: Drawn,
    stop: &dyn Fn() -> bool,
) -> Result<Weighted, Error> {
    known.check_for(network)?;
    if samples == 0 {
        return Err(Error::Parameter { parameter: "samples", value: 0.0, expected: "at least 1 is needed" });
    }
    let (statics, processes) = (network.statics().len(), network.processes().len());
    for &moment in asked {
        match moment {
            Moment::Static(v) if v >= statics => return Err(Error::UnknownVariable(format!("#{v}"))),
            Moment::At(p, _) if p >= processes => return Err(Error::UnknownVariable(format!("#{p}"))),
            _ => {}
        }
    }
    // Windows, answers and weights; while particles are drawn anew there are two of each window.
    let each = 2 * (network.window().len() + asked.len()) + 16;
    let bytes = samples as u128 * each as u128;
    if bytes > u128::from(limit) {
        return Err(Error::SampleLimit { samples, bytes, limit });
    }
    let order = network.order();
    let last_asked =
        asked.iter().filter_map(|m| if let Moment::At(_, t) = m { Some(*t) } else { None }).max();
    let last = last_asked.max(known.last_step()).unwrap_or(0).max(order.saturating_sub(1));
    let mut particles = Particles {
        width: network.window().len(),
        windows: vec![0; samples * network.window().len()],
        told: asked.len(),
        answers: vec![0; samples * asked.len()],
        weights: vec![1.0; samples],
    };
    let stream = |name: &str| Stream::new(seed, name);
    let mut evidence = Tiny::new(1.0, 0);
    let mut relative = 0.0;
    let mut shuffle = stream("particles drawn anew");

    // The start is drawn into the last `order` steps of the window, whose own step is then still empty.
    let start = network.start();
    let mut draws: Vec<Draw<'_>> = start
        .dag()
        .topological_order()
        .into_iter()
        .map(|v| Draw::new(start, v, stream(start.schema().name(v))))
        .collect();
    let moment = |v: usize| match v.checked_sub(statics) {
        None => Moment::Static(v),
        Some(rest) => Moment::At(rest % processes, rest / processes),
    };
    for draw in &mut draws {
        let finding = known.finding(moment(draw.node)).clone();
        particles.draw(draw, &finding);
    }
    particles.tell(asked, |m| match m {
        Moment::Static(v) => Some(v),
        Moment::At(p, t) => (t < order).then_some(statics + t * processes + p),
    });
    particles.settle(&mut evidence, &mut relative, &mut shuffle)?;

    let window = network.window();
    let mut draws: Vec<Draw<'_>> = window
        .dag()
        .topological_order()
        .into_iter()
        .filter(|&v| matches!(network.window_place(v), Place::Process(_, 0)))
        .map(|v| Draw::new(window, v, stream(network.processes().name(v - statics - order * processes))))
        .collect();
    for step in order..=last {
        if stop() {
            return Err(Error::Stopped);
        }
        if step > order {
            particles.shift(statics, processes);
        }
        for draw in &mut draws {
            let process = draw.node - statics - order * processes;
            let finding = known.finding(Moment::At(process, step)).clone();
            particles.draw(draw, &finding);
        }
        let now = statics + order * processes;
        particles.tell(asked, |m| match m {
            Moment::At(p, t) if t == step => Some(now + p),
            _ => None,
        });
        particles.settle(&mut evidence, &mut relative, &mut shuffle)?;
    }
    let states = |m: &Moment| match *m {
        Moment::Static(v) => network.statics().cardinality(v),
        Moment::At(p, _) => network.processes().cardinality(p),
    };
    Ok(particles.finish(&asked.iter().map(states).collect::<Vec<_>>(), evidence, relative))
}

/// What is needed to draw one node.
struct Draw<'n> {
    node: usize,
    cpt: &'n Cpt,
    parents: Vec<(usize, usize)>,
    stream: Stream,
}

impl<'n> Draw<'n> {
    fn new(network: &'n Network, node: usize, stream: Stream) -> Self {
        let cpt = network.cpt(node);
        let mut stride = cpt.states();
        let mut parents = Vec::with_capacity(cpt.parents().len());
        for (&parent, &states) in cpt.parents().iter().zip(cpt.parent_states()).rev() {
            parents.push((parent, stride));
            stride *= states;
        }
        Draw { node, cpt, parents, stream }
    }
}

impl Particles {
    fn draw(&mut self, draw: &mut Draw<'_>, finding: &Finding) {
        for (window, weight) in self.windows.chunks_exact_mut(self.width).zip(&mut self.weights) {
            let base: usize = draw.parents.iter().map(|&(p, stride)| usize::from(window[p]) * stride).sum();
            let chances = &draw.cpt.values()[base..base + draw.cpt.states()];
            window[draw.node] = match finding {
                Finding::Set(state) => *state,
                Finding::Observed(state) => {
                    *weight *= chances[usize::from(*state)];
                    *state
                }
                Finding::Free => drawn(chances, draw.stream.unit()),
                Finding::Likelihood(likelihood) => {
                    let state = drawn(chances, draw.stream.unit());
                    *weight *= likelihood[usize::from(state)];
                    state
                }
            };
        }
    }

    /// Keeps what the moments asked about are, those that `place` finds in the window.
    fn tell(&mut self, asked: &[Moment], place: impl Fn(Moment) -> Option<usize>) {
        for (k, node) in asked.iter().enumerate().filter_map(|(k, &m)| Some((k, place(m)?))) {
            for i in 0..self.weights.len() {
                self.answers[i * self.told + k] = self.windows[i * self.width + node];
            }
        }
    }

    /// One step on: every process takes the place of the step before.
    fn shift(&mut self, statics: usize, processes: usize) {
        for window in self.windows.chunks_exact_mut(self.width) {
            window.copy_within(statics + processes.., statics);
        }
    }

    /// Brings the mean weight to one, counts it as evidence, and draws anew where few particles carry all.
    fn settle(&mut self, evidence: &mut Tiny, relative: &mut f64, stream: &mut Stream) -> Result<(), Error> {
        let n = self.weights.len();
        let sum: f64 = self.weights.iter().sum();
        if sum <= 0.0 {
            return Err(Error::NoSampleAgrees { samples: n });
        }
        let mean = sum / n as f64;
        evidence.mantissa *= mean;
        evidence.exponent += super::scale(std::slice::from_mut(&mut evidence.mantissa));
        self.weights.iter_mut().for_each(|w| *w /= mean);
        let effective = self.effective();
        if 2.0 * effective >= n as f64 {
            return Ok(());
        }
        *relative += 1.0 / effective - 1.0 / n as f64;
        let mut from = Vec::with_capacity(n);
        let (mut next, mut passed) = (stream.unit(), 0.0);
        for (i, &w) in self.weights.iter().enumerate() {
            passed += w;
            while next < passed && from.len() < n {
                from.push(i);
                next += 1.0;
            }
        }
        let heaviest = (0..n).max_by(|&a, &b| self.weights[a].total_cmp(&self.weights[b])).unwrap_or(0);
        from.resize(n, heaviest);
        let pick = |cells: &[u8], width: usize| -> Vec<u8> {
            from.iter().flat_map(|&i| &cells[i * width..(i + 1) * width]).copied().collect()
        };
        self.windows = pick(&self.windows, self.width);
        self.answers = pick(&self.answers, self.told);
        self.weights.fill(1.0);
        Ok(())
    }

    fn effective(&self) -> f64 {
        let (sum, square) = self.weights.iter().fold((0.0, 0.0), |(s, q), w| (s + w, q + w * w));
        sum * sum / square
    }

    fn finish(self, states: &[usize], evidence: Tiny, relative: f64) -> Weighted {
        let (n, effective) = (self.weights.len(), self.effective());
        let sum: f64 = self.weights.iter().sum();
        let mut probabilities: Vec<Vec<f64>> = states.iter().map(|&s| vec![0.0; s]).collect();
        for (i, w) in self.weights.iter().enumerate() {
            for (k, p) in probabilities.iter_mut().enumerate() {
                p[usize::from(self.answers[i * self.told + k])] += w / sum;
            }
        }
        let error =
            |&p: &f64| if p > 0.0 { (p * (1.0 - p) / effective).max(0.0).sqrt() } else { 3.0 / effective };
        Weighted {
            targets: (0..states.len()).collect(),
            errors: probabilities.iter().map(|p| p.iter().map(error).collect()).collect(),
            probabilities,
            evidence,
            evidence_error: (relative + 1.0 / effective - 1.0 / n as f64).max(0.0).sqrt(),
            samples: n,
            effective,
        }
    }
}
