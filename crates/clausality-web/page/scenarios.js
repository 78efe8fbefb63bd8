// Scenarios: what is known, kept under a name, and two to four of them side by side.
//
// What is kept (shelf.js) is the fragment of the address (trail.js), so that it is read again with the same care.

import { fileName, save } from './download.js';
import { button, make } from './element.js';
import { inWords } from './findings.js';
import { read, write } from './trail.js';
import { grouped, isBand, percent, range, tiny } from './words.js';

const SIDE_BY_SIDE = 4;
const KEPT = 100;
const LONGEST = 80; // letters of a name

export function showScenarios(root, store, { ask, say, title, shelf, report }) {
  const section = root.getElementById('scenarios');
  const { nodes } = store.network;
  const chosen = new Set(); // names
  const answers = new Map(); // what is known, as a fragment → the answer
  const list = make('ul', { class: 'kept' });
  const table = make('div', { class: 'compared' });
  const name = make('input', { id: 'scenario-name', type: 'text', maxlength: LONGEST, autocomplete: 'off', 'aria-label': 'Name of the scenario', on: { keydown: (event) => event.key === 'Enter' && keep() } });
  section.append(make('div', { class: 'head' }, make('h2', {}, 'Scenarios')),
    make('div', { class: 'keep' }, name, button('Keep', () => keep(), { id: 'keep-scenario', title: 'Keep what is known under this name' })), list, table);

  const words = (known) => [...known].map(([node, finding]) => `${finding.set ? 'do ' : ''}${nodes[node].name} = ${inWords(finding, nodes[node].states)}`).join(', ') || 'nothing known';
  const known = ({ text }) => read(text, nodes).known;

  async function keep() {
    const text = write({ network: store.network, known: store.known });
    const called = name.value.trim().slice(0, LONGEST) || unnamed(text);
    const scenario = { name: called, text };
    const others = shelf.scenarios.filter((other) => other.name !== called);
    if (others.length >= KEPT) return say(`${grouped(KEPT)} scenarios are kept at most: forget one first.`);
    name.value = '';
    if (chosen.size < SIDE_BY_SIDE) chosen.add(called);
    const kept = shelf.keep({ scenarios: [...others, scenario] });
    show();
    say((await kept) ? `Kept: ${called}` : `Kept until this page is closed: ${called}${shelf.trouble ? ` (${shelf.trouble})` : ''}`);
  }

  // Without a name it is called by what it says; long ones may begin alike.
  function unnamed(text) {
    const short = words(store.known).slice(0, LONGEST);
    const taken = (called) => shelf.scenarios.some((other) => other.name === called && other.text !== text);
    for (let count = 1; ; count += 1) {
      const called = count === 1 ? short : `${short} (${count})`;
      if (!taken(called)) return called;
    }
  }

  function line(scenario) {
    const mark = make('input', {
      type: 'checkbox', 'aria-label': `Compare ${scenario.name}`, checked: chosen.has(scenario.name), disabled: !chosen.has(scenario.name) && chosen.size >= SIDE_BY_SIDE,
      on: { change: () => (mark.checked ? chosen.add(scenario.name) : chosen.delete(scenario.name), show()) },
    });
    const forget = () => {
      shelf.keep({ scenarios: shelf.scenarios.filter((other) => other.name !== scenario.name) });
      chosen.delete(scenario.name);
      show();
    };
    return make('li', {}, make('label', { class: 'check' }, mark), button(scenario.name, () => store.replace(known(scenario)), { class: 'plain name', title: `Take up: ${words(known(scenario))}` }),
      button('×', forget, { class: 'plain', 'aria-label': `Forget the scenario ${scenario.name}`, title: 'Forget' }));
  }

  function show() {
    const all = shelf.scenarios;
    name.placeholder = words(store.known);
    list.hidden = all.length === 0;
    list.replaceChildren(...all.map(line));
    compare(all.filter((scenario) => chosen.has(scenario.name)));
  }

  // The answers to these scenarios; an error takes the place of one.
  const answered = (scenarios) => Promise.all(scenarios.map(async ({ text, ...scenario }) => {
    if (!answers.has(text)) answers.set(text, await ask('/api/posteriors', store.question(known({ text }))).catch((error) => ({ failure: error.message })));
    return { ...scenario, known: known({ text }), answer: answers.get(text) };
  }));

  async function compare(scenarios) {
    if (scenarios.length < 2) {
      const hint = shelf.scenarios.length ? 'Mark two to four to see them side by side.' : 'Keep what is known under a name, and see what differs.';
      return table.replaceChildren(make('p', { class: 'note' }, hint));
    }
    const columns = await answered(scenarios);
    if ([...chosen].length !== scenarios.length) return; // somebody marked another meanwhile
    const node = store.target ?? store.selected;
    const shown = node === null ? make('p', { class: 'note' }, 'Choose a target or a node: its states stand here. The CSV file has all nodes.') : sideBySide(node, columns);
    table.replaceChildren(shown, button('Save as CSV', () => save(new Blob([csv(columns)], { type: 'text/csv' }), fileName(`${title()}-scenarios`, 'csv')), { id: 'save-scenarios' }), ...(shelf.ofRun ? [button('Report with these', saveReport, { id: 'save-report', title: 'The report of the run, with all scenarios that are kept' })] : []));
  }

  async function saveReport() {
    try {
      save(new Blob([await report()], { type: 'text/html' }), fileName(`${title()}-report`, 'html'));
    } catch (error) {
      say(`${error.message}.`);
    }
  }

  function sideBySide(node, columns) {
    const cell = ({ answer, known: said }, state) => {
      if (answer.failure) return make('td', { title: answer.failure }, '–');
      const [low, high] = [answer.band?.low[node][state], answer.band?.high[node][state]];
      return make('td', { class: said.has(node) ? 'faint' : '' }, percent(answer.posteriors[node][state]), isBand(low, high) && make('small', {}, range(low, high)));
    };
    const row = (label, state) => make('tr', {}, make('th', { scope: 'row', title: label }, label), columns.map((column) => cell(column, state)));
    const chance = ({ answer }) => make('td', { class: 'faint' }, answer.failure ? '0' : tiny(answer.evidence_probability, answer.evidence_log_probability));
    return make('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Scenarios side by side' }, make('table', { class: 'sides' },
      make('thead', {}, make('tr', {}, make('th', { scope: 'col' }, nodes[node].name), columns.map((column) => make('th', { scope: 'col', title: words(column.known) }, column.name)))),
      make('tbody', {}, nodes[node].states.map(row), make('tr', {}, make('th', { scope: 'row' }, 'probability seen'), columns.map(chance)))));
  }

  // Every state of every node; where an action may point either way, also the least and the most.
  function csv(columns) {
    const parts = columns.flatMap(({ name: called, answer }) => {
      const figures = (key) => (node, state) => (answer.failure ? '' : key(answer)[node][state]);
      const own = [[called, figures(({ posteriors }) => posteriors)]];
      if (answer.band?.open.length) own.push([`${called} (low)`, figures(({ band }) => band.low)], [`${called} (high)`, figures(({ band }) => band.high)]);
      return own;
    });
    // Programs for tables take a text that begins so for a formula, and run it: an apostrophe before it says that it is text.
    const guarded = (value) => (typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value));
    const quoted = (value) => (/[",\r\n]/.test(value) ? `"${guarded(value).replaceAll('"', '""')}"` : guarded(value));
    const lines = [['node', 'state', ...parts.map(([called]) => called)]];
    nodes.forEach(({ name: node, states }, k) => states.forEach((label, state) => lines.push([node, label, ...parts.map(([, figure]) => figure(k, state))])));
    return lines.map((line) => `${line.map(quoted).join(',')}\n`).join('');
  }

  store.on('known target select', show);
  show();
}
