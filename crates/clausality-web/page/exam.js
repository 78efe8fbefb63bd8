// The section that tests the network with rows: how the target is predicted, how sure that is, and which rows surprise it. A click makes a row evidence.

import { button, make } from './element.js';
import { counted, grouped, percent } from './words.js';

export function showExam(root, store, { ask, rows }) {
  const section = root.getElementById('exam');
  const { nodes } = store.network;
  const body = make('div', { class: 'insight' });
  const start = button('Test', test, { id: 'test-rows' });
  section.append(make('div', { class: 'head' }, make('h2', {}, 'Test with the rows'), start), body);

  const wanted = () => store.target ?? store.selected;

  function show() {
    section.hidden = !rows.source;
    const node = wanted();
    start.disabled = node === null;
    start.textContent = node === null ? 'Test' : `Test ${nodes[node].name}`;
    if (!body.childNodes.length) body.append(make('p', { class: 'note' }, 'Choose a target or a node: it is predicted in every row from the others.'));
  }

  async function test() {
    const [node, { source }] = [wanted(), rows];
    body.replaceChildren(make('p', { class: 'note', role: 'status' }, 'Predicting …'));
    try {
      const found = await ask('/api/exam', { target: nodes[node].name, ...(source.csv == null ? {} : { csv: source.csv }) });
      body.replaceChildren(...told(node, found, source));
    } catch (error) {
      body.replaceChildren(make('p', { class: 'trouble', role: 'alert' }, error.message));
    }
  }

  // The row becomes evidence; `left` is left out of it.
  const take = (number, left, source) => {
    if (rows.source !== source) return;
    rows.left.value = left ?? '';
    rows.go(number);
  };

  function told(node, { states, rows: all, examined, prediction, surprising, log_likelihood_per_row: likelihood, impossible_rows: impossible }, source) {
    const some = examined < all ? `${grouped(examined)} of ${grouped(all)} rows, evenly spread` : counted(all, 'row');
    const parts = [make('p', { class: 'figure', id: 'exam-figure' }, prediction
      ? [make('b', {}, nodes[node].name), ` is right in `, make('b', {}, percent(prediction.accuracy)), ` of ${counted(prediction.rows, 'row')} (always the most frequent: ${percent(prediction.baseline)}); log-loss ${number(prediction.log_loss)}, Brier ${number(prediction.brier)}${prediction.auc == null ? '' : `, AUC ${number(prediction.auc)}`}.`]
      : 'No row says what it is.')];
    if (prediction) parts.push(confusion(node, states, prediction, source), calibration(prediction));
    parts.push(surprises(surprising, source));
    parts.push(make('p', { class: 'note' }, `From ${some} of ${source.name}; a row has log-likelihood ${number(likelihood)} on average${impossible ? `, and ${counted(impossible, 'row')} cannot be by the network` : ''}.`));
    return parts;
  }

  const number = (value) => (value == null ? '∞' : value.toFixed(4));

  function confusion(node, states, { confusion: counts, examples }, source) {
    const most = Math.max(1, ...counts.flat());
    const cell = (count, truth, said) => {
      const td = make('td', { class: truth === said ? 'p hit-cell' : 'p' }, count === 0 ? '0'
        : button(grouped(count), () => take(examples[truth][said][0], node, source), { class: 'plain', title: `Row ${examples[truth][said].join(', ')}: truly ${states[truth]}, predicted ${states[said]}` }));
      td.style.setProperty('--p', count / most);
      return td;
    };
    const row = (label, truth) => make('tr', {}, make('th', { scope: 'row', title: label }, label), counts[truth].map((count, said) => cell(count, truth, said)));
    return make('details', { open: states.length <= 8 }, make('summary', {}, 'Confusion', make('span', { class: 'faint' }, ' truth down, prediction across')),
      make('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Confusion' },
        make('table', { class: 'cpt', id: 'confusion' }, make('thead', {}, make('tr', {}, make('td'), states.map((label) => make('th', { scope: 'col', title: label }, label)))), make('tbody', {}, states.map(row)))));
  }

  function calibration({ calibration: bins, calibration_error: error }) {
    const row = ({ from, to, rows: count, confidence, accuracy }) => {
      const bar = make('span', { class: 'bar' }, tick(confidence));
      bar.style.setProperty('--p', accuracy);
      return make('tr', {}, make('td', { class: 'faint' }, `${Math.round(from * 100)}–${Math.round(to * 100)}%`), make('td', { class: 'meter' }, bar), make('td', { class: 'number' }, percent(accuracy)), make('td', { class: 'number faint' }, grouped(count)));
    };
    return make('details', {}, make('summary', {}, 'Calibration', make('span', { class: 'faint' }, ` off by ${percent(error)} on average`)),
      make('p', { class: 'note' }, 'By how sure the prediction is: the share that is right, and a tick where it should be.'),
      make('table', { class: 'lines', id: 'calibration' }, make('tbody', {}, bins.map(row))));
  }

  const tick = (p) => {
    const mark = make('i', { class: 'tick' });
    mark.style.setProperty('--p', p);
    return mark;
  };

  function surprises(all, source) {
    const line = ({ row, column, state, probability, surprise }) => make('li', {}, button(`Row ${grouped(row)}`, () => take(row, null, source), { class: 'plain', title: 'Take it as evidence' }),
      make('span', { class: 'name', title: `surprise ${number(surprise)} nats` }, column == null ? '' : `${column} = ${state} (${percent(probability)})`));
    return make('details', { open: true }, make('summary', {}, 'Most surprising rows', make('span', { class: 'faint' }, ' and the cell that is least expected')), make('ul', { class: 'kept', id: 'surprising' }, all.map(line)));
  }

  store.on('target select', show);
  rows.changed = () => {
    body.replaceChildren();
    show();
  };
  show();
}
