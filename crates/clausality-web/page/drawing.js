// The drawing in the page: the server's SVG, with bars that move and nodes that can be reached by pointer and keyboard.

import { makeSvg } from './element.js';
import { holds, inWords } from './findings.js';
import { drawnArc, drawnPair } from './route.js';
import { isBand, percent, range } from './words.js';

export class Drawing {
  constructor(markup, store) {
    const parsed = new DOMParser().parseFromString(markup, 'image/svg+xml').documentElement;
    if (parsed.localName !== 'svg') throw new Error('the drawing could not be read');
    this.svg = document.importNode(parsed, true);
    this.store = store;
    this.svg.setAttribute('role', 'group');
    this.nodes = [];
    this.arcs = [];
    for (const group of this.svg.querySelectorAll('.cl-node')) this.nodes[Number(group.dataset.node)] = this.adopt(group);
    for (const path of this.svg.querySelectorAll('[data-parent]')) {
      const { parent, child, weight } = path.dataset;
      this.arcs.push({ path, parent: Number(parent), child: Number(child), weight: Number(weight ?? 0) });
    }
    store.on('answer', () => this.update());
    store.on('again', () => this.markAgain());
    store.on('hidden places', () => this.markHidden());
    store.on('known failure', () => this.markKnown());
    store.on('select', () => this.nodes.forEach(({ group }, node) => group.classList.toggle('selected', node === store.selected)));
    store.on('target', () => this.markBefore());
    store.on('light', () => this.dim());
    store.on('best', () => this.markBest());
    store.on('arc', () => this.markArc());
    store.on('other contrast', () => this.markOther());
  }

  // What is needed of a node, found once.
  adopt(group) {
    const node = Number(group.dataset.node);
    group.setAttribute('tabindex', node === 0 ? '0' : '-1');
    group.setAttribute('role', 'group');
    const states = [...group.querySelectorAll('.cl-state')].map((row, state) => {
      row.setAttribute('tabindex', '-1');
      row.setAttribute('role', 'button');
      const bar = row.querySelector('.cl-bar');
      return { row, bar, full: Number(bar.dataset.full), share: row.querySelector('.cl-share'), title: row.querySelector('title'), ghost: null, band: null, again: null, before: null, node, state };
    });
    return { group, states, name: group.querySelector('.cl-name'), bare: false, hidden: false, badge: null, ...this.place(group) };
  }

  // Puts the lines of a node's states into the page, or takes them out. A browser goes through all that a drawing has at every zoom, whether it can be
  // seen or not.
  figures(node, shown) {
    const entry = this.nodes[node];
    if (entry.bare !== shown) return;
    entry.bare = !shown;
    if (shown) {
      this.updateNode(node);
      entry.name.after(...entry.states.map(({ row }) => row));
    }
    if (!shown) entry.states.forEach(({ row }) => row.remove());
  }

  // Does something with the whole of the drawing.
  whole(action) {
    const bare = this.nodes.flatMap((entry, node) => (entry.bare ? [node] : []));
    bare.forEach((node) => this.figures(node, true));
    const done = action();
    bare.forEach((node) => this.figures(node, false));
    return done;
  }

  place(group) {
    const [x, y] = group.getAttribute('transform').match(/-?[\d.]+/g).map(Number);
    return { x, y };
  }

  // The line of an arc, if the network has it.
  lineOf(parent, child) {
    return this.arcs.find((arc) => arc.parent === parent && arc.child === child && arc.path.classList.contains('cl-arc'))?.path;
  }

  // After the drawing stands in the page: the whole line of a state takes clicks, and so does what is near an arc.
  prepare() {
    for (const { path, parent, child, weight } of this.arcs.filter(({ path: line }) => line.classList.contains('cl-arc'))) {
      const near = makeSvg('path', { class: 'hit-arc', 'data-parent': parent, 'data-child': child, d: path.getAttribute('d') }, makeSvg('title', {}, path.querySelector('title')?.textContent ?? ''));
      path.before(near);
      this.arcs.push({ path: near, parent, child, weight });
    }
    this.differences = makeSvg('g', { class: 'differences' });
    this.outside = makeSvg('g', { class: 'outside' });
    this.svg.querySelector('.cl-arcs').append(this.differences, this.outside);
    // All are measured before anything is added: in turns, the browser would lay out everything for every node.
    const boxes = this.nodes.map(({ group }) => group.querySelector('.cl-shape').getBBox());
    for (const [node, entry] of this.nodes.entries()) {
      const box = boxes[node];
      Object.assign(entry, { width: box.width, height: box.height });
      const heights = entry.states.map(({ bar }) => Number(bar.getAttribute('y')));
      const step = heights.length > 1 ? heights[1] - heights[0] : 16;
      entry.states.forEach(({ row, bar }) => {
        const middle = Number(bar.getAttribute('y')) + Number(bar.getAttribute('height')) / 2;
        const frame = { x: box.x + 3, y: middle - step / 2, width: box.width - 6, height: step, rx: 3 };
        row.insertBefore(makeSvg('rect', { class: 'hit', ...frame }), row.querySelector('text'));
      });
    }
    this.update();
  }

  // The frame around some nodes.
  around(nodes) {
    const frames = [...nodes].map((node) => this.frame(node));
    const [left, top] = [Math.min(...frames.map(({ x }) => x)), Math.min(...frames.map(({ y }) => y))];
    const [right, bottom] = [Math.max(...frames.map(({ x, width }) => x + width)), Math.max(...frames.map(({ y, height }) => y + height))];
    return { x: left, y: top, width: right - left, height: bottom - top };
  }

  // The nodes that a window, in the measures of the drawing, shows at least a part of.
  within({ x, y, width, height }) {
    const meets = (frame) => frame.x < x + width && x < frame.x + frame.width && frame.y < y + height && y < frame.y + frame.height;
    return this.nodes.flatMap(({ hidden }, node) => (!hidden && meets(this.frame(node)) ? [node] : []));
  }

  frame(node) {
    const { x, y, width, height } = this.nodes[node];
    return { x: x - width / 2, y: y - height / 2, width, height };
  }

  // Moves every bar to where the answer has it; bars that are not in the page when they come back.
  update() {
    this.nodes.forEach(({ bare }, node) => bare || this.updateNode(node));
    this.svg.classList.toggle('ghosts', Boolean(this.store.answer.observed));
    this.markBefore();
    this.markKnown();
  }

  updateNode(node) {
    const { posteriors, observed, band, standard_errors: errors } = this.store.answer;
    const { nodes } = this.store.network;
    this.nodes[node].states.forEach((entry, state) => {
      const p = posteriors[node][state];
      const seen = observed?.[node][state];
      const error = errors?.[node][state];
      const [low, high] = [band?.low[node][state], band?.high[node][state]];
      // Most bars of a large network stay where they are.
      if (entry.p === p && entry.seen === seen && entry.error === error && entry.low === low && entry.high === high) return;
      Object.assign(entry, { p, seen, error, low, high });
      entry.bar.setAttribute('width', (p * entry.full).toFixed(2));
      entry.share.textContent = percent(p);
      let title = `${nodes[node].states[state]}: ${percent(p)}`;
      if (error != null) title += ` ± ${percent(error)}`;
      if (seen != null) title += `\nif it were only observed: ${percent(seen)}`;
      if (isBand(low, high)) title += `\nin equally good graphs: ${range(low, high)}`;
      entry.title.textContent = title;
      this.markGhost(entry, seen, p);
      this.markBand(entry, low, high);
    });
  }

  // With a target: a small wedge on every bar that moved, where it was when nothing was known.
  markBefore() {
    const { target, network, answer } = this.store;
    this.nodes.forEach(({ group, states }, node) => {
      group.classList.toggle('target', node === target);
      states.forEach((entry, state) => {
        const then = network.posteriors[node][state];
        const shown = target !== null && Math.abs(then - answer.posteriors[node][state]) > 0.0005;
        if (!shown) {
          entry.before?.remove();
          entry.before = null;
        } else if (!entry.before) {
          const bar = (name) => Number(entry.bar.getAttribute(name));
          const place = `translate(${(bar('x') + then * entry.full).toFixed(2)} ${bar('y')})`;
          entry.before = makeSvg('path', { class: 'before', transform: place, d: 'M-3.6 -3.4H3.6L0 3.2Z' }, makeSvg('title', {}, `before: ${percent(then)}`));
          entry.row.append(entry.before);
        }
      });
    });
  }

  // A mark where the bar would end if what is done had only been seen.
  markGhost(entry, seen, p) {
    const shown = seen != null && Math.abs(seen - p) > 0.0005;
    if (!shown) {
      entry.ghost?.remove();
      entry.ghost = null;
      return;
    }
    if (!entry.ghost) {
      const bar = (name) => Number(entry.bar.getAttribute(name));
      entry.ghost = makeSvg('rect', { class: 'ghost', y: bar('y') - 2, width: 2.4, height: bar('height') + 4 });
      entry.bar.after(entry.ghost);
    }
    entry.ghost.setAttribute('x', (Number(entry.bar.getAttribute('x')) + seen * entry.full - 1.2).toFixed(2));
  }

  // A range from the least to the most that equally good graphs give.
  markBand(entry, low, high) {
    entry.band?.remove();
    entry.band = null;
    if (!isBand(low, high)) return;
    const bar = (name) => Number(entry.bar.getAttribute(name));
    const at = (share) => (bar('x') + share * entry.full).toFixed(2);
    const [top, middle, foot] = [bar('y') - 0.5, bar('y') + bar('height') / 2, bar('y') + bar('height') + 0.5];
    const line = `M${at(low)} ${top}V${foot}M${at(low)} ${middle}H${at(high)}M${at(high)} ${top}V${foot}`;
    entry.band = makeSvg('g', { class: 'band' }, makeSvg('path', { class: 'rim', d: line }), makeSvg('path', { d: line }));
    (entry.ghost ?? entry.bar).after(entry.band);
  }

  // Below it, what the rows leave open: the same over what was learned again.
  markAgain() {
    const { again, network } = this.store;
    this.nodes.forEach(({ states }, node) => states.forEach((entry, state) => {
      const [low, high] = [again?.low[node]?.[state], again?.high[node]?.[state]];
      const line = isBand(low, high) ? this.lineAgain(entry, low, high) : null;
      if (entry.again?.line === line || (!entry.again && !line)) return;
      entry.again?.mark.remove();
      entry.again = null;
      if (!line) return;
      const title = makeSvg('title', {}, `${network.nodes[node].states[state]}: ${range(low, high)} where the rows are drawn anew`);
      entry.again = { line, mark: makeSvg('g', { class: 'again' }, title, makeSvg('path', { class: 'rim', d: line }), makeSvg('path', { d: line })) };
      (entry.band ?? entry.ghost ?? entry.bar).after(entry.again.mark);
    }));
  }

  lineAgain({ bar, full }, low, high) {
    const at = (share) => (Number(bar.getAttribute('x')) + share * full).toFixed(2);
    const foot = Number(bar.getAttribute('y')) + Number(bar.getAttribute('height')) + 1.6;
    return `M${at(low)} ${foot - 3}V${foot}H${at(high)}V${foot - 3}`;
  }

  // Pairs that perhaps have a cause in common outside the table.
  markHidden() {
    const { hidden, network } = this.store;
    const drawn = ({ between: [one, other] }) => drawnPair(this, one, other, `${network.nodes[one].name} ↔ ${network.nodes[other].name}\nperhaps a common cause outside the table`);
    this.outside.replaceChildren(...hidden.map(drawn));
  }

  markKnown() {
    const { known, failure } = this.store;
    this.svg.classList.toggle('stale', failure !== null);
    this.nodes.forEach((entry, node) => {
      const now = known.get(node);
      entry.group.classList.toggle('seen', now?.set === false);
      entry.group.classList.toggle('set', now?.set === true);
      entry.states.forEach(({ row }, state) => {
        const held = holds(now, state);
        if (row.held === held) return;
        row.held = held;
        row.classList.toggle('held', held);
        row.setAttribute('aria-pressed', held);
      });
      this.markBadge(entry, now);
    });
    for (const { path, child } of this.arcs) path.classList.toggle('cut', known.get(child)?.set === true);
  }

  markBadge(entry, now) {
    if (!now) {
      entry.badge?.remove();
      entry.badge = null;
      return;
    }
    const wide = now.set ? 26 : 36;
    const text = now.set ? 'do' : 'seen';
    if (entry.badge?.textContent === text) return;
    entry.badge?.remove();
    const place = `translate(${entry.width / 2 - wide + 6} ${-entry.height / 2 - 8})`;
    entry.badge = makeSvg('g', { class: 'badge', transform: place },
      makeSvg('rect', { width: wide, height: 16, rx: 8 }), makeSvg('text', { x: wide / 2, y: 11.5 }, text));
    entry.group.append(entry.badge);
  }

  markArc() {
    const { arc } = this.store;
    for (const { path, parent, child } of this.arcs) path.classList.toggle('chosen', arc?.parent === parent && arc.child === child);
  }

  // What another network has otherwise: its arcs, and a wedge below every bar that ends elsewhere there.
  markOther() {
    const { other, contrast, network, answer } = this.store;
    const ends = (arcs) => (arcs ?? []).map((arc) => arc.ends).filter(Boolean);
    const [lost, turned] = [new Set(ends(other?.lost).map(String)), new Set(ends(other?.turned).map(([parent, child]) => String([child, parent])))];
    for (const { path, parent, child } of this.arcs) {
      path.classList.toggle('lost', lost.has(String([parent, child])));
      path.classList.toggle('turned', turned.has(String([parent, child])));
    }
    const drawn = (kind, aside) => ([parent, child]) => drawnArc(this, parent, child, kind, `${network.nodes[parent].name} → ${network.nodes[child].name}\n${kind} in ${other.name}`, aside);
    this.differences.replaceChildren(...ends(other?.added).map(drawn('added', 0)), ...ends(other?.turned).map(drawn('turned', 7)));
    this.nodes.forEach(({ states }, node) => states.forEach((entry, state) => {
      const there = contrast?.posteriors?.[node]?.[state];
      entry.there?.remove();
      entry.there = null;
      if (there == null || Math.abs(there - answer.posteriors[node][state]) <= 0.0005) return;
      const bar = (name) => Number(entry.bar.getAttribute(name));
      const place = `translate(${(bar('x') + there * entry.full).toFixed(2)} ${bar('y') + bar('height')})`;
      entry.there = makeSvg('path', { class: 'there', transform: place, d: 'M-3.6 3.4H3.6L0 -3.2Z' }, makeSvg('title', {}, `in ${other.name}: ${percent(there)}`));
      entry.row.append(entry.there);
    }));
  }

  markBest() {
    const { best } = this.store;
    this.nodes.forEach(({ states }, node) => states.forEach(({ row }, state) => row.classList.toggle('best', best?.states[node] === state)));
  }

  // Fades everything that is not lit.
  dim() {
    const { lit } = this.store;
    this.svg.classList.toggle('dimmed', lit !== null);
    this.nodes.forEach(({ group }, node) => group.classList.toggle('lit', Boolean(lit?.nodes.has(node))));
    const arcs = new Set((lit?.arcs ?? []).map(({ parent, child }) => `${parent}>${child}`));
    for (const { path, parent, child } of this.arcs) path.classList.toggle('lit', arcs.has(`${parent}>${child}`));
  }

  // Hides the weakest arcs; gives how many are left.
  hideWeak(share) {
    const lines = this.arcs.filter(({ path }) => path.classList.contains('cl-arc'));
    const order = [...lines].sort((a, b) => a.weight - b.weight || a.parent - b.parent || a.child - b.child);
    const weak = new Set(order.slice(0, Math.floor(lines.length * share)).map(({ parent, child }) => `${parent}>${child}`));
    for (const { path, parent, child } of this.arcs) path.classList.toggle('weak', weak.has(`${parent}>${child}`));
    return lines.length - weak.size;
  }

  // What is out of view is not drawn, and cannot have the focus.
  show(group) {
    group.away = false;
    group.classList.remove('away');
  }

  // The one node that Tab leads to.
  focus(node) {
    for (const { group } of this.nodes) group.setAttribute('tabindex', '-1');
    const { group } = this.nodes[node];
    this.show(group);
    group.setAttribute('tabindex', '0');
    group.setAttribute('aria-label', this.described(node));
    group.focus({ preventScroll: true });
  }

  focusState(node, state) {
    const { group, states: rows } = this.nodes[node];
    const { row } = rows[state];
    this.figures(node, true);
    this.show(group);
    const { name, states } = this.store.network.nodes[node];
    row.setAttribute('aria-label', `${name} = ${states[state]}, ${percent(this.store.answer.posteriors[node][state])}`);
    row.focus({ preventScroll: true });
  }

  described(node) {
    const { name, states } = this.store.network.nodes[node];
    const known = this.store.known.get(node);
    if (known) return `${name}: ${known.set ? 'set to' : 'seen as'} ${inWords(known, states)}`;
    const shares = this.store.answer.posteriors[node];
    const order = states.map((label, state) => [shares[state], label]).sort((a, b) => b[0] - a[0]);
    return `${name}: ${order.slice(0, 4).map(([p, label]) => `${label} ${percent(p)}`).join(', ')}`;
  }
}
