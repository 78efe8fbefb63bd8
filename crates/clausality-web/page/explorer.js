// The explorer: fetches the network, puts the parts together, and gives the keys their meaning.
//
// It stands in a `root` that finds its parts by id (a document or a shadow root), inside a `frame`, the element that says light or dark. What
// differs between a page of its own and a notebook comes by the `door`: { send, command, largeTable, sharesWheel }, and
// `place` where there is an address to keep everything in.

import { keepAgain } from './again.js';
import { makeApi } from './api.js';
import { showArc } from './arcs.js';
import { showContrast } from './contrast.js';
import { showDecision } from './decide.js';
import { Drawing } from './drawing.js';
import { showEdits } from './edits.js';
import { showExam } from './exam.js';
import { fileName, png, save, svgText } from './download.js';
import { make } from './element.js';
import { Fold } from './fold.js';
import { Graph } from './graph.js';
import { copyCommand, showKnown } from './known.js';
import { Lights } from './lights.js';
import { Minimap } from './minimap.js';
import { showNode } from './node.js';
import { Places } from './places.js';
import { Rows } from './rows.js';
import { Scenery } from './scenery.js';
import { showScenarios } from './scenarios.js';
import { Search } from './search.js';
import { openShelf } from './shelf.js';
import { Store, keepAsking } from './store.js';
import { showTarget } from './target.js';
import { showTime } from './time.js';
import { Steps, Trail, read } from './trail.js';
import { showTrial } from './trial.js';
import { View } from './view.js';
import { walk } from './walk.js';
import { counted, listed } from './words.js';

const NOTED = 5000; // milliseconds that a note stays

// Gives { name, store, show, end }, or nothing where the network could not be had: then the page says why.
export async function mount(root, frame, door) {
  try {
    return await start(root, frame, door);
  } catch (error) {
    root.getElementById('canvas').replaceChildren(make('p', { class: 'trouble', role: 'alert' }, error.message));
    return null;
  }
}

async function start(root, frame, door) {
  const api = makeApi(door.send);
  const { ask, codeRows, json, text } = api;
  const byId = (id) => root.getElementById(id);
  const tell = (message) => {
    byId('told').textContent = message;
  };
  const say = sayer(byId('said'));
  const [network, markup] = await Promise.all([json('/api/network'), text('/drawing.svg')]);
  const shelf = await openShelf(network, api, say);
  await sized(byId('canvas'));
  const store = new Store(network);
  const drawing = new Drawing(markup, store);
  byId('canvas').replaceChildren(drawing.svg);
  drawing.prepare();
  const ours = door.sharesWheel ? () => root.activeElement !== null : () => true;
  const view = new View(byId('canvas'), drawing.svg, drawing.nodes, ours, Boolean(door.sharesWheel));
  const show = (node) => {
    store.select(node);
    view.centre(drawing.nodes[node]);
  };
  const go = (node) => {
    show(node);
    drawing.focus(node);
  };
  const search = new Search(root, network.nodes, (node, state) => {
    go(node);
    if (state !== null) drawing.focusState(node, state);
  });
  const lights = new Lights(store, new Graph(network.nodes.length, network.arcs), search);
  const explain = async () => {
    const { asked } = store;
    try {
      const best = await ask('/api/explanation', store.question());
      // What became known meanwhile makes it the answer to another question.
      if (asked === store.asked) store.setBest(best);
    } catch (error) {
      store.failure = error.message;
      store.tell('failure');
    }
  };
  keepAsking(store, ask);
  keepAgain(store, ask, () => drawing.within(view.window));
  const copy = () => copyCommand(byId('command'), door.command(store), say);
  showKnown(root, store, { command: door.command, copy, explain, go });
  // Whether a click sets what it hits.
  store.on('doing', () => frame.classList.toggle('doing', store.doing));
  const leave = (node) => {
    store.select(null);
    drawing.focus(node);
  };
  showNode(root, store, { load: (node) => json(`/api/node/${node}`), light: (kind, node) => lights.light(kind, node), go, leave, search, editable: Boolean(door.edits) });
  const loadOther = async () => store.setOther(network.against || store.edits.length ? await json('/api/other') : null);
  if (door.edits) {
    showEdits(root, store, { api, copy: (line) => copyCommand(line, line.textContent, say), loadOther });
    showContrast(root, store, { ask, go });
  }
  showArc(root, store, { go, editable: Boolean(door.edits) });
  showTarget(root, store, { ask, go });
  showDecision(root, store, { ask });
  showTime(root, store, { show });
  showScenarios(root, store, { ask, say, shelf, report: () => text('/report.html'), title: () => byId('name').textContent });
  const rows = new Rows(root, store, { load: (number) => json(`/api/rows/${number}`), code: codeRows, largeTable: door.largeTable });
  showExam(root, store, { ask, rows });
  showTrial(root, store, { json });
  walk(drawing, view, store);
  const places = new Places(root, drawing, view, store, shelf);
  const fold = new Fold(root, drawing, view, store, places);
  const map = new Minimap(root, drawing, view, store);
  new Scenery(drawing, view, store, () => map.follow());
  store.on('light', () => store.lit?.nodes.size && view.include(drawing.around(store.lit.nodes)));
  const name = network.name && network.name !== 'unknown' ? network.name : network.model.split('/').pop();
  byId('name').textContent = name;
  byId('size').textContent = sizeOf(network);
  // The whole of what is left, where slices are folded.
  const fit = () => (fold.folded.size ? fold.frame() : view.fit());
  controls(byId, frame, { store, drawing, view, fit });
  const ended = new AbortController();
  downloads(byId, frame, { drawing, view, text, say, ended: ended.signal });
  store.on('answer', () => tell(store.known.size ? `Known: ${counted(store.known.size, 'node')}.` : 'Nothing is known.'));
  store.on('failure', () => tell(store.failure));
  const trail = remember(byId, frame, { store, drawing, view, places, fold, place: door.place ?? new Steps(), say });
  if (network.against && !store.edits.length) await loadOther();
  keys(root, { store, view, fit, search, lights, rows, explain, copy, trail });
  frame.classList.add('ready');
  return { name, store, show, end: () => ended.abort() };
}

// Of a network over time the columns that it was learned from, and how far the steps go: the nodes on screen are as many as one chose to see.
function sizeOf({ nodes, arcs, time }) {
  if (!time) return `${counted(nodes.length, 'node')}, ${counted(arcs.length, 'arc')}`;
  const columns = new Set(nodes.map(({ name, process }) => process ?? name)).size;
  return `${counted(columns, 'column')} over ${counted(time.last - time.first + 1, 'step')}`;
}

// A note that everybody sees, for a while.
function sayer(note) {
  let timer;
  return (message) => {
    note.hidden = false;
    note.textContent = message;
    clearTimeout(timer);
    timer = setTimeout(() => (note.hidden = true), NOTED);
  };
}

// Drawings are measured, and what is not shown yet has no size.
const sized = (element) => new Promise((done) => {
  if (element.clientWidth) return done();
  new ResizeObserver((_, watch) => {
    if (!element.clientWidth) return;
    watch.disconnect();
    done();
  }).observe(element);
});

function controls(byId, frame, { store, drawing, view, fit }) {
  byId('closer').addEventListener('click', () => view.zoom(1.3));
  byId('farther').addEventListener('click', () => view.zoom(1 / 1.3));
  byId('fit').addEventListener('click', fit);
  const { arcs, weights } = store.network;
  const threshold = byId('threshold');
  const hide = () => {
    const left = drawing.hideWeak(threshold.value / 100);
    byId('shown').textContent = left === arcs.length ? `all ${left} shown` : `${left} of ${arcs.length}`;
  };
  byId('weak').title = weights === 'run'
    ? 'Hides the weakest arcs: those that the run is least sure of, or that are weakest beside its strongest'
    : 'Hides the weakest arcs: those whose parent moves its child the least';
  byId('weak').hidden = arcs.length === 0;
  threshold.addEventListener('input', hide);
  hide();
  const lit = byId('lit');
  store.on('light', () => {
    lit.hidden = store.lit === null;
    lit.firstElementChild.textContent = store.lit?.title ?? '';
    only(false);
  });
  const only = (alone) => {
    drawing.svg.classList.toggle('only', alone);
    byId('only').setAttribute('aria-pressed', String(alone));
    if (alone) view.frame(drawing.around(store.lit.nodes));
  };
  byId('only').addEventListener('click', () => only(!drawing.svg.classList.contains('only')));
  byId('unlight').addEventListener('click', () => store.light(null));
  byId('theme').addEventListener('click', () => {
    frame.dataset.theme = theme(frame) === 'dark' ? 'light' : 'dark';
  });
  byId('help').addEventListener('click', () => byId('keys').showModal());
  byId('close-keys').addEventListener('click', () => byId('keys').close());
}

// Takes up what the address says, and keeps it up to date from there.
function remember(byId, frame, { store, drawing, view, places, fold, place, say }) {
  const said = read(place.text, store.network.nodes);
  const strange = (names) => names.length && say(`The address names what this network does not have: ${listed(names)}.`);
  if (said.theme) frame.dataset.theme = said.theme;
  if (said.fold) fold.set(said.fold);
  if (said.view) view.look = said.view;
  store.aim(said.target);
  store.select(said.selected);
  if (said.known.size) store.replace(said.known);
  const moved = said.places.size ? said.places : places.kept();
  if (moved.size) store.setPlaces(moved);
  // An address made by hand says what to look at and not from where.
  if (!said.view && said.selected !== null) view.reveal(drawing.frame(said.selected));
  if (said.edits.length) store.setEdits(said.edits);
  if (said.stakes.length) store.setStakes(said.stakes);
  strange(said.strange);
  const turned = ({ selected, view: from, theme: shade, strange: names }) => {
    if (shade) frame.dataset.theme = shade;
    if (from) view.look = from;
    store.select(selected);
    if (!from && selected !== null) view.reveal(drawing.frame(selected));
    strange(names);
  };
  const trail = new Trail(store, place, () => ({ view: view.look, theme: frame.dataset.theme, fold: fold.folded }), turned);
  store.on('fold', () => trail.later());
  view.told = () => trail.later();
  byId('theme').addEventListener('click', () => trail.later());
  const [undo, redo] = [byId('undo'), byId('redo')];
  undo.addEventListener('click', () => trail.back());
  redo.addEventListener('click', () => trail.forward());
  const mark = () => {
    undo.disabled = trail.step === 0;
    redo.disabled = trail.step === trail.last;
  };
  store.on('trail', mark);
  mark();
  return trail;
}

const theme = (frame) => frame.dataset.theme ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');

function downloads(byId, frame, { drawing, view, text, say, ended }) {
  const menu = byId('downloads');
  const styles = async () => (await Promise.all([text('/draw.css'), text('/marks.css')])).join('\n');
  const drawn = async () => {
    const style = await styles();
    return drawing.whole(() => svgText(drawing.svg, view.whole, style, theme(frame)));
  };
  const name = (ending) => fileName(byId('name').textContent, ending);
  const actions = {
    'save-svg': async () => save(new Blob([await drawn()], { type: 'image/svg+xml' }), name('svg')),
    'save-png': async () => save(await png(await drawn(), view.whole), name('png')),
    'save-bif': async () => save(new Blob([await text('/network.bif')], { type: 'text/plain' }), name('bif')),
  };
  for (const [id, action] of Object.entries(actions)) {
    byId(id).addEventListener('click', async () => {
      menu.open = false;
      await action().catch((error) => say(error.message));
    });
  }
  // Also what lies outside of a shadow root closes it, and from there its inside cannot be told by the target.
  document.addEventListener('pointerdown', (event) => event.composedPath().includes(menu) || (menu.open = false), { signal: ended });
}

function keys(root, { store, view, fit, search, lights, rows, explain, copy, trail }) {
  const byId = (id) => root.getElementById(id);
  const escape = () => {
    if (byId('downloads').open) byId('downloads').open = false;
    else if (store.arc) store.selectArc(null);
    else if (store.lit) store.light(null);
    else store.select(null);
  };
  const arcs = () => {
    const list = byId('node-arcs');
    if (!list) return;
    list.open = true;
    list.querySelector('button')?.focus();
  };
  const actions = {
    e: arcs, '/': () => search.open(), '+': () => view.zoom(1.3), '=': () => view.zoom(1.3), '-': () => view.zoom(1 / 1.3), 0: fit,
    b: () => lights.light('blanket', store.selected), a: () => lights.light('ancestors', store.selected),
    s: () => lights.light('descendants', store.selected), p: () => lights.light('path', store.selected),
    d: () => store.turn(store.selected), t: () => store.aim(store.selected), m: explain, c: copy,
    '[': () => rows.go(rows.number - 1), ']': () => rows.go(rows.number + 1), '?': () => byId('keys').showModal(), Escape: escape,
  };
  root.addEventListener('keydown', (event) => {
    const writing = event.target.closest('input:not([type=range]), textarea, select');
    if ((event.ctrlKey || event.metaKey) && !event.altKey && !writing && /^[zy]$/i.test(event.key)) {
      event.preventDefault();
      event.stopPropagation();
      return event.key.toLowerCase() === 'y' || event.shiftKey ? trail.forward() : trail.back();
    }
    const elsewhere = event.ctrlKey || event.metaKey || event.altKey || event.target.closest('dialog') || (writing && event.key !== 'Escape');
    if (elsewhere || !Object.hasOwn(actions, event.key)) return;
    event.preventDefault();
    if (writing) writing.blur?.();
    else actions[event.key]();
  });
}
