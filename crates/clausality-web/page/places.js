// Nodes moved by hand: dragged by their names, or with Shift and the arrows. Their arcs follow. Places stand in the address, are steps that can be taken back,
// and are kept for this network (shelf.js).

import { route } from './route.js';

const DRAG = 4; // pixels that make a click a drag
const STEP = 20; // how far a key moves
const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export class Places {
  constructor(root, drawing, view, store, shelf) {
    Object.assign(this, { drawing, view, store, shelf });
    this.own = drawing.nodes.map(({ x, y }) => ({ x, y }));
    this.meanwhile = new Map(); // node → { x, y }: where nodes stand while others are folded
    this.lines = drawing.arcs.map(({ path }) => path.getAttribute('d'));
    this.reset = root.getElementById('unmove');
    this.reset.addEventListener('click', () => store.setPlaces(new Map()));
    drawing.svg.addEventListener('pointerdown', (event) => this.down(event));
    drawing.svg.addEventListener('keydown', (event) => this.pressed(event), true);
    store.on('places', () => {
      this.show();
      this.keep();
    });
  }

  // What was kept for this network, where the address says nothing.
  kept() {
    const index = new Map(this.store.network.nodes.map(({ name }, node) => [name, node]));
    const known = Object.entries(this.shelf.places).filter(([name]) => index.has(name));
    return new Map(known.map(([name, [x, y]]) => [index.get(name), this.within({ x, y })]));
  }

  keep() {
    const { places, network } = this.store;
    const named = Object.fromEntries([...places].map(([node, { x, y }]) => [network.nodes[node].name, [x, y]]));
    if (JSON.stringify(named) !== JSON.stringify(this.shelf.places)) this.shelf.keep({ places: named });
  }

  // Nobody loses a node outside of the drawing.
  within({ x, y }) {
    const { width, height } = this.view.whole;
    return { x: Math.round(Math.max(0, Math.min(width, x))), y: Math.round(Math.max(0, Math.min(height, y))) };
  }

  show() {
    const { places } = this.store;
    this.reset.hidden = places.size === 0;
    this.own.forEach((own, node) => this.put(node, places.get(node) ?? this.meanwhile.get(node) ?? own));
    this.drawing.arcs.forEach((arc, k) => this.draw(arc, this.lines[k]));
    this.drawing.markOther();
  }

  put(node, { x, y }) {
    const entry = this.drawing.nodes[node];
    if (entry.x === x && entry.y === y) return;
    Object.assign(entry, { x, y });
    entry.group.setAttribute('transform', `translate(${x} ${y})`);
  }

  // As the drawing had it while both ends stand where they stood.
  draw({ path, parent, child }, own) {
    const { nodes } = this.drawing;
    const moved = [parent, child].some((node) => nodes[node].x !== this.own[node].x || nodes[node].y !== this.own[node].y);
    const isHead = path.classList.contains('cl-head');
    const line = this.drawing.lineOf(parent, child);
    const { line: straight, head } = moved ? route(nodes[parent], nodes[child], Number(line?.getAttribute('stroke-width') ?? 1.4)) : {};
    path.setAttribute('d', moved ? (isHead ? head : straight) : own);
  }

  move(node, to) {
    this.store.setPlaces(new Map(this.store.places).set(node, this.within(to)));
  }

  down(event) {
    const group = event.target.closest?.('.cl-node');
    if (!group || event.target.closest('.cl-state') || event.button !== 0 || event.pointerType === 'touch' || this.view.isTooFar()) return;
    event.stopPropagation(); // the drawing stays where it is
    const node = Number(group.dataset.node);
    const [start, from] = [{ x: event.clientX, y: event.clientY }, { x: this.drawing.nodes[node].x, y: this.drawing.nodes[node].y }];
    const gone = (now) => ({ x: (now.clientX - start.x) / this.view.scale, y: (now.clientY - start.y) / this.view.scale });
    let dragged = false;
    const follow = (now) => {
      if (!dragged && Math.hypot(now.clientX - start.x, now.clientY - start.y) < DRAG) return;
      if (!dragged) group.setPointerCapture(now.pointerId);
      dragged = true;
      const { x, y } = gone(now);
      this.put(node, this.within({ x: from.x + x, y: from.y + y }));
      this.drawing.arcs.forEach((arc, k) => (arc.parent === node || arc.child === node) && this.draw(arc, this.lines[k]));
    };
    const end = (now) => {
      for (const [name, action] of [['pointermove', follow], ['pointerup', end], ['pointercancel', end]]) group.removeEventListener(name, action);
      if (!dragged) return;
      const { x, y } = gone(now);
      // The click that ends a drag is none.
      const none = (click) => click.stopPropagation();
      this.drawing.svg.addEventListener('click', none, { capture: true, once: true });
      setTimeout(() => this.drawing.svg.removeEventListener('click', none, true));
      this.move(node, { x: from.x + x, y: from.y + y });
    };
    for (const [name, action] of [['pointermove', follow], ['pointerup', end], ['pointercancel', end]]) group.addEventListener(name, action);
  }

  pressed(event) {
    const way = WAYS[event.key];
    const group = event.target.closest?.('.cl-node');
    if (!way || !event.shiftKey || !group || event.target.closest('.cl-state')) return;
    event.preventDefault();
    event.stopPropagation();
    const node = Number(group.dataset.node);
    const { x, y } = this.drawing.nodes[node];
    this.move(node, { x: x + way[0] * STEP, y: y + way[1] * STEP });
    this.view.reveal(this.drawing.frame(node));
  }
}
