// The section of wishes about arcs: it learns again at once, says how far it is, what changed and what it costs, and the command that makes the same.

import { WISHES } from './arcs.js';
import { button, make } from './element.js';

const PAUSE = 300; // milliseconds between two questions how far it is
const BUSY = 409; // somebody else's learning is under way

export function showEdits(root, store, { api, copy, loadOther }) {
  const section = root.getElementById('edits');
  const { nodes } = store.network;
  const list = make('ul', { class: 'kept', id: 'edit-list' });
  const state = make('div', { class: 'outcome' });
  section.append(make('div', { class: 'head' }, make('h2', {}, 'Changed arcs'), button('Undo all', () => store.setEdits([]), { id: 'no-edits', class: 'plain' })), list, state);
  let turn = 0; // which learning is waited for

  const named = ({ wish, parent, child }) => ({ wish, parent: nodes[parent].name, child: nodes[child].name });

  async function learn() {
    turn += 1;
    const mine = turn;
    store.setOther(null);
    show();
    if (!store.edits.length) {
      await api.erase('/api/revision').catch(() => {});
      if (mine === turn) await loadOther();
      return;
    }
    tell(progress({ doing: 'beginning', done: 0, of: 0, seconds: 0 }));
    const edits = store.edits.map(named);
    try {
      let told = await begin(edits);
      for (let tries = 3; told.state === 'running' || (told.state === 'none' && tries > 0);) {
        if (mine !== turn) return;
        // A page that is gone may have called off what it knew of, and this came in its place.
        if (told.state === 'none') [told, tries] = [await begin(edits), tries - 1];
        tell(progress(told));
        await new Promise((done) => setTimeout(done, PAUSE));
        told = await api.json('/api/revision');
      }
      if (mine !== turn) return;
      if (told.state === 'failed') throw new Error(told.error);
      if (told.state === 'none') throw new Error('it was called off in another window');
      if (JSON.stringify(told.edits) !== JSON.stringify(edits)) throw new Error('another window learned something else');
      await loadOther();
      if (mine === turn) tell(outcome(told));
    } catch (error) {
      if (mine === turn) tell(make('p', { class: 'trouble', role: 'alert' }, error.message), again());
    }
  }

  // What was asked before, by a page that is gone, may arrive after it was called off.
  async function begin(edits, tries = 3) {
    await api.erase('/api/revision');
    try {
      return await api.ask('/api/revision', { edits });
    } catch (error) {
      if (error.status !== BUSY || tries === 0) throw error;
      return begin(edits, tries - 1);
    }
  }

  const tell = (...parts) => state.replaceChildren(...parts);
  const again = () => button('Learn again', learn, { id: 'learn-again' });

  function progress({ doing, done, of, seconds }) {
    const bar = make('progress', { 'aria-label': 'Learning again', ...(of ? { value: done, max: of } : {}) });
    return make('div', { class: 'step', id: 'learning' }, bar, make('span', { class: 'faint' }, `${doing}, ${seconds.toFixed(0)} s`), button('Cancel', cancel, { id: 'cancel-learning' }));
  }

  async function cancel() {
    turn += 1;
    await api.erase('/api/revision').catch(() => {});
    tell(make('p', { class: 'note' }, 'Called off: nothing was learned.'), again());
  }

  function outcome({ score, score_name: called, held_out: held, command, seconds }) {
    const signed = (value, digits) => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(digits)}`;
    const row = (what, cost, digits, unit) => make('tr', {}, make('th', { scope: 'row' }, what), make('td', {}, cost.before.toFixed(digits)), make('td', {}, cost.after.toFixed(digits)),
      make('td', { class: cost.change < 0 ? 'wrong' : 'right' }, signed(cost.change, digits), cost.standard_error != null && make('small', {}, `± ${cost.standard_error.toFixed(digits)}`)), make('td', { class: 'faint' }, unit));
    const line = make('code', { id: 'edit-command', tabindex: '0', role: 'region', 'aria-label': 'The command that learns this network' }, command.join('\n'));
    return make('div', { class: 'insight', id: 'edit-outcome' },
      make('table', { class: 'costs' }, make('thead', {}, make('tr', {}, ['', 'before', 'after', 'change', ''].map((word) => (word ? make('th', { scope: 'col' }, word) : make('td'))))),
        make('tbody', {}, row(called, score, 1, ''), held && row('Row held out', held, 4, 'nats'))),
      make('p', { class: 'note' }, held ? `Higher is better. Held out: each fifth of the rows by the probabilities of the others. Learned in ${seconds.toFixed(1)} s.` : 'Numbers are cut otherwise now, so rows held out cannot be compared.'),
      make('div', { class: 'command' }, line, button('Copy', () => copy(line), { id: 'copy-edits', title: 'Copy the command that learns this network' })));
  }

  function show() {
    section.hidden = store.edits.length === 0;
    const line = (edit) => make('li', {}, make('span', { class: 'tag' }, WISHES[edit.wish].done), button(`${nodes[edit.parent].name} → ${nodes[edit.child].name}`, () => store.selectArc(edit), { class: 'plain name' }),
      button('×', () => store.setEdits(store.edits.filter((other) => other !== edit)), { class: 'plain', 'aria-label': `Undo: ${nodes[edit.parent].name} → ${nodes[edit.child].name}`, title: 'Undo' }));
    list.replaceChildren(...store.edits.map(line));
    if (!store.edits.length) tell();
  }

  store.on('edits', learn);
  show();
}
