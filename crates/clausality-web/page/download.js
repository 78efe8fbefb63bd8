// The drawing as it stands, as a file.

import { make } from './element.js';

const PIXELS = 40e6; // what a canvas is asked for at most
const SIDE = 12000;

export function save(blob, name) {
  const url = URL.createObjectURL(blob);
  make('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

// The name of a file: letters that every system takes.
export const fileName = (name, ending) => `${name.replace(/[^\p{L}\p{N}_-]+/gu, '-').slice(0, 80) || 'network'}.${ending}`;

// The whole drawing with its style, in the colours of the page.
export function svgText(svg, { width, height }, styles, theme) {
  const copy = svg.cloneNode(true);
  for (const extra of copy.querySelectorAll('.hit, .hit-arc, .weak')) extra.remove();
  for (const element of [copy, ...copy.querySelectorAll('*')]) {
    for (const name of ['tabindex', 'role', 'aria-pressed', 'aria-label', 'focusable']) element.removeAttribute(name);
  }
  copy.classList.remove('far', 'farther');
  copy.setAttribute('viewBox', `0 0 ${width} ${height}`);
  copy.setAttribute('width', width);
  copy.setAttribute('height', height);
  copy.setAttribute('data-theme', theme);
  const paper = document.createElementNS(copy.namespaceURI, 'rect');
  for (const [name, value] of Object.entries({ class: 'cl-paper', width, height })) paper.setAttribute(name, value);
  copy.prepend(paper);
  const text = new XMLSerializer().serializeToString(copy);
  // The style goes in as text: the policy of this page allows no style in its own document, not even in a copy.
  const end = text.indexOf('>') + 1;
  return `${text.slice(0, end)}<style>${styles.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</style>${text.slice(end)}`;
}

export async function png(text, { width, height }) {
  const scale = Math.min(2, SIDE / width, SIDE / height, Math.sqrt(PIXELS / (width * height)));
  const url = URL.createObjectURL(new Blob([text], { type: 'image/svg+xml' }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = make('canvas', { width: Math.ceil(width * scale), height: Math.ceil(height * scale) });
    canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((done, failed) => canvas.toBlob((blob) => (blob ? done(blob) : failed(new Error('the picture is too large for this browser')))));
  } finally {
    URL.revokeObjectURL(url);
  }
}
