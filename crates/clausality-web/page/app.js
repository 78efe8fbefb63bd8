// The explorer as a page of its own, with the server it came from behind it.

import { shellCommand } from './command.js';
import { mount } from './explorer.js';

async function send({ method, path, type, body, signal }) {
  let response;
  try {
    // What is to be kept arrives also where the page is left at once; browsers let only so much of that.
    const keepalive = path === '/api/desk' && body !== undefined && body.length < 50000;
    response = await fetch(path, { method, body, keepalive, signal, credentials: 'same-origin', headers: type ? { 'Content-Type': type } : {} });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Error('the explorer does not answer: was it ended?');
  }
  return { status: response.status, text: await response.text() };
}

// The address: what is written behind its `#` never leaves the browser.
const place = {
  get text() {
    return location.hash.slice(1);
  },
  get step() {
    return history.state?.step;
  },
  push: (text, step) => history.pushState({ step }, '', `#${text}`),
  swap: (text, step) => history.replaceState({ step }, '', text ? `#${text}` : location.pathname),
  go: (by) => history.go(by),
  moved: (action) => addEventListener('popstate', action),
};

const door = { edits: true, send, place, command: shellCommand, largeTable: 'start the explorer with --table FILE', sharesWheel: false };

mount(document, document.documentElement, door).then((explorer) => {
  if (explorer) document.title = `${explorer.name} · Clausality`;
});
