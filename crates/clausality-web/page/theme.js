// Light or dark as the notebook is. Every notebook says it in its own way, but all write light letters on dark ground.

function isLight(colour) {
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [1, 1];
  const context = canvas.getContext('2d');
  context.fillStyle = colour;
  context.fillRect(0, 0, 1, 1);
  const [red, green, blue] = context.getImageData(0, 0, 1, 1).data;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 127;
}

// Sets the theme of the frame now and whenever the letters around its host change.
export function followTheme(host, frame, ended) {
  let letters = null;
  const look = () => {
    const now = getComputedStyle(host.parentElement ?? document.body).color;
    if (now === letters) return; // somebody may have chosen the other theme here
    letters = now;
    frame.dataset.theme = isLight(now) ? 'dark' : 'light';
  };
  // Notebooks set an attribute of their document, and some let colours fade.
  const later = () => [0, 100, 500, 1500].forEach((wait) => setTimeout(look, wait));
  const watch = new MutationObserver(later);
  for (const element of [document.documentElement, document.body]) watch.observe(element, { attributes: true });
  watch.observe(document.head, { childList: true, subtree: true });
  const preferred = matchMedia('(prefers-color-scheme: dark)');
  preferred.addEventListener('change', later, { signal: ended });
  ended.addEventListener('abort', () => watch.disconnect());
  look();
  later();
}
