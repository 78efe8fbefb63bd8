// Slices folded: of a network whose names carry steps (Rain@-1, Rain_t0, cho_0 … cho_24) one node stands for all steps of a process, and what goes from one step to
// another is a broken arc with how far it goes. The bars are those of the step in the middle; all nodes stay what they are, and answer.

import { makeSvg } from './element.js';
import { route } from './route.js';
import { listed } from './words.js';

const STEP = /^(.*[^\d@_])(?:@|_t|_)(-?\d+)$/;
const FEWEST = 3; // steps that make a process
const [BESIDE, BELOW] = [46, 74]; // between nodes of a layer, and between layers

// The nodes of each process by step, if the names show slices: [{ process, nodes: [{ node, step }] }]; nothing where they do not.
export function processesOf(nodes) {
  const found = new Map();
  nodes.forEach(({ name, process, step }, node) => {
    const [, stem, number] = process === undefined ? name.match(STEP) ?? [] : [null, process, step];
    if (stem === undefined) return;
    if (!found.has(stem)) found.set(stem, []);
    found.get(stem).push({ node, step: Number(number) });
  });
  const long = [...found].filter(([, all]) => new Set(all.map(({ step }) => step)).size === all.length && all.length >= FEWEST);
  const processes = long.map(([process, all]) => ({ process, nodes: all.sort((a, b) => a.step - b.step) }));
  // Numbers behind one name alone are no slices.
  const covered = processes.reduce((sum, { nodes: all }) => sum + all.length, 0);
  return processes.length > 1 && covered * 2 > nodes.length ? processes : null;
}

export class Fold {
  constructor(root, drawing, view, store, places) {
    Object.assign(this, { drawing, view, store, places });
    this.processes = processesOf(store.network.nodes);
    this.button = root.getElementById('fold');
    this.folded = new Set(); // processes
    if (!this.processes) return;
    this.button.hidden = false;
    this.button.addEventListener('click', () => this.set(this.folded.size ? [] : this.processes.map(({ process }) => process), true));
    // The step that most processes have, next to the middle; of a network over time now.
    const steps = this.processes.flatMap(({ nodes }) => nodes.map(({ step }) => step));
    const [low, high] = [Math.min(...steps), Math.max(...steps)];
    const wanted = store.network.time ? 0 : Math.round((low + high) / 2);
    this.of = new Map(); // node → its process, and who stands for it
    for (const { process, nodes } of this.processes) {
      const near = nodes.reduce((best, entry) => (Math.abs(entry.step - wanted) < Math.abs(best.step - wanted) ? entry : best));
      for (const { node, step } of nodes) this.of.set(node, { process, step, count: nodes.length, stands: near.node });
    }
    this.lines = makeSvg('g', { class: 'folds' });
    drawing.svg.querySelector('.cl-arcs').append(this.lines);
    store.on('places', () => this.show());
    store.on('select', () => this.isHidden(store.selected) && this.unfold(this.of.get(store.selected).process));
    drawing.svg.addEventListener('click', (event) => {
      const badge = event.target.closest?.('.stack');
      if (!badge) return;
      event.stopPropagation();
      this.unfold(this.of.get(Number(badge.closest('.cl-node').dataset.node)).process);
    }, true);
  }

  isHidden(node) {
    const own = node === null ? undefined : this.of?.get(node);
    return own !== undefined && this.folded.has(own.process) && own.stands !== node;
  }

  unfold(process) {
    this.set([...this.folded].filter((other) => other !== process));
  }

  // Folds these and no others; `framed`: and looks at what is left.
  set(processes, framed = false) {
    if (!this.processes) return;
    this.folded = new Set(processes);
    this.button.textContent = this.folded.size ? 'Unfold slices' : 'Fold slices';
    this.button.setAttribute('aria-pressed', String(this.folded.size > 0));
    this.drawing.nodes.forEach((entry, node) => {
      entry.hidden = this.isHidden(node);
      entry.group.classList.toggle('folded', entry.hidden);
      this.mark(entry, node);
    });
    for (const { path, parent, child } of this.drawing.arcs) path.classList.toggle('folded', this.isHidden(parent) || this.isHidden(child));
    this.places.meanwhile = this.folded.size ? this.together() : new Map();
    this.places.show();
    this.show();
    this.store.tell('fold');
    if (framed) this.folded.size ? this.frame() : this.view.fit();
  }

  frame() {
    this.view.frame(this.drawing.around(this.drawing.nodes.flatMap(({ hidden }, node) => (hidden ? [] : [node]))));
  }

  // What is left stands close together: each node below those that it follows from, in the drawing's own order from left to right.
  together() {
    const { own } = this.places;
    const stands = (node) => (this.isHidden(node) ? this.of.get(node).stands : node);
    const left = this.drawing.nodes.flatMap(({ hidden }, node) => (hidden ? [] : [node])).sort((a, b) => own[a].y - own[b].y || own[a].x - own[b].x);
    const parents = new Map(left.map((node) => [node, new Set()]));
    for (const { parent, child } of this.store.network.arcs) {
      const [from, to] = [stands(parent), stands(child)];
      // Downwards in the drawing as it was: then nothing goes in a circle.
      if (own[from].y < own[to].y) parents.get(to).add(from);
    }
    const layer = new Map();
    for (const node of left) layer.set(node, Math.max(-1, ...[...parents.get(node)].map((parent) => layer.get(parent))) + 1);
    const layers = Array.from({ length: Math.max(...layer.values()) + 1 }, (_, k) => left.filter((node) => layer.get(node) === k));
    const { nodes } = this.drawing;
    const widths = layers.map((row) => row.reduce((sum, node) => sum + nodes[node].width + BESIDE, -BESIDE));
    const [widest, found] = [Math.max(...widths), new Map()];
    let top = BELOW / 2;
    const middle = (node) => {
      const above = [...parents.get(node)].map((parent) => found.get(parent).x);
      return above.length ? above.reduce((sum, x) => sum + x, 0) / above.length : own[node].x;
    };
    layers.forEach((row, k) => {
      let x = BESIDE + (widest - widths[k]) / 2;
      const tall = Math.max(...row.map((node) => nodes[node].height));
      const order = row.map((node) => ({ node, at: middle(node) })).sort((a, b) => a.at - b.at || own[a.node].x - own[b.node].x);
      for (const { node } of order) {
        found.set(node, { x: x + nodes[node].width / 2, y: top + tall / 2 });
        x += nodes[node].width + BESIDE;
      }
      top += tall + BELOW;
    });
    return found;
  }

  // How many stand behind a node.
  mark(entry, node) {
    entry.stack?.remove();
    entry.stack = null;
    const own = this.of.get(node);
    if (!own || own.stands !== node || !this.folded.has(own.process)) return;
    const wide = 44;
    entry.stack = makeSvg('g', { class: 'stack', transform: `translate(${-entry.width / 2 - 4} ${-entry.height / 2 - 10})` }, makeSvg('title', {}, `${own.process}: ${own.count} steps folded into one; a click unfolds them`),
      makeSvg('rect', { width: wide, height: 18, rx: 9 }), makeSvg('text', { x: wide / 2, y: 12.5 }, `× ${own.count}`));
    entry.group.append(entry.stack);
  }

  // What the folded nodes had arcs with: a line from one to the other, with how many steps it goes.
  show() {
    if (!this.processes) return;
    const { nodes, arcs } = this.store.network;
    const between = new Map();
    const stands = (node) => (this.isHidden(node) ? this.of.get(node).stands : node);
    for (const { parent, child } of arcs) {
      if (!this.isHidden(parent) && !this.isHidden(child)) continue;
      const [from, to] = [stands(parent), stands(child)];
      const [one, other] = [this.of.get(parent), this.of.get(child)];
      const far = one && other ? other.step - one.step : null;
      const key = `${from}>${to}`;
      if (!between.has(key)) between.set(key, { from, to, far: new Set() });
      between.get(key).far.add(far);
    }
    const drawn = new Set(arcs.filter(({ parent, child }) => !this.isHidden(parent) && !this.isHidden(child)).map(({ parent, child }) => `${parent}>${child}`));
    const called = (node) => (this.folded.has(this.of.get(node)?.process) ? this.of.get(node).process : nodes[node].name);
    const words = (far) => listed([...far].sort((a, b) => a - b).map((by) => (by === null ? 'at some step' : by === 0 ? 'at the same step' : by === 1 ? 'one step later' : by > 0 ? `${by} steps later` : `${-by} steps before`)));
    const line = ({ from, to, far }) => {
      const title = makeSvg('title', {}, `${called(from)} → ${called(to)}\n${words(far)}`);
      if (from === to) return this.loop(from, title);
      // What the step that is shown has as an arc is drawn already.
      if (drawn.has(`${from}>${to}`) && [...far].every((by) => by === 0)) return null;
      const { line: way, head } = route(this.drawing.nodes[from], this.drawing.nodes[to], 1.4, drawn.has(`${from}>${to}`) ? 7 : 0);
      return makeSvg('g', { class: 'over-steps', 'data-process-from': from, 'data-process-to': to }, makeSvg('path', { class: 'cl-arc', 'stroke-width': 1.4, d: way }, title), makeSvg('path', { class: 'cl-head', d: head }));
    };
    this.lines.replaceChildren(...[...between.values()].map(line).filter(Boolean));
  }

  // A process that follows from itself.
  loop(node, title) {
    const { x, y, width, height } = this.drawing.nodes[node];
    const [right, top] = [x + width / 2, y - height / 2];
    return makeSvg('g', { class: 'over-steps', 'data-process-from': node, 'data-process-to': node }, makeSvg('path', { class: 'cl-arc', 'stroke-width': 1.4, d: `M${right} ${top + 14}C${right + 26} ${top + 14} ${right + 26} ${top + 34} ${right + 7} ${top + 34}` }, title),
      makeSvg('path', { class: 'cl-head', d: `M${right + 8} ${top + 30}L${right} ${top + 34}L${right + 8} ${top + 38}Z` }));
  }
}
