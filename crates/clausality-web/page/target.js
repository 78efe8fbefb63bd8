// The section of the target: what became of it, what moved most, what to ask next, what pushed it, what could move it. The figures are those of
// `clausality query --next --why --tornado`.

import { button, make } from './element.js';
import { counted, percent, points, range } from './words.js';

const SHOWN = 6; // lines of each list
const STILL = 0.0005; // less than this is no movement
const POINT = 0.01; // so much at least fills a bar
const MANY = 150; // nodes of which the nearest are asked about first
const NEAREST = 30;

// How far a distribution moved: half the sum of what its states lost and won.
const moved = (before, after) => before.reduce((sum, p, state) => sum + Math.abs(after[state] - p), 0) / 2;

export function showTarget(root, store, { ask, go }) {
  const section = root.getElementById('target');
  const { nodes, posteriors: nothing } = store.network;
  const order = nodes.map(({ name }, node) => ({ name, node })).sort((a, b) => (a.name < b.name ? -1 : 1));
  const choice = make('select', { id: 'target-choice', 'aria-label': 'Target', on: { change: () => store.aim(choice.value === '' ? null : Number(choice.value)) } },
    make('option', { value: '' }, 'none'), order.map(({ name, node }) => make('option', { value: node }, name)));
  const body = make('div', { class: 'insight' });
  section.append(make('div', { class: 'line' }, make('h2', {}, 'Target'), choice), body);

  const index = new Map(nodes.map(({ name }, node) => [name, node]));
  const link = (name) => button(name, () => go(index.get(name)), { class: 'plain name', title: name });

  function show() {
    choice.value = store.target ?? '';
    if (store.target === null) return body.replaceChildren(make('p', { class: 'note' }, 'Choose what you want to know about: every bar shows where it was before, and here stands what to ask next and why.'));
    if (store.failure !== null) return body.replaceChildren(make('p', { class: 'note' }, 'What is known cannot be.'));
    const parts = [before(store), movers(), insight()];
    body.replaceChildren(...parts.flat().filter(Boolean));
  }

  // The nodes that moved most since nothing was known.
  function movers() {
    const after = store.answer.posteriors;
    const far = nodes.map(({ name }, node) => ({ name, far: moved(nothing[node], after[node]) }))
      .filter(({ name, far: by }) => by > STILL && !store.known.has(index.get(name)));
    far.sort((a, b) => b.far - a.far || (a.name < b.name ? -1 : 1));
    if (!far.length) return null;
    return list('Moved most', 'moved', 'how much of its bars went elsewhere since nothing was known: ▾ marks where they were', far.slice(0, SHOWN).map(({ name, far: by }) => [link(name), meter(by / far[0].far), percent(by)]));
  }

  function insight() {
    const { informed } = store;
    if (!informed) return make('p', { class: 'note' }, 'Asking …');
    if (informed.failure) return make('p', { class: 'trouble', role: 'alert' }, informed.failure);
    const state = looked(informed);
    const first = informed.nearest && make('p', { class: 'note', id: 'first-part' }, `So far of the ${informed.nearest} nearest nodes; the others are being asked …`);
    return [first, again(informed), next(informed), pushes(informed, state), tornado(informed, state), flips(informed)];
  }

  // How far the answer moves with the sample, where something is done and the learning was repeated.
  function again({ replicates }) {
    if (!replicates) return null;
    const lines = nodes[store.target].states.map((label) => [make('span', { class: 'cut-off', title: label }, label), span(replicates.low[label], replicates.high[label]), range(replicates.low[label], replicates.high[label])]);
    return list('What the rows leave open', 'again', `99 of 100 answers over ${counted(replicates.rounds, 'graph')} learned from rows drawn anew, tables drawn ${counted(replicates.draws, 'time')}`, lines);
  }

  function next({ next: all }) {
    const some = all.filter(({ share }) => share > STILL).slice(0, SHOWN);
    if (!some.length) return make('p', { class: 'note' }, 'Nothing that could be asked would tell more.');
    return list('Ask next', 'next', 'share of the doubt that an answer takes away on average', some.map(({ node, share, information }) =>
      [link(node), meter(share / some[0].share), make('span', { title: `${information.toFixed(4)} bits` }, percent(share))]));
  }

  // The state of the target to look at: the one that the findings moved most, else the one that could be moved most.
  function looked({ why, tornado: all }) {
    const { states } = nodes[store.target];
    if (!why?.findings.length) return all[0]?.state ?? states[0];
    const far = (label) => Math.abs(why.after[label] - why.before[label]);
    return states.reduce((most, label) => (far(label) > far(most) + 1e-9 ? label : most));
  }

  // What each finding did to a state.
  function pushes({ why, why_not: refused }, state) {
    if (refused) return make('p', { class: 'note' }, `Pushes: ${refused}.`);
    if (!why?.findings.length) return null;
    // What is next to nothing does not fill its bar.
    const most = Math.max(POINT, ...why.findings.map(({ push }) => Math.abs(push[state])));
    return list(`Pushes on ${nodes[store.target].name} = ${state}`, 'why', 'points of 100 that each finding adds or takes, whatever their order',
      why.findings.slice(0, SHOWN).map(({ node, state: seen, push }) => [make('span', { class: 'cut-off', title: `${node} = ${seen}` }, `${node} = ${seen}`), signed(push[state] / most), points(push[state])]));
  }

  // What a state of the target could be, whatever another node turned out to be.
  function tornado({ tornado: all }, state) {
    const ends = ({ node, posterior }) => {
      const given = Object.entries(posterior).map(([label, shares]) => ({ label, p: shares[state] })).sort((a, b) => a.p - b.p);
      return { node, low: given[0], high: given.at(-1) };
    };
    const swings = all.map(ends).filter(({ low, high }) => high.p - low.p > STILL).sort((a, b) => (b.high.p - b.low.p) - (a.high.p - a.low.p) || (a.node < b.node ? -1 : 1));
    if (!swings.length) return null;
    const line = ({ node, low, high }) => [link(node), span(low.p, high.p), make('span', {
      title: `${percent(low.p)} if ${node} = ${low.label}\n${percent(high.p)} if ${node} = ${high.label}`,
    }, range(low.p, high.p))];
    return list(`What could move ${nodes[store.target].name} = ${state}`, 'tornado', 'the least and the most over the states of each node', swings.slice(0, SHOWN).map(line));
  }

  // The numbers of the tables that turn the answer with the smallest changes.
  function flips({ sensitivity }) {
    if (!sensitivity?.length) return null;
    const line = ({ node, state, given, value, flip, steps }) => {
      const where = Object.entries(given).map(([name, label]) => `${name} = ${label}`).join(', ');
      return [link(node), make('span', { class: 'cut-off', title: `P(${node} = ${state}${where && ` | ${where}`})` }, where ? `${state} | ${where}` : state),
        make('span', { title: `then ${flip.state} is the most probable${steps > 1 ? ', if it changes at all steps' : ''}` }, `${percent(value)} → ${percent(flip.value)}`)];
    };
    return list('What would turn the answer', 'flips', 'numbers of the tables, the smallest change first', sensitivity.map(line));
  }

  store.on('target answer failure informed', show);
  keepInformed(store, ask);
  show();
}

// The target's states, before and after.
function before(store) {
  const { name, states } = store.network.nodes[store.target];
  const [then, now] = [store.network.posteriors[store.target], store.answer.posteriors[store.target]];
  const row = (label, state) => make('tr', {}, make('th', { scope: 'row', title: label }, label), make('td', {}, percent(then[state])), make('td', {}, '→'), make('td', {}, make('b', {}, percent(now[state]))),
    make('td', { class: 'faint' }, Math.abs(now[state] - then[state]) > STILL ? points(now[state] - then[state]) : ''));
  return make('table', { class: 'before', 'aria-label': `${name}: before, when nothing was known, and now` }, make('tbody', {}, states.map(row)));
}

const list = (title, kind, meaning, lines) => make('div', { class: `list ${kind}` }, make('h3', {}, title), make('p', { class: 'note' }, meaning),
  make('table', { class: 'lines' }, make('tbody', {}, lines.map((cells) => make('tr', {}, cells.map((cell, k) => make('td', { class: ['name', 'meter', 'number'][k] }, cell)))))));

function styled(classes, properties, ...children) {
  const element = make('span', { class: classes }, ...children);
  for (const [name, value] of Object.entries(properties)) element.style.setProperty(name, value);
  return element;
}

const meter = (p) => styled('bar', { '--p': p });

// To the right what adds, to the left what takes.
const signed = (p) => styled(p < 0 ? 'push less' : 'push', { '--from': p < 0 ? 0.5 + p / 2 : 0.5, '--wide': Math.abs(p) / 2 });

const span = (low, high) => styled('push reach', { '--from': low, '--wide': high - low });

// Asks about the target whenever the answer or the target changes: one question at a time, and of those that wait only the last. Where there are
// hundreds of nodes those nearest to the target come first.
function keepInformed(store, ask) {
  const parts = store.network.nodes.length > MANY ? [{ nearest: NEAREST }, {}] : [{}];
  let ended = new AbortController();
  let busy = false;
  let again = false;
  async function next() {
    again = busy;
    if (busy || store.target === null || store.failure !== null) return;
    busy = true;
    ended = new AbortController();
    const { signal } = ended;
    const question = { ...store.question(), target: store.network.nodes[store.target].name };
    for (const part of parts) {
      const informed = await ask('/api/informed', { ...question, ...part }, signal).catch((error) => ({ failure: error.message }));
      if (signal.aborted) break;
      store.informed = { ...informed, ...part };
      store.tell('informed');
      if (informed.failure) break;
    }
    busy = false;
    if (again) next();
  }
  const forget = () => {
    ended.abort();
    store.informed = null;
  };
  store.on('target known', forget);
  store.on('target answer', () => {
    forget();
    next();
  });
}
