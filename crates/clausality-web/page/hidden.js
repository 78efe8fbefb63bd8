// Pairs that perhaps have a cause in common outside the table, as `clausality test` marks them: looked for in the rows at hand, drawn as dotted lines with two heads.

import { button, make } from './element.js';
import { grouped } from './words.js';

export function showHidden(root, store, { json }) {
  const section = root.getElementById('hidden');
  const { nodes, rows } = store.network;
  section.hidden = !rows;
  if (!rows) return;
  const body = make('div', { class: 'insight' }, make('p', { class: 'note' }, 'Two columns that neither direction explains perhaps depend on something that is not in the table.'));
  const start = button('Look', look, { id: 'look-hidden', title: `Look for such pairs in ${grouped(rows.count)} rows` });
  section.append(make('div', { class: 'head' }, make('h2', {}, 'Outside the table'), start), body);

  async function look() {
    start.disabled = true;
    body.replaceChildren(make('p', { class: 'note', role: 'status' }, 'Looking …'));
    try {
      const found = await json('/api/hidden');
      body.replaceChildren(...told(found));
      store.setHidden(found.hidden);
    } catch (error) {
      body.replaceChildren(make('p', { class: 'trouble', role: 'alert' }, error.message));
    }
    start.disabled = false;
  }

  function told({ hidden, rows: count }) {
    if (!hidden.length) return [make('p', { class: 'note', id: 'hidden-none' }, `No two columns ask for one in these ${grouped(count)} rows. That says little: most hidden causes cannot be told from an arc.`)];
    const line = ({ between: [one, other], information }) => make('li', {}, button(`${nodes[one].name} ↔ ${nodes[other].name}`, () => store.selectArc({ parent: one, child: other }), { class: 'plain name' }),
      make('span', { class: 'faint' }, `${information.toFixed(4)} bits`));
    return [make('p', { class: 'note' }, 'Perhaps a common cause outside the table: these depend on each other whatever is known around them, and neither can be the cause of the other. A mark, and no more.'),
      make('ul', { class: 'kept', id: 'hidden-pairs' }, hidden.map(line))];
  }
}
