// Nothing is lost: what is known, the target and where one looks stand in the fragment of the address, and every change of what is asked is a step that
// can be taken back.
//
//   #see:HR=LOW&do:CVP=HIGH&among:BP=1,0,1&likely:CO=0.7,0.2,0.1&target=BP&node=CO&worth:CO=-100,LOW&act:CVP=5,HIGH&turn:HR=CO&at:BP=120,80&fold=Rain&view=120,40,0.9&theme=dark
//
// Where it is kept is the door's business, its `place`: { text, step, push(text, step), swap(text, step), go(by), moved(action) }. A page of its own has the
// browser's history, so that its back and forward are ours; a notebook keeps steps in memory.

import { findingOf, isSet } from './findings.js';

const PAUSE = 250; // milliseconds of rest before a look is written down: browsers refuse more than a few writes a second

const KEY = /^(see|do|among|likely|turn|remove|require|forbid|at|worth|act):([^]*)$/;

export function write({ network: { nodes }, known, target = null, selected = null, edits = [], places = new Map(), stakes = [] }, { view, theme, fold = [] } = {}) {
  const words = new URLSearchParams();
  for (const [node, { state, set, weights }] of known) {
    const how = weights ? (isSet(weights) ? 'among' : 'likely') : set ? 'do' : 'see';
    words.append(`${how}:${nodes[node].name}`, weights ? weights.join(',') : nodes[node].states[state]);
  }
  if (target !== null) words.append('target', nodes[target].name);
  if (selected !== null) words.append('node', nodes[selected].name);
  for (const { wish, parent, child } of edits) words.append(`${wish}:${nodes[parent].name}`, nodes[child].name);
  for (const [node, { x, y }] of places) words.append(`at:${nodes[node].name}`, `${x},${y}`);
  for (const { kind, node, state, number } of stakes) words.append(`${kind}:${nodes[node].name}`, `${number},${nodes[node].states[state]}`);
  for (const process of fold) words.append('fold', process);
  if (view) words.append('view', view.map((number) => Number(number.toFixed(3))).join(','));
  if (theme) words.append('theme', theme);
  return String(words).replaceAll('%3A', ':').replaceAll('%2C', ',');
}

// What a fragment says; `strange` are the parts that this network has no place for.
export function read(text, nodes) {
  const index = new Map(nodes.map(({ name }, node) => [name, node]));
  const found = { known: new Map(), target: null, selected: null, edits: [], places: new Map(), stakes: [], fold: [], view: null, theme: null, strange: [] };
  for (const [key, value] of new URLSearchParams(text)) {
    const [, how, name] = key.match(KEY) ?? [];
    const node = index.get(how ? name : value);
    const isFinding = how === 'see' || how === 'do';
    const state = isFinding ? nodes[node]?.states.indexOf(value) ?? -1 : -1;
    const view = value.split(',').map(Number);
    const weights = how === 'among' || how === 'likely' ? weighed(view, nodes[node]) : null;
    if (weights) found.known.set(node, weights);
    else if (how === 'among' || how === 'likely') found.strange.push(`${name} = ${value}`);
    else if (how === 'worth' || how === 'act') {
      const entry = staked(how, node, value, nodes);
      if (entry) found.stakes.push(entry);
      else found.strange.push(`${name} = ${value}`);
    } else if (state >= 0) found.known.set(node, { state, set: how === 'do' });
    else if (how === 'at' && node !== undefined && view.length === 2 && view.every(Number.isFinite)) found.places.set(node, { x: view[0], y: view[1] });
    else if (how && !isFinding && how !== 'at' && node !== undefined && index.has(value) && index.get(value) !== node) found.edits.push({ wish: how, parent: node, child: index.get(value) });
    else if (key === 'target' && node !== undefined) found.target = node;
    else if (key === 'node' && node !== undefined) found.selected = node;
    else if (key === 'view' && view.length === 3 && view.every(Number.isFinite) && view[2] > 0) found.view = view;
    else if (key === 'fold') found.fold.push(value);
    else if (key === 'theme' && (value === 'light' || value === 'dark')) found.theme = value;
    else found.strange.push(how ? `${name} = ${value}` : `${key} = ${value}`);
  }
  return found;
}

// A number for every state, between nothing and one.
function weighed(numbers, node) {
  const sound = numbers.length === node?.states.length && numbers.every((number) => number >= 0 && number <= 1);
  return sound ? findingOf(numbers) : null;
}

// A number, and behind the first comma a state.
function staked(kind, node, value, nodes) {
  const comma = value.indexOf(',');
  const [number, state] = [Number(value.slice(0, comma)), nodes[node]?.states.indexOf(value.slice(comma + 1)) ?? -1];
  return comma > 0 && Number.isFinite(number) && state >= 0 ? { kind, node, state, number } : null;
}

export class Trail {
  // `look` gives { view, theme, fold }; `turned` looks where an address says that was written by hand.
  constructor(store, place, look, turned = () => {}) {
    Object.assign(this, { store, place, look, turned });
    this.step = place.step ?? 0;
    this.last = this.step;
    this.moving = false; // while a step is taken back nothing is a new one
    this.asked = this.question();
    store.on('known target edits places stakes', () => this.stepped());
    store.on('select', () => this.later());
    place.moved(() => this.moved());
    this.put('swap');
  }

  // How the place has it afterwards: what stands there otherwise, somebody else wrote.
  put(how) {
    this.place[how](this.text(), this.step);
    this.stands = this.place.text;
  }

  text() {
    return write(this.store, this.look());
  }

  // What makes a step: not where one looks.
  question() {
    const { network, known, target, edits, places, stakes } = this.store;
    return write({ network, known, target, edits, places, stakes });
  }

  stepped() {
    const asked = this.question();
    if (this.moving || asked === this.asked) return;
    this.asked = asked;
    this.step += 1;
    this.last = this.step;
    this.put('push');
    this.store.tell('trail');
  }

  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      // An address that was written by hand stands there before one hears of it: it is not written over.
      if (this.place.text === this.stands) this.put('swap');
    }, PAUSE);
  }

  // Somebody went back or forward, or wrote another address: then it is a step of its own.
  moved() {
    const written = this.place.step == null;
    this.step = this.place.step ?? this.step + 1;
    this.last = written ? this.step : Math.max(this.last, this.step);
    const said = read(this.place.text, this.store.network.nodes);
    this.take(said);
    // Where one looks is no step, but who writes an address looks at what it names.
    if (written) this.turned(said);
    this.put('swap');
    this.store.tell('trail');
  }

  take({ known, target, edits, places, stakes }) {
    this.moving = true;
    const { store } = this;
    const { network } = store;
    const differ = (one, two) => write({ network, known: new Map(), ...one }) !== write({ network, known: new Map(), ...two });
    store.aim(target);
    if (differ({ known }, { known: store.known })) store.replace(known);
    if (differ({ places }, { places: store.places })) store.setPlaces(places);
    if (differ({ edits }, { edits: store.edits })) store.setEdits(edits);
    if (differ({ stakes }, { stakes: store.stakes })) store.setStakes(stakes);
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
