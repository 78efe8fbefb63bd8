// The search box: finds nodes and their states by parts of their names, and can be asked to pick a node for somebody else.

import { make } from './element.js';

const SHOWN = 12;

export class Search {
  // A state is chosen with its node.
  constructor(root, nodes, chosen) {
    this.entries = nodes.map(({ name }, node) => ({ name, node, state: null, text: name }));
    this.states = nodes.flatMap(({ name, states }, node) => states.map((label, state) => ({ name: label, node, state, text: `${name} = ${label}` })));
    this.chosen = chosen;
    this.box = root.getElementById('search');
    this.list = root.getElementById('found');
    this.hint = this.box.placeholder;
    this.task = null; // { hint, then }: who asked for a node
    this.found = [];
    this.at = 0;
    this.box.addEventListener('input', () => this.look());
    this.box.addEventListener('focus', () => this.look());
    this.box.addEventListener('blur', () => this.close());
    this.box.addEventListener('keydown', (event) => this.key(event));
    // The box keeps the focus while the list is clicked.
    this.list.addEventListener('pointerdown', (event) => event.preventDefault());
    this.list.addEventListener('click', (event) => {
      const item = event.target.closest('li');
      if (item?.dataset.found) this.choose(this.found[Number(item.dataset.found)]);
    });
  }

  open() {
    this.box.focus();
    this.box.select();
  }

  // The next choice goes to somebody else.
  pick(hint, then) {
    this.task = { hint, then };
    this.box.value = '';
    this.box.placeholder = hint;
    this.box.focus();
    this.look();
  }

  // Nodes whose names begin with the text come first, then those that hold it, then states.
  look() {
    const text = this.box.value.trim().toLowerCase();
    const rank = (name) => {
      const place = name.toLowerCase().indexOf(text);
      return place < 0 ? null : place === 0 ? 0 : 1;
    };
    const ranked = (entries) => entries.map((entry) => ({ ...entry, rank: rank(entry.name) })).filter((entry) => entry.rank !== null)
      .sort((a, b) => a.rank - b.rank || a.name.length - b.name.length || (a.text < b.text ? -1 : 1));
    const states = text && !this.task ? ranked(this.states) : [];
    this.found = text || this.task ? [...ranked(this.entries), ...states].slice(0, SHOWN) : [];
    this.at = 0;
    const none = text && !this.found.length;
    this.list.replaceChildren(...this.found.map(({ text: line }, k) => make('li', { role: 'option', id: `found-${k}`, 'data-found': k }, line)));
    if (none) this.list.append(make('li', { class: 'faint', 'aria-disabled': 'true' }, 'no node and no state of this name'));
    this.list.hidden = !this.found.length && !none;
    this.box.setAttribute('aria-expanded', String(!this.list.hidden));
    this.mark();
  }

  mark() {
    [...this.list.children].forEach((item, k) => item.setAttribute('aria-selected', String(k === this.at)));
    this.box.setAttribute('aria-activedescendant', this.found.length ? `found-${this.at}` : '');
    this.list.children[this.at]?.scrollIntoView({ block: 'nearest' });
  }

  key(event) {
    if (event.key === 'ArrowDown') this.at = Math.min(this.at + 1, this.found.length - 1);
    else if (event.key === 'ArrowUp') this.at = Math.max(this.at - 1, 0);
    else if (event.key === 'Enter' && this.found.length) return this.choose(this.found[this.at]);
    else if (event.key === 'Escape') this.box.blur();
    else return;
    event.preventDefault();
    event.stopPropagation();
    this.mark();
  }

  choose({ node, state }) {
    const then = this.task?.then ?? this.chosen;
    this.box.value = '';
    this.box.blur();
    then(node, state);
  }

  close() {
    this.task = null;
    this.box.placeholder = this.hint;
    this.list.hidden = true;
    this.box.setAttribute('aria-expanded', 'false');
  }
}
