// The explorer in a notebook, as anywidget shows it. It stands in a shadow root, so that neither its ids nor its styles meet those around it, and
// asks the kernel by messages.

import { icon, markup, styles } from './assets.js';
import { pythonCall } from './command.js';
import { make } from './element.js';
import { mount } from './explorer.js';
import { followTheme } from './theme.js';
import { shareTraits } from './traits.js';

const PATIENCE = 120000; // milliseconds that a kernel may take

// Requests travel as { id, method, path, type, body }, answers as { id, status, text }. Every view of a widget hears every answer, so ids are its own.
function messages(model, ended) {
  const own = Math.random().toString(36).slice(2);
  const waiting = new Map();
  let count = 0;
  const heard = (answer) => {
    waiting.get(answer?.id)?.(answer);
    waiting.delete(answer?.id);
  };
  model.on('msg:custom', heard);
  ended.addEventListener('abort', () => model.off('msg:custom', heard));
  return (request) => new Promise((done, failed) => {
    count += 1;
    const id = `${own}-${count}`;
    waiting.set(id, done);
    setTimeout(() => {
      if (waiting.delete(id)) failed(new Error('the kernel does not answer: it is busy, or it was ended; then run the cell again'));
    }, PATIENCE);
    const { signal, ...carried } = request; // messages cannot be called off
    model.send({ id, ...carried });
  });
}

function build(host) {
  const root = host.attachShadow({ mode: 'open' });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(styles);
  root.adoptedStyleSheets = [sheet];
  const page = make('div', { class: 'page' });
  page.append(...new DOMParser().parseFromString(markup, 'text/html').body.childNodes);
  page.querySelector('.title img').src = `data:image/svg+xml,${encodeURIComponent(icon)}`;
  const frame = make('div', { class: 'frame', tabindex: '-1' }, page);
  root.append(frame);
  return { root, frame };
}

function render({ model, el }) {
  const ended = new AbortController();
  const host = make('div', { class: 'clausality-explorer', 'data-lm-suppress-shortcuts': 'true' });
  // What is typed here is not for the notebook, where single letters delete cells; what is held with a modifier may be.
  host.addEventListener('keydown', (event) => event.ctrlKey || event.metaKey || event.altKey || event.stopPropagation());
  el.replaceChildren(host);
  const size = () => {
    host.style.height = `${model.get('height')}px`;
  };
  model.on('change:height', size);
  size();
  const { root, frame } = build(host);
  followTheme(host, frame, ended.signal);
  const door = { send: messages(model, ended.signal), command: pythonCall, largeTable: 'give the explorer rows=FRAME', sharesWheel: true };
  mount(root, frame, door).then((explorer) => {
    if (!explorer || ended.signal.aborted) return;
    shareTraits(model, explorer, ended.signal);
    ended.signal.addEventListener('abort', explorer.end);
  });
  return () => {
    model.off('change:height', size);
    ended.abort();
  };
}

export default { render };
