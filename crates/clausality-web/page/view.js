// Where one looks: pan and zoom by pointer, wheel, pinch and buttons. The drawing's viewBox is all that changes.

const LEAST = 0.02;
const MOST = 4;
const FAR = 0.55; // smaller than this, figures are not readable and are left out
const OVERVIEW = 0.2; // smaller than this, names are not readable either
const READABLE = 0.75; // figures can be read in passing
const FINGER = 1.55; // smaller than this, the line of a state has less than 24 pixels, and a finger hits its neighbour
const MARGIN = 12; // pixels around the whole
const DRAG = 4; // pixels that make a click a drag

export class View {
  // The places of the nodes say where to begin. The wheel is the drawing's while `ours` says so, and else scrolls what is around. `within` another
  // page, where there is little room, the whole comes first.
  constructor(canvas, svg, places, ours, within = false) {
    this.canvas = canvas;
    this.svg = svg;
    this.ours = ours;
    this.within = within;
    const { width, height } = svg.viewBox.baseVal;
    this.whole = { width: width || 1, height: height || 1 };
    this.pointers = new Map();
    this.dragged = false;
    svg.setAttribute('width', '100%');
    svg.setAttribute('height', '100%');
    this.measure();
    new ResizeObserver(() => {
      this.measure();
      this.resized(places);
    }).observe(canvas);
    canvas.addEventListener('wheel', (event) => this.wheel(event), { passive: false });
    canvas.addEventListener('pointerdown', (event) => this.down(event));
    canvas.addEventListener('pointermove', (event) => this.move(event));
    for (const end of ['pointerup', 'pointercancel', 'lostpointercapture']) canvas.addEventListener(end, (event) => this.up(event));
    // The click that ends a drag is none.
    canvas.addEventListener('click', (event) => this.dragged && event.stopPropagation(), true);
    this.told = () => {}; // who hears of it
    this.enter(places);
  }

  // The whole, or where it begins.
  enter(places) {
    this.fit();
    this.begin(places);
    this.entered = this.canvas.clientWidth > 0 && this.canvas.clientHeight > 0;
  }

  // Where one looks, if that was chosen: [x, y, scale] of the middle, whatever the size of the window.
  get look() {
    const { width, height } = this.size;
    return this.chosen ? [this.x + width / this.scale / 2, this.y + height / this.scale / 2, this.scale] : null;
  }

  set look([x, y, scale]) {
    const { width, height } = this.size;
    this.scale = Math.max(LEAST, Math.min(MOST, scale));
    [this.x, this.y] = [x - width / this.scale / 2, y - height / this.scale / 2];
    this.show();
    this.chosen = true;
  }

  // What one sees, in the measures of the drawing.
  get window() {
    const { x, y, scale, size } = this;
    return { x, y, width: size.width / scale, height: size.height / scale };
  }

  choose() {
    this.chosen = true;
    this.told();
  }

  // Kept: asked for in the middle of a change, it would have everything laid out on the spot.
  measure() {
    this.size = { width: this.canvas.clientWidth || 1, height: this.canvas.clientHeight || 1 };
  }

  // Lines of about a pixel from far away. The width is the same for a while: to change it, or to have the browser keep it at every zoom, touches each of them.
  thin() {
    const hair = 2 ** Math.round(-Math.log2(this.scale));
    if (hair === this.hair) return;
    this.hair = hair;
    this.svg.style.setProperty('--hair', hair);
  }

  // Whether states can no longer be told apart.
  isTooFar() {
    return this.scale < FAR;
  }

  // Whether a finger could not tell one state from the next.
  isTooSmall() {
    return this.scale < FINGER;
  }

  // Whether names could not be read at the size they have.
  isFarther() {
    return this.scale < OVERVIEW;
  }

  fit() {
    const { width, height } = this.size;
    this.scale = Math.min((width - 2 * MARGIN) / this.whole.width, (height - 2 * MARGIN) / this.whole.height, 1.25);
    this.fitted = this.scale;
    this.x = this.whole.width / 2 - width / this.scale / 2;
    this.y = this.whole.height / 2 - height / this.scale / 2;
    this.show();
    this.fits = true;
    this.chosen = false; // whether somebody chose to look here
    this.told();
  }

  // A drawing whose figures (within another page: whose names) could not be read as a whole is entered from the top, amid the nodes that stand there.
  begin(places) {
    if (!(this.within ? this.isFarther() : this.isTooFar())) return;
    this.scale = READABLE;
    // A window whose corner is a node's, not far down, and that has most nodes whole in it; of equals the highest, furthest to the left.
    const [wide, high] = [this.size.width / this.scale - 2 * MARGIN, this.size.height / this.scale - 2 * MARGIN];
    const frames = places.map(({ x, y, width = 0, height = 0 }) => ({ left: x - width / 2, top: y - height / 2, right: x + width / 2, bottom: y + height / 2 }));
    const seen = ({ left, top }) => frames.filter((frame) => frame.left >= left && frame.right <= left + wide && frame.top >= top && frame.bottom <= top + high).length;
    const corners = frames.filter(({ top }) => top < high).sort((a, b) => a.top - b.top || a.left - b.left);
    const best = corners.reduce((most, corner) => (seen(corner) > most.seen ? { ...corner, seen: seen(corner) } : most), { left: 0, top: 0, seen: 0 });
    // The rest of the window is shared by both sides.
    this.centre({ x: best.left + wide / 2, y: best.top + high / 2 }, false);
  }

  show() {
    const { width, height } = this.size;
    this.scale = Math.max(Math.min(LEAST, this.fitted), Math.min(MOST, this.scale));
    const [w, h] = [width / this.scale, height / this.scale];
    // Some of the drawing always stays in sight.
    const keep = 0.8;
    this.x = Math.max(-w * keep, Math.min(this.whole.width - w * (1 - keep), this.x));
    this.y = Math.max(-h * keep, Math.min(this.whole.height - h * (1 - keep), this.y));
    this.svg.setAttribute('viewBox', `${this.x} ${this.y} ${w} ${h}`);
    this.svg.classList.toggle('far', this.isTooFar());
    this.svg.classList.toggle('farther', this.isFarther());
    if (this.isFarther()) this.thin();
    this.fits = false;
    this.shown?.();
  }

  resized(places) {
    // In a notebook the drawing is there before it has a size.
    if (!this.entered) return this.enter(places);
    if (this.fits) return this.fit();
    const box = this.svg.viewBox.baseVal;
    const { width, height } = this.size;
    this.x = box.x + box.width / 2 - width / this.scale / 2;
    this.y = box.y + box.height / 2 - height / this.scale / 2;
    this.show();
  }

  // Closer or farther, around a point of the canvas.
  zoom(factor, at = { x: this.size.width / 2, y: this.size.height / 2 }) {
    const before = this.scale;
    this.scale = Math.max(Math.min(LEAST, this.fitted), Math.min(MOST, before * factor));
    this.x += at.x / before - at.x / this.scale;
    this.y += at.y / before - at.y / this.scale;
    this.show();
    this.choose();
  }

  // Brings a point into the middle, close enough to read.
  centre({ x, y }, closer = true) {
    const { width, height } = this.size;
    if (closer) this.scale = Math.max(this.scale, matchMedia('(pointer: coarse)').matches ? FINGER : 0.9);
    // As near to the middle as the edges of the drawing allow.
    const place = (middle, span, whole) => (whole < span ? (whole - span) / 2 : Math.max(0, Math.min(whole - span, middle - span / 2)));
    const edge = MARGIN / this.scale;
    this.x = place(x + edge, width / this.scale, this.whole.width + 2 * edge) - edge;
    this.y = place(y + edge, height / this.scale, this.whole.height + 2 * edge) - edge;
    this.show();
    if (closer) this.choose();
  }

  // Moves only as far as needed to have a frame in sight.
  reveal({ x, y, width, height }) {
    const margin = 16 / this.scale;
    const [w, h] = [this.size.width / this.scale, this.size.height / this.scale];
    const shift = (low, span, start, length) => (start - margin < low ? start - margin : start + length + margin > low + span ? start + length + margin - span : low);
    const [left, top] = [shift(this.x, w, x, width), shift(this.y, h, y, height)];
    if (left === this.x && top === this.y) return;
    [this.x, this.y] = [left, top];
    this.show();
    this.choose();
  }

  // Goes as far back as needed to have a frame in sight, and no closer.
  include({ x, y, width, height }, closest = Infinity) {
    const room = { width: this.size.width - 2 * MARGIN, height: this.size.height - 2 * MARGIN };
    const [left, top, right, bottom] = [this.x, this.y, this.x + this.size.width / this.scale, this.y + this.size.height / this.scale];
    if (closest === Infinity && x >= left && y >= top && x + width <= right && y + height <= bottom) return;
    this.scale = Math.min(this.scale, closest, room.width / width, room.height / height);
    this.x = x + width / 2 - this.size.width / this.scale / 2;
    this.y = y + height / 2 - this.size.height / this.scale / 2;
    this.show();
    this.choose();
  }

  // A frame as close as it fits.
  frame(box) {
    this.scale = MOST;
    this.include({ ...box, x: box.x - 1, y: box.y - 1, width: box.width + 2, height: box.height + 2 }, 1.25);
  }

  spot(event) {
    const frame = this.canvas.getBoundingClientRect();
    return { x: event.clientX - frame.left, y: event.clientY - frame.top };
  }

  wheel(event) {
    if (!event.ctrlKey && !this.ours()) return;
    event.preventDefault();
    const unit = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1;
    const rate = event.ctrlKey ? 0.01 : 0.0016;
    this.zoom(Math.exp(-Math.max(-300, Math.min(300, event.deltaY * unit)) * rate), this.spot(event));
  }

  down(event) {
    if (event.button !== 0) return;
    if (this.pointers.size === 0) this.dragged = false;
    this.pointers.set(event.pointerId, this.spot(event));
    this.start = this.spot(event);
  }

  move(event) {
    const before = this.pointers.get(event.pointerId);
    if (!before) return;
    const now = this.spot(event);
    if (!this.dragged && this.pointers.size === 1 && Math.hypot(now.x - this.start.x, now.y - this.start.y) < DRAG) return;
    if (!this.dragged) this.canvas.setPointerCapture(event.pointerId);
    this.dragged = true;
    const other = [...this.pointers].find(([id]) => id !== event.pointerId)?.[1];
    this.pointers.set(event.pointerId, now);
    if (other) {
      const [apart, then] = [Math.hypot(now.x - other.x, now.y - other.y), Math.hypot(before.x - other.x, before.y - other.y)];
      this.zoom(apart / (then || 1), { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 });
    }
    const share = other ? 2 : 1;
    this.x -= (now.x - before.x) / this.scale / share;
    this.y -= (now.y - before.y) / this.scale / share;
    this.show();
    this.choose();
  }

  up(event) {
    this.pointers.delete(event.pointerId);
    // The click of this drag comes before.
    if (this.pointers.size === 0) setTimeout(() => (this.dragged = false));
  }
}
