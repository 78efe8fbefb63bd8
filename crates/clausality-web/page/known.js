// The section "What is known": findings, how probable they are, and what can be asked of them.

import { button, make } from './element.js';
import { inWords } from './findings.js';
import { counted, grouped, listed, percent, tiny } from './words.js';

export function showKnown(root, store, { command, copy, explain, go }) {
  const section = root.getElementById('known');
  const list = make('ul', { class: 'findings' });
  const figure = make('p', { class: 'figure' });
  const trouble = make('p', { class: 'trouble', role: 'alert', hidden: true });
  const story = make('details', { class: 'story', hidden: true });
  const clear = button('Clear', () => store.replace(new Map()), { id: 'clear', class: 'plain' });
  const line = make('code', { id: 'command', tabindex: '0', role: 'region', 'aria-label': 'The command that asks the same' });
  section.append(
    make('div', { class: 'head' }, make('h2', {}, 'What is known'),
      make('div', { class: 'steps' }, clear,
        button('↶', () => {}, { id: 'undo', class: 'icon', 'aria-label': 'Undo', title: 'Undo (Ctrl+Z)', disabled: true }),
        button('↷', () => {}, { id: 'redo', class: 'icon', 'aria-label': 'Redo', title: 'Redo (Ctrl+Shift+Z)', disabled: true }))),
    modes(store), list, trouble, figure,
    button('Most probable explanation', explain, { id: 'explain', class: 'wide', title: 'The states of all nodes that are most probable together (m)' }),
    story,
    make('div', { class: 'command' }, line, button('Copy', copy, { id: 'copy', title: 'Copy the command (c)' })),
  );

  function update() {
    list.replaceChildren(...[...store.known].map((finding) => chip(store, finding, go)));
    list.hidden = store.known.size === 0;
    clear.hidden = store.known.size === 0;
    trouble.hidden = store.failure === null;
    trouble.textContent = store.failure ?? '';
    figure.hidden = store.failure !== null;
    figure.replaceChildren(...figures(store));
    line.textContent = command(store);
  }
  store.on('known answer again failure doing select best', update);
  store.on('best', () => tell(story, store));
  update();
}

// What a click on a state means.
function modes(store) {
  const choose = (doing) => store.doing !== doing && store.turn();
  const seen = button('Observe', () => choose(false), { id: 'observe', title: 'A click says: this was seen' });
  const done = button('Do', () => choose(true), { id: 'do', title: 'A click says: somebody sets this; the arcs into the node are cut' });
  const mark = () => {
    seen.setAttribute('aria-pressed', String(!store.doing));
    done.setAttribute('aria-pressed', String(store.doing));
  };
  store.on('doing', mark);
  mark();
  return make('div', { class: 'modes' }, make('span', { class: 'faint' }, 'A click on a state means'),
    make('div', { class: 'switch', role: 'group', 'aria-label': 'A click on a state means' }, seen, done));
}

function chip(store, [node, finding], go) {
  const { name, states } = store.network.nodes[node];
  const { set, weights } = finding;
  const what = set ? 'do' : 'seen';
  const turn = weights ? 'Several states can be seen, but not set' : set ? 'Set from outside: switch to observed' : 'Observed: switch to set from outside';
  return make('li', { class: what },
    button(what, () => store.turn(node), { class: 'kind', title: turn, disabled: Boolean(weights), 'aria-label': `${name}: ${what}, switch` }),
    button(make('span', {}, make('b', {}, name), ` = ${inWords(finding, states)}`), () => go(node), { class: 'plain name' }),
    button('×', () => store.forget(node), { class: 'plain', 'aria-label': `Forget ${name}`, title: 'Forget' }));
}

function figures(store) {
  const { answer, known, pending } = store;
  const parts = [];
  const seen = [...known.values()].some(({ set }) => !set);
  if (known.size === 0) parts.push(make('span', { class: 'faint' }, 'Nothing yet: click a state in the drawing and watch every other bar move.'));
  else if (seen) parts.push('Probability of what was seen: ', make('b', { id: 'probability' }, tiny(answer.evidence_probability, answer.evidence_log_probability)));
  if (!pending && answer.observed && known.size) parts.push(make('span', { class: 'note' }, make('i', { class: 'tick' }), ' where the bar would end if it were only observed'));
  if (!pending && known.size && [...known.values()].some(({ set }) => set) && !answer.observed) parts.push(make('span', { class: 'note' }, answer.exact ? 'Only observed, this could not happen.' : 'Only observed, no sample shows this.'));
  if (!pending && known.size) parts.push(...openArcs(store), ...openRows(store), ...caution(store));
  if (!answer.exact) {
    const worth = answer.effective_samples == null ? '' : `, worth ${grouped(Math.round(answer.effective_samples))}`;
    parts.push(make('span', { class: 'note' }, `Too wide for an exact answer: estimated from ${counted(answer.samples, 'weighted sample')}${worth}; the tooltips have the standard errors (at most ${percent(largest(answer.standard_errors))}).`));
  }
  return parts;
}

// What the data leave open about something done, in words.
function openArcs({ answer: { band }, network: { nodes } }) {
  if (!band?.open.length) return [];
  const arcs = band.open.map(([parent, child]) => `${nodes[parent].name} – ${nodes[child].name}`);
  const ways = `${band.all_members ? '' : 'the first '}${counted(band.members, 'equally good way')}`;
  const open = `the data leave open which way ${listed(arcs)} ${arcs.length === 1 ? 'points' : 'point'} (${ways})`;
  return [make('span', { class: 'note', id: 'open-arcs', title: arcs.join('\n') }, make('i', { class: 'span' }), ` where the bar may end: ${open}`)];
}

// What the rows leave open about it.
function openRows({ again, network, known }) {
  if (!network.replicates || ![...known.values()].some(({ set }) => set)) return [];
  const over = again ? `what the rows leave open: 99 of 100 answers over ${counted(again.rounds, 'graph')} learned from rows drawn anew, tables drawn ${counted(again.draws, 'time')}` : 'what the rows leave open is being asked …';
  return [make('span', { class: 'note', id: 'open-rows' }, make('i', { class: 'span again' }), ` ${over}`)];
}

// What the answer rests on beside that, as `query` says it.
const caution = ({ answer }) => (answer.caution ? [make('span', { class: 'note', id: 'caution' }, answer.caution)] : []);

const largest = (errors) => errors.reduce((most, row) => row.reduce((a, b) => Math.max(a, b), most), 0);

// The most probable explanation in words.
function tell(story, store) {
  const { best, known, network } = store;
  story.hidden = best === null;
  if (!best) return;
  const free = network.nodes.map((node, k) => ({ ...node, k })).filter(({ k }) => !known.has(k));
  story.open = true;
  story.replaceChildren(
    make('summary', {}, 'Most probable together: ', make('b', { id: 'best' }, tiny(best.probability, best.log_probability))),
    make('ul', {}, free.map(({ name, states, k }) => make('li', {}, make('span', { class: 'faint' }, name), ` ${states[best.states[k]]}`))));
}

export async function copyCommand(line, text, copied) {
  try {
    await navigator.clipboard.writeText(text);
    copied('Copied.');
  } catch {
    // Where the browser allows no copying, the command stands there marked.
    getSelection().selectAllChildren(line);
    copied('The command is marked: copy it with the keyboard.');
  }
}
