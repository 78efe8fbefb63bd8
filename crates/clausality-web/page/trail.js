// Nothing is lost: what is known, the target and where one looks stand in the fragment of the address, and every change of what is asked is a step that
// can be taken back.
//
//   #see:HR=LOW&do:CVP=HIGH&target=BP&node=CO&view=120,40,0.9&theme=dark
//
// Where it is kept is the door's business, its `place`: { text, step, push(text, step), swap(text, step), go(by), moved(action) }. A page of its own has the
// browser's history, so that its back and forward are ours; a notebook keeps steps in memory.

const PAUSE = 250; // milliseconds of rest before a look is written down: browsers refuse more than a few writes a second

export function write(store, { view, theme }) {
  const { nodes } = store.network;
  const words = new URLSearchParams();
  for (const [node, { state, set }] of store.known) words.append(`${set ? 'do' : 'see'}:${nodes[node].name}`, nodes[node].states[state]);
  if (store.target !== null) words.append('target', nodes[store.target].name);
  if (store.selected !== null) words.append('node', nodes[store.selected].name);
  if (view) words.append('view', view.map((number) => Number(number.toFixed(3))).join(','));
  if (theme) words.append('theme', theme);
  return String(words).replaceAll('%3A', ':').replaceAll('%2C', ',');
}

// What a fragment says; `strange` are the parts that this network has no place for.
export function read(text, nodes) {
  const index = new Map(nodes.map(({ name }, node) => [name, node]));
  const found = { known: new Map(), target: null, selected: null, view: null, theme: null, strange: [] };
  for (const [key, value] of new URLSearchParams(text)) {
    const [, how, name] = key.match(/^(see|do):([^]*)$/) ?? [];
    const node = index.get(how ? name : value);
    const state = how ? nodes[node]?.states.indexOf(value) ?? -1 : -1;
    const view = value.split(',').map(Number);
    if (state >= 0) found.known.set(node, { state, set: how === 'do' });
    else if (key === 'target' && node !== undefined) found.target = node;
    else if (key === 'node' && node !== undefined) found.selected = node;
    else if (key === 'view' && view.length === 3 && view.every(Number.isFinite) && view[2] > 0) found.view = view;
    else if (key === 'theme' && (value === 'light' || value === 'dark')) found.theme = value;
    else found.strange.push(how ? `${name} = ${value}` : `${key} = ${value}`);
  }
  return found;
}

export class Trail {
  // `look` gives { view, theme }.
  constructor(store, place, look) {
    Object.assign(this, { store, place, look });
    this.step = place.step ?? 0;
    this.last = this.step;
    this.moving = false; // while a step is taken back nothing is a new one
    this.asked = this.question();
    store.on('known target', () => this.stepped());
    store.on('select', () => this.later());
    place.moved(() => this.moved());
    place.swap(this.text(), this.step);
  }

  text() {
    return write(this.store, this.look());
  }

  // What makes a step: not where one looks.
  question() {
    const { network, known, target } = this.store;
    return write({ network, known, target, selected: null }, {});
  }

  stepped() {
    const asked = this.question();
    if (this.moving || asked === this.asked) return;
    this.asked = asked;
    this.step += 1;
    this.last = this.step;
    this.place.push(this.text(), this.step);
    this.store.tell('trail');
  }

  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.place.swap(this.text(), this.step), PAUSE);
  }

  // Somebody went back or forward, or wrote another address: then it is a step of its own.
  moved() {
    this.step = this.place.step ?? this.step + 1;
    this.last = this.place.step == null ? this.step : Math.max(this.last, this.step);
    this.take(read(this.place.text, this.store.network.nodes));
    this.place.swap(this.text(), this.step);
    this.store.tell('trail');
  }

  take({ known, target }) {
    this.moving = true;
    this.store.aim(target);
    if (write({ ...this.store, known, target: null, selected: null }, {}) !== write({ ...this.store, target: null, selected: null }, {})) this.store.replace(known);
    this.moving = false;
    this.asked = this.question();
  }

  back() {
    if (this.step > 0) this.place.go(-1);
  }

  forward() {
    if (this.step < this.last) this.place.go(1);
  }
}

// Steps for a door without an address.
export class Steps {
  constructor() {
    this.texts = [''];
    this.step = 0;
    this.action = () => {};
  }

  get text() {
    return this.texts[this.step];
  }

  push(text, step) {
    this.texts.splice(step, Infinity, text);
    this.step = step;
  }

  swap(text, step) {
    this.texts[step] = text;
  }

  go(by) {
    this.step += by;
    this.action();
  }

  moved(action) {
    this.action = action;
  }
}
