// Arcs changed by hand, networks side by side, and rows to test with: what the page shows is held against what the program says.

import assert from 'node:assert/strict';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { endAll, explore, folder, nearly, openBrowser, openPage, query, run, shell } from './harness.mjs';

const axe = readFileSync(new URL('node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');
const HOSTILE = '<img src=x onerror=alert(1)>&"';
let browser;
let desk;
let [table, learned, server] = [];
before(async () => {
  browser = await openBrowser();
  desk = folder();
  [table, learned] = [join(desk.path, 'rows.csv'), join(desk.path, 'run')];
  run('sample', '@asia', '-n', '1500', '--seed', '3', '-o', table);
  // One column has a name that would be markup, if anything read it as such.
  const text = readFileSync(table, 'utf8');
  const names = text.slice(0, text.indexOf('\n')).split(',').map((name) => (name === 'bronc' ? `"${HOSTILE.replaceAll('"', '""')}"` : name));
  writeFileSync(table, `${names.join(',')}${text.slice(text.indexOf('\n'))}`);
  run('learn', table, '--run', learned, '--quiet');
  server = await explore(learned);
});
after(async () => {
  await browser?.close();
  assert.equal(await server?.stop(), 0);
  endAll();
  desk?.remove();
});

const arcsOf = (network) => new Set(network.arcs.map(({ parent, child }) => `${parent}>${child}`));
const outcome = (page) => page.waitForSelector('#edit-outcome', { timeout: 60000 });
const violations = (page) => page.evaluate(async () => (await window.axe.run(document, { resultTypes: ['violations'] })).violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`));

async function openArc(seat, parent, child) {
  await seat.page.keyboard.press('/');
  await seat.page.keyboard.type(child);
  await seat.page.keyboard.press('Enter');
  await seat.page.keyboard.press('e');
  await seat.page.locator('#node-arcs button', { hasText: `${parent} → ${child}` }).click();
}

test('an arc is turned: it learns again, says what changed and what it costs, and the command makes the same', async () => {
  const seat = await openPage(browser, server.url);
  const { page, network } = seat;
  const strong = [...network.arcs].filter(({ parent, child }) => ![parent, child].includes(seat.indexOf(HOSTILE))).sort((a, b) => b.learned.gain - a.learned.gain)[0];
  const [parent, child] = [network.nodes[strong.parent].name, network.nodes[strong.child].name];
  await openArc(seat, parent, child);
  assert.ok((await page.textContent('#arc .facts')).includes(strong.learned.gain.toFixed(1)));
  await page.click('#wish-remove');
  await outcome(page);
  assert.ok(new URL(page.url()).hash.includes(`remove:${parent}=${child}`), page.url());
  assert.match(await page.textContent('#arcs-lost'), new RegExp(`${parent} → ${child}`));
  assert.ok(await page.locator('.cl-arc.lost').count() >= 1);
  // The command learns exactly this network.
  const command = await page.textContent('#edit-command');
  assert.match(command, /^clausality learn .*--forbid/);
  const again = JSON.parse(shell(`cd ${desk.path} && ${command} --json --quiet`));
  const [here, there] = [arcsOf({ arcs: network.arcs.map((arc) => arc.learned) }), arcsOf(again)];
  const told = await page.evaluate(async () => (await fetch('/api/other')).json());
  const named = (arcs) => arcs.map((arc) => `${arc.parent}>${arc.child}`);
  for (const arc of named(told.added)) assert.ok(there.has(arc) && !here.has(arc), arc);
  for (const arc of named(told.lost)) assert.ok(here.has(arc) && !there.has(arc), arc);
  assert.equal(here.size + told.added.length - told.lost.length, there.size);
  const told2 = await page.evaluate(async () => (await fetch('/api/revision')).json());
  assert.ok(Math.abs(told2.score.after - again.score) < 1e-6, `${told2.score.after} ${again.score}`);
  assert.ok(told2.score.change < 0 && told2.held_out.change < 0);
  assert.ok((await page.textContent('#edit-outcome .costs')).includes(told2.score.after.toFixed(1)));
  // The other way round, by another wish on the same arc.
  await page.click('#wish-turn');
  await page.waitForFunction(() => document.querySelector('#arcs-turned') && document.querySelector('#edit-outcome'), null, { timeout: 60000 });
  assert.equal(await page.locator('#edit-list li').count(), 1);
  assert.match(await page.textContent('#edit-command'), new RegExp(`--require '${child}>${parent}'`));
  assert.ok(await page.locator('.difference.turned').count() >= 1);
  // Undo takes the last wish back, and undoing all leaves nothing behind.
  await page.keyboard.press('Control+z');
  await page.waitForSelector('#arcs-lost');
  await page.click('#no-edits');
  await page.waitForSelector('#edits', { state: 'hidden' });
  assert.equal(await page.locator('.lost, .difference').count(), 0);
  assert.deepEqual(await page.evaluate(async () => (await fetch('/api/revision')).json()), { state: 'none' });
  assert.deepEqual(await seat.close(), []);
});

test('a new arc is required by name, hostile or not, and learning is called off', async () => {
  const seat = await openPage(browser, server.url);
  const { page } = seat;
  await page.keyboard.press('/');
  await page.keyboard.type('asia');
  await page.keyboard.press('Enter');
  await page.keyboard.press('e');
  await page.click('#new-arc');
  await page.keyboard.type('<img');
  await page.keyboard.press('Enter');
  await outcome(page);
  assert.ok((await page.textContent('#edit-list')).includes(`asia → ${HOSTILE}`));
  assert.ok((await page.textContent('#arcs-added')).includes(`asia → ${HOSTILE}`));
  assert.ok(await page.locator('.difference.added').count() >= 1);
  // What cannot be is said in words, and nothing is lost.
  await page.goto(`${new URL(page.url()).origin}/#require:asia=smoke&require:smoke=lung&require:lung=asia`);
  await page.reload();
  await page.waitForSelector('#edits .trouble', { timeout: 60000 });
  assert.match(await page.textContent('#edits .trouble'), /circle|cycle/i);
  // Called off while the answer to how far it is waits.
  await page.route('**/api/revision', async (route) => {
    const response = await route.fetch();
    const told = await response.json();
    return route.fulfill({ response, json: told.state === 'done' || told.state === 'failed' ? { state: 'running', doing: 'learning', done: 1, of: 2, seconds: 1 } : told });
  });
  await page.click('#no-edits');
  await openArc(seat, seat.network.nodes[seat.network.arcs[0].parent].name, seat.network.nodes[seat.network.arcs[0].child].name);
  await page.click('#wish-require');
  await page.click('#cancel-learning');
  await page.waitForSelector('#learn-again');
  assert.match(await page.textContent('#edits'), /Called off/);
  await page.unroute('**/api/revision');
  assert.deepEqual(await page.evaluate(async () => (await fetch('/api/revision')).json()), { state: 'none' });
  assert.deepEqual(await seat.close(), []);
});

test('nodes are moved by hand and keep their places', async () => {
  const seat = await openPage(browser, server.url);
  const { page } = seat;
  const place = () => seat.node('smoke').getAttribute('transform');
  const first = await place();
  const box = await seat.node('smoke').locator('.cl-name').boundingBox();
  const lines = () => page.evaluate((node) => [...document.querySelectorAll(`.cl-arc[data-parent="${node}"]`)].map((path) => path.getAttribute('d')), seat.indexOf('smoke'));
  const before = await lines();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + 90, box.y + 60, { steps: 4 });
  await page.mouse.up();
  const dragged = await place();
  assert.notEqual(dragged, first);
  assert.notDeepEqual(await lines(), before);
  assert.ok(new URL(page.url()).hash.includes('at:smoke='));
  // By keyboard, too; undo goes back.
  await seat.node('smoke').focus();
  await page.keyboard.press('Shift+ArrowRight');
  assert.notEqual(await place(), dragged);
  await page.keyboard.press('Control+z');
  await page.waitForFunction(([node, text]) => document.querySelector(`.cl-node[data-node="${node}"]`).getAttribute('transform') === text, [seat.indexOf('smoke'), dragged]);
  // A page that knows no address finds them again.
  await page.goto(new URL(page.url()).origin);
  await page.waitForSelector('html.ready');
  assert.equal(await place(), dragged);
  await page.click('#unmove');
  assert.equal(await place(), first);
  assert.deepEqual(await lines(), before);
  assert.deepEqual(await seat.close(), []);
});

test('a run keeps places and scenarios in its folder: whoever opens it finds them, from any address', async () => {
  const copy = join(desk.path, 'kept-run');
  cpSync(join(desk.path, 'run'), copy, { recursive: true });
  const first = await explore(copy);
  const seat = await openPage(browser, first.url);
  await seat.node('smoke').focus();
  await seat.page.keyboard.press('Shift+ArrowRight');
  const place = await seat.node('smoke').getAttribute('transform');
  await seat.after(() => seat.state('smoke', 'yes').click());
  await seat.page.fill('#scenario-name', '<b>__proto__</b>');
  await seat.page.click('#keep-scenario');
  await seat.page.waitForSelector('#said:has-text("Kept: <b>__proto__</b>")');
  assert.deepEqual(await seat.close(), []);
  assert.equal(await first.stop(), 0);
  // Another start has another port, and a context of its own knows nothing: only the folder does.
  const again = await explore(copy);
  assert.notEqual(new URL(again.url).port, new URL(first.url).port);
  const other = await openPage(browser, again.url);
  assert.equal(await other.node('smoke').getAttribute('transform'), place);
  assert.deepEqual(await other.page.locator('#scenarios .kept .name').allTextContents(), ['<b>__proto__</b>']);
  await other.after(() => other.page.click('#scenarios .kept .name'));
  nearly(await other.bars('lung'), query(copy, '--target', 'lung', '--given', 'smoke=yes').posterior, 'taken up');
  // The run is as whole as it was.
  query(copy, '--target', 'lung');
  await other.page.click('#unmove');
  assert.deepEqual(await other.close(), []);
  assert.equal(await again.stop(), 0);
  const kept = JSON.parse(readFileSync(join(copy, 'explorer.json'), 'utf8'));
  assert.deepEqual([kept.format, kept.places, kept.scenarios], ['clausality-explorer/1', {}, [{ name: '<b>__proto__</b>', text: 'see:smoke=yes' }]]);
});

test('another network beside this one: arcs and answers that differ', async () => {
  const true_one = join(desk.path, 'truth.bif');
  run('convert', '@asia', '-o', true_one);
  const beside = await explore(learned, '--against', true_one);
  const seat = await openPage(browser, beside.url);
  const { page, network } = seat;
  await page.waitForSelector('#contrast');
  assert.equal(await page.textContent('#other-name'), true_one);
  run('convert', '@asia', '-o', join(desk.path, 'truth.csv'));
  const truth = new Set(readFileSync(join(desk.path, 'truth.csv'), 'utf8').trim().split('\n').slice(1).map((line) => line.split(',').slice(0, 2).join('>')));
  const here = arcsOf({ arcs: network.arcs.map((arc) => arc.learned) });
  const back = (arc) => arc.split('>').reverse().join('>');
  const shown = (kind) => page.evaluate((id) => [...document.querySelectorAll(`#arcs-${id} li`)].map((line) => line.textContent.replace(' → ', '>')), kind);
  const only = (these, those) => [...these].filter((arc) => !those.has(arc) && !those.has(back(arc))).sort();
  assert.deepEqual((await shown('added')).sort(), only(truth, here));
  assert.deepEqual((await shown('lost')).sort(), only(here, truth));
  assert.deepEqual((await shown('turned')).sort(), [...truth].filter((arc) => here.has(back(arc))).sort());
  await seat.after(() => seat.state('smoke', 'yes').click());
  await page.waitForSelector('#differ');
  // Every figure is the program's own.
  const rows = await page.evaluate(() => [...document.querySelectorAll('#differ tr')].map((row) => [row.querySelector('button').textContent, parseFloat(row.querySelector('.number').textContent)]));
  for (const [name, far] of rows.slice(0, 4)) {
    const [one, two] = [learned, true_one].map((model) => query(model, '--target', name, '--given', 'smoke=yes').posterior);
    const expected = 50 * Object.keys({ ...one, ...two }).reduce((sum, state) => sum + Math.abs((one[state] ?? 0) - (two[state] ?? 0)), 0);
    assert.ok(Math.abs(far - expected) < 0.06, `${name}: ${far}, expected ${expected}`);
  }
  assert.match(await page.textContent('#contrast'), /1 node not there/);
  // What the other does not know cannot be asked of it.
  await seat.after(() => seat.state(HOSTILE, 'yes').click());
  await page.waitForSelector('#contrast .trouble');
  assert.ok((await page.textContent('#contrast .trouble')).includes('has no node'));
  assert.deepEqual(await seat.close(), []);
  assert.equal(await beside.stop(), 0);
});

test('the rows test the network: figures are those of predict and score, and a click makes a row evidence', async () => {
  const seat = await openPage(browser, server.url);
  const { page } = seat;
  await page.selectOption('#target-choice', { label: 'dysp' });
  await page.click('#test-rows');
  await page.waitForSelector('#confusion');
  const predicted = JSON.parse(run('predict', learned, table, '--target', 'dysp', '--json', '--quiet'));
  const said = await page.textContent('#exam-figure');
  assert.ok(said.includes(`log-loss ${predicted.evaluation.log_loss.toFixed(4)}`), said);
  assert.ok(said.includes(`${Math.round(predicted.evaluation.accuracy * 1000) / 10}%`), said);
  const scored = JSON.parse(run('score', learned, table, '--json', '--quiet'));
  const first = scored.surprising[0];
  const line = page.locator('#surprising li').first();
  assert.ok((await line.textContent()).startsWith(`Row ${first.row.toLocaleString('en')}`), await line.textContent());
  await seat.after(() => line.locator('button').click());
  assert.equal(await page.inputValue('#row'), String(first.row));
  assert.equal(await page.locator('.findings li').count(), seat.network.nodes.length);
  // A cell of the confusion table leads to a row, with the target left out and predicted.
  const wrong = page.locator('#confusion tbody tr').first().locator('td').nth(1).locator('button');
  await seat.after(() => wrong.click());
  assert.match(await page.textContent('#rows .figure'), /dysp: predicted no .* the row says yes/);
  // Pasted rows are tested, too.
  await page.click('#rows summary');
  await page.fill('#pasted', 'smoke,dysp\nyes,yes\nno,no\n');
  await seat.after(() => page.click('#use-rows'));
  await page.click('#test-rows');
  await page.waitForFunction(() => document.querySelector('#exam')?.textContent.includes('2 rows of pasted rows'));
  assert.deepEqual(await seat.close(), []);
});

test('a finger comes closer first: the line of a state that it sets has 24 pixels and more', async () => {
  const seat = await openPage(browser, server.url, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  const { page } = seat;
  const tap = async () => {
    const box = await seat.state('smoke', 'yes').locator('.hit').boundingBox();
    await page.touchscreen.tap(box.x + box.width / 2, box.y + box.height / 2);
    return box.height;
  };
  assert.ok(await tap() < 24);
  assert.equal(await page.locator('.findings li').count(), 0);
  let height;
  await seat.after(async () => (height = await tap()));
  assert.ok(height >= 24, String(height));
  assert.equal(await page.locator('.findings li').count(), 1);
  assert.deepEqual(await seat.close(), []);
});

test('a highlight that lies outside comes into view', async () => {
  const seat = await openPage(browser, server.url);
  const { page } = seat;
  await page.keyboard.press('/');
  await page.keyboard.type('dysp');
  await page.keyboard.press('Enter');
  for (let k = 0; k < 9; k += 1) await page.keyboard.press('+');
  await page.keyboard.press('a');
  const frame = await page.locator('#canvas').boundingBox();
  for (const box of await Promise.all((await page.locator('.cl-node.lit .cl-shape').all()).map((node) => node.boundingBox()))) {
    assert.ok(box.x >= frame.x - 1 && box.y >= frame.y - 1 && box.x + box.width <= frame.x + frame.width + 1 && box.y + box.height <= frame.y + frame.height + 1, JSON.stringify(box));
  }
  assert.deepEqual(await seat.close(), []);
});

for (const colorScheme of ['light', 'dark']) {
  test(`axe finds nothing, ${colorScheme}, with an arc changed and rows tested`, async () => {
    const seat = await openPage(browser, server.url, { colorScheme });
    const { page, network } = seat;
    await page.evaluate(axe);
    const { parent, child } = network.arcs[0];
    const { origin } = new URL(page.url());
    // Opened anew: whoever only writes another fragment and reloads at once may do so before the browser has taken it.
    await page.goto('about:blank');
    await page.goto(`${origin}/#target=dysp&remove:${encodeURIComponent(network.nodes[parent].name)}=${encodeURIComponent(network.nodes[child].name)}`);
    await page.waitForSelector('html.ready');
    await outcome(page);
    await page.click('#arcs-lost button');
    await page.click('#test-rows');
    await page.waitForSelector('#confusion');
    await page.evaluate(axe);
    assert.deepEqual(await violations(page), []);
    if (process.env.CLAUSALITY_SHOTS) {
      await page.screenshot({ path: join(process.env.CLAUSALITY_SHOTS, `edit-${colorScheme}.png`) });
      await page.setViewportSize({ width: 390, height: 844 });
      await page.waitForTimeout(300);
      await page.screenshot({ path: join(process.env.CLAUSALITY_SHOTS, `edit-${colorScheme}-phone.png`) });
    }
    assert.deepEqual(await seat.close(), []);
  });
}

test('a large network: only what is in view is drawn, names are read from far away, a map goes anywhere, a neighbourhood stands alone', async () => {
  const large = await explore('@diabetes');
  const seat = await openPage(browser, large.url);
  const { page, network } = seat;
  const drawn = () => page.evaluate(() => [...document.querySelectorAll('.cl-node')].filter((node) => getComputedStyle(node).display !== 'none').length);
  await page.waitForFunction(() => document.querySelectorAll('.cl-node.away').length > 0);
  assert.ok(await drawn() < network.nodes.length / 2);
  const view = () => page.locator('#canvas svg').first().getAttribute('viewBox');
  const before = await view();
  const map = await page.locator('#minimap').boundingBox();
  await page.mouse.click(map.x + map.width / 2, map.y + map.height / 2);
  assert.notEqual(await view(), before);
  // From far away: names of a size that can be read, none over another.
  await page.keyboard.press('0');
  await page.waitForSelector('.cl-node.named');
  const names = await page.evaluate(() => [...document.querySelectorAll('.cl-node.named .cl-name')].map((name) => name.getBoundingClientRect()).map(({ left, top, right, bottom }) => ({ left, top, right, bottom })));
  assert.ok(names.length > 5 && names.every(({ top, bottom }) => bottom - top >= 11), JSON.stringify(names.slice(0, 3)));
  for (const [k, a] of names.entries()) for (const b of names.slice(k + 1)) assert.ok(a.right <= b.left + 2 || b.right <= a.left + 2 || a.bottom <= b.top + 4 || b.bottom <= a.top + 4);
  // A highlight on its own.
  await page.keyboard.press('/');
  await page.keyboard.type('cho_12');
  await page.keyboard.press('Enter');
  await page.keyboard.press('b');
  await page.click('#only');
  const lit = await page.locator('.cl-node.lit').count();
  await page.waitForFunction((count) => [...document.querySelectorAll('.cl-node')].filter((node) => getComputedStyle(node).display !== 'none').length === count, lit);
  if (process.env.CLAUSALITY_SHOTS) await page.screenshot({ path: join(process.env.CLAUSALITY_SHOTS, 'only.png') });
  await page.click('#unlight');
  assert.ok(await drawn() > lit);
  if (process.env.CLAUSALITY_SHOTS) {
    await page.keyboard.press('0');
    await page.waitForTimeout(500);
    await page.screenshot({ path: join(process.env.CLAUSALITY_SHOTS, 'far.png') });
  }
  assert.deepEqual(await seat.close(), []);
  assert.equal(await large.stop(), 0);
});
