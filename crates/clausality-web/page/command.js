// The command line that asks what the page shows.

// A name or state as `clausality query` reads it: in double quotes where it holds anything but plain letters.
const quoted = (name) => (/^[A-Za-z0-9_.][A-Za-z0-9_.+-]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`);

// A word for the shell.
export const shell = (word) => (/^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

export function command(store) {
  const { nodes, model } = store.network;
  const name = (node) => quoted(nodes[node].name);
  const pairs = (set) => [...store.known].filter(([, known]) => known.set === set)
    .map(([node, { state }]) => `${name(node)}=${quoted(nodes[node].states[state])}`).join(',');
  const all = nodes.map((_, node) => node);
  const free = all.filter((node) => !store.known.has(node));
  const asked = free.includes(store.selected) ? [store.selected] : free.length ? free : all;
  const words = ['clausality', 'query', model];
  if (store.best) words.push('--mpe');
  else words.push('--target', asked.map(name).join(','));
  for (const [option, list] of [['--given', pairs(false)], ['--do', pairs(true)]]) if (list) words.push(option, list);
  return words.map(shell).join(' ');
}
