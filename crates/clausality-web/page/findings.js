// What is known of a node: one state that was seen or is set, or a number for every state. Of several states in which it may have been seen these are 0 and 1; of a
// report, how likely that would be in each.
//
//   { state, set }      { state: null, set: false, weights }

export const isSet = (weights) => weights.every((weight) => weight === 0 || weight === 1);

export const holds = (finding, state) => (finding?.weights ? finding.weights[state] > 0 : finding?.state === state);

// The weights of a finding; of nothing known all states are as likely.
export const weightsOf = (finding, count) => finding?.weights ?? Array.from({ length: count }, (_, state) => Number(!finding || finding.state === state));

// The finding that weights make: one state alone is that state, and what is the same for all says nothing.
export function findingOf(weights) {
  const most = Math.max(...weights);
  const [first, ...others] = weights.flatMap((weight, state) => (weight > 0 ? [state] : []));
  if (!(most > 0) || weights.every((weight) => weight === most)) return null;
  if (!others.length) return { state: first, set: false };
  return { state: null, set: false, weights: weights.map((weight) => Number((weight / most).toFixed(4))) };
}

export function inWords({ state, weights }, labels) {
  if (!weights) return labels[state];
  const meant = labels.map((label, k) => [label, weights[k]]).filter(([, weight]) => weight > 0);
  return isSet(weights) ? meant.map(([label]) => label).join(' or ') : meant.map(([label, weight]) => `${label} ${weight}`).join(', ');
}

// What is known, sorted as questions have it: nodes seen in a state, in one of several, reported, and set. Lists, as a node may be called anything.
export function sorted(known, nodes) {
  const found = { seen: [], among: [], likely: [], done: [] };
  for (const [node, finding] of known) {
    const { name, states } = nodes[node];
    if (finding.set) found.done.push([name, states[finding.state]]);
    else if (!finding.weights) found.seen.push([name, states[finding.state]]);
    else if (isSet(finding.weights)) found.among.push([name, states.filter((_, state) => finding.weights[state] > 0)]);
    else found.likely.push([name, states.map((label, state) => [label, finding.weights[state]])]);
  }
  return found;
}
