// The page as people use it, in a real browser; every figure is held against `clausality query`.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { endAll, explore, folder, nearly, openBrowser, openPage, query, run, shell } from './harness.mjs';

let browser;
let alarm;
let desk;
before(async () => {
  browser = await openBrowser();
  desk = folder();
  alarm = await explore('@alarm');
});
after(async () => {
  await browser?.close();
  assert.equal(await alarm?.stop(), 0, 'Ctrl-C ends the explorer in good order');
  endAll();
  desk?.remove();
});

test('a click is evidence, and every bar moves to the posterior', async () => {
  const seat = await openPage(browser, alarm.url);
  const { page } = seat;
  assert.equal(new URL(page.url()).search, '', 'the token is gone from the address');
  nearly(await seat.bars('CATECHOL'), query('@alarm', '--target', 'CATECHOL').posterior);
  await seat.after(() => seat.state('HR', 'LOW').click());
  await seat.after(() => seat.state('CVP', 'HIGH').click());
  for (const target of ['CATECHOL', 'LVEDVOLUME', 'BP']) {
    nearly(await seat.bars(target), query('@alarm', '--target', target, '--given', 'HR=LOW,CVP=HIGH').posterior, target);
  }
  const expected = query('@alarm', '--target', 'BP', '--given', 'HR=LOW,CVP=HIGH').evidence_probability;
  assert.ok(Math.abs(Number(await page.textContent('#probability')) - expected) < 1e-4);
  await seat.after(() => seat.state('HR', 'LOW').click());
  nearly(await seat.bars('CATECHOL'), query('@alarm', '--target', 'CATECHOL', '--given', 'CVP=HIGH').posterior, 'taken back');
  assert.deepEqual(await seat.close(), []);
});

test('observe and do differ, and the ghost shows by how much', async () => {
  const seat = await openPage(browser, alarm.url);
  const { page } = seat;
  await seat.after(() => seat.state('CVP', 'LOW').click());
  nearly(await seat.bars('HYPOVOLEMIA'), query('@alarm', '--target', 'HYPOVOLEMIA', '--given', 'CVP=LOW').posterior);
  await seat.after(() => page.click('.findings .kind'));
  nearly(await seat.bars('HYPOVOLEMIA'), query('@alarm', '--target', 'HYPOVOLEMIA', '--do', 'CVP=LOW').posterior);
  const ghost = seat.node('HYPOVOLEMIA').locator('.cl-state[data-state="0"] .ghost');
  const [x, start, full] = await ghost.evaluate((mark) => {
    const bar = mark.previousElementSibling;
    return [mark.getAttribute('x'), bar.getAttribute('x'), bar.dataset.full].map(Number);
  });
  nearly({ TRUE: (x + 1.2 - start) / full }, { TRUE: query('@alarm', '--target', 'HYPOVOLEMIA', '--given', 'CVP=LOW').posterior.TRUE }, 'ghost');
  assert.ok(await page.locator('.cl-arc.cut').count(), 'the arcs into it are cut');
  // The mode for clicks to come.
  await page.click('#do');
  await seat.after(() => seat.state('HR', 'HIGH').click());
  nearly(await seat.bars('CO'), query('@alarm', '--target', 'CO', '--do', 'CVP=LOW,HR=HIGH').posterior);
  assert.deepEqual(await seat.close(), []);
});

// Milliseconds from a click to moved bars, and beside it what the browser takes here and now for something of that kind: a file from the server, a copy of
// the drawing, a new width for every bar.
const clicks = (seat) => seat.page.evaluate(async () => {
  const bar = document.querySelector('.cl-node[data-node="1"] .cl-bar');
  const rows = [...document.querySelectorAll('.cl-node[data-node="4"] .cl-state')];
  const [moves, likes] = [[], []];
  const pause = () => new Promise((done) => setTimeout(done, 20));
  for (let k = 0; k < 21; k += 1) {
    let started = performance.now();
    const sheet = await (await fetch('/app.css')).text();
    const copy = bar.ownerSVGElement.cloneNode(true);
    for (const mark of copy.querySelectorAll('.cl-bar')) mark.setAttribute('width', sheet.length);
    likes.push(performance.now() - started);
    await pause();
    started = performance.now();
    const moved = new Promise((done) => new MutationObserver((_, watch) => (watch.disconnect(), done())).observe(bar, { attributeFilter: ['width'] }));
    rows[k % rows.length].dispatchEvent(new MouseEvent('click', { bubbles: true }));
    await moved;
    moves.push(performance.now() - started);
    await pause();
  }
  const median = (times) => times.sort((a, b) => a - b)[10];
  return { move: median(moves), like: median(likes) };
});

test('from a click to moved bars within 50 ms', async () => {
  const seat = await openPage(browser, alarm.url);
  // On a machine with other work to do a round may tell more of that than of the page. Where 50 ms were promised, something of that kind takes 16 ms: a
  // slower machine has longer in proportion.
  const limit = ({ like }) => Math.max(50, like * (50 / 16));
  const rounds = [];
  while (rounds.length < 15 && !rounds.some((round) => round.move <= limit(round))) {
    if (rounds.length > 2) await new Promise((done) => setTimeout(done, 1000));
    rounds.push(await clicks(seat));
  }
  const said = rounds.map((round) => `${round.move.toFixed(1)} of ${limit(round).toFixed(1)}`).join(', ');
  console.log(`from a click to moved bars, medians of 21: ${said} ms`);
  assert.ok(rounds.some((round) => round.move <= limit(round)), said);
  assert.deepEqual(await seat.close(), []);
});

test('search, the panel and highlights', async () => {
  const seat = await openPage(browser, alarm.url);
  const { page } = seat;
  await page.keyboard.press('/');
  await page.keyboard.type('strokev');
  await page.keyboard.press('Enter');
  await page.waitForSelector('#node .cpt');
  assert.equal(await page.textContent('#node h2'), 'STROKEVOLUME');
  assert.equal(await page.locator('#node .cpt tbody tr').count(), 4);
  assert.equal(await page.locator('#node .cpt tbody tr:first-child .p').first().textContent(), '98%');
  // A state, too: with its node, and in the drawing where Enter sets it.
  await page.keyboard.press('/');
  await page.keyboard.type('esopha');
  assert.deepEqual(await page.locator('#found li').allTextContents(), ['INTUBATION = ESOPHAGEAL']);
  await page.keyboard.press('Enter');
  assert.equal(await page.textContent('#node h2'), 'INTUBATION');
  assert.match(await page.evaluate(() => document.activeElement.getAttribute('aria-label')), /^INTUBATION = ESOPHAGEAL/);
  await page.keyboard.press('/');
  await page.keyboard.type('strokev');
  await page.keyboard.press('Enter');
  await page.click('#light-blanket');
  const lit = async () => (await page.locator('.cl-node.lit > title').allTextContents()).map((text) => text.split('\n')[0]).sort();
  assert.deepEqual(await lit(), ['CO', 'HR', 'HYPOVOLEMIA', 'LVFAILURE', 'STROKEVOLUME']);
  await page.keyboard.press('s');
  assert.deepEqual(await lit(), ['BP', 'CO', 'STROKEVOLUME']);
  await page.keyboard.press('a');
  assert.deepEqual(await lit(), ['HYPOVOLEMIA', 'LVFAILURE', 'STROKEVOLUME']);
  await page.keyboard.press('p');
  await page.keyboard.type('HISTORY');
  await page.keyboard.press('Enter');
  assert.equal(await page.textContent('#lit span'), 'STROKEVOLUME ← LVFAILURE → HISTORY');
  await page.keyboard.press('Escape');
  assert.deepEqual(await lit(), []);
  await page.keyboard.press('Escape');
  assert.ok(await page.isHidden('#node'));
  await page.fill('#threshold', '50');
  assert.equal(await page.locator('.cl-arc.weak').count(), 23);
  assert.deepEqual(await seat.close(), []);
});

test('the most probable explanation', async () => {
  const seat = await openPage(browser, alarm.url);
  const { page, network } = seat;
  await seat.after(() => seat.state('HR', 'LOW').click());
  await page.click('#explain');
  await page.waitForSelector('#best');
  const expected = query('@alarm', '--mpe', '--given', 'HR=LOW');
  for (const { name, states } of network.nodes) {
    const marked = await seat.node(name).locator('.cl-state.best').getAttribute('data-state');
    assert.equal(states[Number(marked)], expected.most_probable[name], name);
  }
  assert.ok(Math.abs(Number(await page.textContent('#best')) - expected.probability) < 1e-3);
  assert.deepEqual(await seat.close(), []);
});

test('what cannot happen is said, and the page goes on', async () => {
  const asia = await explore('@asia');
  const seat = await openPage(browser, asia.url);
  const { page } = seat;
  // What has no part in it is not named.
  await seat.after(() => seat.state('dysp', 'yes').click());
  await seat.after(() => seat.state('lung', 'yes').click());
  await seat.after(() => seat.state('either', 'no').click());
  assert.match(await page.textContent('#known .trouble'), /^(either = no and lung = yes|lung = yes and either = no) cannot happen together/);
  // No figures stand there as if they were an answer.
  assert.ok(await page.locator('#canvas .cl-share').first().isHidden());
  await seat.after(() => page.click('#clear'));
  assert.ok(await page.locator('#canvas .cl-share').first().isVisible());
  assert.ok(await page.isHidden('#known .trouble'));
  nearly(await seat.bars('lung'), query('@asia', '--target', 'lung').posterior);
  assert.deepEqual(await seat.close(), []);
  assert.equal(await asia.stop(), 0);
});

test('the keyboard alone', async () => {
  const seat = await openPage(browser, alarm.url);
  const { page } = seat;
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.id);
  for (let k = 0; k < 12 && !(await page.evaluate(() => document.activeElement?.matches('.cl-node'))); k += 1) await page.keyboard.press('Tab');
  assert.ok(await page.evaluate(() => document.activeElement?.matches('.cl-node')), 'Tab leads into the drawing');
  const start = await focused();
  await page.keyboard.press('ArrowDown');
  assert.notEqual(await focused(), start, 'arrows go from node to node');
  await page.keyboard.press('/');
  await page.keyboard.type('HR');
  await page.keyboard.press('Enter');
  assert.match(await focused(), /^HR: /);
  await page.keyboard.press('Enter');
  assert.match(await focused(), /^HR = LOW, /);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await seat.after(() => page.keyboard.press('Enter'));
  nearly(await seat.bars('CATECHOL'), query('@alarm', '--target', 'CATECHOL', '--given', 'HR=HIGH').posterior);
  await seat.after(() => page.keyboard.press('d'));
  nearly(await seat.bars('CATECHOL'), query('@alarm', '--target', 'CATECHOL', '--do', 'HR=HIGH').posterior);
  await page.keyboard.press('Escape');
  assert.match(await focused(), /^HR: /);
  await seat.after(() => page.keyboard.press('Delete'));
  nearly(await seat.bars('HR'), query('@alarm', '--target', 'HR').posterior);
  await page.keyboard.press('?');
  assert.ok(await page.isVisible('#keys'));
  await page.keyboard.press('Escape');
  assert.ok(await page.isHidden('#keys'));
  const box = () => page.locator('#canvas svg').getAttribute('viewBox');
  const before = await box();
  await page.keyboard.press('+');
  assert.notEqual(await box(), before);
  assert.deepEqual(await seat.close(), []);
});

test('pan, zoom and fit by pointer', async () => {
  const seat = await openPage(browser, alarm.url);
  const { page } = seat;
  const box = async () => (await page.locator('#canvas svg').getAttribute('viewBox')).split(' ').map(Number);
  const whole = await box();
  await page.mouse.move(400, 400);
  await page.mouse.wheel(0, -400);
  const near = await box();
  assert.ok(near[2] < whole[2]);
  // Beside the nodes: dragged by its name, a node moves.
  const free = await page.evaluate(() => {
    const spots = Array.from({ length: 400 }, (_, k) => ({ x: 300 + 20 * (k % 20), y: 300 + 20 * Math.floor(k / 20) }));
    return spots.find(({ x, y }) => !document.elementFromPoint(x, y)?.closest('.cl-node, [data-parent]'));
  });
  await page.mouse.move(free.x, free.y);
  await page.mouse.down();
  await page.mouse.move(free.x + 60, free.y + 30, { steps: 4 });
  await page.mouse.up();
  const moved = await box();
  assert.ok(moved[0] < near[0] && moved[1] < near[1] && Math.abs(moved[2] - near[2]) < 1e-6);
  assert.equal(await page.locator('.findings li').count(), 0, 'a drag is no click');
  await page.click('#fit');
  assert.deepEqual(await box(), whole);
  assert.deepEqual(await seat.close(), []);
});

// A drawing whose figures would be lost by fitting it opens where they can be read, with nodes in sight.
for (const [model, width, height] of [['@alarm', 1280, 800], ['@alarm', 390, 844], ['@diabetes', 1280, 800], ['@diabetes', 390, 844], ['@asia', 390, 844]]) {
  test(`the first view of ${model} at ${width} by ${height} can be read`, async () => {
    const server = model === '@alarm' ? alarm : await explore(model);
    const { page, close } = await openPage(browser, server.url, { viewport: { width, height } });
    const { scale, inside } = await page.evaluate(() => {
      const canvas = document.getElementById('canvas').getBoundingClientRect();
      const seen = (frame) => frame.left >= canvas.left && frame.right <= canvas.right && frame.top >= canvas.top && frame.bottom <= canvas.bottom;
      const frames = [...document.querySelectorAll('.cl-shape')].map((shape) => shape.getBoundingClientRect());
      return { scale: canvas.width / document.querySelector('#canvas svg').viewBox.baseVal.width, inside: frames.filter(seen).length };
    });
    assert.ok(scale >= 0.65 && inside >= 2, `scale ${scale}, ${inside} nodes in sight`);
    assert.ok(await page.locator('.cl-share').first().evaluate((share) => getComputedStyle(share).display !== 'none'));
    assert.deepEqual(await close(), []);
    if (server !== alarm) assert.equal(await server.stop(), 0);
  });
}

test('a state that cannot be read is not set by a click', async () => {
  const seat = await openPage(browser, alarm.url, { viewport: { width: 1280, height: 800 } });
  const { page } = seat;
  const scale = () => page.evaluate(() => document.getElementById('canvas').clientWidth / document.querySelector('#canvas svg').viewBox.baseVal.width);
  await page.keyboard.press('0');
  assert.ok(await scale() < 0.42, 'the whole of it');
  await seat.state('HR', 'HIGH').locator('.cl-bar').click();
  await page.waitForSelector('#node .cpt');
  assert.equal(await page.textContent('#node h2'), 'HR');
  assert.equal(await page.locator('.findings li').count(), 0, 'it opens the node');
  assert.ok(await scale() >= 0.75, 'and comes closer');
  await seat.after(() => seat.state('HR', 'HIGH').click());
  nearly(await seat.bars('CATECHOL'), query('@alarm', '--target', 'CATECHOL', '--given', 'HR=HIGH').posterior);
  await page.keyboard.press('0');
  await page.keyboard.press('Enter');
  assert.ok(await scale() >= 0.75, 'the same by the keyboard');
  assert.deepEqual(await seat.close(), []);
});

test('the command asks what the page shows', async () => {
  const seat = await openPage(browser, alarm.url);
  const { page } = seat;
  await seat.after(() => seat.state('HR', 'HIGH').click());
  await page.click('#do');
  await seat.after(() => seat.state('CVP', 'LOW').click());
  await page.keyboard.press('/');
  await page.keyboard.type('BP');
  await page.keyboard.press('Enter');
  await page.click('#copy');
  assert.equal(await page.textContent('#said:visible'), 'Copied.');
  const line = await page.evaluate(() => navigator.clipboard.readText());
  assert.equal(line, await page.textContent('#command'));
  nearly(await seat.bars('BP'), JSON.parse(shell(`${line} --json`)).posterior);
  assert.deepEqual(await seat.close(), []);
});

test('downloads: SVG, PNG, BIF', async () => {
  const seat = await openPage(browser, alarm.url);
  const { page } = seat;
  await seat.after(() => seat.state('HR', 'HIGH').click());
  const save = async (kind) => {
    await page.click('#downloads summary');
    const [download] = await Promise.all([page.waitForEvent('download'), page.click(`#save-${kind}`)]);
    assert.equal(download.suggestedFilename(), `alarm.${kind}`);
    const path = join(desk.path, `alarm.${kind}`);
    await download.saveAs(path);
    return path;
  };
  const svg = readFileSync(await save('svg'), 'utf8');
  assert.ok(svg.startsWith('<svg') && svg.includes('<style>') && svg.includes('HYPOVOLEMIA') && !svg.includes('tabindex'));
  const png = readFileSync(await save('png'));
  assert.equal(png.subarray(1, 4).toString(), 'PNG');
  assert.ok(png.readUInt32BE(16) > 1000 && png.length > 50_000, 'a picture with something in it');
  assert.match(run('check', await save('bif')), /nodes +37 /);
  assert.deepEqual(await seat.close(), []);
});

test('rows: of a table, pasted, and from a file', async () => {
  const table = join(desk.path, 'rows.csv');
  run('sample', '@asia', '-n', '40', '--seed', '3', '-o', table);
  const rows = readFileSync(table, 'utf8').trim().split('\n').map((line) => line.split(','));
  const asia = await explore('@asia', '--table', table);
  const seat = await openPage(browser, asia.url);
  const { page } = seat;
  const given = (row) => rows[0].map((name, k) => `${name}=${row[k]}`).filter((pair) => !pair.startsWith('dysp=')).join(',');
  await page.selectOption('#left-out', { label: 'dysp' });
  await page.fill('#row', '7');
  await seat.after(() => page.locator('#row').press('Enter'));
  nearly(await seat.bars('dysp'), query('@asia', '--target', 'dysp', '--given', given(rows[7])).posterior, 'row 7');
  assert.match(await page.textContent('#rows [role=status]'), /dysp: predicted (yes|no)/);
  await seat.after(() => page.click('#next-row'));
  nearly(await seat.bars('dysp'), query('@asia', '--target', 'dysp', '--given', given(rows[8])).posterior, 'row 8');
  for (const number of ['41', '0', '-3', '2.5']) {
    await page.fill('#row', number);
    await page.locator('#row').press('Enter');
    assert.match(await page.textContent('#rows .trouble'), new RegExp(`no row ${number} .*1 to 40`), number);
    assert.equal(await page.inputValue('#row'), '8', 'it stays where it was');
  }
  await page.click('#rows summary');
  await page.fill('#pasted', 'smoke,xray\nyes,no\n');
  await seat.after(() => page.click('#use-rows'));
  nearly(await seat.bars('lung'), query('@asia', '--target', 'lung', '--given', 'smoke=yes,xray=no').posterior, 'pasted');
  await seat.after(() => page.setInputFiles('#row-file', { name: 'my rows.csv', mimeType: 'text/csv', buffer: Buffer.from('xray;asia\nyes;yes\nno;no\n') }));
  nearly(await seat.bars('lung'), query('@asia', '--target', 'lung', '--given', 'xray=yes,asia=yes').posterior, 'file');
  await page.fill('#pasted', 'nonsense');
  await page.click('#use-rows');
  await page.waitForSelector('#rows .trouble:not([hidden])');
  assert.deepEqual(await seat.close(), []);
  assert.equal(await asia.stop(), 0);
});

test('a run: rules, strengths and its own rows', async () => {
  const folder = join(desk.path, 'run');
  const table = join(desk.path, 'asia.csv');
  run('sample', '@asia', '-n', '400', '--seed', '5', '-o', table);
  run('learn', table, '--run', folder, '--rounds', '1', '--quiet');
  const server = await explore(folder);
  const seat = await openPage(browser, server.url);
  const { page } = seat;
  await page.keyboard.press('/');
  await page.keyboard.type('either');
  await page.keyboard.press('Enter');
  await page.waitForSelector('#node .rules li');
  assert.match(await page.textContent('#node .rules li'), /^either = (yes|no) when .*right in/);
  assert.match(await page.textContent('#node .verdict'), /^too few rows to be sure: .*% right on rows held out, guessing reaches 50%/);
  assert.ok(await page.locator('#node .strengths tr').count());
  assert.match(await page.textContent('.picker'), /of 400 in/);
  assert.deepEqual(await seat.close(), []);
  assert.equal(await server.stop(), 0);
});

test('nothing stands on the drawing: the buttons have a line of their own, wide and narrow', async () => {
  for (const viewport of [{ width: 1600, height: 1000 }, { width: 390, height: 844 }]) {
    const seat = await openPage(browser, alarm.url, { viewport });
    const boxes = await seat.page.evaluate(() => ['canvas', 'controls'].map((id) => document.getElementById(id).getBoundingClientRect().toJSON()));
    const [canvas, controls] = boxes;
    assert.ok(canvas.height > 200 && controls.height > 24 && controls.top >= canvas.bottom - 0.5, JSON.stringify(boxes));
    assert.deepEqual(await seat.close(), []);
  }
});

test('390 pixels wide, by touch', async () => {
  const seat = await openPage(browser, alarm.url, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  const { page } = seat;
  const fits = () => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);
  assert.ok(await fits());
  await page.tap('#search');
  await page.keyboard.type('CVP');
  await page.tap('#found li');
  await page.waitForSelector('#node .cpt');
  assert.ok(await fits());
  assert.ok(await page.locator('#node h2').evaluate((title) => title.getBoundingClientRect().top < innerHeight - 40), 'the node is in sight');
  await seat.after(() => seat.state('CVP', 'HIGH').tap());
  nearly(await seat.bars('LVEDVOLUME'), query('@alarm', '--target', 'LVEDVOLUME', '--given', 'CVP=HIGH').posterior);
  await seat.after(() => page.tap('#node .states button:first-child'));
  nearly(await seat.bars('LVEDVOLUME'), query('@alarm', '--target', 'LVEDVOLUME', '--given', 'CVP=LOW').posterior);
  assert.ok(await fits());
  assert.deepEqual(await seat.close(), []);
});

test('hostile names are text and nothing else', async () => {
  const names = ['<img src=x onerror=alert(1)>', '__proto__', '</script><script>alert(1)</script>', `a"b'c $(touch gone) \`x\`, d=e`, '-x'];
  const states = ['<b onclick=alert(1)>', 'constructor'];
  const node = (name, k) => ({ name, states, parents: k ? [names[k - 1]] : [], rows: k ? [[0.9, 0.1], [0.3, 0.7]] : [[0.25, 0.75]] });
  const file = join(desk.path, 'hostile <i>name.json');
  writeFileSync(file, JSON.stringify({ format: 'clausality-network/1', name: '<svg onload=alert(1)>', nodes: names.map(node) }));
  const server = await explore(file);
  const seat = await openPage(browser, server.url);
  const { page } = seat;
  assert.equal(await page.textContent('#name'), '<svg onload=alert(1)>');
  for (const [k, name] of names.entries()) {
    await page.keyboard.press('/');
    await page.keyboard.type(name);
    await page.keyboard.press('Enter');
    await page.waitForSelector('#node .cpt');
    assert.equal(await page.textContent('#node h2'), name);
    await seat.after(() => page.locator('#node .states button').nth(k % 2).click());
  }
  await seat.after(() => seat.node(names[3]).locator('.cl-state').nth(1).click());
  await page.click('#light-blanket');
  // The target's section, the scenarios and the address know the names, too.
  await page.selectOption('#target-choice', { label: names[1] });
  await seat.after(() => page.locator('.findings li', { hasText: '__proto__' }).locator('button').last().click());
  await page.waitForSelector('#target .why');
  assert.ok((await page.locator('#target .why td.name').allTextContents()).every((text) => names.some((name) => text.startsWith(`${name} = `))));
  for (const state of [0, 1]) {
    await seat.after(() => seat.node(names[4]).locator('.cl-state').nth(state).click());
    await page.click('#keep-scenario');
  }
  await page.waitForSelector('.sides tbody td');
  await page.waitForTimeout(400);
  const findings = await page.locator('.findings .name').allTextContents();
  await seat.after(() => page.reload());
  await page.waitForSelector('html.ready');
  assert.deepEqual(await page.locator('.findings .name').allTextContents(), findings);
  assert.equal(await page.locator('#target-choice option:checked').textContent(), names[1]);
  await page.keyboard.press('/');
  await page.keyboard.type(names[3]);
  await page.keyboard.press('Enter');
  assert.equal(await page.locator('img:not([src="/icon.svg"]), script:not([src]), b[onclick], aside svg').count(), 0);
  const line = await page.textContent('#command');
  nearly(await seat.bars(names[3]), JSON.parse(shell(`${line} --json`)).posterior, line);
  await page.click('#explain');
  await page.waitForSelector('#best');
  await page.click('#downloads summary');
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('#save-png')]);
  assert.match(download.suggestedFilename(), /^[\w-]+\.png$/);
  assert.deepEqual(await seat.close(), []);
  assert.equal(await server.stop(), 0);
});

test('light and dark', async () => {
  const seat = await openPage(browser, alarm.url, { colorScheme: 'dark' });
  const paper = () => seat.page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const dark = await paper();
  await seat.page.click('#theme');
  const light = await paper();
  assert.notEqual(dark, light);
  await seat.page.click('#help');
  await seat.page.click('#close-keys');
  assert.ok(await seat.page.isHidden('#keys'));
  assert.deepEqual(await seat.close(), []);
});
