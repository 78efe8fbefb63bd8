// The section that decides: what states are worth, what can be done and at what cost; then what each action is worth on average, with its range over equally good
// graphs, and what would be worth knowing before. The figures are those of `clausality query --utility`, which also takes states together.

import { button, make } from './element.js';
import { counted, listed, percent } from './words.js';

const SHOWN = 6; // lines of what is worth knowing
const STILL = 1e-9;

export function showDecision(root, store, { ask }) {
  const section = root.getElementById('decide');
  const { nodes } = store.network;
  const order = nodes.map(({ name }, node) => ({ name, node })).sort((a, b) => (a.name < b.name ? -1 : 1));
  const [lines, result] = [make('ul', { class: 'kept', id: 'stakes' }), make('div', { class: 'insight' })];
  section.append(make('div', { class: 'head' }, make('h2', {}, 'Decide')), make('details', { id: 'stake' }, make('summary', {}, 'What is it worth, what can be done?'),
    form('worth', 'is worth', 'Worth', -100), form('act', 'done costs', 'Cost', 5)), lines, result);

  // A line that adds what a state is worth, or what setting it costs.
  function form(kind, words, what, first) {
    const state = make('select', { 'aria-label': `${what}: state` });
    const fill = () => state.replaceChildren(...nodes[Number(node.value)].states.map((label, k) => make('option', { value: k }, label)));
    const node = make('select', { 'aria-label': `${what}: node`, on: { change: fill } }, order.map(({ name, node: k }) => make('option', { value: k }, name)));
    const number = make('input', { type: 'number', step: 'any', value: first, 'aria-label': what, ...(kind === 'act' && { min: 0 }) });
    fill();
    const add = () => {
      // What an action brings in is worth something: a cost below 0 is refused, and the browser says so.
      if (!Number.isFinite(number.valueAsNumber) || !number.reportValidity()) return;
      const entry = { kind, node: Number(node.value), state: Number(state.value), number: number.valueAsNumber };
      store.setStakes([...store.stakes.filter((other) => !same(other, entry)), entry]);
    };
    return make('div', { class: 'stake' }, node, state, make('span', { class: 'faint' }, words), number, button('Add', add, { id: `add-${kind}` }));
  }

  const same = (a, b) => a.kind === b.kind && a.node === b.node && a.state === b.state;

  function line(entry) {
    const { kind, node, state, number } = entry;
    const text = kind === 'worth' ? `${nodes[node].name} = ${nodes[node].states[state]}: ${number}` : `do ${nodes[node].name} = ${nodes[node].states[state]}: costs ${number}`;
    return make('li', {}, make('span', { class: 'name', title: text }, text), button('×', () => store.setStakes(store.stakes.filter((other) => other !== entry)), { class: 'plain', 'aria-label': `Forget ${text}`, title: 'Forget' }));
  }

  const named = ({ node, state }) => Object.assign(Object.create(null), { [nodes[node].name]: nodes[node].states[state] });
  const utility = () => ({
    utility: store.stakes.filter(({ kind }) => kind === 'worth').map((entry) => ({ when: named(entry), value: entry.number })),
    action: store.stakes.filter(({ kind }) => kind === 'act').map((entry) => ({ do: named(entry), cost: entry.number })),
  });

  let ended = new AbortController();
  async function decide() {
    ended.abort();
    ended = new AbortController();
    const { signal } = ended;
    lines.replaceChildren(...store.stakes.map(line));
    lines.hidden = !store.stakes.length;
    if (!store.stakes.some(({ kind }) => kind === 'worth') || store.failure !== null) return result.replaceChildren();
    try {
      // What was learned again is asked after a first answer: it takes longer.
      for (const atOnce of store.network.replicates ? [true, false] : [false]) {
        const { decision } = await ask('/api/decision', { ...store.question(), decide: utility(), at_once: atOnce }, signal);
        if (signal.aborted) return;
        result.replaceChildren(...told(decision, atOnce));
      }
    } catch (error) {
      if (!signal.aborted) result.replaceChildren(make('p', { class: 'trouble', role: 'alert' }, error.message));
    }
  }

  const does = (action) => listed(Object.entries(action).map(([node, state]) => `${node} = ${state}`)) || 'nothing';

  function told({ actions, best, level = [], sure, information, late, replicates, caution }, atOnce) {
    const whole = (values) => values.every((value) => Number.isInteger(value));
    const worths = actions.flatMap(({ expected, low, high }) => [expected, low, high]);
    const places = whole(worths) ? 0 : Math.max(...worths.map(Math.abs)) >= 10 ? 2 : 4;
    const figure = (value) => value.toFixed(places);
    const ends = (low, high, kind, title) => high - low > STILL && make('small', { class: kind, title }, `${figure(low)} – ${figure(high)}`);
    const equals = [best, ...level].map(does);
    const row = ({ do: done, expected, low, high, replicates: again }) => {
      const isBest = equals.includes(does(done));
      return make('tr', { class: isBest ? 'best-act' : '' }, make('th', { scope: 'row', title: does(done) }, isBest ? make('b', {}, does(done)) : does(done)),
        make('td', { class: 'number' }, figure(expected), ends(low, high, 'over-graphs', 'over the graphs that are equally good'),
          again && ends(again.low, again.high, 'over-rows', 'what the rows leave open: 99 of 100 values over graphs learned from rows drawn anew')));
    };
    const parts = [make('table', { class: 'sides', id: 'actions' }, make('thead', {}, make('tr', {}, make('th', { scope: 'col' }, 'do'), make('th', { scope: 'col' }, 'expected'))), make('tbody', {}, actions.map(row)))];
    if (level.length) parts.push(make('p', { class: 'note', id: 'level' }, `${equals.length === 2 ? 'Both ' : ''}${listed(equals, equals.length)} are worth the same: any of them.`));
    parts.push(make('p', { class: 'note' }, sure ? `${level.length ? 'None is better' : 'The best'} in all graphs that are equally good.` : 'Which is best hangs on directions that the data leave open.'));
    if (replicates) parts.push(make('p', { class: 'note', id: 'worth-again' }, `What the rows leave open: the range in blue has 99 of 100 values over ${counted(replicates.rounds, 'graph')} learned from rows drawn anew, tables drawn ${counted(replicates.draws, 'time')}. ${equals[0]} is the best in ${percent(replicates.best)} of them.`));
    else if (caution && !atOnce) parts.push(make('p', { class: 'note', id: 'worth-caution' }, `${caution}.`));
    if (late?.length) parts.push(make('p', { class: 'note' }, `Seen, and perhaps moved by an action: ${listed(late)}. It counts as seen before.`));
    const worth = information.filter(({ value }) => value > STILL);
    if (!worth.length && information.length) parts.push(make('p', { class: 'note' }, 'Nothing that could be seen before would change what is best.'));
    if (worth.length) {
      parts.push(make('div', { class: 'list' }, make('h3', {}, 'Worth knowing before'), make('table', { class: 'lines', id: 'worth-knowing' }, make('tbody', {},
        worth.slice(0, SHOWN).map(({ node, value }) => make('tr', {}, make('td', { class: 'name' }, node), make('td', { class: 'number' }, value.toFixed(worth[0].value >= 10 ? 2 : 4))))))));
    }
    return parts;
  }

  store.on('answer failure stakes', decide);
  decide();
}
