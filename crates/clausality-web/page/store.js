// What the page knows: the network, what is known or done, what follows from it, what is looked at.
//
// Nodes and states are numbers everywhere but in questions to the server. Whoever changes something says so by an event:
// known, answer, failure, select, doing, light, best, target, trail, informed, again, arc, edits, other, contrast, hidden, places, fold, stakes.

import { findingOf, sorted, weightsOf } from './findings.js';

export class Store extends EventTarget {
  constructor(network) {
    super();
    this.network = network;
    this.known = new Map(); // node → finding (findings.js)
    this.answer = network; // the network's own document holds the answer to nothing known
    this.asked = 0; // how often something became known
    this.pending = false; // whether the answer is still that to an earlier question
    this.failure = null;
    this.selected = null;
    this.doing = false; // whether a click sets a node from outside
    this.lit = null; // { title, nodes, arcs }
    this.best = null; // the most probable explanation
    this.target = null; // the node that one wants to know about
    this.informed = null; // what helps to decide about it
    this.again = null; // { low, high } by node over what was learned again, as far as it has come
    this.stakes = []; // { kind, node, state, number }: what a state is worth, or what it costs to set it
    this.arc = null; // { parent, child } that is looked at
    this.edits = []; // { wish, parent, child }: what arcs should be
    this.other = null; // how another network differs
    this.contrast = null; // its answer to the same question
    this.hidden = []; // pairs that perhaps have a cause in common outside the table
    this.places = new Map(); // node → { x, y }: nodes moved by hand
  }

  tell(event) {
    this.dispatchEvent(new Event(event));
  }

  on(events, action) {
    for (const event of events.split(' ')) this.addEventListener(event, action);
  }

  // A click on a state: sets it, or takes it back where it stands already.
  toggle(node, state) {
    const now = this.known.get(node);
    if (now?.state === state && now.set === this.doing) this.known.delete(node);
    else this.known.set(node, { state, set: this.doing });
    this.tell('known');
  }

  // One state more that it may have been seen in, or one less.
  join(node, state) {
    const [now, { states }] = [this.known.get(node), this.network.nodes[node]];
    const weights = now ? [...weightsOf(now, states.length)] : states.map(() => 0);
    weights[state] = weights[state] > 0 ? 0 : 1;
    this.weigh(node, weights);
  }

  // How likely what was noticed would be in each of its states.
  weigh(node, weights) {
    const finding = findingOf(weights);
    if (finding) this.known.set(node, finding);
    else this.known.delete(node);
    this.tell('known');
  }

  forget(node) {
    if (this.known.delete(node)) this.tell('known');
  }

  replace(known) {
    this.known = known;
    this.tell('known');
  }

  // Between seen and done; without a node, for the clicks to come.
  turn(node = null) {
    const now = this.known.get(node);
    if (now?.weights) return; // nobody can set several states
    if (now) {
      this.known.set(node, { state: now.state, set: !now.set });
      this.tell('known');
    } else {
      this.doing = !this.doing;
      this.tell('doing');
    }
  }

  select(node) {
    if (this.selected === node) return;
    this.selected = node;
    this.tell('select');
  }

  selectArc(arc) {
    this.arc = arc && { parent: arc.parent, child: arc.child };
    this.tell('arc');
  }

  setEdits(edits) {
    this.edits = edits;
    this.tell('edits');
  }

  setOther(other) {
    this.other = other;
    this.contrast = null;
    this.tell('other');
  }

  setStakes(stakes) {
    this.stakes = stakes;
    this.tell('stakes');
  }

  setHidden(hidden) {
    this.hidden = hidden;
    this.tell('hidden');
  }

  setPlaces(places) {
    this.places = places;
    this.tell('places');
  }

  aim(node) {
    if (this.target === node) return;
    this.target = node;
    this.tell('target');
  }

  light(lit) {
    this.lit = lit;
    this.tell('light');
  }

  setBest(best) {
    this.best = best;
    this.tell('best');
  }

  // The question as the server reads it. Names may be anything, also `__proto__`.
  question(known = this.known) {
    const { seen, among, likely, done } = sorted(known, this.network.nodes);
    const named = (pairs) => Object.assign(Object.create(null), Object.fromEntries(pairs));
    return { evidence: named([...seen, ...among]), likely: named(likely.map(([name, numbers]) => [name, named(numbers)])), do: named(done) };
  }
}

// Asks anew whenever something becomes known: one question at a time, and of those that wait only the last.
export function keepAsking(store, ask) {
  let busy = false;
  let again = false;
  async function next() {
    again = busy;
    if (busy) return;
    busy = true;
    try {
      store.answer = await ask('/api/posteriors', store.question());
      store.failure = null;
      store.pending = again;
      store.tell('answer');
    } catch (error) {
      store.failure = error.message;
      store.tell('failure');
    }
    busy = false;
    if (again) next();
  }
  store.on('known', () => {
    store.asked += 1;
    store.pending = true;
    store.best = null;
    store.tell('best');
    next();
  });
}
