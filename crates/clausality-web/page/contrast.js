// The section of another network beside this one: arcs added, lost and turned, and the nodes whose answers differ most under what is known.

import { button, make } from './element.js';
import { counted, listed, percent } from './words.js';

const SHOWN = 8; // nodes
const ARCS = 12; // arcs of a kind that are shown at once
const STILL = 0.0005; // less than this is no difference

export function showContrast(root, store, { ask, go }) {
  const section = root.getElementById('contrast');
  const { nodes } = store.network;

  function show() {
    const { other } = store;
    section.hidden = other === null;
    if (!other) return section.replaceChildren();
    section.replaceChildren(make('div', { class: 'head' }, make('h2', {}, 'Beside ', make('span', { id: 'other-name' }, other.name))),
      ...arcs(other), ...strangers(other), differing());
  }

  function arcs({ added, lost, turned }) {
    if (!added.length && !lost.length && !turned.length) return [make('p', { class: 'note', id: 'same-arcs' }, 'Both have the same arcs.')];
    // Of what was learned again one says what became of it, of another network what it has.
    const [more, less, turn] = store.edits.length ? ['Added', 'Lost', 'Turned'] : ['Only there', 'Only here', 'Turned there'];
    const kinds = [['added', more, added], ['lost', less, lost], ['turned', turn, turned]];
    return kinds.filter(([, , all]) => all.length).map(([kind, title, all]) => make('details', { class: `arcs-${kind}`, id: `arcs-${kind}`, open: true },
      make('summary', {}, make('i', { class: `sample ${kind}` }), ` ${title}`, make('span', { class: 'faint' }, ` ${all.length}`)),
      make('ul', { class: 'kept' }, all.slice(0, ARCS).map(line)), all.length > ARCS && make('p', { class: 'note' }, `and ${all.length - ARCS} more`)));
  }

  function line({ parent, child, ends }) {
    const text = `${parent} → ${child}`;
    return make('li', {}, ends ? button(text, () => store.selectArc({ parent: ends[0], child: ends[1] }), { class: 'plain name', title: text }) : make('span', { class: 'name' }, text));
  }

  function strangers({ only_here: here, only_there: there, other_states: states }) {
    const lines = [[here, 'not there'], [there, 'not here'], [states, 'with other states']];
    return lines.filter(([names]) => names.length).map(([names, what]) => make('p', { class: 'note', title: names.join('\n') }, `${counted(names.length, 'node')} ${what}: ${listed(names)}.`));
  }

  // The nodes whose answers are farthest apart.
  function differing() {
    const { contrast } = store;
    if (!contrast) return make('p', { class: 'note' }, 'Asking both …');
    if (contrast.failure) return make('p', { class: 'trouble', role: 'alert' }, contrast.failure);
    const far = contrast.apart.map((by, node) => ({ by, node })).filter(({ by, node }) => by > STILL && !store.known.has(node))
      .sort((a, b) => b.by - a.by || (nodes[a.node].name < nodes[b.node].name ? -1 : 1)).slice(0, SHOWN);
    if (!far.length) return make('p', { class: 'note', id: 'same-answers' }, 'Both give the same answers to what is known.');
    const row = ({ by, node }) => {
      const bar = make('span', { class: 'bar' });
      bar.style.setProperty('--p', by / far[0].by);
      return make('tr', {}, make('td', {}, button(nodes[node].name, () => go(node), { class: 'plain name', title: nodes[node].name })), make('td', { class: 'meter' }, bar), make('td', { class: 'number' }, percent(by)));
    };
    return make('div', { class: 'insight' }, make('h3', {}, 'Differ most'), make('p', { class: 'note' }, 'how much of its bars is elsewhere there: ▴ marks where they end'),
      make('table', { class: 'lines', id: 'differ' }, make('tbody', {}, far.map(row))));
  }

  // One question at a time, and of those that wait only the last.
  let [busy, waiting] = [false, false];
  async function next() {
    waiting = busy;
    if (busy || !store.other || store.failure !== null) return;
    busy = true;
    const { other, asked } = store;
    const contrast = await ask('/api/contrast', store.question()).catch((error) => ({ failure: error.message }));
    busy = false;
    if (store.other === other && store.asked === asked) {
      store.contrast = contrast;
      store.tell('contrast');
    }
    if (waiting) next();
  }
  store.on('known', () => (store.contrast = null));
  store.on('other contrast', show);
  store.on('other answer', next);
  show();
}
