// Networks of hundreds of nodes: slices folded, a target's answer in pieces. What the page shows is held against what the program says.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { endAll, explore, keep, openBrowser, openPage, query, violations } from './harness.mjs';

let [browser, diabetes, alarm] = [];
before(async () => {
  [browser, diabetes, alarm] = await Promise.all([openBrowser(), explore('@diabetes'), explore('@alarm')]);
});
after(async () => {
  await browser?.close();
  assert.equal(await diabetes?.stop(), 0);
  assert.equal(await alarm?.stop(), 0);
  endAll();
});

test('slices of an unrolled network are folded to one node a process, unfolded by a click, and answer as before', async () => {
  const seat = await openPage(browser, diabetes.url);
  const { page, network } = seat;
  await page.click('#fold');
  const shown = () => page.locator('.cl-node:not(.folded)').count();
  // 17 processes, and two nodes that have no steps.
  assert.equal(await shown(), 19);
  assert.equal(await page.textContent('#fold'), 'Unfold slices');
  assert.ok(new URL(page.url()).hash.includes('fold=') || await page.waitForFunction(() => location.hash.includes('fold=')));
  await keep(page, 'folded');
  // What the folded nodes had arcs with is still told.
  const title = await page.locator('.over-steps title').allTextContents();
  assert.ok(title.some((text) => text === 'bg → bg\none step later' || text === 'cho → cho\none step later'), title.join(' | '));
  assert.deepEqual(await violations(page), []);
  // A reload shows the same; a click on the count unfolds one process; the search finds what is folded.
  await page.reload();
  await page.waitForSelector('html.ready');
  assert.equal(await shown(), 19);
  await page.locator(`.cl-node[data-node="${network.nodes.findIndex(({ name }) => name === 'cho_12')}"] .stack`).dispatchEvent('click');
  assert.equal(await shown(), 19 + 24);
  await page.fill('#search', 'meal_3');
  await page.keyboard.press('Enter');
  assert.equal(await shown(), 19 + 24 + 24);
  assert.equal(await seat.node('meal_3').isVisible(), true);
  await page.click('#fold');
  assert.equal(await shown(), network.nodes.length);
  assert.equal(await page.locator('.over-steps').count(), 0);
  assert.deepEqual(await seat.close(), []);
});

test('names with numbers are no slices', async () => {
  const seat = await openPage(browser, alarm.url);
  assert.equal(await seat.page.isVisible('#fold'), false);
  assert.deepEqual(await seat.close(), []);
});

test('a target among hundreds of nodes: the nearest first, then all, and whoever asks anew does not wait', async () => {
  const seat = await openPage(browser, diabetes.url);
  const { page } = seat;
  const asked = [];
  page.on('requestfinished', (request) => request.url().endsWith('/api/informed') && asked.push(JSON.parse(request.postData())));
  await page.selectOption('#target-choice', { label: 'bg_20' });
  await page.selectOption('#target-choice', { label: 'bg_4' });
  await page.waitForSelector('#first-part', { timeout: 120000 });
  assert.match(await page.textContent('#first-part'), /30 nearest nodes/);
  await page.waitForFunction(() => !document.querySelector('#first-part') && document.querySelector('#target .next'), null, { timeout: 120000 });
  const all = query('@diabetes', '--target', 'bg_4', '--next').next;
  const lines = await page.locator('#target .next tr').evaluateAll((rows) => rows.map((row) => [row.querySelector('.name').textContent, row.querySelector('.number').textContent]));
  assert.deepEqual(lines.map(([name]) => name), all.slice(0, 6).map(({ node }) => node));
  // Of the first target nobody waited for the whole.
  assert.deepEqual(asked.filter(({ nearest }) => nearest === undefined).map(({ target }) => target), ['bg_4']);
  assert.deepEqual(await seat.close(), []);
});

test('from far away names lie over the nodes around them', async () => {
  const seat = await openPage(browser, diabetes.url);
  const { page } = seat;
  await page.keyboard.press('0');
  // Who is drawn last lies above.
  await page.waitForFunction(() => {
    const nodes = [...document.querySelectorAll('#canvas .farther .cl-nodes > .cl-node')].map(({ classList }) => classList.contains('named'));
    const first = nodes.indexOf(true);
    return first > 0 && nodes.slice(first).every(Boolean);
  });
  await keep(page, 'far');
  assert.deepEqual(await seat.close(), []);
});
