// What the page shows, asked elsewhere: as a command line and as Python.

import { sorted } from './findings.js';

// A name or state as `clausality query` reads it: in double quotes where it holds anything but plain letters.
const quoted = (name) => (/^[A-Za-z0-9_.][A-Za-z0-9_.+-]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`);

// A word for the shell.
export const shell = (word) => (/^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

// The nodes to ask for, and what is seen and done, by name.
function question(store) {
  const { nodes, model } = store.network;
  const { seen, among, likely, done } = sorted(store.known, nodes);
  // Between several states stands a bar: where one of them has it in its name they are told by numbers.
  const [plain, odd] = [true, false].map((wanted) => among.filter(([, labels]) => labels.every((label) => !label.includes('|')) === wanted));
  const states = (name) => nodes.find((node) => node.name === name).states;
  const reports = [...likely, ...odd.map(([name, labels]) => [name, states(name).map((label) => [label, Number(labels.includes(label))])])];
  const all = nodes.map((_, node) => node);
  const free = all.filter((node) => !store.known.has(node));
  const asked = free.includes(store.selected) ? [store.selected] : free.length ? free : all;
  return { model, targets: asked.map((node) => nodes[node].name), given: [...seen, ...plain.map(([name, labels]) => [name, labels.join('|')])], reports, done, best: store.best !== null };
}

export function shellCommand(store) {
  const { model, targets, given, reports, done, best } = question(store);
  const words = ['clausality', 'query', model, ...(best ? ['--mpe'] : ['--target', targets.map(quoted).join(',')])];
  const list = (pairs) => pairs.map(([name, state]) => `${quoted(name)}=${quoted(state)}`).join(',');
  if (given.length) words.push('--given', list(given));
  for (const [name, numbers] of reports) words.push('--likely', `${quoted(name)}=${numbers.map(([label, number]) => `${quoted(label)}:${number}`).join(',')}`);
  if (done.length) words.push('--do', list(done));
  return words.map(shell).join(' ');
}

// Text in JSON is text in Python, too.
export function pythonCall(store) {
  const { model, targets, given, reports, done, best } = question(store);
  const dict = (pairs) => `{${pairs.map((pair) => pair.map((word) => JSON.stringify(word)).join(': ')).join(', ')}}`;
  const words = [];
  if (!best) words.push(targets.length === 1 ? JSON.stringify(targets[0]) : `[${targets.map((name) => JSON.stringify(name)).join(', ')}]`);
  if (given.length) words.push(`given=${dict(given)}`);
  if (reports.length) words.push(`likely={${reports.map(([name, numbers]) => `${JSON.stringify(name)}: {${numbers.map(([label, number]) => `${JSON.stringify(label)}: ${number}`).join(', ')}}`).join(', ')}}`);
  if (done.length) words.push(`do=${dict(done)}`);
  return `${model}.${best ? 'mpe' : 'query'}(${words.join(', ')})`;
}
