// What is kept for a network: named scenarios, and nodes moved by hand. A run keeps them in its own folder, so that whoever opens it finds them, from any address; for
// anything else the browser does, for this network (its names, states and probabilities when nothing is known) and this address.

const isScenario = (entry) => typeof entry?.name === 'string' && typeof entry?.text === 'string';
const isPlace = ([, at]) => Array.isArray(at) && at.length === 2 && at.every(Number.isFinite);

// Gives { scenarios, places, ofRun, keep({ scenarios, places }) }: `ofRun` says whether a run keeps them, `keep` takes either and tells whether it is kept, `trouble` is why not.
export async function openShelf(network, { json, ask }, say) {
  const shelf = { scenarios: [], places: {}, trouble: null };
  const key = `clausality desk ${fingerprint(network)}`;
  let found = { kept: false };
  try {
    found = await json('/api/desk');
  } catch (error) {
    say(`${error.message}.`);
  }
  shelf.ofRun = found.kept;
  if (!found.kept) found = { kept: false, ...stored(key) };
  shelf.scenarios = (found.scenarios ?? []).filter(isScenario);
  shelf.places = Object.fromEntries(Object.entries(found.places ?? {}).filter(isPlace));
  let last = Promise.resolve();
  const send = async () => {
    const { scenarios, places } = shelf;
    if (!found.kept) return store(key, { scenarios, places });
    try {
      await ask('/api/desk', { scenarios, places });
      return true;
    } catch (error) {
      shelf.trouble = error.message;
      return false;
    }
  };
  shelf.keep = (what) => {
    Object.assign(shelf, what);
    // One after the other: the last one stands.
    last = last.then(send);
    return last;
  };
  return shelf;
}

function stored(key) {
  try {
    return JSON.parse(localStorage.getItem(key) ?? '{}') ?? {};
  } catch {
    return {};
  }
}

function store(key, value) {
  try {
    if (value.scenarios.length || Object.keys(value.places).length) localStorage.setItem(key, JSON.stringify(value));
    else localStorage.removeItem(key);
    return true;
  } catch {
    return false;
  }
}

// Tells networks apart (FNV-1a over names, states and probabilities); it keeps nothing secret.
function fingerprint({ model, nodes, posteriors }) {
  let hash = 0x811c9dc5;
  for (const letter of JSON.stringify([model, nodes.map(({ name, states, parents }) => [name, states, parents]), posteriors])) {
    hash = Math.imul(hash ^ letter.codePointAt(0), 0x01000193) >>> 0;
  }
  return hash.toString(16);
}
