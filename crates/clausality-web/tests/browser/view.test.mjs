// Where a drawing is entered, without a browser: sizes are given by hand.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const source = readFileSync(new URL('../../page/view.js', import.meta.url), 'utf8');
const { View } = await import(`data:text/javascript,${encodeURIComponent(source)}`);

// A view of a drawing, and a way to give its canvas another size.
function entered(drawing, canvas, within = false) {
  let observed;
  globalThis.ResizeObserver = class {
    constructor(heard) {
      observed = heard;
    }

    observe() {}
  };
  const area = { clientWidth: canvas.width, clientHeight: canvas.height, addEventListener() {} };
  const box = { x: 0, y: 0, ...drawing };
  const svg = { viewBox: { baseVal: box }, classList: { toggle() {} }, style: { setProperty() {} }, setAttribute(name, value) {
    if (name === 'viewBox') [box.x, box.y, box.width, box.height] = value.split(' ').map(Number);
  } };
  const places = [{ x: 60, y: 40, width: 100, height: 60 }, { x: drawing.width - 60, y: drawing.height - 40, width: 100, height: 60 }];
  const view = new View(area, svg, places, () => true, within);
  const resize = (width, height) => {
    Object.assign(area, { clientWidth: width, clientHeight: height });
    observed();
  };
  const whole = () => box.x <= 0 && box.y <= 0 && box.x + box.width >= drawing.width && box.y + box.height >= drawing.height;
  return { view, whole, resize };
}

test('what has no size yet is entered when it has one', () => {
  const { view, whole, resize } = entered({ width: 800, height: 600 }, { width: 0, height: 0 });
  resize(900, 700);
  assert.ok(whole() && view.scale > 0.9, `${view.scale}`);
  resize(600, 500);
  assert.ok(whole(), 'as long as nobody looks elsewhere');
  view.zoom(2);
  resize(900, 700);
  assert.ok(!whole(), 'somebody does');
});

test('a large drawing is entered where it can be read; in a notebook as a whole, while names can be read', () => {
  const large = { width: 1500, height: 1200 };
  assert.ok(!entered(large, { width: 700, height: 500 }).whole());
  assert.ok(entered(large, { width: 700, height: 500 }, true).whole());
  const late = entered(large, { width: 0, height: 0 }, true);
  late.resize(700, 500);
  assert.ok(late.whole());
  assert.ok(!entered({ width: 9000, height: 6000 }, { width: 700, height: 500 }, true).whole(), 'nothing could be read');
});
