// The section of time: how probable every state of a process is at every step, paler the less is certain, and a step to look at and to click in.

import { make, makeSvg } from './element.js';
import { holds, inWords } from './findings.js';
import { counted, percent } from './words.js';

const [WIDE, HIGH, EDGE] = [340, 132, 14]; // of the picture, and what lies around its areas
const PALEST = 0.7; // how pale a step is about which nothing is known
const LABELLED = 9; // steps that have a number, at most

// A step in words.
export function stepName(step) {
  if (step === 0) return 'now';
  return step < 0 ? `${counted(-step, 'step')} ago` : `${counted(step, 'step')} ahead`;
}

// How little a distribution says: 0 where it is certain, 1 where all states are equally probable.
function doubt(shares) {
  const nats = shares.reduce((sum, p) => (p > 0 ? sum - p * Math.log(p) : sum), 0);
  return shares.length > 1 ? nats / Math.log(shares.length) : 0;
}

export function showTime(root, store, { show }) {
  const section = root.getElementById('time');
  const { time, nodes } = store.network;
  if (!time) return;
  section.hidden = false;
  const processes = new Map(); // process → step → node
  nodes.forEach(({ process, step }, node) => {
    if (process === undefined) return;
    if (!processes.has(process)) processes.set(process, new Map());
    processes.get(process).set(step, node);
  });
  let [process, step] = [processes.keys().next().value, 0];
  const at = (wanted) => processes.get(process).get(wanted);

  const choice = make('select', { id: 'process', 'aria-label': 'What is shown over time', on: { change: () => look(choice.value, step) } },
    [...processes.keys()].map((name) => make('option', { value: name }, name)));
  const slider = make('input', { id: 'step', type: 'range', min: time.first, max: time.last, step: 1, 'aria-label': 'Step', on: { input: () => look(process, Number(slider.value)) } });
  const named = make('output', { id: 'step-name', for: 'step' });
  const picture = make('div', { class: 'course' });
  const states = make('div', { class: 'states', role: 'group' });
  section.replaceChildren(make('div', { class: 'head' }, make('h2', {}, 'Over time'), choice), picture, make('label', { class: 'line' }, slider, named), states);

  function look(name, wanted) {
    [process, step] = [name, wanted];
    draw();
    show(at(step));
  }

  function draw() {
    [choice.value, slider.value] = [process, step];
    named.textContent = stepName(step);
    slider.setAttribute('aria-valuetext', stepName(step));
    picture.replaceChildren(course());
    const rows = choices();
    const focused = states.contains(root.activeElement) ? [...states.children].indexOf(root.activeElement) : -1;
    states.setAttribute('aria-label', `States of ${process}, ${stepName(step)}`);
    states.replaceChildren(...rows);
    rows[focused]?.focus();
  }

  // Evidence that cannot be has no answer.
  const shares = (node) => (store.failure === null ? store.answer.posteriors[node] : null);

  function choices() {
    const node = at(step);
    const [known, now] = [store.known.get(node), shares(node)];
    return nodes[node].states.map((label, state) => {
      const held = holds(known, state);
      const bar = make('span', { class: 'bar area' });
      bar.style.setProperty('--p', now?.[state] ?? 0);
      shade(bar, state, nodes[node].states.length);
      const how = known?.set ? 'do' : 'seen';
      return make('button', {
        type: 'button', class: held ? `held ${how}` : '', 'aria-pressed': String(held), on: { click: () => store.toggle(node, state) },
      }, make('span', { class: 'label' }, label), bar, make('span', { class: 'share' }, now ? percent(now[state]) : '–'));
    });
  }

  // States upon each other from step to step.
  function course() {
    const steps = [...processes.get(process).keys()].sort((a, b) => a - b);
    const last = steps.length - 1;
    const x = (k) => EDGE + (last ? (k * (WIDE - 2 * EDGE)) / last : 0);
    const y = (p) => EDGE + (1 - p) * (HIGH - 2 * EDGE - 12);
    const all = steps.map((wanted) => shares(at(wanted)));
    const { states: labels } = nodes[at(steps[0])];
    const parts = [];
    if (all.every(Boolean)) {
      const under = steps.map(() => 0);
      labels.forEach((label, state) => {
        const below = under.map((p, k) => `${x(k)},${y(p)}`);
        all.forEach((own, k) => (under[k] += own[state]));
        const above = under.map((p, k) => `${x(k)},${y(Math.min(p, 1))}`).reverse();
        const area = makeSvg('polygon', { class: 'area', points: [...below, ...above].join(' ') }, makeSvg('title', {}, label));
        shade(area, state, labels.length);
        parts.push(area);
      });
      const stop = (own, k) => makeSvg('stop', { offset: last ? k / last : 0, 'stop-opacity': (PALEST * doubt(own)).toFixed(3), class: 'paper' });
      parts.push(makeSvg('linearGradient', { id: 'paling' }, all.map(stop)),
        makeSvg('rect', { x: EDGE, y: y(1), width: WIDE - 2 * EDGE, height: y(0) - y(1), fill: 'url(#paling)', 'pointer-events': 'none' }));
    }
    const every = Math.ceil(steps.length / LABELLED);
    steps.forEach((wanted, k) => {
      const known = store.known.get(at(wanted));
      if (known) parts.push(makeSvg('circle', { class: known.set ? 'done' : 'seen', cx: x(k), cy: y(1), r: 5 }, makeSvg('title', {}, `${stepName(wanted)}: ${inWords(known, labels)}`)));
      if (wanted % every === 0) parts.push(makeSvg('text', { x: x(k), y: HIGH - 4, class: wanted === 0 ? 'now' : '' }, wanted === 0 ? 'now' : wanted > 0 ? `+${wanted}` : `−${-wanted}`));
    });
    const line = (wanted, name) => makeSvg('line', { class: name, x1: x(steps.indexOf(wanted)), x2: x(steps.indexOf(wanted)), y1: y(1) - 4, y2: y(0) + 4 });
    if (steps.includes(0)) parts.push(line(0, 'present'));
    parts.push(line(step, 'looked'));
    const best = (own) => labels[own.indexOf(Math.max(...own))];
    const told = all.every(Boolean) ? steps.map((wanted, k) => `${stepName(wanted)} ${best(all[k])} ${percent(Math.max(...all[k]))}`).join(', ') : store.failure;
    const svg = makeSvg('svg', { viewBox: `0 0 ${WIDE} ${HIGH}`, role: 'img', 'aria-label': `${process}, the most probable state at every step: ${told}` }, parts);
    // The nearest step to where one points.
    svg.addEventListener('click', (event) => {
      const { left, width } = svg.getBoundingClientRect();
      const k = Math.round((((event.clientX - left) / width) * WIDE - EDGE) / ((WIDE - 2 * EDGE) / (last || 1)));
      look(process, steps[Math.max(0, Math.min(last, k))]);
    });
    return svg;
  }

  store.on('select', () => {
    const node = nodes[store.selected];
    if (node?.process === undefined || (node.process === process && node.step === step)) return;
    [process, step] = [node.process, node.step];
    draw();
  });
  store.on('answer known failure', draw);
  draw();
}

// States from full to pale, as far apart as their number lets them be.
function shade(element, state, count) {
  element.style.setProperty('--full', `${count > 1 ? 100 - (64 * state) / (count - 1) : 100}%`);
}
