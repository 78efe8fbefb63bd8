// What the page shows to whoever decides: ranges, what moved, what to ask next, and a way back; every figure is held against `clausality query`.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { endAll, explore, folder, nearly, openBrowser, openPage, query } from './harness.mjs';

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
  assert.match(await page.locator('#node .states button').first().getAttribute('aria-label'), /5.5% – 10%/);
  // Only seen, there is one number.
  await seat.after(() => page.click('.findings .kind'));
  assert.equal(await page.locator('.band').count(), 0);
  assert.equal(await page.locator('#open-arcs').count(), 0);
  assert.deepEqual(await seat.close(), []);
});
