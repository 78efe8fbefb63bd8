// The explorer: fetches the network, puts the parts together, and gives the keys their meaning.

import { ask, codeRows, json, text } from './api.js';
import { Drawing } from './drawing.js';
import { fileName, png, save, svgText } from './download.js';
import { byId, make } from './element.js';
import { Graph } from './graph.js';
import { copyCommand, showKnown } from './known.js';
import { Lights } from './lights.js';
import { showNode } from './node.js';
import { Rows } from './rows.js';
import { Search } from './search.js';
import { Store, keepAsking } from './store.js';
import { View } from './view.js';
import { walk } from './walk.js';
import { counted } from './words.js';

const tell = (message) => {
  byId('told').textContent = message;
};

async function start() {
  const [network, markup] = await Promise.all([json('/api/network'), text('/drawing.svg')]);
  const store = new Store(network);
  const drawing = new Drawing(markup, store);
  byId('canvas').replaceChildren(drawing.svg);
  drawing.prepare();
  const view = new View(byId('canvas'), drawing.svg, drawing.nodes);
  const go = (node) => {
    store.select(node);
    view.centre(drawing.nodes[node]);
    drawing.focus(node);
  };
  const search = new Search(network.nodes.map(({ name }) => name), go);
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
  showKnown(store, { explain, copied: tell, go });
  const leave = (node) => {
    store.select(null);
    drawing.focus(node);
  };
  showNode(store, { load: (node) => json(`/api/node/${node}`), light: (kind, node) => lights.light(kind, node), go, leave });
  const rows = new Rows(store, { load: (number) => json(`/api/rows/${number}`), code: codeRows });
  walk(drawing, view, store);
  title(network);
  controls(store, drawing, view);
  downloads(store, drawing, view);
  store.on('answer', () => tell(store.known.size ? `Known: ${counted(store.known.size, 'node')}.` : 'Nothing is known.'));
  store.on('failure', () => tell(store.failure));
  keys({ store, view, search, lights, rows, explain });
  document.documentElement.classList.add('ready');
}

function title(network) {
  const name = network.name && network.name !== 'unknown' ? network.name : network.model.split('/').pop();
  byId('name').textContent = name;
  byId('size').textContent = `${counted(network.nodes.length, 'node')}, ${counted(network.arcs.length, 'arc')}`;
  document.title = `${name} · Clausality`;
}

function controls(store, drawing, view) {
  byId('closer').addEventListener('click', () => view.zoom(1.3));
  byId('farther').addEventListener('click', () => view.zoom(1 / 1.3));
  byId('fit').addEventListener('click', () => view.fit());
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
  });
  lit.querySelector('button').addEventListener('click', () => store.light(null));
  byId('theme').addEventListener('click', () => {
    document.documentElement.dataset.theme = theme() === 'dark' ? 'light' : 'dark';
  });
  byId('help').addEventListener('click', () => byId('keys').showModal());
  byId('close-keys').addEventListener('click', () => byId('keys').close());
}

const theme = () => document.documentElement.dataset.theme ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');

function downloads(store, drawing, view) {
  const menu = byId('downloads');
  const styles = async () => (await Promise.all([text('/draw.css'), text('/marks.css')])).join('\n');
  const drawn = async () => svgText(drawing.svg, view.whole, await styles(), theme());
  const name = (ending) => fileName(byId('name').textContent, ending);
  const actions = {
    'save-svg': async () => save(new Blob([await drawn()], { type: 'image/svg+xml' }), name('svg')),
    'save-png': async () => save(await png(await drawn(), view.whole), name('png')),
    'save-bif': async () => save(new Blob([await text('/network.bif')], { type: 'text/plain' }), name('bif')),
  };
  for (const [id, action] of Object.entries(actions)) {
    byId(id).addEventListener('click', async () => {
      menu.open = false;
      await action().catch((error) => tell(error.message));
    });
  }
  document.addEventListener('pointerdown', (event) => menu.contains(event.target) || (menu.open = false));
}

function keys({ store, view, search, lights, rows, explain }) {
  const escape = () => {
    if (byId('downloads').open) byId('downloads').open = false;
    else if (store.lit) store.light(null);
    else store.select(null);
  };
  const actions = {
    '/': () => search.open(), '+': () => view.zoom(1.3), '=': () => view.zoom(1.3), '-': () => view.zoom(1 / 1.3), 0: () => view.fit(),
    b: () => lights.light('blanket', store.selected), a: () => lights.light('ancestors', store.selected),
    s: () => lights.light('descendants', store.selected), p: () => lights.light('path', store.selected),
    d: () => store.turn(store.selected), m: explain, c: () => copyCommand(store, tell),
    '[': () => rows.go(rows.number - 1), ']': () => rows.go(rows.number + 1), '?': () => byId('keys').showModal(), Escape: escape,
  };
  document.addEventListener('keydown', (event) => {
    const writing = event.target.closest('input:not([type=range]), textarea, select');
    const elsewhere = event.ctrlKey || event.metaKey || event.altKey || event.target.closest('dialog') || (writing && event.key !== 'Escape');
    if (elsewhere || !Object.hasOwn(actions, event.key)) return;
    event.preventDefault();
    if (writing) writing.blur?.();
    else actions[event.key]();
  });
}

start().catch((error) => byId('canvas').replaceChildren(make('p', { class: 'trouble', role: 'alert' }, error.message)));
