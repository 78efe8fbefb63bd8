// The explorer's page in Chromium: how long from a click on a state until its bars have moved on screen, and how long a frame takes while one zooms. Run by page.sh.
//   node page.mjs MODEL [ROUNDS]

import { explore, openBrowser, openPage } from '../../crates/clausality-web/tests/browser/harness.mjs';

const [model = '@diabetes', rounds = 21] = process.argv.slice(2);
const sorted = (numbers) => [...numbers].sort((a, b) => a - b);
const at = (numbers, share) => sorted(numbers)[Math.round(share * (numbers.length - 1))];
const told = (numbers) => `${at(numbers, 0.5).toFixed(0)} (${at(numbers, 0.05).toFixed(0)} – ${at(numbers, 0.95).toFixed(0)})`;

const server = await explore(model);
const browser = await openBrowser();
const seat = await openPage(browser, server.url, { viewport: { width: 1600, height: 1000 } });
const { page } = seat;

// A click as the page hears it, until the frame after the bars have moved.
const clicks = await page.evaluate(async (count) => {
  const whenMoved = (bar) => new Promise((done) => {
    const watch = new MutationObserver(() => {
      watch.disconnect();
      requestAnimationFrame(() => setTimeout(done));
    });
    watch.observe(bar, { attributes: true, attributeFilter: ['width'] });
  });
  const inSight = [...document.querySelectorAll('.cl-node:not(.away)')].map((group) => group.querySelectorAll('.cl-state')).filter((rows) => rows.length > 1);
  const rows = inSight[0];
  const took = [];
  for (let round = 0; round < count; round += 1) {
    const row = rows[round % 2];
    const moved = whenMoved(row.querySelector('.cl-bar'));
    const begun = performance.now();
    row.querySelector('.hit').dispatchEvent(new MouseEvent('click', { bubbles: true }));
    await moved;
    took.push(performance.now() - begun);
    await new Promise((rest) => setTimeout(rest, 400));
  }
  return took;
}, Number(rounds));
const asked = await page.evaluate(() => performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('/api/posteriors')).map(({ duration, decodedBodySize }) => ({ duration, size: decodedBodySize })));

// In and out by the wheel, a step a frame: by the clock, and by what the page's own thread works, which does not depend on what else the machine does.
const devtools = await page.context().newCDPSession(page);
await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
const worked = async () => (await devtools.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'TaskDuration').value * 1000;
const zoom = (deltas) => page.evaluate(async (steps) => {
  const canvas = document.getElementById('canvas');
  const { left, top, width, height } = canvas.getBoundingClientRect();
  const frames = [];
  let last = performance.now();
  for (const deltaY of steps) {
    canvas.dispatchEvent(new WheelEvent('wheel', { deltaY, clientX: left + width / 2, clientY: top + height / 2, bubbles: true, cancelable: true }));
    // As with a hand on the wheel: the next event comes when the frame is laid out.
    await new Promise((shown) => requestAnimationFrame(() => setTimeout(shown)));
    const now = performance.now();
    frames.push(now - last);
    last = now;
  }
  return frames.slice(2);
}, deltas);
await page.evaluate(() => document.getElementById('fit').click());
await page.waitForTimeout(600);
const steps = (by, count) => Array.from({ length: count }, () => by);
const before = await worked();
const frames = await zoom([...steps(-60, 40), ...steps(60, 40)]);
const work = (await worked() - before) / 80;
console.log(`| ${model} | ${seat.network.nodes.length} | ${told(clicks)} | ${told(asked.map(({ duration }) => duration))} | ${Math.round(at(asked.map(({ size }) => size), 0.5) / 1024)} | ${told(frames)} | ${(1000 / at(frames, 0.5)).toFixed(0)} | ${work.toFixed(1)} |`);
await seat.close();
await browser.close();
await server.stop();
