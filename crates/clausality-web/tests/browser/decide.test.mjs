// What the page shows to whoever decides: ranges, what moved, what to ask next, and a way back; every figure is held against `clausality query`.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { endAll, explore, folder, nearly, openBrowser, openPage, query, run, violations } from './harness.mjs';

let browser;
let asia;
let desk;
before(async () => {
  browser = await openBrowser();
  desk = folder();
  asia = await explore('@asia');
});
after(async () => {
  await browser?.close();
  assert.equal(await asia?.stop(), 0);
  endAll();
  desk?.remove();
});

test('what is done has a range on every bar that the data leave open, and names the arcs', async () => {
  const seat = await openPage(browser, asia.url);
  const { page } = seat;
  await page.click('#do');
  await seat.after(() => seat.state('smoke', 'yes').click());
  const expected = query('@asia', '--target', 'lung', '--do', 'smoke=yes');
  const ends = await seat.state('lung', 'yes').evaluate((row) => {
    const bar = row.querySelector('.cl-bar');
    const [low, high] = ['M', 'H'].map((step) => Number(row.querySelector('.band path').getAttribute('d').split(step).at(step === 'M' ? 1 : -1).split(/[ VM]/)[0]));
    const share = (x) => (x - Number(bar.getAttribute('x'))) / Number(bar.dataset.full);
    return { low: share(low), high: share(high) };
  });
  nearly(ends, { low: expected.low.yes, high: expected.high.yes }, 'the range');
  assert.match(await seat.state('lung', 'yes').locator('title').textContent(), /in equally good graphs: 5.5% – 10%/);
  const said = await page.textContent('#open-arcs');
  for (const { parent, child } of expected.open) assert.ok(said.includes(`${parent} – ${child}`), said);
  assert.ok(said.includes(`${expected.members} equally good ways`), said);
  // Nothing hangs on these arcs there.
  assert.equal(await seat.node('asia').locator('.band').count(), 0);
  await page.keyboard.press('/');
  await page.keyboard.type('lung');
  await page.keyboard.press('Enter');
  assert.match(await page.locator('#node .states button').first().textContent(), /5.5% – 10%/);
  // Only seen, there is one number.
  await seat.after(() => page.click('.findings .kind'));
  assert.equal(await page.locator('.band').count(), 0);
  assert.equal(await page.locator('#open-arcs').count(), 0);
  assert.deepEqual(await seat.close(), []);
});

test('nothing is lost: the address holds it all, back and forward, undo and redo', async () => {
  const seat = await openPage(browser, asia.url, { colorScheme: 'light' });
  const { page } = seat;
  const smoking = query('@asia', '--target', 'lung', '--given', 'smoke=yes').posterior;
  assert.ok(await page.isDisabled('#undo') && await page.isDisabled('#redo'));
  await seat.after(() => seat.state('smoke', 'yes').click());
  await page.click('#do');
  await seat.after(() => seat.state('bronc', 'no').click());
  await page.waitForFunction(() => location.hash === '#see:smoke=yes&do:bronc=no&node=bronc');
  await seat.after(() => page.keyboard.press('Control+z'));
  nearly(await seat.bars('dysp'), query('@asia', '--target', 'dysp', '--given', 'smoke=yes').posterior, 'undo');
  await seat.after(() => page.goBack());
  nearly(await seat.bars('lung'), query('@asia', '--target', 'lung').posterior, 'back');
  assert.ok(await page.isDisabled('#undo'));
  await seat.after(() => page.click('#redo'));
  nearly(await seat.bars('lung'), smoking, 'redo');
  await seat.after(() => page.keyboard.press('Control+Shift+Z'));
  nearly(await seat.bars('dysp'), query('@asia', '--target', 'dysp', '--given', 'smoke=yes', '--do', 'bronc=no').posterior, 'redone');
  assert.ok(await page.isDisabled('#redo'));
  // Where one looks and light or dark are kept, too, but are no steps.
  await page.keyboard.press('+');
  await page.click('#theme');
  await page.waitForFunction(() => location.hash.includes('theme=dark') && location.hash.includes('view='));
  const look = () => page.locator('#canvas svg').getAttribute('viewBox').then((text) => text.split(' ').map((number) => Math.round(number)));
  const [before, address] = [await look(), page.url()];
  await seat.after(() => page.reload());
  await page.waitForSelector('html.ready');
  assert.deepEqual(await look(), before);
  assert.equal(await page.getAttribute('html', 'data-theme'), 'dark');
  assert.equal(await page.textContent('#node h2'), 'bronc');
  assert.equal(page.url(), address);
  nearly(await seat.bars('dysp'), query('@asia', '--target', 'dysp', '--given', 'smoke=yes', '--do', 'bronc=no').posterior, 'loaded again');
  await seat.after(() => page.click('#undo'));
  nearly(await seat.bars('lung'), smoking, 'undo after loading again');
  assert.deepEqual(await seat.close(), []);
});

test('an address that names what is not there says so and does the rest', async () => {
  const seat = await openPage(browser, `${asia.url}#see:smoke=yes&see:__proto__=<b>&do:lung=perhaps&target=nobody&view=a,b`);
  const { page } = seat;
  await page.waitForSelector('.findings li');
  assert.equal(await page.locator('.findings li').count(), 1);
  assert.ok(await page.isVisible('#said'));
  assert.match(await page.textContent('#said'), /does not have: __proto__ = <b>, lung = perhaps/);
  assert.deepEqual(await seat.close(), []);
});

test('what the rows leave open about something done stands under the target', async () => {
  const [table, patients] = ['rows.csv', 'patients'].map((name) => join(desk.path, name));
  run('sample', '@asia', '-n', '500', '-o', table, '--quiet');
  run('learn', table, '--bootstrap', '5', '--run', patients, '--quiet');
  const learned = await explore(patients);
  const seat = await openPage(browser, learned.url);
  const { page } = seat;
  await page.click('#do');
  await seat.after(() => seat.state('smoke', 'yes').click());
  await page.selectOption('#target-choice', { label: 'lung' });
  await page.waitForSelector('#target .again');
  const { replicates: { low, high } } = query(patients, '--target', 'lung', '--do', 'smoke=yes');
  const percent = (p) => `${Math.round(p * 1000) / 10}%`;
  assert.deepEqual(await page.locator('#target .again tr td.number').allTextContents(), Object.keys(low).map((state) => `${percent(low[state])} – ${percent(high[state])}`));
  assert.match(await page.textContent('#target .again'), /5 graphs learned from rows drawn anew/);
  assert.deepEqual(await violations(page), []);
  assert.deepEqual(await seat.close(), []);
  await learned.stop();
});

test('a target: what moved, what to ask next, what pushed it and what could move it', async () => {
  const seat = await openPage(browser, asia.url);
  const { page } = seat;
  const informed = async (action) => {
    const answered = page.waitForResponse((response) => response.url().endsWith('/api/informed'));
    await action();
    assert.equal((await answered).status(), 200);
    await page.waitForTimeout(60);
  };
  const lines = (kind, cell) => page.locator(`#target .${kind} tr td.${cell}`).allTextContents();
  const percent = (p) => `${Math.round(p * 1000) / 10}%`;
  await seat.after(() => seat.state('smoke', 'yes').click());
  assert.equal(await page.locator('path.before').count(), 0);
  await informed(() => page.selectOption('#target-choice', { label: 'dysp' }));
  await informed(() => seat.state('xray', 'yes').click());
  const expected = query('@asia', '--target', 'dysp', '--given', 'smoke=yes,xray=yes', '--next', '--why', '--tornado');
  // Ask next.
  const worth = expected.next.filter(({ share }) => share > 0.0005);
  assert.deepEqual(await lines('next', 'name'), worth.map(({ node }) => node));
  assert.deepEqual(await lines('next', 'number'), worth.map(({ share }) => percent(share)));
  // Pushes.
  assert.deepEqual(await lines('why', 'name'), expected.why.findings.map(({ node, state }) => `${node} = ${state}`));
  assert.deepEqual(await lines('why', 'number'), expected.why.findings.map(({ push }) => `${push.yes < 0 ? '−' : '+'}${Math.abs(push.yes * 100).toFixed(1)}`));
  // Tornado.
  const swings = expected.tornado.map(({ node, posterior }) => ({ node, ends: Object.values(posterior).map(({ yes }) => yes).sort((a, b) => a - b) }))
    .filter(({ ends }) => ends.at(-1) - ends[0] > 0.0005).sort((a, b) => (b.ends.at(-1) - b.ends[0]) - (a.ends.at(-1) - a.ends[0]));
  assert.deepEqual(await lines('tornado', 'name'), swings.map(({ node }) => node));
  assert.deepEqual(await lines('tornado', 'number'), swings.map(({ ends }) => `${percent(ends[0])} – ${percent(ends.at(-1))}`));
  // Before and after, on the bars and in the panel.
  const prior = query('@asia', '--target', 'dysp').posterior;
  assert.match(await page.textContent('#target table.before tr'), new RegExp(`yes${percent(prior.yes)}→${percent(expected.posterior.yes)}`));
  const place = await seat.state('dysp', 'yes').evaluate((row) => {
    const bar = row.querySelector('.cl-bar');
    return (Number(row.querySelector('path.before').getAttribute('transform').match(/-?[\d.]+/)[0]) - Number(bar.getAttribute('x'))) / Number(bar.dataset.full);
  });
  nearly({ yes: place }, { yes: prior.yes }, 'where it was');
  // Moved most: half the sum of the differences.
  const far = (name) => Object.entries(query('@asia', '--target', name).posterior)
    .reduce((sum, [state, p]) => sum + Math.abs(query('@asia', '--target', name, '--given', 'smoke=yes,xray=yes').posterior[state] - p), 0) / 2;
  const [most] = ['asia', 'tub', 'lung', 'bronc', 'either', 'dysp'].map((name) => [far(name), name]).sort((a, b) => b[0] - a[0]);
  assert.equal((await lines('moved', 'name'))[0], most[1]);
  assert.equal((await lines('moved', 'number'))[0], percent(most[0]));
  // In the address, and back.
  assert.match(page.url(), /target=dysp/);
  await seat.after(() => page.keyboard.press('Control+z'));
  await page.waitForTimeout(80);
  assert.deepEqual(await lines('why', 'name'), ['smoke = yes']);
  // A target that is known has nothing to ask; the page says so and goes on.
  await seat.after(() => seat.state('dysp', 'no').click());
  await page.waitForSelector('#target .trouble');
  assert.match(await page.textContent('#target .trouble'), /its state is known/);
  await page.selectOption('#target-choice', '');
  assert.equal(await page.locator('path.before').count(), 0);
  assert.deepEqual(await seat.close(), []);
});

test('scenarios are kept, taken up again and stand side by side', async () => {
  const seat = await openPage(browser, asia.url);
  const { page } = seat;
  const keep = async (name) => {
    await page.fill('#scenario-name', name);
    await page.click('#keep-scenario');
  };
  await seat.after(() => seat.state('smoke', 'yes').click());
  await keep('<b>smoker</b>, "heavy"');
  await page.click('#do');
  await seat.after(() => page.click('.findings .kind'));
  await keep('made to smoke');
  await page.click('#clear');
  await page.selectOption('#target-choice', { label: 'lung' });
  await page.waitForSelector('.sides thead th:has-text("lung")');
  const cells = () => page.locator('.sides tbody tr').first().locator('td').allTextContents();
  const percent = (p) => `${Math.round(p * 1000) / 10}%`;
  const seen = query('@asia', '--target', 'lung', '--given', 'smoke=yes');
  const done = query('@asia', '--target', 'lung', '--do', 'smoke=yes');
  assert.deepEqual(await cells(), [percent(seen.posterior.yes), `${percent(done.posterior.yes)}${percent(done.low.yes)} – ${percent(done.high.yes)}`]);
  assert.equal(await page.locator('.sides thead th').nth(1).textContent(), '<b>smoker</b>, "heavy"');
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('#save-scenarios')]);
  assert.equal(download.suggestedFilename(), 'asia-scenarios.csv');
  const path = join(desk.path, 'scenarios.csv');
  await download.saveAs(path);
  const lines = readFileSync(path, 'utf8').trim().split('\n');
  assert.equal(lines[0], 'node,state,"<b>smoker</b>, ""heavy""",made to smoke,made to smoke (low),made to smoke (high)');
  assert.equal(lines.length, 1 + 16);
  const figures = lines.find((line) => line.startsWith('lung,yes,')).split(',').slice(2).map(Number);
  [seen.posterior.yes, done.posterior.yes, done.low.yes, done.high.yes].forEach((p, k) => assert.ok(Math.abs(figures[k] - p) < 1e-12, `${figures}`));
  // They outlast the page, and a fifth one waits.
  await page.reload();
  await page.waitForSelector('html.ready');
  assert.deepEqual(await page.locator('#scenarios .kept .name').allTextContents(), ['<b>smoker</b>, "heavy"', 'made to smoke']);
  await seat.after(() => page.click('#scenarios .kept .name >> nth=1'));
  nearly(await seat.bars('lung'), done.posterior, 'taken up');
  for (const name of ['a', 'b', 'c', 'd', 'e']) await keep(name);
  assert.equal(await page.locator('#scenarios .kept input:checked').count(), 4);
  assert.equal(await page.locator('#scenarios .kept input:disabled').count(), 3);
  await page.click('[aria-label="Forget the scenario b"]');
  assert.equal(await page.locator('#scenarios .kept li').count(), 6);
  assert.equal(await page.locator('#scenarios b').count(), 0);
  assert.deepEqual(await seat.close(), []);
});

// What axe-core finds, with everything on screen that the page can show.
for (const colorScheme of ['light', 'dark']) {
  for (const [width, height] of [[1600, 1200], [390, 844]]) {
    test(`axe-core finds nothing: ${colorScheme}, ${width} pixels wide`, async () => {
      const seat = await openPage(browser, asia.url, { colorScheme, viewport: { width, height } });
      const { page } = seat;
      const check = async (when) => assert.deepEqual(await violations(page), [], when);
      await check('nothing known');
      await page.evaluate(() => (location.hash = '#see:xray=yes&do:smoke=yes&target=dysp&node=dysp'));
      await page.waitForSelector('#target .tornado');
      for (const name of ['one', 'two']) {
        await page.fill('#scenario-name', name);
        await page.click('#keep-scenario');
      }
      await page.click('#explain');
      await page.waitForSelector('#best');
      await page.waitForSelector('.sides');
      await seat.page.keyboard.press('/');
      await page.keyboard.type('dysp');
      await page.keyboard.press('Enter');
      await page.waitForSelector('#node .cpt');
      await check('everything at once');
      await page.click('#light-blanket');
      await check('highlighted');
      await page.fill('#search', 's');
      await check('searching');
      await page.locator('#search').press('Escape');
      await page.click('#help');
      await check('the keys');
      await page.click('#close-keys');
      await page.evaluate(() => (location.hash = '#see:lung=yes&see:either=no&target=dysp'));
      await page.waitForSelector('#known .trouble:not([hidden])');
      await check('what cannot be');
      assert.deepEqual(await seat.close(), []);
    });
  }
}

test('on a phone everything that is touched has 24 pixels', async () => {
  const seat = await openPage(browser, `${asia.url}#see:xray=yes&target=dysp&node=dysp`, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  const { page } = seat;
  await page.waitForSelector('#target .tornado');
  await page.fill('#scenario-name', 'one');
  await page.click('#keep-scenario');
  // A mark in a label is as large as its label.
  const small = await page.evaluate(() => [...document.querySelectorAll('button, summary, input:not(.unseen, .check *), select, textarea, label.file, label.check')]
    .filter((element) => element.checkVisibility())
    .map((element) => [element.id || element.className || element.textContent, element.getBoundingClientRect()])
    .filter(([, { width, height }]) => width < 24 || height < 24).map(([name, { width, height }]) => `${name} ${Math.round(width)} × ${Math.round(height)}`));
  assert.deepEqual(small, []);
  assert.deepEqual(await seat.close(), []);
});
