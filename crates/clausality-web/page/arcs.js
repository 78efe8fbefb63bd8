// The section of the selected arc: what speaks for it, and what may be wished of it. Also the arcs of a node as a list, for whoever has no pointer.

import { button, make } from './element.js';
import { percent } from './words.js';

export const WISHES = {
  turn: { word: 'Turn', done: 'turned', why: 'Require it the other way round' },
  remove: { word: 'Remove', done: 'removed', why: 'Forbid it in both directions' },
  require: { word: 'Require', done: 'required', why: 'It must be there as it is' },
  forbid: { word: 'Forbid', done: 'forbidden', why: 'It must not be there as it is; the other way round it may' },
};

const same = (a, b) => a.parent === b.parent && a.child === b.child;

// A later wish about the same two nodes takes the place of an earlier one.
export function wish(store, kind, { parent, child }) {
  const others = store.edits.filter((edit) => !same(edit, { parent, child }) && !same(edit, { parent: child, child: parent }));
  store.setEdits([...others, { wish: kind, parent, child }]);
}

export function showArc(root, store, { go, editable }) {
  const section = root.getElementById('arc');
  const { nodes, arcs, fixed } = store.network;
  const name = (node) => nodes[node].name;
  const link = (node) => button(name(node), () => go(node), { class: 'plain name', title: name(node) });

  function show() {
    const { arc } = store;
    section.hidden = arc === null;
    if (!arc) return;
    const found = arcs.find((other) => same(other, arc));
    section.replaceChildren(
      make('div', { class: 'head' }, make('h2', { class: 'arc-name' }, link(arc.parent), ' → ', link(arc.child)),
        button('×', () => store.selectArc(null), { class: 'plain', 'aria-label': 'Close the arc', title: 'Close (Esc)' })),
      facts(found, arc), ...(editable ? wishes(arc, Boolean(found)) : []));
  }

  // Where neither direction explains the two.
  function outside({ parent, child }) {
    const mark = store.hidden.find(({ between }) => between.includes(parent) && between.includes(child));
    return mark ? ['Perhaps a common cause outside the table: they depend on each other whatever is known around them.', ...mark.against.map((why) => `${why}.`)] : [];
  }

  function facts(found, arc) {
    const marked = outside(arc);
    if (!found && marked.length) return make('ul', { class: 'facts' }, marked.map((line) => make('li', {}, line)));
    if (!found) return make('p', { class: 'note' }, 'This network has no such arc.');
    const { learned, compelled, weight } = found;
    const lines = [...marked, compelled ? 'The data, or the rules, give its direction.' : 'An equally good network has it the other way round.'];
    if (learned) {
      if (learned.required) lines.push('The rules require it.');
      lines.push(`Without it the score of the network is ${learned.gain.toFixed(1)} lower.`);
      if (learned.strength > 0) lines.push(`It has ${percent(learned.share)} of all strength that the machines find for ${learned.child}.`);
      if (learned.confidence != null) lines.push(`Found in ${percent(learned.confidence)} of the repetitions${learned.direction == null ? '' : `, in this direction in ${percent(learned.direction)} of these`}.`);
      if (learned.gaps) lines.push('It lives mostly from gaps.');
    } else {
      lines.push(`It moves its child by up to ${(100 * weight).toFixed(0)} points of 100.`);
    }
    return make('ul', { class: 'facts' }, lines.map((line) => make('li', {}, line)));
  }

  function wishes(arc, isThere) {
    if (fixed) return [make('p', { class: 'note', id: 'fixed' }, `Arcs cannot be changed here: ${fixed}.`)];
    const kinds = isThere ? ['turn', 'remove', 'require', 'forbid'] : ['require', 'forbid'];
    const now = store.edits.find((edit) => same(edit, arc));
    return [make('div', { class: 'lights', role: 'group', 'aria-label': 'What this arc should be' },
      kinds.map((kind) => button(WISHES[kind].word, () => wish(store, kind, arc), { id: `wish-${kind}`, title: `${WISHES[kind].why}: it learns again at once`, 'aria-pressed': String(now?.wish === kind) })))];
  }

  store.on('arc edits hidden', show);
  show();
}

// The arcs at a node, and a way to a new one.
export function arcsOf(store, node, { search, editable }) {
  const { nodes, arcs } = store.network;
  const mine = arcs.filter(({ parent, child }) => parent === node || child === node);
  const line = (arc) => make('li', {}, button(`${nodes[arc.parent].name} → ${nodes[arc.child].name}`, () => store.selectArc({ parent: arc.parent, child: arc.child }), { class: 'plain name' }));
  const fresh = editable && !store.network.fixed && button('New arc to …', () => search.pick(`Arc from ${nodes[node].name} to …`, (child) => {
    if (child === node) return;
    store.selectArc({ parent: node, child });
    wish(store, 'require', { parent: node, child });
  }), { id: 'new-arc', title: 'Require an arc: it learns again at once' });
  if (!mine.length && !fresh) return null;
  return make('details', { id: 'node-arcs' }, make('summary', {}, 'Arcs', make('span', { class: 'faint' }, ` ${mine.length}`)),
    make('ul', { class: 'kept' }, mine.map(line)), fresh);
}
