// What the page shows to whoever decides: ranges, what moved, what to ask next, and a way back; every figure is held against `clausality query`.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { endAll, explore, folder, keep, nearly, openBrowser, openPage, query, run, shell, violations } from './harness.mjs';

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

test('an address pasted into an open page selects the node that it names', async () => {
  const seat = await openPage(browser, asia.url);
  const { page } = seat;
  const paste = (fragment) => page.evaluate((text) => (location.hash = text), fragment);
  await paste('#node=dysp');
  await page.waitForSelector('#node h2:has-text("dysp")');
  await page.waitForFunction(() => location.hash.includes('node=dysp'));
  await seat.after(() => paste('#see:smoke=yes&node=lung&theme=dark'));
  assert.equal(await page.textContent('#node h2'), 'lung');
  assert.equal(await page.getAttribute('html', 'data-theme'), 'dark');
  // Back and forward are about what is asked, not about where one looks.
  await seat.after(() => page.goBack());
  assert.equal(await page.textContent('#node h2'), 'lung');
  await paste('#node=nobody');
  await page.waitForSelector('#said:has-text("nobody")');
  assert.deepEqual(await seat.close(), []);
});

test('a node that an address names is in sight, though the address has no view', async () => {
  const alarm = await explore('@alarm');
  const phone = { viewport: { width: 390, height: 844 } };
  const inSight = (node) => {
    const [frame, box] = ['#canvas', `.cl-node[data-node="${node}"]`].map((part) => document.querySelector(part).getBoundingClientRect());
    return box.width > 0 && box.left >= frame.left && box.right <= frame.right && box.top >= frame.top && box.bottom <= frame.bottom;
  };
  const first = await openPage(browser, alarm.url, phone);
  const node = first.indexOf('HISTORY');
  assert.ok(!(await first.page.evaluate(inSight, node)));
  await first.close();
  const seat = await openPage(browser, `${alarm.url}#node=HISTORY`, phone);
  await seat.page.waitForFunction(inSight, node);
  assert.deepEqual(await seat.close(), []);
  await alarm.stop();
});

// Where the ends of a mark stand, as shares of the bar's full width.
const ends = (row, mark) => row.evaluate((element, wanted) => {
  const bar = element.querySelector('.cl-bar');
  const numbers = element.querySelector(`${wanted} path`).getAttribute('d').match(/[MH](-?[\d.]+)/g).map((step) => Number(step.slice(1)));
  const share = (x) => (x - Number(bar.getAttribute('x'))) / Number(bar.dataset.full);
  return { low: share(Math.min(...numbers)), high: share(Math.max(...numbers)) };
}, mark);

test('what actions are worth has the range over what was learned again; equals are level; a cost below 0 is refused', async () => {
  const [table, patients, file] = ['worth-rows.csv', 'worth-run', 'worth-again.json'].map((name) => join(desk.path, name));
  run('sample', '@asia', '-n', '500', '-o', table, '--quiet');
  run('learn', table, '--bootstrap', '5', '--run', patients, '--quiet');
  const learned = await explore(patients);
  const seat = await openPage(browser, learned.url);
  const { page } = seat;
  await page.click('#stake summary');
  const pick = async (kind, node, state, number) => {
    const form = page.locator('.stake', { has: page.locator(`#add-${kind}`) });
    await form.locator('select').nth(0).selectOption({ label: node });
    await form.locator('select').nth(1).selectOption({ label: state });
    await form.locator('input').fill(String(number));
    await page.click(`#add-${kind}`);
  };
  await pick('worth', 'dysp', 'yes', -100);
  await pick('act', 'bronc', 'no', 12);
  await pick('act', 'smoke', 'no', -5);
  assert.equal(await page.locator('#stakes li').count(), 2, 'what brings something in is no cost');
  await page.waitForSelector('#worth-again:has-text("5 graphs")');
  writeFileSync(file, JSON.stringify({ utility: [{ when: { dysp: 'yes' }, value: -100 }], action: [{ do: { bronc: 'no' }, cost: 12 }] }));
  const { decision } = query(patients, '--utility', file);
  const ends = await page.locator('#actions .over-rows').allTextContents();
  assert.deepEqual(ends, decision.actions.map(({ replicates: { low, high } }) => `${low.toFixed(2)} – ${high.toFixed(2)}`));
  assert.equal(await page.locator('#worth-caution').count(), 0);
  await keep(page, 'decision-again');
  // Nothing that is set after it makes breath shorter: both are worth the same.
  await page.locator('#stakes button').nth(1).click();
  await pick('act', 'xray', 'no', 0);
  await page.waitForSelector('#level');
  assert.match(await page.textContent('#level'), /Both nothing and xray = no are worth the same: any of them/);
  assert.deepEqual(await seat.close(), []);
  await learned.stop();
});

test('what the rows leave open about something done stands on every bar and under the target', async () => {
  const [table, patients] = ['rows.csv', 'patients'].map((name) => join(desk.path, name));
  run('sample', '@asia', '-n', '500', '-o', table, '--quiet');
  run('learn', table, '--bootstrap', '5', '--run', patients, '--quiet');
  const learned = await explore(patients);
  const seat = await openPage(browser, learned.url);
  const { page, network } = seat;
  const asked = [];
  page.on('request', (request) => request.url().endsWith('/api/replicates') && asked.push(request.postDataJSON().nodes));
  await page.click('#do');
  await seat.after(() => seat.state('smoke', 'yes').click());
  await page.waitForSelector('#open-rows:has-text("5 graphs")');
  // A band says more than a caution.
  assert.equal(await page.locator('#caution').count(), 0);
  // Every bar of every node, held against the command.
  let marked = 0;
  for (const { name, states } of network.nodes.filter((node) => node.name !== 'smoke')) {
    const { replicates: { low, high } } = query(patients, '--target', name, '--do', 'smoke=yes');
    for (const label of states) {
      const row = seat.state(name, label);
      const wide = high[label] - low[label] > 0.0005;
      assert.equal(await row.locator('.again').count(), Number(wide), `${name} = ${label}`);
      if (wide) nearly(await ends(row, '.again'), { low: low[label], high: high[label] }, `${name} = ${label}`);
      marked += Number(wide);
    }
  }
  assert.ok(marked > 8, `${marked}`);
  // All of asia is in view: one question for all.
  assert.deepEqual(asked.map((nodes) => nodes.length), [network.nodes.length]);
  await page.selectOption('#target-choice', { label: 'lung' });
  await page.waitForSelector('#target .again');
  const { replicates: { low, high } } = query(patients, '--target', 'lung', '--do', 'smoke=yes');
  const percent = (p) => `${Math.round(p * 1000) / 10}%`;
  assert.deepEqual(await page.locator('#target .again tr td.number').allTextContents(), Object.keys(low).map((state) => `${percent(low[state])} – ${percent(high[state])}`));
  assert.match(await page.textContent('#target .again'), /5 graphs learned from rows drawn anew/);
  await page.keyboard.press('/');
  await page.keyboard.type('lung');
  await page.keyboard.press('Enter');
  assert.ok((await page.locator('#node .states button').first().textContent()).includes(`where the rows are drawn anew ${percent(low.yes)} – ${percent(high.yes)}`));
  await keep(page, 'replicates');
  assert.deepEqual(await violations(page), []);
  // Seen and not done: one number.
  await seat.after(() => page.click('.findings .kind'));
  assert.equal(await page.locator('#canvas .again').count(), 0);
  assert.deepEqual(await seat.close(), []);
  await learned.stop();
});

test('what is done on directions that the rows alone gave comes with the caution that the command prints', async () => {
  const [table, effects] = ['caution.csv', 'effects'].map((name) => join(desk.path, name));
  // Two coins and what both act upon, one of a name that must stay text.
  const strange = '<img src=x onerror=alert(1)>&quot;';
  const coins = Array.from({ length: 800 }, (_, k) => [k % 2, (k >> 1) % 2, k % 40 === 0]);
  const line = ([one, other, odd]) => [one, other, Number((one | other) !== Number(odd))].map((bit) => ['no', 'yes'][bit]).join(',');
  writeFileSync(table, [`${strange},other,both`, ...coins.map(line)].join('\n'));
  run('learn', table, '--run', effects, '--quiet');
  const learned = await explore(effects);
  const seat = await openPage(browser, learned.url);
  const { page } = seat;
  await page.click('#do');
  await seat.after(() => seat.state('both', 'yes').click());
  const { caution } = query(effects, '--target', 'other', '--do', 'both=yes');
  assert.ok(caution.includes(`'${strange} -> both', 'other -> both'`), caution);
  assert.equal(await page.textContent('#caution'), caution);
  const flat = (text) => text.replace(/\s+/g, ' ');
  assert.ok(flat(run('query', effects, '--target', 'other', '--do', 'both=yes')).includes(caution));
  await keep(page, 'caution');
  assert.deepEqual(await violations(page), []);
  // To look is not to act.
  await seat.after(() => page.click('.findings .kind'));
  assert.equal(await page.locator('#caution').count(), 0);
  assert.deepEqual(await seat.close(), []);
  await learned.stop();
});

test('what is in view has its second band first, and what is no longer asked is called off', async () => {
  const patients = join(desk.path, 'patients');
  const learned = await explore(patients);
  const seat = await openPage(browser, learned.url);
  const { page, network } = seat;
  const asked = [];
  let ended = 0;
  page.on('requestfailed', (request) => request.url().endsWith('/api/replicates') && (ended += 1));
  await page.route('**/api/replicates', async (route) => {
    const { nodes, do: done } = route.request().postDataJSON();
    asked.push({ nodes: nodes.length, done });
    if (done.smoke === 'yes') await new Promise((go) => setTimeout(go, 400));
    await route.continue().catch(() => {});
  });
  for (let k = 0; k < 4; k += 1) await page.click('#closer');
  await page.click('#do');
  await page.keyboard.press('/');
  await page.keyboard.type('smoke');
  await page.keyboard.press('Enter');
  await seat.after(() => seat.state('smoke', 'yes').click());
  await seat.after(() => seat.state('smoke', 'no').click());
  await page.waitForFunction((all) => document.querySelectorAll('#canvas .again').length > all, 8);
  // What is in view alone may have as many: the rest is asked after it.
  for (let k = 0; k < 100 && asked.filter(({ done }) => done.smoke === 'no').length < 2; k += 1) await page.waitForTimeout(50);
  assert.ok(asked[0].nodes < network.nodes.length, JSON.stringify(asked));
  const last = asked.filter(({ done }) => done.smoke === 'no');
  assert.deepEqual([last.length, last[0].nodes + last[1].nodes], [2, network.nodes.length]);
  assert.equal(asked.filter(({ done }) => done.smoke === 'yes').length, 1, 'the rest of what was called off is not asked');
  assert.equal(ended, 1);
  const { replicates: { low } } = query(patients, '--target', 'bronc', '--do', 'smoke=no');
  nearly(await ends(seat.state('bronc', 'yes'), '.again'), { low: low.yes }, 'of what was asked last');
  assert.deepEqual(await seat.close(), []);
  await learned.stop();
});

test('several states with Shift, and reports by sliders, are asked as the command asks them', async () => {
  const alarm = await explore('@alarm');
  const seat = await openPage(browser, alarm.url);
  const { page } = seat;
  const likely = 'HR=LOW:1,NORMAL:0.5,HIGH:0';
  await seat.after(() => seat.state('BP', 'LOW').click());
  await seat.after(() => seat.state('BP', 'NORMAL').click({ modifiers: ['Shift'] }));
  const among = query('@alarm', '--target', 'CO', '--given', 'BP=LOW|NORMAL');
  nearly(await seat.bars('CO'), among.posterior, 'a set');
  assert.equal(await page.textContent('.findings .name'), 'BP = LOW or NORMAL');
  assert.equal(await page.textContent('#probability'), among.evidence_probability.toFixed(4));
  assert.ok(await page.isDisabled('.findings .kind'), 'several states cannot be set');
  assert.match(page.url(), /among:BP=1,1,0/);
  // A slider of the open node: a report.
  await page.keyboard.press('/');
  await page.keyboard.type('HR');
  await page.keyboard.press('Enter');
  await page.click('#unsure summary');
  const slider = (label) => page.locator(`#unsure input[aria-label^="${label}:"]`);
  const set = (label, value) => slider(label).evaluate((input, to) => {
    input.value = to;
    input.dispatchEvent(new Event('change', { bubbles: true }));
  }, value);
  await seat.after(() => set('HIGH', 0));
  await seat.after(() => set('NORMAL', 50));
  const both = query('@alarm', '--target', 'CO', '--given', 'BP=LOW|NORMAL', '--likely', likely);
  nearly(await seat.bars('CO'), both.posterior, 'a report');
  assert.match(page.url(), /likely:HR=1,0.5,0/);
  assert.deepEqual(await page.locator('#unsure output').allTextContents(), ['1.00', '0.50', '0.00']);
  // The line below asks the same.
  await page.keyboard.press('Escape');
  const line = await page.textContent('#command');
  assert.ok(line.includes("--given 'BP=") && line.includes('--likely HR=LOW:1,NORMAL:0.5,HIGH:0'), line);
  assert.ok(Math.abs(JSON.parse(shell(`${line} --json`)).evidence_probability - both.evidence_probability) < 1e-12);
  await keep(page, 'soft');
  assert.deepEqual(await violations(page), []);
  // The address brings it back; undo goes a step back.
  await seat.after(() => page.reload());
  await page.waitForSelector('html.ready');
  nearly(await seat.bars('CO'), both.posterior, 'loaded again');
  await seat.after(() => page.click('#undo'));
  nearly(await seat.bars('CO'), query('@alarm', '--target', 'CO', '--given', 'BP=LOW|NORMAL', '--given', 'HR=LOW|NORMAL').posterior, 'undone');
  // Shift takes a state away again; one that is left is one that was seen, and all together say nothing.
  await seat.after(() => seat.state('BP', 'LOW').click({ modifiers: ['Shift'] }));
  assert.match(page.url(), /see:BP=NORMAL/);
  await seat.node('BP').focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Home');
  await seat.after(() => page.keyboard.press('Shift+Enter'));
  assert.match(page.url(), /among:BP=1,1,0/);
  await seat.after(() => seat.state('BP', 'HIGH').click({ modifiers: ['Shift'] }));
  assert.doesNotMatch(page.url(), /BP=/);
  // Numbers that are none, or too few, are strange.
  await page.evaluate(() => (location.hash = '#among:BP=1,1&likely:HR=1,a,0&likely:CO=0,0,0'));
  await page.waitForFunction(() => document.querySelectorAll('.findings li').length === 0);
  assert.deepEqual(await seat.close(), []);
  await alarm.stop();
});

test('pairs that neither direction explains are marked, in the drawing and in the panel', async () => {
  // a → x ← hidden → y ← b
  const [table, folderOf] = ['outside.csv', 'outside'].map((name) => join(desk.path, name));
  let state = 11;
  const unit = () => (state = (state * 48271) % 2147483647) / 2147483647;
  const coin = (p) => Number(unit() < p);
  for (let k = 0; k < 50; k += 1) unit();
  const rows = Array.from({ length: 6000 }, () => {
    const [a, b, h] = [coin(0.5), coin(0.5), coin(0.5)];
    return [a, b, coin(0.08 + 0.42 * a + 0.42 * h), coin(0.08 + 0.42 * b + 0.42 * h)];
  });
  writeFileSync(table, ['a,b,<i>x</i>,"y, ""so"""', ...rows.map((row) => row.join(','))].join('\n'));
  run('learn', table, '--run', folderOf, '--quiet');
  const { hidden: expected, violated, tested, independences, notices = [] } = JSON.parse(run('test', folderOf, table, '--json', '--quiet'));
  assert.deepEqual(expected.map(({ between }) => between), [['<i>x</i>', 'y, "so"']]);
  const learned = await explore(folderOf);
  const seat = await openPage(browser, learned.url);
  const { page } = seat;
  await page.click('#try-network');
  await page.waitForSelector('#hidden-pairs li');
  assert.ok((await page.textContent('#trial-figure')).startsWith(`${violated} of ${tested} implied independences violated`));
  for (const notice of notices) assert.ok((await page.textContent('#trial-figure')).includes(notice.slice(1)), notice);
  assert.deepEqual(await page.locator('#violated .name').allTextContents(), independences.filter((pair) => pair.violated).slice(0, 6).map(({ parent, child }) => `${parent} → ${child}`));
  assert.equal(await page.textContent('#hidden-pairs .name'), '<i>x</i> ↔ y, "so"');
  assert.ok((await page.textContent('#hidden-pairs')).includes(`${expected[0].information.toFixed(4)} bits`));
  assert.equal(await page.locator('.outside .pair .cl-head').count(), 2);
  await page.click('#hidden-pairs .name');
  assert.match(await page.textContent('#arc .facts'), /Perhaps a common cause outside the table.*<i>x<\/i> does not cause y, "so": a, which goes with <i>x<\/i>/s);
  assert.equal(await page.locator('#arc i, #trial i').count(), 0);
  await keep(page, 'hidden');
  assert.deepEqual(await violations(page), []);
  // In the report, where a table is named.
  const written = run('report', folderOf, '--table', table, '--quiet');
  assert.match(written, /id="outside"[^]*&lt;i&gt;x&lt;\/i&gt;/);
  assert.doesNotMatch(run('report', folderOf, '--quiet'), /id="outside"/);
  assert.deepEqual(await seat.close(), []);
  await learned.stop();
  // A network without rows has nothing to look in.
  const bare = await openPage(browser, asia.url);
  assert.ok(await bare.page.isHidden('#trial'));
  assert.deepEqual(await bare.close(), []);
});

test('a decision by clicking: actions, their ranges, the best, and what is worth knowing are those of the command', async () => {
  const seat = await openPage(browser, asia.url);
  const { page } = seat;
  const file = join(desk.path, 'worth.csv');
  writeFileSync(file, 'dysp,smoke,bronc,utility,cost\nyes,,,-100,\n,no,,,5\n,,no,,20\n');
  await seat.after(() => seat.state('asia', 'yes').click());
  await page.click('#stake summary');
  const add = async (kind, what, node, state, number) => {
    await page.selectOption(`[aria-label="${what}: node"]`, { label: node });
    await page.selectOption(`[aria-label="${what}: state"]`, { label: state });
    await page.fill(`[aria-label="${what}"]`, String(number));
    const answered = page.waitForResponse((response) => response.url().endsWith('/api/decision'));
    await page.click(`#add-${kind}`);
    await answered;
  };
  await add('worth', 'Worth', 'dysp', 'yes', -100);
  await add('act', 'Cost', 'smoke', 'no', 5);
  await add('act', 'Cost', 'bronc', 'no', 20);
  const { decision } = query('@asia', '--utility', file, '--given', 'asia=yes');
  const words = (done) => Object.entries(done).map(([node, state]) => `${node} = ${state}`).join(', ') || 'nothing';
  const expected = decision.actions.map(({ do: done, expected: value, low, high }) => `${words(done)}${value.toFixed(2)}${high - low > 1e-9 ? `${low.toFixed(2)} – ${high.toFixed(2)}` : ''}`);
  await page.waitForFunction((count) => document.querySelectorAll('#actions tbody tr').length === count, expected.length);
  assert.deepEqual(await page.locator('#actions tbody tr').allTextContents(), expected);
  assert.equal(await page.textContent('#actions .best-act th'), words(decision.best));
  assert.deepEqual(await page.locator('#worth-knowing tr').allTextContents(), decision.information.filter(({ value }) => value > 1e-9).slice(0, 6).map(({ node, value }, _, all) => `${node}${value.toFixed(all[0].value >= 10 ? 2 : 4)}`));
  assert.match(page.url(), /worth:dysp=-100,yes&act:smoke=5,no&act:bronc=20,no/);
  await keep(page, 'decision');
  assert.deepEqual(await violations(page), []);
  // The address brings it back, undo takes the last one away, and what is no number is strange.
  await page.reload();
  await page.waitForSelector('#actions');
  assert.equal(await page.locator('#stakes li').count(), 3);
  await page.click('#undo');
  await page.waitForFunction(() => document.querySelectorAll('#stakes li').length === 2);
  await page.evaluate(() => (location.hash = '#worth:dysp=much,yes&act:smoke=5,perhaps'));
  await page.waitForFunction(() => document.querySelectorAll('#stakes li').length === 0);
  assert.deepEqual(await seat.close(), []);
});

test('what would turn the answer about a target: the smallest changes, as the command tells them', async () => {
  const seat = await openPage(browser, `${asia.url}#see:dysp=yes&see:xray=yes&target=lung`);
  const { page } = seat;
  await page.waitForSelector('#target .flips');
  const percent = (p) => `${Math.round(p * 1000) / 10}%`;
  const all = query('@asia', '--target', 'lung', '--given', 'dysp=yes,xray=yes', '--sensitivity').sensitivity.filter(({ flip }) => flip);
  all.sort((a, b) => Math.abs(a.flip.change) - Math.abs(b.flip.change));
  const first = await page.locator('#target .flips tr').first().locator('td').allTextContents();
  assert.equal(first[0], all[0].node);
  assert.ok(all.filter(({ flip }) => Math.abs(flip.change) < Math.abs(all[0].flip.change) + 1e-9).some(({ value, flip }) => first[2] === `${percent(value)} → ${percent(flip.value)}`), first.join(' '));
  assert.deepEqual(await seat.close(), []);
});

test('scenarios that are kept with a run go into its report', async () => {
  const patients = join(desk.path, 'patients');
  const learned = await explore(patients);
  const seat = await openPage(browser, learned.url);
  const { page } = seat;
  const name = async (called) => {
    await page.fill('#scenario-name', called);
    await page.click('#keep-scenario');
    await page.waitForSelector(`#said:has-text("Kept: ")`);
  };
  await seat.after(() => seat.state('smoke', 'yes').click());
  await name('<b>smoker</b>');
  await page.click('#do');
  await seat.after(() => page.click('.findings .kind'));
  await name('made to');
  await page.waitForSelector('#save-report');
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('#save-report')]);
  assert.match(download.suggestedFilename(), /-report\.html$/);
  const path = join(desk.path, 'report.html');
  await download.saveAs(path);
  const text = readFileSync(path, 'utf8');
  assert.equal(text, run('report', patients, '--quiet'), 'as the command writes it');
  await page.goto('about:blank');
  await page.unroute('**/*').catch(() => {});
  await page.goto(`file://${path}`);
  const head = await page.locator('#scenarios thead th').allTextContents();
  assert.deepEqual(head.slice(3), ['<b>smoker</b>smoke = yes', 'made todo smoke = yes']);
  const percent = (p) => `${Math.round(p * 1000) / 10}%`;
  const [before, seen, done] = [query(patients, '--target', 'bronc'), query(patients, '--target', 'bronc', '--given', 'smoke=yes'), query(patients, '--target', 'bronc', '--do', 'smoke=yes')];
  const line = page.locator('#scenarios tbody tr', { has: page.locator('th', { hasText: 'bronc' }) }).first();
  const label = await line.locator('td').first().textContent();
  assert.equal(await line.locator('td').nth(1).textContent(), percent(before.posterior[label]));
  assert.equal(await line.locator('td').nth(2).textContent(), percent(seen.posterior[label]));
  assert.equal(await line.locator('td').nth(3).textContent(), `${percent(done.posterior[label])}${percent(done.low[label])} – ${percent(done.high[label])}`);
  await page.locator('#scenarios').scrollIntoViewIfNeeded();
  await keep(page, 'report-scenarios');
  await page.context().close();
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
