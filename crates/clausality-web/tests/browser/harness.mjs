// The program and a browser on it.

import { chromium } from 'playwright-core';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

export const program = resolve(process.env.CLAUSALITY_BIN ?? '../../../../target/debug/clausality');
const chrome = process.env.CLAUSALITY_CHROMIUM ?? '/usr/bin/chromium';
const flags = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

// Milliseconds that a page has to show something: nothing is measured by them, and other work may have the machine.
export const PATIENCE = 180000;

export const run = (...args) => execFileSync(program, args, { encoding: 'utf8' });

export const query = (...args) => JSON.parse(run('query', ...args, '--json'));

// A command as a shell reads it, with the program on the path.
export const shell = (line) => execFileSync('sh', ['-c', line], { encoding: 'utf8', env: { ...process.env, PATH: `${dirname(program)}:${process.env.PATH}` } });

export function folder() {
  const path = mkdtempSync(join(tmpdir(), 'clausality-browser-'));
  return { path, remove: () => rmSync(path, { recursive: true }) };
}

// Chromium now and then ends while it starts, before it has seen a page of ours: it is started again, and what it said is told.
export async function openBrowser(tries = 5) {
  try {
    return await chromium.launch({ executablePath: chrome, headless: true, args: flags });
  } catch (gone) {
    if (tries <= 1 || !/has been closed|Failed to launch|Timeout/.test(gone.message)) throw gone;
    console.error(`Chromium ended while it started, and is started again:\n${gone.message}`);
    await new Promise((done) => setTimeout(done, 2000));
    return openBrowser(tries - 1);
  }
}

// A test that fails leaves its server behind, and would leave everything waiting for it.
const running = new Set();
export const endAll = () => running.forEach((child) => child.kill());

// Starts `clausality explore` and gives its address and a way to end it.
export async function explore(...args) {
  const child = spawn(program, ['explore', ...args, '--no-open', '--json'], { stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  let [said, complaint] = ['', ''];
  child.stderr.on('data', (data) => (complaint += data));
  const ended = new Promise((done) => child.on('exit', (code) => done(code)));
  const url = await new Promise((found, failed) => {
    child.stdout.on('data', (data) => {
      said += data;
      try {
        found(JSON.parse(said).url);
      } catch {
        // Not the whole document yet.
      }
    });
    ended.then((code) => failed(new Error(`explore ended with ${code}: ${complaint}`)));
  });
  const stop = async () => {
    child.kill('SIGINT');
    return ended;
  };
  return { url, stop };
}

// With CLAUSALITY_PAGE=../../page the files of the page come from there: changes are tried without building.
async function fromFolder(route) {
  const { pathname } = new URL(route.request().url());
  const file = join(process.env.CLAUSALITY_PAGE, pathname === '/' ? 'index.html' : pathname);
  if (!existsSync(file)) return route.continue();
  const response = await route.fetch();
  const body = readFileSync(file);
  // The program may not know the file yet.
  const type = { js: 'text/javascript', css: 'text/css' }[file.split('.').pop()] ?? 'text/html';
  return route.fulfill({ response, status: 200, body, headers: { ...response.headers(), 'content-type': type, 'content-length': String(body.length) } });
}

// A page that keeps account of everything that must not happen; large enough to show all of alarm with its figures.
export async function openPage(browser, url, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1600, height: 1200 }, acceptDownloads: true, ...options });
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  const trouble = [];
  page.on('console', (message) => message.type() === 'error' && !/ 4(22|09) /.test(message.text()) && trouble.push(message.text()));
  page.on('pageerror', (error) => trouble.push(error.message));
  page.on('dialog', (dialog) => {
    trouble.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on('request', (request) => {
    const to = request.url();
    if (!to.startsWith(new URL(url).origin) && !to.startsWith('blob:') && !to.startsWith('data:')) trouble.push(`asks elsewhere: ${to}`);
  });
  await page.addInitScript(() => {
    window.violations = [];
    document.addEventListener('securitypolicyviolation', (event) => window.violations.push(`${event.violatedDirective} ${event.blockedURI}`));
  });
  if (process.env.CLAUSALITY_PAGE) await page.route(/\.(js|css)$|\/$/, fromFolder);
  await page.goto(url);
  // The first page came by a redirect, which such a route does not see.
  if (process.env.CLAUSALITY_PAGE) await page.reload();
  await page.waitForSelector('html.ready');
  const network = await page.evaluate(async () => (await fetch('/api/network')).json());
  const indexOf = (name) => network.nodes.findIndex((node) => node.name === name);
  return {
    page, network, trouble, indexOf,
    node: (name) => page.locator(`.cl-node[data-node="${indexOf(name)}"]`),
    state(name, label) {
      const index = indexOf(name);
      return page.locator(`.cl-node[data-node="${index}"] .cl-state[data-state="${network.nodes[index].states.indexOf(label)}"]`);
    },
    // What the bars of a node say: state → share of the full width.
    bars: (name) => page.evaluate(([node, labels]) => Object.fromEntries([...document.querySelectorAll(`.cl-node[data-node="${node}"] .cl-bar`)]
      .map((bar, state) => [labels[state], Number(bar.getAttribute('width')) / Number(bar.dataset.full)])), [indexOf(name), network.nodes[indexOf(name)].states]),
    // The next answer after an action has reached the bars.
    async after(action) {
      const answered = page.waitForResponse((response) => response.url().endsWith('/api/posteriors'));
      await action();
      await answered;
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 30))));
    },
    async close() {
      trouble.push(...(await page.evaluate(() => window.violations)));
      await context.close();
      return trouble;
    },
  };
}

export function nearly(found, expected, what = '') {
  for (const [state, p] of Object.entries(expected)) {
    if (!(Math.abs(found[state] - p) < 2e-3)) throw new Error(`${what} ${state}: the page has ${found[state]}, expected ${p}`);
  }
}

// Asks a server to end, and waits until it has.
export const ended = (child) => new Promise((done) => {
  child.on('exit', done);
  child.kill('SIGTERM');
});

// A picture of the page, where CLAUSALITY_PICTURES names a folder for them.
export const keep = (page, name) => process.env.CLAUSALITY_PICTURES && page.screenshot({ path: join(process.env.CLAUSALITY_PICTURES, `${name}.png`) });

// What axe-core finds on a page as it stands, in words.
const axe = readFileSync(new URL('node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');
export async function violations(page) {
  await page.evaluate(axe);
  return page.evaluate(async () => (await window.axe.run(document, { rules: { 'target-size': { enabled: true } } })).violations
    .map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.slice(0, 5).map(({ target, failureSummary }) => `${target} ${failureSummary.split('\n')[1] ?? ''}`).join(' | ')}`));
}
