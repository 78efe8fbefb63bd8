// Rows as evidence: of the table that the server has, or pasted, or of a file that the browser reads.

import { button, make } from './element.js';
import { counted, grouped, percent } from './words.js';

const LARGEST = 8 << 20; // what the server takes

export class Rows {
  constructor(root, store, { load, code, largeTable }) {
    this.section = root.getElementById('rows');
    // A row holds one step of a network over time, and the page shows many.
    this.section.hidden = Boolean(store.network.time);
    this.store = store;
    this.load = load;
    this.code = code;
    this.largeTable = largeTable;
    const { rows, nodes } = store.network;
    this.own = rows && { name: rows.name, count: rows.count, row: async (number) => (await load(number)).states };
    this.source = this.own;
    this.number = 0; // none yet
    this.row = null;
    this.build(nodes);
    store.on('answer', () => this.compare());
    this.changed = () => {}; // who hears of other rows
    this.update();
  }

  build(nodes) {
    this.box = make('input', { type: 'number', min: '1', id: 'row', 'aria-label': 'Row number', inputmode: 'numeric', on: { change: () => this.typed() } });
    this.count = make('span', { class: 'faint' });
    this.back = button('Back to the table', () => this.return(), { class: 'plain', id: 'own-rows' });
    const names = nodes.map(({ name }, node) => ({ name, node })).sort((a, b) => (a.name < b.name ? -1 : 1));
    this.left = make('select', { id: 'left-out', on: { change: () => this.apply() } },
      make('option', { value: '' }, 'nothing'), names.map(({ name, node }) => make('option', { value: node }, name)));
    this.told = make('p', { class: 'figure', role: 'status' });
    this.picker = make('div', { class: 'picker' },
      make('div', { class: 'step' }, button('‹', () => this.go(this.number - 1), { 'aria-label': 'Row before', title: 'Row before ([)' }), this.box,
        button('›', () => this.go(this.number + 1), { 'aria-label': 'Next row', title: 'Next row (])', id: 'next-row' }), this.count, this.back),
      make('label', { class: 'line' }, make('span', {}, 'Leave out and predict'), this.left));
    this.text = make('textarea', { id: 'pasted', rows: '4', spellcheck: 'false', 'aria-label': 'Rows as CSV', placeholder: 'The first line names the columns:\nsmoke,xray\nyes,no' });
    const file = make('input', { type: 'file', id: 'row-file', accept: '.csv,.tsv,.txt,text/csv', class: 'unseen', on: { change: () => this.read(file) } });
    this.trouble = make('p', { class: 'trouble', role: 'alert', hidden: true });
    this.paste = make('details', {}, make('summary', {}, 'Paste rows or choose a file'), this.text,
      make('div', { class: 'step' }, button('Use these rows', () => this.use(this.text.value, 'pasted rows'), { id: 'use-rows' }),
        make('label', { class: 'file', for: 'row-file' }, 'Choose a CSV file'), file));
    this.section.append(make('div', { class: 'head' }, make('h2', {}, 'Rows')), this.picker, this.trouble, this.told, this.paste);
  }

  update() {
    this.picker.hidden = !this.source;
    this.back.hidden = !this.own || this.source === this.own;
    if (!this.source) return;
    this.box.max = this.source.count;
    this.box.value = this.number || '';
    this.count.textContent = `of ${grouped(this.source.count)} in ${this.source.name}`;
  }

  // A number that somebody wrote: what is out of range is said, not bent.
  typed() {
    const { count, name } = this.source;
    const number = Number(this.box.value);
    if (Number.isInteger(number) && number >= 1 && number <= count) return this.go(number);
    this.fail(`There is no row ${this.box.value || 'without a number'} in ${name}: rows are numbered from 1 to ${grouped(count)}.`);
    this.update();
  }

  async go(number) {
    if (!this.source) return;
    const { source } = this;
    const wanted = Math.max(1, Math.min(source.count, Math.round(number) || 1));
    this.number = wanted;
    try {
      const row = await source.row(wanted);
      if (this.source !== source || this.number !== wanted) return; // somebody stepped on meanwhile
      this.row = row;
      this.fail(null);
      this.apply();
    } catch (error) {
      this.fail(error.message);
    }
    this.update();
  }

  // From rows that were pasted or read back to those of the server.
  return() {
    this.source = this.own;
    this.changed();
    this.go(1);
  }

  get predicted() {
    return this.left.value === '' ? null : Number(this.left.value);
  }

  // The row becomes what was seen; what somebody set stays set.
  apply() {
    if (!this.row) return;
    const known = new Map([...this.store.known].filter(([, { set }]) => set));
    this.row.forEach((state, node) => {
      if (state !== null && node !== this.predicted && !known.has(node)) known.set(node, { state, set: false });
    });
    this.store.replace(known);
  }

  // The prediction beside what the row says.
  compare() {
    const node = this.predicted;
    this.told.replaceChildren();
    if (node === null || !this.row || this.store.known.has(node)) return;
    const { name, states } = this.store.network.nodes[node];
    const shares = this.store.answer.posteriors[node];
    const likely = shares.indexOf(Math.max(...shares));
    const truth = this.row[node];
    this.told.append(`${name}: predicted `, make('b', {}, states[likely]), ` (${percent(shares[likely])}), `,
      truth === null ? 'the row does not say' : make('span', {}, 'the row says ', make('b', { class: truth === likely ? 'right' : 'wrong' }, states[truth]), ` (${percent(shares[truth])})`));
  }

  async read(file) {
    const [chosen] = file.files;
    file.value = '';
    if (!chosen) return;
    if (chosen.size > LARGEST) return this.fail(`${chosen.name} has more than ${LARGEST >> 20} MiB: ${this.largeTable} for large tables`);
    this.use(await chosen.text(), chosen.name);
  }

  async use(text, name) {
    try {
      const { rows, count, unknown, absent } = await this.code(text);
      this.source = { name, csv: text, count: rows.length, row: async (number) => rows[number - 1] };
      this.changed();
      const notes = [];
      if (count > rows.length) notes.push(`only the first ${grouped(rows.length)} of ${grouped(count)} rows are used`);
      const strange = Object.entries(unknown).map(([node, cells]) => `${node} (${counted(cells, 'cell')})`);
      if (strange.length) notes.push(`cells that are no state count as unknown: ${strange.slice(0, 6).join(', ')}`);
      if (absent.length) notes.push(`${counted(absent.length, 'node')} without a column`);
      await this.go(1);
      this.fail(notes.length ? `Note: ${notes.join('; ')}.` : null);
    } catch (error) {
      this.fail(error.message);
    }
  }

  fail(message) {
    this.trouble.hidden = message === null;
    this.trouble.textContent = message ?? '';
  }
}
