// The section of the selected node: states, what to highlight, its table, its rules and strengths.

import { arcsOf } from './arcs.js';
import { button, make } from './element.js';
import { findingOf, holds, weightsOf } from './findings.js';
import { counted, grouped, isBand, listed, percent, range } from './words.js';

const FIRST = 5; // rules that are shown at once

export function showNode(root, store, { load, light, go, leave, search, editable }) {
  const section = root.getElementById('node');
  let shown = null; // the document of the node on screen

  store.on('select', async () => {
    const node = store.selected;
    section.hidden = node === null;
    shown = null;
    if (node === null) return;
    section.replaceChildren(...[...head(store, node, light, leave), states(root, store, node), unsure(store, node), arcsOf(store, node, { search, editable })].filter(Boolean));
    try {
      const found = await load(node);
      if (store.selected !== node) return;
      shown = found;
      section.append(...details(store, found, go));
      markRows(store, found, section);
    } catch (error) {
      section.append(make('p', { class: 'trouble', role: 'alert' }, error.message));
    }
  });
  store.on('answer again known failure', () => {
    if (store.selected === null) return;
    section.querySelector('.states')?.replaceWith(states(root, store, store.selected));
    section.querySelector('.unsure')?.follow();
    if (shown) markRows(store, shown, section);
  });
}

function head(store, node, light, leave) {
  const { name } = store.network.nodes[node];
  const choice = (text, kind, key) => button(text, () => light(kind, node), { id: `light-${kind}`, title: `Highlight (${key})` });
  return [
    make('div', { class: 'head' }, make('h2', {}, name), button('×', () => leave(node), { class: 'plain', 'aria-label': 'Close the node', title: 'Close (Esc)' })),
    make('div', { class: 'lights', role: 'group', 'aria-label': 'Highlight' },
      choice('Blanket', 'blanket', 'b'), choice('Ancestors', 'ancestors', 'a'), choice('Descendants', 'descendants', 's'), choice('Path to …', 'path', 'p'),
      button('Target', () => store.aim(node), { id: 'as-target', title: 'What one wants to know about (t)' })),
  ];
}

// A bar of this share.
function meter(p) {
  const bar = make('span', { class: 'bar' });
  bar.style.setProperty('--p', p);
  return bar;
}

// The states as buttons: the drawing's bars again, large.
function states(root, store, node) {
  const { name, states: labels } = store.network.nodes[node];
  // Evidence that cannot be has no answer, and the one before was to another question.
  const { posteriors, observed, band } = store.failure === null ? store.answer : {};
  const focused = root.activeElement?.closest('.states') ? Number(root.activeElement.dataset.state) : null;
  const known = store.known.get(node);
  const row = (label, state) => {
    const [p, seen, held] = [posteriors?.[node][state], observed?.[node][state], holds(known, state)];
    const share = p == null ? '–' : percent(p);
    const bar = meter(p ?? 0);
    if (seen != null && Math.abs(seen - p) > 0.0005) {
      const tick = make('i', { class: 'tick' });
      tick.style.setProperty('--p', seen);
      bar.append(tick);
    }
    const [low, high] = [band?.low[node][state], band?.high[node][state]];
    const open = isBand(low, high) ? `, in equally good graphs ${range(low, high)}` : '';
    if (open) {
      const span = make('i', { class: 'span' });
      span.style.setProperty('--low', low);
      span.style.setProperty('--high', high);
      bar.append(span);
    }
    const [least, most] = [store.again?.low[node]?.[state], store.again?.high[node]?.[state]];
    const rows = isBand(least, most) ? `, where the rows are drawn anew ${range(least, most)}` : '';
    if (rows) {
      const span = make('i', { class: 'span again' });
      span.style.setProperty('--low', least);
      span.style.setProperty('--high', most);
      bar.append(span);
    }
    const how = known?.set ? 'do' : 'seen';
    return make('button', {
      type: 'button', class: held ? `held ${how}` : '', 'aria-pressed': String(held), 'data-state': state,
      title: [label, open && `in equally good graphs: ${range(low, high)}`, rows && `where the rows are drawn anew: ${range(least, most)}`].filter(Boolean).join('\n'),
      on: { click: (event) => (event.shiftKey ? store.join(node, state) : store.toggle(node, state)) },
    }, make('span', { class: 'label' }, label), bar, make('span', { class: 'share' }, share), make('span', { class: 'unseen' }, `${open}${rows}${held ? `, ${how}` : ''}`));
  };
  const rows = labels.map(row);
  const box = make('div', { class: 'states', role: 'group', 'aria-label': `States of ${name}` }, rows);
  if (focused !== null) queueMicrotask(() => rows[focused]?.focus());
  return box;
}

// Several states, or a report that one does not quite trust: a number for each.
function unsure(store, node) {
  const { states: labels } = store.network.nodes[node];
  const sliders = labels.map((label) => make('input', { type: 'range', min: 0, max: 100, step: 5, 'aria-label': `${label}: how likely what was noticed would be`, on: { change: say, input: figures } }));
  const outputs = labels.map(() => make('output', { class: 'number' }));
  function figures() {
    sliders.forEach((slider, state) => (outputs[state].textContent = (slider.value / 100).toFixed(2)));
  }
  function say() {
    const weights = sliders.map((slider) => slider.value / 100);
    // What is the same for all says nothing, and what is nothing for all cannot be: then the sliders go back.
    if (findingOf(weights) || store.known.has(node)) store.weigh(node, weights);
    box.follow();
  }
  const row = (label, state) => make('label', { class: 'slide' }, make('span', { class: 'cut-off', title: label }, label), sliders[state], outputs[state]);
  const box = make('details', { class: 'unsure', id: 'unsure' }, make('summary', {}, 'Several states, or not quite sure'),
    make('p', { class: 'note' }, 'How likely what was noticed would be in each state: 0 rules it out. With Shift a click adds a state, or takes it away.'), labels.map(row));
  box.follow = () => {
    weightsOf(store.known.get(node), labels.length).forEach((weight, state) => (sliders[state].value = Math.round(100 * weight)));
    figures();
  };
  box.follow();
  return box;
}

function details(store, found, go) {
  const parts = [];
  const { explanation } = found;
  if (explanation) {
    parts.push(make('p', { class: 'verdict' }, explanation.verdict));
    parts.push(rules(explanation));
    parts.push(strengths(store, explanation, go));
  }
  parts.push(table(store, found));
  return parts.filter(Boolean);
}

const fold = (title, count, open, ...content) =>
  make('details', { open }, make('summary', {}, title, make('span', { class: 'faint' }, ` ${count}`)), ...content);

function rules({ rules: all }) {
  if (!all.length) return make('p', { class: 'faint' }, 'No rules were kept.');
  const item = (rule) => make('li', {}, rule.text, make('small', {},
    `right in ${percent(rule.precision)} of ${counted(rule.support, 'row')}, usual ${percent(rule.base)}; weight ${grouped(rule.weight)}`));
  const list = make('ol', { class: 'rules' }, all.slice(0, FIRST).map(item));
  const more = all.length > FIRST && button(`${all.length - FIRST} more`, () => {
    list.append(...all.slice(FIRST).map(item));
    more.remove();
  }, { class: 'plain' });
  return fold('Rules', all.length, true, list, more);
}

function strengths(store, explanation, go) {
  const strong = explanation.features.filter(({ strength }) => strength > 0);
  if (!strong.length) return null;
  const index = new Map(store.network.nodes.map(({ name }, node) => [name, node]));
  const kin = (name) => (explanation.parents.some((arc) => arc.parent === name) ? 'parent' : explanation.children.some((arc) => arc.child === name) ? 'child' : '');
  const row = (feature) => {
    const name = index.has(feature.name) ? button(feature.name, () => go(index.get(feature.name)), { class: 'plain name' }) : feature.name;
    return make('tr', {}, make('td', {}, name), make('td', { class: 'faint' }, kin(feature.name)), make('td', { class: 'meter' }, meter(feature.share)), make('td', { class: 'number' }, percent(feature.share)));
  };
  return fold('Strengths', strong.length, false, make('table', { class: 'strengths' }, make('tbody', {}, strong.map(row))));
}

// The states of the parents in a row of the table, the last parent's varying fastest.
function codes(store, found, row) {
  const digits = [];
  let rest = row;
  for (const parent of [...found.parents].reverse()) {
    const size = store.network.nodes[parent].states.length;
    digits.unshift(rest % size);
    rest = Math.floor(rest / size);
  }
  return digits;
}

// Rows that what is known rules out are faint.
function markRows(store, found, section) {
  section.querySelectorAll('.cpt tbody tr').forEach((line, row) => {
    const out = codes(store, found, row).some((code, k) => {
      const finding = store.known.get(found.parents[k]);
      return finding && !holds(finding, code);
    });
    line.classList.toggle('out', out);
  });
}

function table(store, found) {
  const { nodes } = store.network;
  if (found.earlier.length) {
    return fold('Probabilities', `given ${counted(found.earlier.length + found.parents.length, 'parent')}`, true,
      make('p', { class: 'faint' }, `It looks back to ${listed(found.earlier)}, which ${found.earlier.length === 1 ? 'is' : 'are'} counted but not shown. Its table is that of any later step.`));
  }
  const cell = (p) => {
    const td = make('td', { class: 'p' }, percent(p));
    td.style.setProperty('--p', p);
    return td;
  };
  const given = (row) => codes(store, found, row).map((code, k) => make('th', { scope: 'row' }, nodes[found.parents[k]].states[code]));
  const line = (values, row) => make('tr', {}, given(row), values.map(cell));
  const names = found.parents.map((parent) => make('th', { scope: 'col', class: 'parent' }, nodes[parent].name));
  const top = make('tr', {}, names, found.states.map((state) => make('th', { scope: 'col' }, state)));
  const count = found.parents.length;
  const rest = found.configurations - found.rows.length;
  return fold('Probabilities', count ? `given ${count === 1 ? 'its parent' : `${count} parents`}` : '', true,
    make('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Probability table' },
      make('table', { class: 'cpt' }, make('thead', {}, top), make('tbody', {}, found.rows.map(line)))),
    rest > 0 && make('p', { class: 'faint' }, `and ${grouped(rest)} more rows: the BIF file has them all`));
}
