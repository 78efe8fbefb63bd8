//! What helps to decide, by names: what to ask next, what each finding did, what would change the answer, what to do.
//!
//! An [`Insight`] is a document: the keys that `query --next --why --tornado --sensitivity --utility FILE --json` adds to its answer.
//! `clausality_bn::insight` has the equations.

use super::answer::{Answer, OpenArc, Pairs};
use super::ask::Question;
use super::utility::Utility;
use super::{ModelError, node};
use crate::Error;
use crate::words::quoted;
use clausality_bn::Schema;
use clausality_bn::dynamic::Lagged;
use clausality_bn::infer::Finding;
use clausality_bn::insight::{
    self, Decision, Parameter, Respread, Unseen, attribute, decide, nearest, sensitivity, unseen,
};
use serde::Serialize;

/// Swings that are smaller are rounding.
const STILL: f64 = 1e-9;

/// What is wanted beside an answer.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// What to ask next.
    pub next: bool,
    /// What it costs to see a node, by name; those not named cost 1.
    pub costs: Vec<(String, f64)>,
    /// What each finding did.
    pub why: bool,
    /// The answer over the states of every other node.
    pub tornado: bool,
    /// What to ask next and the tornado of so many nodes only, those nearest to the target; of all where nothing is said.
    pub nearest: Option<usize>,
    /// What an error in a table would do.
    pub sensitivity: bool,
    /// What is worth what, and what can be done.
    pub utility: Option<Utility>,
    /// What to do without the band over what was learned again, which takes longer: for a first answer.
    pub at_once: bool,
}

impl Wanted {
    /// Whether anything is wanted.
    pub fn anything(&self) -> bool {
        self.of_a_target() || self.utility.is_some()
    }

    /// Whether something is wanted that is about one target.
    pub fn of_a_target(&self) -> bool {
        self.next || self.why || self.tornado || self.sensitivity
    }
}

/// What was found of what was wanted.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Insight<'m> {
    /// What to ask next, the most worthwhile first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<Vec<AskNext<'m>>>,
    /// What each finding did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<Why<'m>>,
    /// How each node would move the answer, the largest swing first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tornado: Option<Vec<Swing<'m>>>,
    /// How many nodes would not move it, and are not among these.
    #[serde(rename = "tornado_still", skip_serializing_if = "Option::is_none")]
    pub still: Option<usize>,
    /// What each number of the tables does, the steepest first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sensitivity: Option<Vec<Number<'m>>>,
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<Decided<'m>>,
}

/// A node that could be looked at.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AskNext<'m> {
    /// The node.
    pub node: &'m str,
    /// What seeing it would tell of the target on average, in bits.
    pub information: f64,
    /// Which part of the doubt about the target that is.
    pub share: f64,
    /// What it costs.
    pub cost: f64,
    /// Information over cost.
    pub per_cost: f64,
}

/// What the findings did to the target, whatever their order.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Why<'m> {
    /// The target without them.
    pub before: Pairs<'m, f64>,
    /// And with all.
    pub after: Pairs<'m, f64>,
    /// Each finding, the strongest first.
    pub findings: Vec<Push<'m>>,
}

/// What one finding did.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Push<'m> {
    /// The node.
    pub node: &'m str,
    /// Its state; nothing for a report or one of several.
    pub state: Option<&'m str>,
    /// By how much it moved the probability of every state of the target.
    pub push: Pairs<'m, f64>,
    /// And the log-odds; nothing for a state that some of the findings settle.
    pub log_odds: Pairs<'m, Option<f64>>,
}

/// How a node would move the target.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Swing<'m> {
    /// The node.
    pub node: &'m str,
    /// The state of the target that it moves most.
    pub state: &'m str,
    /// The least probability of it, and the node's state with which.
    pub low: End<'m>,
    /// And the most.
    pub high: End<'m>,
    /// By how much that differs.
    pub swing: f64,
    /// The target's distribution in every state of the node that can be.
    pub posterior: Pairs<'m, Pairs<'m, f64>>,
}

/// One end of a swing.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct End<'m> {
    /// The node's state.
    pub given: &'m str,
    /// The probability of the target's state.
    pub probability: f64,
}

/// A number of a table, and what it does to the answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Number<'m> {
    /// The node whose table it stands in.
    pub node: &'m str,
    /// The state.
    pub state: &'m str,
    /// The parents' states.
    pub given: Pairs<'m, &'m str>,
    /// The number.
    pub value: f64,
    /// By how much the probability of every state of the target rises where it rises by 1, at first.
    pub slope: Pairs<'m, f64>,
    /// At how many steps of a network over time it acts: it is told as that of now, and a change is one at all of them.
    #[serde(skip_serializing_if = "is_one")]
    pub steps: usize,
    /// The smallest change that turns the most probable answer, if any does.
    pub flip: Option<Turn<'m>>,
    /// Whether that was looked for: of numbers that act at several steps it is for those with the largest slopes.
    #[serde(skip_serializing_if = "is_true")]
    pub flip_sought: bool,
}

fn is_one(steps: &usize) -> bool {
    *steps == 1
}

fn is_true(sought: &bool) -> bool {
    *sought
}

/// Where an answer turns.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Turn<'m> {
    /// The number with which it does.
    pub value: f64,
    /// How far that is.
    pub change: f64,
    /// The state that is most probable beyond.
    pub state: &'m str,
}

/// What to do.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Decided<'m> {
    /// Every action, in the order of the file; the first is to do nothing, unless the file has that.
    pub actions: Vec<ValuedAction<'m>>,
    /// The best; of those that are worth the same the first.
    pub best: Pairs<'m, &'m str>,
    /// The others that are worth as much; with the best, any of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub level: Vec<Pairs<'m, &'m str>>,
    /// Whether it is the best in all equally good graphs.
    pub sure: bool,
    /// What it would be worth to know a node before deciding, the most first.
    pub information: Vec<Worthwhile<'m>>,
    /// The arcs that the bands rest on.
    pub open: Vec<OpenArc<'m>>,
    /// How many ways the class has to direct the arcs at what is set, and whether all were looked at.
    pub members: usize,
    /// Whether these are all.
    pub all_members: bool,
    /// Nodes that were seen though an action may move them.
    pub late: Vec<&'m str>,
    /// The same over graphs learned from rows drawn anew, where they were kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replicates: Option<DecidedAgain>,
    /// What to beware of: directions that nothing but these rows gave. Nothing where [`Decided::replicates`] show what hangs on them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caution: Option<String>,
}

/// What the rows leave open of a decision.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DecidedAgain {
    /// How often the learning was repeated.
    pub rounds: usize,
    /// How many tables of probabilities were drawn for these graphs.
    pub draws: usize,
    /// In which part of these draws the best action is worth as much as any other.
    pub best: f64,
}

/// What an action is worth.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ValuedAction<'m> {
    /// What is done.
    #[serde(rename = "do")]
    pub set: Pairs<'m, &'m str>,
    /// What it costs.
    pub cost: f64,
    /// What it is worth, its cost taken off.
    pub expected: f64,
    /// The least over the graphs that are equally good.
    pub low: f64,
    /// The most.
    pub high: f64,
    /// The same over graphs learned from rows drawn anew, where they were kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replicates: Option<Ends>,
    /// Whether none is worth more.
    #[serde(skip)]
    pub best: bool,
}

/// The ends of a band.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Ends {
    /// The least.
    pub low: f64,
    /// The most.
    pub high: f64,
}

/// What knowing a node is worth.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Worthwhile<'m> {
    /// The node.
    pub node: &'m str,
    /// By how much the best decision would be worth more on average.
    pub value: f64,
}

/// An answer, and what helps to decide: one document.
#[derive(Debug, Clone, Serialize)]
pub struct Informed<'m> {
    /// What is asked about, or what is known where nothing is.
    #[serde(flatten)]
    pub answer: Answer<'m>,
    /// What helps to decide.
    #[serde(flatten)]
    pub insight: Insight<'m>,
}

impl Informed<'_> {
    /// What deserves to be said of it.
    pub fn notice(&self) -> Option<String> {
        let late = &self.insight.decision.as_ref()?.late;
        let notice = || {
            format!(
                "an action may move {}, which was seen before it: what that says of the world without the action is lost",
                quoted(late, 4)
            )
        };
        (!late.is_empty()).then(notice)
    }
}

impl<'m> Question<'m> {
    /// The distribution of every target, and what helps to decide; without a target, what is known.
    ///
    /// # Errors
    /// As [`Question::posterior`] and [`Question::insight`].
    pub fn informed(&self, joint: bool, wanted: &Wanted) -> Result<Informed<'m>, Error> {
        let answer = if self.targets().is_empty() { self.known()? } else { self.posterior(joint)? };
        Ok(Informed { answer, insight: self.insight(wanted)? })
    }

    /// What helps to decide. What is about a target is about the only one.
    ///
    /// # Errors
    /// No target or several where one is needed; a target that is known; more findings than can be attributed; costs that are no costs; a question too
    /// large; evidence that cannot be.
    pub fn insight(&self, wanted: &Wanted) -> Result<Insight<'m>, Error> {
        let mut found = Insight::default();
        if wanted.of_a_target() {
            let [target] = *self.targets() else {
                let reason = format!(
                    "what to ask next, why, tornado and sensitivity are about one target, and {} are asked about: name one",
                    self.targets().len()
                );
                return Err(ModelError::Insight { reason }.into());
            };
            self.about(target, wanted, &mut found)?;
        }
        if let Some(utility) = &wanted.utility {
            let (worths, actions) = utility.over(self.model)?;
            self.still_open(&actions)?;
            utility.still_open(self.schema(), self.evidence())?;
            let class = self.model.class();
            let network = &self.model.network;
            let known = self.everything()?;
            let decision = decide(network, &class, &known, &worths, &actions, self.memory)?;
            let again = match wanted.at_once {
                true => None,
                false => {
                    self.model.respread(&known, &worths, &actions, &decision, self.memory, self.stop())?
                }
            };
            found.decision = Some(self.decided(&decision, &actions, again.as_ref()));
        }
        Ok(found)
    }

    fn about(&self, target: usize, wanted: &Wanted, found: &mut Insight<'m>) -> Result<(), Error> {
        let all = self.everything()?;
        let (network, evidence) = (&self.model.network, all.as_ref());
        let costs = self.costs(&wanted.costs)?;
        if wanted.next || wanted.tornado {
            let mut among = self.model.shown();
            if let Some(most) = wanted.nearest {
                let near = nearest(network, target, evidence, most);
                among.retain(|node| near.contains(node));
            }
            let (of_target, nodes) = unseen(&mut self.infer(), target, evidence, Some(&among))?;
            if wanted.next {
                found.next = Some(self.next(&of_target, &nodes, &costs));
            }
            if wanted.tornado {
                let mut swings = self.tornado(target, &nodes);
                let all = swings.len();
                swings.retain(|swing| swing.swing > STILL);
                found.still = Some(all - swings.len());
                found.tornado = Some(swings);
            }
        }
        if wanted.why {
            found.why = Some(self.why(target)?);
        }
        if wanted.sensitivity {
            let tied = self.model.tied();
            let mut numbers = sensitivity(network, target, evidence, &|node| tied[node], self.memory)?;
            let shown = self.model.shown();
            numbers.retain(|number| shown.binary_search(&number.node).is_ok());
            found.sensitivity = Some(self.numbers(target, numbers));
        }
        Ok(())
    }

    /// Refuses to decide what the rows of a series say was done already.
    fn still_open(&self, actions: &[insight::Action]) -> Result<(), Error> {
        let set = actions.iter().flat_map(|action| &action.set);
        let done = set.filter_map(|&(node, _)| Some((node, self.in_rows(node)?))).next();
        done.map_or(Ok(()), |(node, (state, now))| {
            let variable = self.schema().variable(node);
            let reason = format!(
                "'{}' is '{}' in {} (now is {}), and can no longer be decided: name a step ahead, such as {}@1",
                variable.name,
                variable.states[usize::from(state)],
                now.table,
                now.now,
                Lagged::parse(&variable.name).name
            );
            Err(ModelError::Insight { reason }.into())
        })
    }

    fn costs(&self, given: &[(String, f64)]) -> Result<Vec<f64>, Error> {
        let mut costs = vec![1.0; self.schema().len()];
        for (name, cost) in given {
            if !(cost.is_finite() && *cost > 0.0) {
                let reason = format!("the cost of '{name}' is {cost}; expected a number above 0");
                return Err(ModelError::Insight { reason }.into());
            }
            costs[node(self.schema(), name)?] = *cost;
        }
        Ok(costs)
    }

    fn next(&self, of_target: &[f64], nodes: &[Unseen], costs: &[f64]) -> Vec<AskNext<'m>> {
        let doubt = insight::entropy(of_target);
        let ask = |unseen: &Unseen| AskNext {
            node: self.schema().name(unseen.node),
            information: unseen.information,
            share: if doubt > 0.0 { unseen.information / doubt } else { 0.0 },
            cost: costs[unseen.node],
            per_cost: unseen.information / costs[unseen.node],
        };
        let mut out: Vec<AskNext<'m>> = nodes.iter().map(ask).collect();
        out.sort_by(|a, b| b.per_cost.total_cmp(&a.per_cost).then_with(|| a.node.cmp(b.node)));
        out
    }

    fn tornado(&self, target: usize, nodes: &[Unseen]) -> Vec<Swing<'m>> {
        let schema = self.schema();
        let swing = |unseen: &Unseen| {
            let given: Vec<(usize, &Vec<f64>)> = unseen
                .target_given
                .iter()
                .enumerate()
                .filter_map(|(n, given)| Some((n, given.as_ref()?)))
                .collect();
            let ends = |t: usize| {
                let by = |a: &&(usize, &Vec<f64>), b: &&(usize, &Vec<f64>)| a.1[t].total_cmp(&b.1[t]);
                let (low, high) = (given.iter().min_by(by)?, given.iter().rev().max_by(by)?);
                Some((high.1[t] - low.1[t], t, low.0, high.0))
            };
            let states = 0..schema.cardinality(target);
            let (swing, t, low, high) = states.filter_map(ends).rev().max_by(|a, b| a.0.total_cmp(&b.0))?;
            let state = |n: usize| schema.variable(unseen.node).states[n].as_str();
            let end = |n: usize| {
                let probability = unseen.target_given[n].as_ref().map_or(0.0, |given| given[t]);
                End { given: state(n), probability }
            };
            Some(Swing {
                node: schema.name(unseen.node),
                state: schema.variable(target).states[t].as_str(),
                low: end(low),
                high: end(high),
                swing,
                posterior: Pairs(
                    given.iter().map(|&(n, given)| (state(n), self.labelled(target, given))).collect(),
                ),
            })
        };
        let mut out: Vec<Swing<'m>> = nodes.iter().filter_map(swing).collect();
        out.sort_by(|a, b| b.swing.total_cmp(&a.swing).then_with(|| a.node.cmp(b.node)));
        out
    }

    fn why(&self, target: usize) -> Result<Why<'m>, Error> {
        let found = attribute(
            &self.model.network,
            target,
            self.everything()?.as_ref(),
            &|node| self.in_rows(node).is_some(),
            self.memory,
        )?;
        let schema = self.schema();
        let states = |node: usize| schema.variable(node).states.iter().map(String::as_str);
        let push = |(k, &node): (usize, &usize)| Push {
            node: schema.name(node),
            state: match self.evidence().finding(node) {
                Finding::Observed(code) => states(node).nth(usize::from(*code)),
                _ => None,
            },
            push: self.labelled(target, &found.pushes[k]),
            log_odds: Pairs(states(target).zip(found.log_odds[k].iter().copied()).collect()),
        };
        let mut findings: Vec<Push<'m>> = found.findings.iter().enumerate().map(push).collect();
        let most = |push: &Push<'_>| push.push.0.iter().map(|(_, p)| p.abs()).fold(0.0, f64::max);
        findings.sort_by(|a, b| most(b).total_cmp(&most(a)).then_with(|| a.node.cmp(b.node)));
        Ok(Why {
            before: self.labelled(target, &found.before),
            after: self.labelled(target, &found.after),
            findings,
        })
    }

    fn numbers(&self, target: usize, mut found: Vec<Parameter>) -> Vec<Number<'m>> {
        let (network, schema) = (&self.model.network, self.schema());
        let steepest = |p: &Parameter| p.slopes.iter().map(|slope| slope.abs()).fold(0.0, f64::max);
        // Equals stay in the order of the network.
        found.sort_by(|a, b| steepest(b).total_cmp(&steepest(a)));
        let state = |node: usize, code: u8| schema.variable(node).states[usize::from(code)].as_str();
        let number = |p: &Parameter| {
            let cpt = network.cpt(p.node);
            let codes = cpt.parent_codes(p.configuration);
            let given = cpt.parents().iter().zip(codes).map(|(&v, code)| (schema.name(v), state(v, code)));
            Number {
                node: schema.name(p.node),
                state: state(p.node, p.state),
                given: Pairs(given.collect()),
                value: p.value,
                slope: self.labelled(target, &p.slopes),
                steps: p.tables,
                flip_sought: p.sought,
                flip: p.flip.map(|flip| Turn {
                    value: flip.value,
                    change: flip.value - p.value,
                    state: state(target, flip.state),
                }),
            }
        };
        found.iter().map(number).collect()
    }

    fn decided(
        &self,
        decision: &Decision,
        actions: &[insight::Action],
        again: Option<&Respread>,
    ) -> Decided<'m> {
        let schema: &'m Schema = self.schema();
        let set = |action: &insight::Action| {
            let named = |&(v, code): &(usize, u8)| {
                (schema.name(v), schema.variable(v).states[usize::from(code)].as_str())
            };
            Pairs(action.set.iter().map(named).collect())
        };
        let valued = |(k, (action, valued)): (usize, (&insight::Action, &insight::Valued))| ValuedAction {
            set: set(action),
            cost: action.cost,
            expected: valued.expected,
            low: valued.low,
            high: valued.high,
            replicates: again.map(|again| Ends { low: again.low[k], high: again.high[k] }),
            best: k == decision.best || decision.level.contains(&k),
        };
        let worthwhile = |&(v, value): &(usize, f64)| Worthwhile { node: schema.name(v), value };
        let shown = self.model.shown();
        let told = decision.information.iter().filter(|(node, _)| shown.binary_search(node).is_ok());
        let mut information: Vec<Worthwhile<'m>> = told.map(worthwhile).collect();
        information.sort_by(|a, b| b.value.total_cmp(&a.value).then_with(|| a.node.cmp(b.node)));
        Decided {
            actions: actions.iter().zip(&decision.actions).enumerate().map(valued).collect(),
            best: set(&actions[decision.best]),
            level: decision.level.iter().map(|&k| set(&actions[k])).collect(),
            sure: decision.sure,
            information,
            open: self.model.named_arcs(&decision.open),
            members: decision.members,
            all_members: decision.whole,
            late: decision.late.iter().map(|&v| schema.name(v)).collect(),
            replicates: again.map(|again| DecidedAgain {
                rounds: again.graphs,
                draws: again.draws,
                best: again.best as f64 / again.draws as f64,
            }),
            caution: match again {
                Some(_) => None,
                None => self.model.worth_rests_on_rows(
                    &actions.iter().flat_map(|action| action.set.iter().map(|&(v, _)| v)).collect::<Vec<_>>(),
                ),
            },
        }
    }
}
