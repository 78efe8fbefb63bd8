// The network on trial, as `clausality test` holds it: the independences that it implies against the rows at hand, and pairs that perhaps have a cause in common outside
// the table, which are drawn as dotted lines with two heads.

import { button, make } from './element.js';
import { counted, grouped, percent } from './words.js';

const SHOWN = 6; // lines of a list

export function showTrial(root, store, { json }) {
  const section = root.getElementById('trial');
  const { nodes, rows } = store.network;
  section.hidden = !rows;
  if (!rows) return;
  const index = new Map(nodes.map(({ name }, node) => [name, node]));
  const body = make('div', { class: 'insight' }, make('p', { class: 'note' }, 'What the arcs rule out, tested; and two columns that neither direction explains perhaps depend on something that is not in the table.'));
  const start = button('Hold against the rows', look, { id: 'try-network', title: `${counted(rows.count, 'row')} of ${rows.name}` });
  section.append(make('div', { class: 'head' }, make('h2', {}, 'On trial'), start), body);

  async function look() {
    start.disabled = true;
    body.replaceChildren(make('p', { class: 'note', role: 'status' }, 'Testing …'));
    try {
      const found = await json('/api/trial');
      body.replaceChildren(verdict(found), violated(found), outside(found));
      store.setHidden(found.hidden.map((mark) => ({ ...mark, between: mark.between.map((name) => index.get(name)) })));
    } catch (error) {
      body.replaceChildren(make('p', { class: 'trouble', role: 'alert' }, error.message));
    }
    start.disabled = false;
  }

  function verdict({ violated: count, tested, standing, notices = [] }) {
    const share = tested && standing.shuffled ? `The rows contradict ${percent(standing.violations)} of what the graph says of pairs, arcs included, with shuffled labels ${percent(standing.shuffled_violations)} on average; ${standing.as_good} of ${standing.shuffled} do as well.` : '';
    const beware = notices.map((notice) => ` ${notice[0].toUpperCase()}${notice.slice(1)}.`).join('');
    return make('p', { class: 'figure', id: 'trial-figure' }, make('b', {}, `${grouped(count)} of ${counted(tested, 'implied independence')}`), ` violated at a false-discovery rate of 5 %. ${share}${beware}`);
  }

  // Each with the arc that would mend it.
  const pair = (one, sign, other) => button(`${one} ${sign} ${other}`, () => store.selectArc({ parent: index.get(one), child: index.get(other) }), { class: 'plain name', title: `${one} ${sign} ${other}` });

  function violated({ independences: all, violated: count }) {
    if (!count) return '';
    const line = ({ parent, child, q }) => make('li', {}, pair(parent, '→', child), make('span', { class: 'faint' }, `q ${q < 0.0001 ? q.toExponential(0) : q.toFixed(4)}`));
    return make('div', { class: 'list' }, make('h3', {}, 'Arcs that would mend the worst'), make('ul', { class: 'kept', id: 'violated' }, all.slice(0, SHOWN).map(line)));
  }

  function outside({ hidden }) {
    if (!hidden.length) return make('p', { class: 'note', id: 'hidden-none' }, 'No two columns ask for a common cause outside the table. That says little: most hidden causes cannot be told from an arc.');
    const line = ({ between: [one, other], information }) => make('li', {}, pair(one, '↔', other), make('span', { class: 'faint' }, `${information.toFixed(4)} bits`));
    return make('div', { class: 'list' }, make('h3', {}, 'Perhaps a common cause outside the table'),
      make('p', { class: 'note' }, 'These depend on each other whatever is known around them, and neither can be the cause of the other. A mark, and no more.'), make('ul', { class: 'kept', id: 'hidden-pairs' }, hidden.map(line)));
  }
}
