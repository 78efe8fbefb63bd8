// The explorer in a real notebook: JupyterLab with its kernel, in a real browser. CLAUSALITY_PYTHON is a Python with clausality[widget] and
// jupyterlab; with CLAUSALITY_PICTURES=FOLDER pictures of it are kept there, to be looked at.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ended, folder, keep, openBrowser, PATIENCE } from './harness.mjs';

const python = process.env.CLAUSALITY_PYTHON ?? 'python3';
const CELLS = [
  'import clausality as cl\nnetwork = cl.load("asia")\nchanges = []\nexplorer = cl.Explorer(network, network.sample(50, seed=3), height=620)\nexplorer.observe(lambda change: changes.append(change["name"]), ["selected", "evidence", "do"])\nexplorer',
  'print("now", [explorer.selected, explorer.evidence, explorer.do])',
  'explorer.evidence = {"smoke": "no", "xray": "yes"}; explorer.do = {"bronc": "yes"}; explorer.selected = "lung"\nprint("set", [network.query("lung", given=explorer.evidence, do=explorer.do)["yes"]])',
  'print("changes", sorted(set(changes)))',
];

let desk;
let lab;
let browser;

// JupyterLab over a folder with one notebook, and where it listens.
async function startLab(path) {
  const cell = (source) => ({ cell_type: 'code', source, metadata: {}, outputs: [], execution_count: null });
  const metadata = { kernelspec: { name: 'python3', display_name: 'Python 3', language: 'python' } };
  writeFileSync(join(path, 'explorer.ipynb'), JSON.stringify({ cells: CELLS.map(cell), metadata, nbformat: 4, nbformat_minor: 4 }));
  // Nothing of whoever runs this test is read or written, and nobody is asked about news.
  const own = join(path, '.own');
  const settings = join(own, '@jupyterlab', 'apputils-extension');
  mkdirSync(settings, { recursive: true });
  writeFileSync(join(settings, 'notification.jupyterlab-settings'), '{"fetchNews": "false", "checkForUpdates": false}');
  const home = { JUPYTER_CONFIG_DIR: own, JUPYTER_DATA_DIR: own, JUPYTER_RUNTIME_DIR: own, JUPYTERLAB_SETTINGS_DIR: own, JUPYTERLAB_WORKSPACES_DIR: own, IPYTHONDIR: own };
  const flags = ['--no-browser', '--ip=127.0.0.1', '--port=0', '--allow-root', '--IdentityProvider.token=', `--ServerApp.root_dir=${path}`];
  const child = spawn(python, ['-m', 'jupyterlab', ...flags], { env: { ...process.env, ...home }, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  const url = await new Promise((found, failed) => {
    child.stderr.on('data', (data) => {
      said += data;
      const [address] = said.match(/http:\/\/127\.0\.0\.1:\d+/) ?? [];
      if (address) found(address);
    });
    child.on('exit', (code) => failed(new Error(`JupyterLab ended with ${code}: ${said}`)));
  });
  return { url, stop: () => ended(child) };
}

before(async () => {
  desk = folder();
  [lab, browser] = await Promise.all([startLab(desk.path), openBrowser()]);
});
after(async () => {
  await browser?.close();
  await lab?.stop();
  desk?.remove();
});

test('the explorer in JupyterLab: clicks reach the kernel, and the kernel moves the page', async () => {
  const context = await browser.newContext({ viewport: { width: 1500, height: 1100 } });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  const [trouble, foreign] = [[], []];
  page.on('pageerror', (error) => trouble.push(error.message));
  page.on('request', (request) => !/^(http:\/\/127\.0\.0\.1|ws:\/\/127\.0\.0\.1|blob:|data:)/.test(request.url()) && foreign.push(request.url()));
  await page.goto(`${lab.url}/lab/tree/explorer.ipynb`);
  const cells = page.locator('.jp-Notebook .jp-CodeCell');
  await cells.nth(3).waitFor({ timeout: 180000 });
  // Runs a cell, and gives what it prints after a word of its own.
  async function run(index, word) {
    const prompt = cells.nth(index).locator('.jp-InputArea-prompt');
    const before = await prompt.innerText();
    // A key that comes while the notebook is still being set up is lost: a cell that was not begun is asked again.
    for (let tries = 0; tries < 10; tries += 1) {
      await cells.nth(index).locator('.cm-content').click();
      await page.keyboard.press('Control+Enter');
      for (let waits = 0; waits < 50 && (await prompt.innerText()) === before; waits += 1) await page.waitForTimeout(100);
      if ((await prompt.innerText()) !== before) break;
    }
    if (!word) return null;
    const output = cells.nth(index).locator('.jp-OutputArea-output', { hasText: word });
    await output.waitFor({ timeout: 180000 });
    return output.innerText();
  }
  const again = async (index, word) => {
    await page.evaluate((at) => document.querySelectorAll('.jp-CodeCell')[at].querySelector('.jp-OutputArea-output')?.remove(), index);
    return run(index, word);
  };
  // Cells are drawn before the kernel listens, and a key pressed until then is lost without a word.
  await page.locator('.jp-Notebook-ExecutionIndicator[data-status="idle"]').waitFor({ timeout: 180000 });
  await run(0, null);
  await page.locator('.clausality-explorer .frame.ready').waitFor({ timeout: 180000 });
  const names = ['asia', 'tub', 'smoke', 'lung', 'bronc', 'either', 'xray', 'dysp'];
  const node = (name) => page.locator(`.clausality-explorer .cl-node[data-node="${names.indexOf(name)}"]`);
  const share = (name) => node(name).locator('.cl-share').first();
  // All of it is in sight, as large as there is room, though it was drawn before the notebook gave it any.
  const sight = () => page.evaluate(() => {
    const root = document.querySelector('.clausality-explorer').shadowRoot;
    const canvas = root.getElementById('canvas').getBoundingClientRect();
    const nodes = [...root.querySelectorAll('.cl-node')].map((node) => node.getBoundingClientRect());
    const inside = nodes.every(({ left, right, top, bottom }) => left >= canvas.left && right <= canvas.right && top >= canvas.top && bottom <= canvas.bottom);
    const span = (low, high) => Math.max(...nodes.map((node) => node[high])) - Math.min(...nodes.map((node) => node[low]));
    return { inside, share: Math.max(span('left', 'right') / canvas.width, span('top', 'bottom') / canvas.height) };
  });
  await assertSoon(async () => (await sight()).inside && (await sight()).share > 0.6);
  await keep(page, 'lab-first');

  // A click on a state is evidence, in the page and in the kernel.
  await node('smoke').locator('.cl-state').first().click();
  await page.locator('.clausality-explorer .findings li', { hasText: 'smoke = yes' }).waitFor();
  await assertSoon(async () => (await share('lung').textContent()) === '10%');
  assert.equal(await page.locator('.clausality-explorer #command').textContent(), 'network.query(["asia", "tub", "lung", "bronc", "either", "xray", "dysp"], given={"smoke": "yes"})');
  assert.match(await run(1, 'now'), /\['smoke', \{'smoke': 'yes'\}, \{\}\]/);

  // Letters are the explorer's while it has the focus: `d` turns seen to done there, and in a notebook deletes a cell when typed twice.
  await node('smoke').locator('.cl-title, .cl-name').first().click();
  await page.keyboard.press('d');
  await page.keyboard.press('a');
  await page.keyboard.press('b');
  assert.match(await page.locator('.clausality-explorer #lit').innerText(), /^Markov blanket of smoke: 2 nodes/);
  assert.match(await again(1, 'now'), /\['smoke', \{\}, \{'smoke': 'yes'\}\]/);
  assert.equal(await cells.count(), CELLS.length);
  await keep(page, 'lab-clicked');

  // What Python sets moves the page.
  const expected = Number((await run(2, 'set')).match(/\[([\d.e-]+)\]/)[1]);
  await page.locator('.clausality-explorer .findings li', { hasText: 'bronc = yes' }).waitFor();
  await page.locator('.clausality-explorer #node h2', { hasText: 'lung' }).waitFor();
  await assertSoon(async () => Math.abs(parseFloat(await share('lung').textContent()) / 100 - expected) < 6e-4);
  assert.equal(await page.locator('.clausality-explorer .findings li').count(), 3);
  assert.match(await run(3, 'changes'), /\['do', 'evidence', 'selected'\]/);
  await page.locator('.clausality-explorer').scrollIntoViewIfNeeded();
  await keep(page, 'lab-set');

  // Several states and reports arrive as a query takes them.
  await page.locator('.clausality-explorer #clear').click();
  await page.locator('.clausality-explorer .findings li').first().waitFor({ state: 'detached' });
  await page.locator('.clausality-explorer #node summary', { hasText: 'Several states' }).click();
  const slider = page.locator('.clausality-explorer #node input[type=range]').first();
  await slider.focus();
  await slider.press('ArrowLeft');
  await slider.press('ArrowLeft');
  const [, number] = (await again(1, "'lung': {")).match(/'lung': \{'yes': ([\d.]+), 'no': 1\.0\}/);
  assert.ok(Number(number) > 0 && Number(number) < 1, number);
  await page.locator('.clausality-explorer #clear').click();

  // A row of the table becomes evidence; the style of the notebook stays its own.
  await page.locator('.clausality-explorer #next-row').click();
  await assertSoon(async () => (await page.locator('.clausality-explorer .findings li').count()) === 8);
  assert.equal(await page.evaluate(() => document.querySelectorAll('#canvas, #known').length), 0, 'no ids leak into the notebook');

  // Dark as the notebook is.
  const paper = () => page.locator('.clausality-explorer .page').evaluate((element) => getComputedStyle(element).backgroundColor);
  const light = await paper();
  await page.evaluate(() => window.jupyterapp?.commands.execute('apputils:change-theme', { theme: 'JupyterLab Dark' }));
  if (!(await page.evaluate(() => Boolean(window.jupyterapp)))) {
    await page.locator('.lm-MenuBar-item', { hasText: 'Settings' }).click();
    await page.locator('.lm-Menu-item', { hasText: 'Theme' }).first().hover();
    await page.locator('.lm-Menu-item', { hasText: /^JupyterLab Dark$/ }).click();
  }
  await assertSoon(async () => (await paper()) !== light);
  await keep(page, 'lab-dark');
  assert.deepEqual({ trouble, foreign }, { trouble: [], foreign: [] });
  await context.close();
});

async function assertSoon(holds, within = 60000) {
  const end = Date.now() + within;
  while (!(await holds())) {
    assert.ok(Date.now() < end, `not within ${within} ms: ${holds}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}
