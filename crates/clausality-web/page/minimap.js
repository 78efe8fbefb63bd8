// The whole of a large network in a corner, with a frame where one looks. A click or a drag there goes there; the keyboard has the search and the arrows instead.

import { makeSvg } from './element.js';

const FEW = 60; // nodes that need no map
const SIDE = { width: 170, height: 130 }; // pixels at most

export class Minimap {
  constructor(root, drawing, view, store) {
    if (store.network.nodes.length <= FEW) return;
    Object.assign(this, { drawing, view });
    const { width, height } = view.whole;
    this.scale = Math.min(SIDE.width / width, SIDE.height / height);
    const least = 2 / this.scale; // what is smaller than two pixels could not be seen
    this.least = least;
    this.nodes = makeSvg('path', { class: 'map-nodes' });
    this.frame = makeSvg('rect', { class: 'map-frame' });
    this.svg = makeSvg('svg', { id: 'minimap', 'aria-hidden': 'true', viewBox: `0 0 ${width} ${height}`, width: Math.max(24, width * this.scale), height: Math.max(24, height * this.scale), preserveAspectRatio: 'none' }, this.nodes, this.frame);
    root.getElementById('canvas').after(this.svg);
    const go = (event) => {
      if (event.buttons !== 1) return;
      const box = this.svg.getBoundingClientRect();
      const { size, scale } = view;
      view.x = ((event.clientX - box.left) / box.width) * width - size.width / scale / 2;
      view.y = ((event.clientY - box.top) / box.height) * height - size.height / scale / 2;
      view.show();
      view.choose();
    };
    this.svg.addEventListener('pointerdown', (event) => {
      this.svg.setPointerCapture(event.pointerId);
      go(event);
    });
    this.svg.addEventListener('pointermove', go);
    store.on('places fold', () => this.draw());
    this.draw();
    this.follow();
  }

  draw() {
    const square = ({ hidden }, node) => {
      if (hidden) return '';
      const { x, y, width, height } = this.drawing.frame(node);
      return `M${x.toFixed(0)} ${y.toFixed(0)}h${Math.max(width, this.least).toFixed(0)}v${Math.max(height, this.least).toFixed(0)}h${(-Math.max(width, this.least)).toFixed(0)}z`;
    };
    this.nodes.setAttribute('d', this.drawing.nodes.map(square).join(''));
  }

  // The frame goes where one looks.
  follow() {
    if (!this.svg) return;
    const { x, y, scale, size, whole } = this.view;
    const [width, height] = [size.width / scale, size.height / scale];
    for (const [name, value] of Object.entries({ x, y, width, height })) this.frame.setAttribute(name, value.toFixed(0));
    this.svg.classList.toggle('whole', x <= 0 && y <= 0 && x + width >= whole.width && y + height >= whole.height);
  }
}
