// The page about a run in a real browser: its first screen, its bars without a server, paper, telephone, dark; figures are held against `query`.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { folder, openBrowser, query, run } from './harness.mjs';

const axe = readFileSync(new URL('node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');
const HOSTILE = '<img src=x onerror=alert(1)>&"';
let [browser, desk, learned, address] = [];
before(async () => {
  browser = await openBrowser();
  desk = folder();
  const table = join(desk.path, 'rows.csv');
  learned = join(desk.path, 'run');
  run('sample', '@insurance', '-n', '2000', '--seed', '3', '-o', table);
  // One column has a name that would be markup, if anything read it as such; another repeats it; a third says nothing.
  const lines = readFileSync(table, 'utf8').trimEnd().split('\n');
  const names = lines[0].split(',');
  const place = names.indexOf('Age');
  names[place] = `"${HOSTILE.replaceAll('"', '""')}"`;
  const rows = lines.slice(1).map((line, k) => `${line},${line.split(',')[place]},${(k * 7919) % 3}`);
  writeFileSync(table, [[...names, 'AgeAgain', 'Noise'].join(','), ...rows].join('\n'));
  run('learn', table, '--run', learned, '--quiet', '--rounds', '2');
  address = pathToFileURL(join(learned, 'report.html')).href;
});
after(async () => {
  await browser?.close();
  desk?.remove();
});

// A page that fails a test if it asks for anything, or if anything in it goes wrong.
async function open(options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  const wrong = [];
  page.on('request', (request) => request.url() === address || wrong.push(request.url()));
  page.on('pageerror', (error) => wrong.push(String(error)));
  page.on('console', (message) => message.type() === 'error' && wrong.push(message.text()));
  await page.goto(address);
  return { page, close: async () => { assert.deepEqual(wrong, []); await context.close(); } };
}

test('the first screen holds the warning, the finding and the whole picture', async () => {
  const { page, close } = await open();
  for (const part of ['.twins', '.finding', '#picture svg']) {
    const box = await page.locator(part).first().boundingBox();
    assert.ok(box.y >= 0 && box.x >= 0 && box.x + box.width <= 1280 && box.y + box.height <= 800, `${part}: ${JSON.stringify(box)}`);
  }
  const finding = await page.locator('.finding').textContent();
  assert.ok(/ goes with .+: right \d+% of the time/.test(finding) && !finding.includes('AgeAgain'), finding);
  const [text, picture] = await Promise.all(['.finding', '#picture svg'].map((part) => page.locator(part).first().boundingBox()));
  assert.ok(picture.x > text.x + text.width - 1, 'beside each other');
  await page.check('#large');
  assert.ok((await page.locator('#picture svg').first().boundingBox()).width > picture.width, 'full size is larger');
  assert.ok((await page.locator('.silent').textContent()).includes('Noise'));
  assert.equal(await page.locator('.index').getByText('Noise').count(), 0);
  await close();
});

test('a finding moves every bar, as query says', async () => {
  const { page, close } = await open();
  const script = (await page.locator('script').nth(1).textContent());
  const policy = await page.locator('meta[http-equiv="Content-Security-Policy"]').getAttribute('content');
  assert.ok(policy.includes(`'sha256-${createHash('sha256').update(script).digest('base64')}'`), policy);
  const read = () => page.$$eval('#ask .card', (cards) => Object.fromEntries(cards.map((card) => [card.firstElementChild.textContent, Object.fromEntries([...card.querySelectorAll('button')].map((button) => [button.firstElementChild.textContent, [button.lastElementChild.textContent, Number(button.querySelector('.fill').getAttribute('width'))]]))])));
  const before = await read();
  for (const [node, state] of [['Accident', 'Severe'], ['DrivQuality', 'Poor']]) {
    const card = page.locator('#ask .card', { has: page.locator('h3', { hasText: new RegExp(`^${node}$`) }) });
    const button = card.getByRole('button', { name: state });
    await button.click();
    assert.equal(await button.getAttribute('aria-pressed'), 'true');
    assert.ok((await page.locator('#found').textContent()).startsWith(`Where ${node} = ${state}, which is so in `));
    const after = await read();
    const others = Object.keys(after).filter((name) => name !== HOSTILE);
    const { posterior } = query(learned, '--target', others.join(','), '--given', `${node}=${state}`);
    assert.equal(Object.keys(posterior).length, others.length);
    for (const [name, states] of Object.entries(posterior)) {
      for (const [label, share] of Object.entries(states)) {
        assert.ok(Math.abs(after[name][label][1] - 100 * share) < 0.011, `${name}=${label}`);
      }
    }
    assert.equal(after[node][state][0], '100%');
    assert.ok(Object.keys(after).some((name) => name !== node && JSON.stringify(after[name]) !== JSON.stringify(before[name])), 'others move');
    await button.click();
    const figures = (all) => Object.values(all).flatMap((states) => Object.values(states));
    const [now, then] = [figures(await read()), figures(before)];
    assert.deepEqual(now.map(([text]) => text), then.map(([text]) => text), 'and back');
    // As the page comes, bars have one decimal.
    assert.ok(now.every(([, width], k) => Math.abs(width - then[k][1]) <= 0.0501), 'and back');
  }
  await close();
});

test('it can be read on paper, on a telephone, in the dark and without a script', async () => {
  const { page, close } = await open();
  const pdf = (await page.pdf({ format: 'A4', printBackground: true })).toString('latin1');
  const pages = pdf.match(/\/Type\s*\/Page\b/g).length;
  assert.ok(pages >= 2 && pages <= 6, `${pages} pages`);
  await page.emulateMedia({ media: 'print' });
  await page.setViewportSize({ width: 680, height: 960 });
  const cut = await page.$$eval('table', (tables) => tables.filter((table) => table.offsetParent && table.getBoundingClientRect().right > innerWidth + 1).map((table) => table.className));
  assert.deepEqual(cut, [], 'no table is cut');
  await close();
  const small = await open({ viewport: { width: 390, height: 800 } });
  assert.ok(await small.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'nothing is wider than a telephone');
  assert.ok((await small.page.locator('#ask button').first().boundingBox()).height >= 24);
  await small.close();
  const plain = await open({ javaScriptEnabled: false });
  assert.ok(await plain.page.locator('#ask button').first().isDisabled(), 'nothing is promised');
  await plain.close();
  for (const colorScheme of ['light', 'dark']) {
    const context = await browser.newContext({ colorScheme, bypassCSP: true });
    const look = await context.newPage();
    await look.goto(address);
    await look.addScriptTag({ content: axe });
    const found = await look.evaluate(async () => (await window.axe.run(document, { resultTypes: ['violations'] })).violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`));
    assert.deepEqual(found, [], colorScheme);
    await context.close();
  }
});
