// What the address of the page says, without a browser: the place where it stands is given by hand.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const source = (name) => readFileSync(new URL(`../../page/${name}.js`, import.meta.url), 'utf8');
const inline = (text) => `data:text/javascript,${encodeURIComponent(text).replaceAll("'", '%27')}`;
const findings = inline(source('findings'));
const module = (name) => import(inline(source(name).replace('./findings.js', findings)));
const [{ Steps, Trail, read }, { Store }] = [await module('trail'), await module('store')];

const nodes = ['rain', 'wet'].map((name) => ({ name, states: ['no', 'yes'] }));

test('an address written by hand while a look waits to be written down stays', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const [store, place] = [new Store({ nodes, arcs: [] }), new Steps()];
  const trail = new Trail(store, place, () => ({ view: [1, 2, 3] }));
  const rest = () => t.mock.timers.tick(1000);
  trail.later();
  rest();
  assert.equal(place.text, 'view=1,2,3');
  // Browsers show the address first and say so afterwards.
  trail.later();
  place.swap('target=wet&remove:rain=wet', place.step);
  rest();
  assert.equal(place.text, 'target=wet&remove:rain=wet');
  place.action();
  assert.deepEqual([store.target, store.edits], [1, [{ wish: 'remove', parent: 0, child: 1 }]]);
  assert.deepEqual(read(place.text, nodes).edits, store.edits);
  // From here on looks are written down again.
  store.select(0);
  rest();
  assert.equal(read(place.text, nodes).selected, 0);
});
