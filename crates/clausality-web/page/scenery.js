// What is drawn of a large network: only what is in view, and from far away names that can be read, as many as have room.

const FEW = 120; // nodes that are always drawn
const AROUND = 0.5; // of the window, on each side, that is drawn beforehand
const LETTERS = 12; // pixels of a name seen from far away
const WIDE = 0.58; // of its height, a letter's width
const CLOSE = 0.12; // how far, as a logarithm, a zoom goes before names get another size on the way
const REST = 160; // milliseconds without a zoom after which figures come back

const meets = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

export class Scenery {
  // `followed` hears of every new view.
  constructor(drawing, view, store, followed) {
    Object.assign(this, { drawing, view, store, followed });
    this.waiting = false;
    this.zooming = false;
    const { arcs, nodes } = store.network;
    const degree = nodes.map(() => 0);
    for (const { parent, child } of arcs) [degree[parent], degree[child]] = [degree[parent] + 1, degree[child] + 1];
    this.order = nodes.map((_, node) => node).sort((a, b) => degree[b] - degree[a] || a - b);
    view.shown = () => this.later();
    store.on('places fold', () => this.measure());
    this.measure();
  }

  // The frames of nodes and arcs; no curve leaves the points that it is made of.
  measure() {
    const box = ({ x, y, width, height }) => ({ left: x, top: y, right: x + width, bottom: y + height });
    this.nodes = this.drawing.nodes.map((_, node) => box(this.drawing.frame(node)));
    this.arcs = this.drawing.arcs.map(({ path }) => {
      const numbers = path.getAttribute('d').match(/-?[\d.]+/g).map(Number);
      const [xs, ys] = [numbers.filter((_, k) => k % 2 === 0), numbers.filter((_, k) => k % 2)];
      return { left: Math.min(...xs), top: Math.min(...ys), right: Math.max(...xs), bottom: Math.max(...ys) };
    });
    this.later();
  }

  later() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.show();
    });
  }

  show() {
    const { x, y, scale, size } = this.view;
    const [width, height] = [size.width / scale, size.height / scale];
    const seen = { left: x - width * AROUND, top: y - height * AROUND, right: x + width * (1 + AROUND), bottom: y + height * (1 + AROUND) };
    if (this.nodes.length > FEW) {
      if (scale !== (this.scale ?? scale)) this.zoomed();
      this.scale = scale;
      this.drawing.nodes.forEach(({ group }, node) => {
        this.mark(group, !meets(this.nodes[node], seen));
        this.drawing.figures(node, !group.away && !this.zooming && !this.view.isFarther());
      });
      this.drawing.arcs.forEach(({ path }, k) => this.mark(path, !meets(this.arcs[k], seen)));
    }
    this.label(seen);
    this.followed();
  }

  // Figures of a large network come back when the zoom rests: to lay them out takes longer than a frame.
  zoomed() {
    this.zooming = true;
    clearTimeout(this.rest);
    this.rest = setTimeout(() => {
      // On a slow machine the next view may wait longer than that.
      if (this.waiting) return this.zoomed();
      this.zooming = false;
      this.show();
    }, REST);
  }

  // Only what changes is touched.
  mark(element, away) {
    if (element.away === away) return;
    element.away = away;
    element.classList.toggle('away', away);
  }

  // Names of a size that can be read, where the figures cannot: those with most arcs first, none over another.
  label(seen) {
    const { nodes } = this.drawing;
    if (!this.view.isFarther()) {
      this.labelled = null;
      return;
    }
    const { scale, x: from, size } = this.view;
    const to = from + size.width / scale;
    // On the way names keep their size for a few frames: every new one is set anew by the browser.
    if (this.zooming && Math.abs(Math.log(scale / (this.labelled ?? Infinity))) < CLOSE) return;
    this.labelled = scale;
    const tall = LETTERS / scale;
    const placed = [];
    const named = new Set();
    for (const node of this.order) {
      if (nodes[node].hidden || !meets(this.nodes[node], seen)) continue;
      const half = (this.store.network.nodes[node].name.length * tall * WIDE) / 2;
      const { x, y } = nodes[node];
      const box = { left: x - half, right: x + half, top: y - tall * 0.7, bottom: y + tall * 0.7 };
      // Half a name at the edge says nothing, and keeps a shorter one from its place.
      const cut = [from, to].some((edge) => box.left < edge && edge < box.right);
      if (cut || placed.some((other) => meets(box, other))) continue;
      placed.push(box);
      named.add(node);
    }
    // Each by itself: a size that all inherit would have everything styled anew.
    nodes.forEach(({ group, name }, node) => {
      group.classList.toggle('named', named.has(node));
      if (named.has(node)) name.style.setProperty('--name', `${tall.toFixed(1)}px`);
    });
    // What is drawn later lies above, and a node would cut the name beside it. What has the focus would lose it by being moved.
    const raised = nodes.filter(({ group }, node) => named.has(node) && !group.matches(':focus-within')).map(({ group }) => group);
    raised[0]?.parentNode.append(...raised);
  }
}
