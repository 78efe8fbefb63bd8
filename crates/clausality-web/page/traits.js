// What Python sees of the explorer and may set: the selected node, the evidence, and what is done, all by name.

const same = (a, b) => {
  const [left, right] = [Object.entries(a), new Map(Object.entries(b))];
  return left.length === right.size && left.every(([name, state]) => right.get(name) === state);
};

export function shareTraits(model, { store, show }, ended) {
  const { nodes } = store.network;
  const index = new Map(nodes.map(({ name }, node) => [name, node]));

  let taking = false; // while what Python says is taken over, nothing is said back: more of it may be on its way

  // The state of the page under the names that Python uses. Entries, as a node may be called `__proto__`.
  function told() {
    // A trait holds one state a node: several, and reports, stay with the page.
    const pairs = (set) => Object.fromEntries([...store.known].filter(([, known]) => known.set === set && !known.weights)
      .map(([node, { state }]) => [nodes[node].name, nodes[node].states[state]]));
    return { evidence: pairs(false), do: pairs(true) };
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
      for (const [name, label] of Object.entries(model.get(trait))) {
        const node = index.get(name);
        const state = nodes[node]?.states.indexOf(label) ?? -1;
        if (state >= 0) known.set(node, { state, set });
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
