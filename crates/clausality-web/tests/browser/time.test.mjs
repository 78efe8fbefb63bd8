// A network over time on the page: steps in the drawing, states over the steps, evidence and actions at a step; figures are held against `clausality query`.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { endAll, explore, folder, keep, nearly, openBrowser, openPage, query, run, violations } from './harness.mjs';

const TABLE = resolve('../../../../docs/data/seattle-weather.csv');
let [browser, desk, weather, folderOfRun] = [];
before(async () => {
  [browser, desk] = [await openBrowser(), folder()];
  folderOfRun = join(desk.path, 'weather');
  run('learn', TABLE, '--time', 'date', '--lags', '1', '--clauses', '20', '--rounds', '1', '--run', folderOfRun, '--quiet');
  weather = await explore(folderOfRun, '--steps', '4');
});
after(async () => {
  await browser?.close();
  assert.equal(await weather?.stop(), 0);
  endAll();
  desk?.remove();
});

// What the section says of the step that is looked at: state → share.
const shares = (page) => page.evaluate(() => Object.fromEntries([...document.querySelectorAll('#time .states button')]
  .map((row) => [row.querySelector('.label').textContent, parseFloat(row.querySelector('.share').textContent) / 100])));

// How wide the area of a state is at a step, as a share of the whole.
const area = (page, state, step) => page.evaluate(([state, step]) => {
  const points = document.querySelectorAll('.course polygon')[state].getAttribute('points').split(' ').map((point) => point.split(',').map(Number));
  // The first step is the one before now.
  const [low, high] = [points[step + 1], points.at(-2 - step)];
  const frame = document.querySelector('.course rect');
  return (low[1] - high[1]) / Number(frame.getAttribute('height'));
}, [state, step]);

test('every state at every step, and the next step follows from this one', async () => {
  const seat = await openPage(browser, weather.url);
  const { page, network } = seat;
  assert.deepEqual(network.time, { first: -1, last: 4 });
  assert.equal(await page.isVisible('#rows'), false);
  // The head line counts columns and steps, not the nodes of the window.
  const columns = new Set(network.nodes.map(({ process, name }) => process ?? name)).size;
  assert.equal(await page.textContent('#size'), `${columns} columns over 6 steps`);
  assert.ok(columns < network.nodes.length);
  await page.selectOption('#process', 'weather');
  assert.equal(await page.textContent('#step-name'), 'now');
  await seat.after(() => page.locator('#time .states button', { hasText: 'rain' }).click());
  assert.match(await page.textContent('.findings'), /weather@0.*rain/s);
  for (const step of [1, 4]) {
    await page.fill('#step', String(step));
    assert.equal(await page.textContent('#step-name'), step === 1 ? '1 step ahead' : '4 steps ahead');
    const expected = query(folderOfRun, '--target', `weather@${step}`, '--given', 'weather=rain').posterior;
    nearly(await shares(page), expected, `step ${step}`);
    nearly(await seat.bars(`weather@${step}`), expected, `the drawing at step ${step}`);
    const [state] = [network.nodes[seat.indexOf('weather@0')].states.indexOf('rain')];
    nearly({ rain: await area(page, state, step) }, { rain: expected.rain }, `the area at step ${step}`);
  }
  // The step that is looked at is the node that is open, either way round.
  assert.equal(await page.textContent('#node h2'), 'weather@4');
  await seat.node('wind@2').locator('.cl-name').click();
  assert.deepEqual(await page.evaluate(() => [document.querySelector('#process').value, document.querySelector('#step').value]), ['wind', '2']);
  assert.match(await page.textContent('#node'), /right on rows held out|signal/);
  // What is certain is not pale, and doubt grows with distance.
  await page.selectOption('#process', 'weather');
  const paling = await page.evaluate(() => [...document.querySelectorAll('#paling stop')].map((stop) => Number(stop.getAttribute('stop-opacity'))));
  assert.equal(paling[1], 0);
  assert.ok(paling[2] > 0.05 && paling[5] > paling[2], paling.join(' '));
  await keep(page, 'over-time');
  assert.deepEqual(await seat.close(), []);
});

test('actions at a step, the command that asks the same, and a way back', async () => {
  const seat = await openPage(browser, weather.url);
  const { page } = seat;
  await page.selectOption('#process', 'precipitation');
  await page.click('.course svg', { position: { x: 3, y: 60 } });
  assert.equal(await page.inputValue('#step'), '-1');
  await page.locator('#step').press('ArrowRight');
  await page.locator('#step').press('ArrowRight');
  assert.equal(await page.inputValue('#step'), '1');
  await page.click('#do');
  await seat.after(() => page.locator('#time .states button').first().click());
  assert.equal(await page.locator('.course circle.done').count(), 1);
  const state = await page.locator('#time .states .label').first().textContent();
  const expected = query(folderOfRun, '--target', 'weather@2', '--do', `precipitation@1=${state}`).posterior;
  nearly(await seat.bars('weather@2'), expected, 'what is done');
  assert.match(await page.textContent('#command'), /precipitation@1/);
  await seat.after(() => page.click('#undo'));
  assert.equal(await page.locator('.course circle').count(), 0);
  // Time directs what leads from step to step: nobody could turn it.
  const { arcs, nodes } = seat.network;
  const across = arcs.filter(({ parent, child }) => nodes[parent].step !== nodes[child].step);
  assert.ok(across.length > 8 && across.every(({ compelled, learned }) => compelled && learned), `${across.length}`);
  assert.deepEqual(await seat.close(), []);
});

test('steps before now know their past: bars, what to ask next, what moves it and what to do are those of query', async () => {
  const seat = await openPage(browser, `${weather.url}#see:weather@-1=rain&target=weather@1`);
  const { page, network } = seat;
  await page.waitForSelector('.list.next');
  const given = ['--given', 'weather@-1=rain'];
  for (const node of ['precipitation@-1', 'weather@0', 'weather@2']) {
    nearly(await seat.bars(node), query(folderOfRun, '--target', node, ...given).posterior, node);
  }
  nearly(Object.fromEntries(network.nodes[seat.indexOf('wind@-1')].states.map((state, k) => [state, network.posteriors[seat.indexOf('wind@-1')][k]])),
    query(folderOfRun, '--target', 'wind@-1').posterior, 'nothing known');
  const told = query(folderOfRun, '--target', 'weather@1', ...given, '--next', '--tornado');
  const lines = (kind) => page.evaluate((list) => [...document.querySelectorAll(`.list.${list} tr`)].map((row) => [row.querySelector('.name').textContent, row.querySelector('.number').textContent]), kind);
  const share = (p) => (p > 0 && p < 0.0005 ? '<0.1%' : `${Math.round(p * 1000) / 10}%`);
  // The page has the steps up to 4, the question those that it names: what both have is the same.
  const own = (entries) => entries.filter(({ node }) => network.nodes.some(({ name }) => name === node));
  const next = await lines('next');
  const ahead = (node) => Number(node.split('@')[1]) > 1;
  const expected = new Map(own(told.next).map(({ node, share: p }) => [node, share(p)]));
  const compared = next.filter(([node]) => !ahead(node));
  assert.ok(compared.length >= 2 && told.next.length === expected.size, 'the command names no step that is not shown');
  for (const [node, shown] of compared) assert.equal(shown, expected.get(node), node);
  const swings = new Map(told.tornado.map(({ node, low, high }) => [node, [low.probability, high.probability].map(share).join(' – ')]));
  const moving = (await lines('tornado')).filter(([node]) => !ahead(node));
  assert.ok(moving.some(([node, shown]) => shown === swings.get(node)), JSON.stringify([moving, [...swings]]));
  // What to do.
  await page.click('#stake summary');
  const pick = async (kind, node, state, number) => {
    const form = page.locator('.stake', { has: page.locator(`#add-${kind}`) });
    await form.locator('select').nth(0).selectOption({ label: node });
    await form.locator('select').nth(1).selectOption({ label: state });
    await form.locator('input').fill(String(number));
    await page.click(`#add-${kind}`);
  };
  await pick('worth', 'weather@2', 'rain', -100);
  await pick('act', 'precipitation@1', network.nodes[seat.indexOf('precipitation@1')].states[0], 5);
  await page.waitForSelector('#actions tbody tr:nth-child(2)');
  const file = join(desk.path, 'worth.json');
  writeFileSync(file, JSON.stringify({ utility: [{ when: { 'weather@2': 'rain' }, value: -100 }], action: [{ do: { 'precipitation@1': network.nodes[seat.indexOf('precipitation@1')].states[0] }, cost: 5 }] }));
  const { decision } = query(folderOfRun, '--utility', file, ...given);
  const worths = await page.evaluate(() => [...document.querySelectorAll('#actions tbody tr')].map((row) => parseFloat(row.querySelector('.number').firstChild.textContent)));
  decision.actions.forEach(({ expected: worth }, k) => assert.ok(Math.abs(worth - worths[k]) < 0.006, `${worth} ${worths[k]}`));
  // The first step that is shown depends on one that is not.
  await seat.node('weather@-1').locator('.cl-name').click();
  await page.waitForSelector('#node :text("counted but not shown")');
  await keep(page, 'over-time-past');
  assert.deepEqual(await seat.close(), []);
});

test('steps of a network over time are folded into one node a column, with the lags on broken lines', async () => {
  const seat = await openPage(browser, weather.url);
  const { page, network } = seat;
  const columns = new Set(network.nodes.map(({ process, name }) => process ?? name)).size;
  await page.click('#fold');
  assert.equal(await page.locator('.cl-node:not(.folded)').count(), columns);
  // Who stands for a column is now; its bars are those of `query`.
  assert.equal(await seat.node('weather@0').isVisible(), true);
  assert.equal(await seat.node('weather@1').isVisible(), false);
  nearly(await seat.bars('weather@0'), query(folderOfRun, '--target', 'weather').posterior, 'folded');
  const arc = network.arcs.find(({ parent, child }) => network.nodes[parent].step === 0 && network.nodes[child].step === 1);
  const [from, to] = [arc.parent, network.nodes.findIndex(({ process, step }) => process === network.nodes[arc.child].process && step === 0)];
  assert.match(await page.locator(`.over-steps[data-process-from="${from}"][data-process-to="${to}"] title`).textContent(), /one step later/);
  await keep(page, 'over-time-folded');
  assert.deepEqual(await seat.close(), []);
});

for (const colorScheme of ['light', 'dark']) {
  test(`axe-core finds nothing over time: ${colorScheme}`, async () => {
    const seat = await openPage(browser, `${weather.url}#see:weather@0=rain&node=weather@2`, { colorScheme });
    await seat.page.waitForSelector('.course circle');
    assert.deepEqual(await violations(seat.page), []);
    await keep(seat.page, `over-time-${colorScheme}`);
    assert.deepEqual(await seat.close(), []);
  });
}
