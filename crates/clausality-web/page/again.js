// The second band of what is done: over graphs that were learned again from rows drawn anew. It takes longer than the bars, so it comes after them, first for the
// nodes in view, and is called off as soon as something else is asked.

export function keepAgain(store, ask, inView) {
  if (!store.network.replicates) return;
  let ended = new AbortController();
  const forget = () => {
    ended.abort();
    if (!store.again) return;
    store.again = null;
    store.tell('again');
  };
  async function asking() {
    forget();
    if (store.pending || ![...store.known.values()].some(({ set }) => set)) return;
    ended = new AbortController();
    const { signal } = ended;
    const question = store.question();
    const near = new Set(inView());
    const far = store.network.nodes.map((_, node) => node).filter((node) => !near.has(node));
    const again = { low: [], high: [] };
    for (const nodes of [[...near], far].filter(({ length }) => length)) {
      const found = await ask('/api/replicates', { ...question, nodes }, signal).catch(() => null);
      if (signal.aborted || !found) return;
      found.nodes.forEach((node, k) => ([again.low[node], again.high[node]] = [found.low[k], found.high[k]]));
      store.again = { ...again, rounds: found.rounds, draws: found.draws };
      store.tell('again');
    }
  }
  store.on('known failure', forget);
  store.on('answer', asking);
}
