// Hands on the drawing: clicks on nodes and states, and the same by keyboard.

const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export function walk(drawing, view, store) {
  const at = (event) => {
    const state = event.target.closest?.('.cl-state');
    const group = event.target.closest?.('.cl-node');
    return group ? { node: Number(group.dataset.node), state: state ? Number(state.dataset.state) : null } : null;
  };

  drawing.svg.addEventListener('click', (event) => {
    const hit = at(event);
    const arc = event.target.closest?.('[data-parent]');
    if (arc) return store.selectArc({ parent: Number(arc.dataset.parent), child: Number(arc.dataset.child) });
    const extra = event.target.closest?.('[data-from]');
    if (extra) return store.selectArc({ parent: Number(extra.dataset.from), child: Number(extra.dataset.to) });
    if (!hit) {
      store.selectArc(null);
      return store.lit ? store.light(null) : store.select(null);
    }
    // A state that cannot be read is not what the click meant: closer first.
    const byFinger = event.pointerType === 'touch';
    if (view.isTooFar() || (byFinger && view.isTooSmall())) view.centre(drawing.nodes[hit.node]);
    else if (hit.state !== null && event.shiftKey) store.join(hit.node, hit.state);
    else if (hit.state !== null) store.toggle(hit.node, hit.state);
    store.select(hit.node);
    drawing.focus(hit.node);
  });

  drawing.svg.addEventListener('focusin', (event) => {
    const hit = at(event);
    if (hit && event.target.matches(':focus-visible')) view.reveal(drawing.frame(hit.node));
  });

  drawing.svg.addEventListener('keydown', (event) => {
    const hit = at(event);
    if (!hit || event.ctrlKey || event.metaKey || event.altKey) return;
    const done = hit.state === null ? onNode(event.key, hit.node) : onState(event, hit);
    if (!done) return;
    event.preventDefault();
    event.stopPropagation();
  });

  function onNode(key, node) {
    if (WAYS[key]) {
      const next = nearest(node, WAYS[key]);
      if (next !== null) drawing.focus(next);
    } else if (key === 'Enter' || key === ' ') {
      store.select(node);
      if (view.isTooFar()) view.centre(drawing.nodes[node]);
      drawing.focusState(node, store.known.get(node)?.state ?? 0);
    } else if (key === 'Delete' || key === 'Backspace') {
      store.forget(node);
    } else if (key === 'd' && store.known.has(node)) {
      store.turn(node);
    } else {
      return false;
    }
    return true;
  }

  function onState({ key, shiftKey }, { node, state }) {
    const last = store.network.nodes[node].states.length - 1;
    const step = { ArrowUp: Math.max(0, state - 1), ArrowDown: Math.min(last, state + 1), Home: 0, End: last }[key];
    if (step !== undefined) drawing.focusState(node, step);
    else if ((key === 'Enter' || key === ' ') && shiftKey) store.join(node, state);
    else if (key === 'Enter' || key === ' ') store.toggle(node, state);
    else if (key === 'Escape' || key === 'ArrowLeft' || key === 'ArrowRight') drawing.focus(node);
    else return onNode(key, node);
    return true;
  }

  // The closest node in a direction; what lies aside counts as farther away.
  function nearest(from, [dx, dy]) {
    const here = drawing.nodes[from];
    let best = null;
    drawing.nodes.forEach((there, node) => {
      const ahead = (there.x - here.x) * dx + (there.y - here.y) * dy;
      const aside = Math.abs((there.x - here.x) * dy) + Math.abs((there.y - here.y) * dx);
      if (node === from || there.hidden || ahead < 1) return;
      const distance = ahead + 2.5 * aside;
      if (!best || distance < best.distance) best = { node, distance };
    });
    return best?.node ?? null;
  }
}
