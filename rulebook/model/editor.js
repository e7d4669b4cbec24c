function make(tag, text, parent, options) {
  const node = Object.assign(document.createElement(tag), options || {});
  if (text !== null) node.textContent = text;
  if (parent) parent.appendChild(node);
  return node;
}
function button(text, title, parent, click, disabled) {
  const node = make('button', text, parent, {title, type: 'button', disabled: !!disabled});
  node.setAttribute('aria-label', title);
  node.addEventListener('click', click);
}
function drawLine(line, k, last, table, page) {
  const row = make('tr', null, table);
  for (const text of [line.word, line.condition]) make('td', text, row);
  make('b', line.label, make('td', null, row));
  const share = make('td', line.captured, row, {className: 'share'});
  share.style.setProperty('--share', 100 * line.confidence + '%');
  const cell = make('td', null, row);
  if (k === last) return;
  button('\u2191', 'move up', cell, () => page.send({verb: 'move', which: k, to: k - 1}), k === 0);
  button('\u2193', 'move down', cell, () => page.send({verb: 'move', which: k, to: k + 1}), k === last - 1);
  button('\u270e', 'rewrite', cell, () => page.write(k, line.text, true));
  button('+', 'new rule before this one', cell, () => page.write(k, 'if ', false));
  button('\u2715', 'drop', cell, () => page.send({verb: 'drop', which: k}));
  const tick = {type: 'checkbox', title: 'tick two rules to merge them', value: k, className: 'tick'};
  make('input', null, cell, tick);
}
function percent(share) { return (100 * share).toFixed(1) + '%'; }
function costText(cost, all) {
  const name = all > 1 ? cost.rows + ': ' : '';
  const count = weight => weight.toLocaleString('en');
  const went = `${count(cost.fixed)} fixed, ${count(cost.broken)} broken, of ${count(cost.weight)}`;
  return `${name}${percent(cost.now)} right, ${percent(cost.before)} before the edits (${went})`;
}

function draw(el, model, page) {
  const state = model.get('state'), last = state.lines.length - 1;
  const root = make('div', null, null, {className: 'rulebook-editor'});
  make('div', state.target + ':', root);
  const table = make('table', null, root);
  state.lines.forEach((line, k) => drawLine(line, k, last, table, page));
  const form = make('form', null, root);
  button('new last rule', 'a rule before the last line', form, () => page.write(last, 'if ', false));
  button('merge', 'make the two ticked rules one', form, () => {
    const ticked = [...root.querySelectorAll('.tick:checked')].map(box => Number(box.value));
    if (ticked.length === 2) page.send({verb: 'merge', which: ticked[0], other: ticked[1]});
    else error.textContent = 'Tick two rules to merge them.';
  });
  for (const verb of ['undo', 'redo', 'reset']) {
    button(verb, verb, form, () => page.send({verb}), !state[verb === 'redo' ? 'redo' : 'undo']);
  }
  const field = make('form', null, root, {hidden: true});
  const text = make('input', null, field, {type: 'text'}), ok = make('button', 'ok', field, {type: 'submit'});
  text.setAttribute('aria-label', 'text of the rule');
  page.write = (place, rule, old) => {
    page.draft = {place, rule, old};
    field.hidden = false;
    text.value = rule;
    ok.textContent = old ? `rewrite rule ${place + 1}` : `insert as rule ${place + 1}`;
    text.focus();
  };
  text.addEventListener('input', () => { page.draft.rule = text.value; });
  field.addEventListener('submit', event => {
    event.preventDefault();
    const {place, rule, old} = page.draft;
    page.send(old ? {verb: 'replace', which: place, rule} : {verb: 'insert', to: place, rule});
  });
  const error = make('pre', state.error, root, {role: 'alert'});
  for (const cost of state.costs) make('div', costText(cost, state.costs.length), root);
  for (const note of state.history) make('div', note, root, {className: 'note'});
  el.replaceChildren(root);
  if (state.error && page.draft) page.write(page.draft.place, page.draft.rule, page.draft.old);
  else page.draft = null;
}
function render({model, el}) {
  const page = {draft: null, send: message => model.send(message)};
  const again = () => draw(el, model, page);
  model.on('change:state', again);
  again();
  return () => model.off('change:state', again);
}
export default {render};
