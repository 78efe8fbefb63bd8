// What Python sees of the explorer and may set: the selected node, the evidence, and what is done, all by name. What was seen is a state, a list of several, or of a
// report an object with a number for every state, all in the order of the network, so that the same is written alike.

import { findingOf, sorted } from './findings.js';

const same = (a, b) => {
  const [left, right] = [Object.entries(a), new Map(Object.entries(b))];
  return left.length === right.size && left.every(([name, seen]) => JSON.stringify(right.get(name)) === JSON.stringify(seen));
};

// The finding that Python says of a node; nothing where it says nothing.
function findingIn(seen, { states }) {
  if (typeof seen === 'string') return states.includes(seen) ? { state: states.indexOf(seen), set: false } : null;
  const weight = Array.isArray(seen) ? (label) => Number(seen.includes(label)) : (label) => (Object.hasOwn(seen, label) ? seen[label] : 0);
  return findingOf(states.map(weight));
}

export function shareTraits(model, { store, show }, ended) {
  const { nodes } = store.network;
  const index = new Map(nodes.map(({ name }, node) => [name, node]));

  let taking = false; // while what Python says is taken over, nothing is said back: more of it may be on its way

  // The state of the page under the names that Python uses. Entries, as a node may be called `__proto__`.
  function told() {
    const { seen, among, likely, done } = sorted(store.known, nodes);
    const reports = likely.map(([name, numbers]) => [name, Object.fromEntries(numbers)]);
    return { evidence: Object.fromEntries([...seen, ...among, ...reports]), do: Object.fromEntries(done) };
  }

  function tellKnown() {
    if (taking) return;
    const now = told();
    const changed = Object.entries(now).filter(([trait, states]) => !same(states, model.get(trait)));
    changed.forEach(([trait, states]) => model.set(trait, states));
    if (changed.length) model.save_changes();
  }

  function tellSelected() {
    const name = store.selected === null ? '' : nodes[store.selected].name;
    if (model.get('selected') === name) return;
    model.set('selected', name);
    model.save_changes();
  }

  function takeKnown() {
    const now = told();
    if (same(now.evidence, model.get('evidence')) && same(now.do, model.get('do'))) return;
    const known = new Map();
    for (const [trait, set] of [['evidence', false], ['do', true]]) {
      for (const [name, seen] of Object.entries(model.get(trait))) {
        const node = index.get(name);
        const finding = node === undefined ? null : findingIn(seen, nodes[node]);
        if (finding) known.set(node, { ...finding, set });
      }
    }
    taking = true;
    store.replace(known);
    taking = false;
  }

  function takeSelected() {
    const node = index.get(model.get('selected')) ?? null;
    if (node === store.selected) return;
    if (node === null) store.select(null);
    else show(node);
  }

  store.on('known', tellKnown);
  store.on('select', tellSelected);
  const heard = { 'change:evidence': takeKnown, 'change:do': takeKnown, 'change:selected': takeSelected };
  for (const [event, action] of Object.entries(heard)) model.on(event, action);
  ended.addEventListener('abort', () => Object.entries(heard).forEach(([event, action]) => model.off(event, action)));
  takeKnown();
  takeSelected();
}
