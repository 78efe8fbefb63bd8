// An arc between two frames: a straight line from border to border, with the head that the drawing has.

import { makeSvg } from './element.js';

// Where the line from the middle of a frame towards a point leaves it.
function border({ x, y, width, height }, to) {
  const [dx, dy] = [to.x - x, to.y - y];
  const out = Math.min(dx ? width / 2 / Math.abs(dx) : Infinity, dy ? height / 2 / Math.abs(dy) : Infinity, 1);
  return { x: x + dx * out, y: y + dy * out };
}

const at = (x, y) => `${x.toFixed(1)} ${y.toFixed(1)}`;

// Frames are { x, y, width, height } around their middle; `aside` moves the line to its left, so that two of them can be told apart.
export function route(parent, child, width, aside = 0) {
  const [from, to] = [border(parent, child), border(child, parent)];
  const far = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const [dx, dy] = [(to.x - from.x) / far, (to.y - from.y) / far];
  for (const end of [from, to]) [end.x, end.y] = [end.x + dy * aside, end.y - dx * aside];
  const [length, half] = [6.5 + 1.3 * width, 2.4 + 1.1 * width];
  const base = { x: to.x - dx * length, y: to.y - dy * length };
  return {
    line: `M${at(from.x, from.y)}L${at(base.x, base.y)}`,
    head: `M${at(base.x + dy * half, base.y - dx * half)}L${at(to.x, to.y)}L${at(base.x - dy * half, base.y + dx * half)}Z`,
  };
}

// Arcs of another network that this drawing does not have.
export function drawnArc(drawing, parent, child, kind, title, aside) {
  const { line, head } = route(drawing.nodes[parent], drawing.nodes[child], 2, aside);
  const ends = { 'data-from': parent, 'data-to': child };
  return makeSvg('g', { class: `difference ${kind}` },
    makeSvg('path', { class: 'cl-arc', 'stroke-width': 2, d: line, ...ends }, makeSvg('title', {}, title)), makeSvg('path', { class: 'cl-head', d: head }));
}

// Two nodes that neither direction explains: a line with a head at either end, aside of an arc that may be there.
export function drawnPair(drawing, one, other, title) {
  const [there, back] = [route(drawing.nodes[one], drawing.nodes[other], 2, 9), route(drawing.nodes[other], drawing.nodes[one], 2, -9)];
  const ends = { 'data-from': one, 'data-to': other };
  return makeSvg('g', { class: 'pair' }, makeSvg('path', { class: 'hit-arc', d: there.line, ...ends }, makeSvg('title', {}, title)),
    makeSvg('path', { class: 'cl-arc', 'stroke-width': 2, d: there.line }), makeSvg('path', { class: 'cl-head', d: there.head }), makeSvg('path', { class: 'cl-head', d: back.head }));
}
