// Numbers as people read them.

// A share of one decimal; what is not quite nothing, or not quite everything, does not look like it.
export function percent(p) {
  if (p > 0 && p < 0.0005) return '<0.1%';
  if (p < 1 && p > 0.9995) return '>99.9%';
  return `${Math.round(p * 1000) / 10}%`;
}

// A difference of shares, in points of 100, with its sign where there is anything to see of it.
export function points(difference) {
  const size = (Math.abs(difference) * 100).toFixed(1);
  return Number(size) ? `${difference < 0 ? '−' : '+'}${size}` : size;
}

// A probability with the digits that matter.
export function chance(p) {
  if (p === 0 || p === 1) return String(p);
  return p >= 0.0001 && p < 0.99995 ? p.toFixed(4) : p.toExponential(2);
}

// A probability that may be too small for a number, by its natural logarithm.
export function tiny(p, log) {
  if (p > 0 || log == null) return chance(p);
  const tens = log / Math.LN10;
  return `${(10 ** (tens - Math.floor(tens))).toFixed(2)}e${Math.floor(tens)}`;
}

export const grouped = (count) => count.toLocaleString('en');

export const counted = (count, one) => `${grouped(count)} ${one}${count === 1 ? '' : 's'}`;

// Whether two ends are a range that can be seen, and not one number.
export const isBand = (low, high) => low != null && high - low > 0.0005;

export const range = (low, high) => `${percent(low)} – ${percent(high)}`;

// Several things in a sentence: "a", "a and b", "a, b and 3 more".
export function listed(words, most = 4) {
  const shown = words.length > most ? [...words.slice(0, most - 1), `${words.length - most + 1} more`] : words;
  return shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`;
}
