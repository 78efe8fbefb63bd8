// The explorer in marimo, in a real browser: what is clicked there reaches the cells that read it. CLAUSALITY_PYTHON is a Python with clausality[widget] and
// marimo; with CLAUSALITY_PICTURES=FOLDER pictures of it are kept there, to be looked at.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ended, folder, keep, openBrowser, PATIENCE } from './harness.mjs';

const python = process.env.CLAUSALITY_PYTHON ?? 'python3';
const APP = `
import marimo

app = marimo.App(width="full")


@app.cell
def _():
    import clausality as cl
    import marimo as mo

    network = cl.load("asia")
    explorer = mo.ui.anywidget(cl.Explorer(network, network.sample(50, seed=3), height=620))
    explorer
    return explorer, mo, network


@app.cell
def _(explorer, mo, network):
    known = explorer.value["evidence"]
    mo.md(f"known to Python: {known}, lung {network.query('lung', given=known)['yes']:.4f}")
    return


if __name__ == "__main__":
    app.run()
`;

let desk;
let server;
let browser;

const freePort = () => new Promise((found) => {
  const probe = createServer().listen(0, '127.0.0.1', () => {
    const { port } = probe.address();
    probe.close(() => found(port));
  });
});

async function startMarimo(path) {
  writeFileSync(join(path, 'app.py'), APP);
  const port = await freePort();
  const home = { HOME: path, XDG_CONFIG_HOME: path, XDG_CACHE_HOME: path, XDG_STATE_HOME: path };
  const flags = ['run', 'app.py', '--headless', '--no-token', '--host', '127.0.0.1', '--port', String(port)];
  const child = spawn(python, ['-m', 'marimo', '-y', ...flags], {
    cwd: path,
    env: { ...process.env, ...home, MARIMO_SKIP_UPDATE_CHECK: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  [child.stdout, child.stderr].forEach((from) => from.on('data', (data) => (said += data)));
  const url = `http://127.0.0.1:${port}`;
  for (let tries = 0; ; tries += 1) {
    if (await fetch(`${url}/health`).then((answer) => answer.ok, () => false)) break;
    assert.ok(child.exitCode === null && tries < 600, `marimo did not come up: ${said}`);
    await new Promise((done) => setTimeout(done, 200));
  }
  return { url, stop: () => ended(child) };
}

before(async () => {
  desk = folder();
  [server, browser] = await Promise.all([startMarimo(desk.path), openBrowser()]);
});
after(async () => {
  await browser?.close();
  await server?.stop();
  desk?.remove();
});

test('the explorer in marimo: clicks reach the cells that read it', async () => {
  const context = await browser.newContext({ viewport: { width: 1500, height: 1100 } });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  await page.goto(server.url);
  await page.locator('.clausality-explorer .frame.ready').waitFor({ timeout: 180000 });
  const names = ['asia', 'tub', 'smoke', 'lung', 'bronc', 'either', 'xray', 'dysp'];
  const node = (name) => page.locator(`.clausality-explorer .cl-node[data-node="${names.indexOf(name)}"]`);
  await page.getByText('known to Python: {}, lung 0.0550').waitFor();
  await keep(page, 'marimo-first');
  await node('smoke').locator('.cl-state').first().click();
  await page.locator('.clausality-explorer .findings li', { hasText: 'smoke = yes' }).waitFor();
  await page.getByText("known to Python: {'smoke': 'yes'}, lung 0.1000").waitFor();
  assert.equal(await node('lung').locator('.cl-share').first().textContent(), '10%');
  await keep(page, 'marimo-clicked');
  await context.close();
});
