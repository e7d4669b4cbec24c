// The widget of `rulebook.edit`: draws the state that Python sends, and sends back what was asked for.
// All text enters the page as text, never as HTML.
const WAIT = 2000;  // milliseconds after which somebody is told that there is no answer
const KEYS = [
  ['\u2191 \u2193', 'choose a rule'],
  ['Alt+\u2191 Alt+\u2193', 'move it up or down'],
  ['Enter', 'rewrite it; in the field: apply'],
  ['Insert', 'write a new rule above it'],
  ['Delete', 'drop it'],
  ['Escape', 'leave the field'],
  ['Ctrl+Z', 'undo'],
  ['Ctrl+Shift+Z', 'redo'],
];
const FIXED = 'The last line has no condition, and stays where it is.';
let serial = 0;  // for ids, of which a page with several widgets has each once

function make(tag, parent, text, attributes) {
  const node = document.createElement(tag);
  if (text) node.textContent = text;
  for (const [name, value] of Object.entries(attributes || {})) node.setAttribute(name, value);
  if (parent) parent.append(node);
  return node;
}
// minus signs as wide as plus signs
function signed(text) { return text.replace(/^-/, '\u2212'); }
function isChanged(measure) { return measure.verdict && measure.verdict !== 'same'; }
function inWords(measure) {
  return isChanged(measure) ? `${signed(measure.change)}, ${measure.verdict}` : measure.verdict;
}
function spoken(line, k, last) {
  const label = line.label, share = `${line.rows} rows`;
  const right = line.rows === '0' ? 'no rows' : `${share}, ${(100 * line.confidence).toFixed(1)}% ${label}`;
  if (k === last) return `last line: ${line.word} ${label}; ${right}`;
  return `rule ${k + 1} of ${last}: ${line.word} ${line.tests.join(' and ')} then ${label}; ${right}`;
}
// the name of a key with those held beside it; a Mac's command key is as good as Ctrl
function keyName(event) {
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const held = [event.ctrlKey || event.metaKey ? 'Ctrl' : '', event.altKey ? 'Alt' : '',
    event.shiftKey ? 'Shift' : ''];
  return [...held.filter(Boolean), key].join('+');
}
// a message of the parser: why, the text that it quotes, and the place in it that it points at
function parts(text) {
  const found = /^(.*)\n {2}(.*)\n {2}( *)\^$/s.exec(text);
  return found ? {why: found[1], quoted: found[2], at: found[3].length} : {why: text};
}
function showError(node, text) {
  const {why, quoted, at} = parts(text);
  node.replaceChildren(make('div', null, why));
  if (quoted === undefined) return;
  // a long text is scrolled, so that the pointer stays below its place; the keyboard can do that too
  const place = make('pre', node, `${quoted}\n${' '.repeat(at)}^`, {tabindex: 0,
    'aria-label': `at character ${at + 1}: ${quoted}`, role: 'note'});
  place.scrollLeft = place.scrollWidth * at / (quoted.length || 1) - place.clientWidth / 2;
}
function firstDifference(before, after) {
  const most = Math.max(before.length, after.length);
  for (let k = 0; k < most; k++) if (before[k]?.text !== after[k]?.text) return k;
  return null;
}

class Editor {
  constructor(model, el) {
    this.model = model;
    this.state = model.get('state');
    this.at = 0;          // place of the chosen line
    this.form = null;     // where a rule is written, or two are merged
    this.waiting = null;  // what was asked of Python and not answered yet
    this.id = `rulebook-${++serial}`;
    // JupyterLab leaves keys alone below an element with this mark
    this.root = make('div', el, '', {class: 'rulebook-editor', role: 'group',
      'data-lm-suppress-shortcuts': 'true'});
    this.board = make('div', this.root, '', {class: 'board'});
    this.proof = make('p', this.root, '', {class: 'proof'});
    this.makeBar();
    this.error = make('div', this.root, '', {class: 'error', role: 'alert'});
    this.makeGrid();
    this.status = make('p', this.root, '', {class: 'status less', role: 'status'});
    this.notes = make('div', this.root, '', {class: 'less'});
    this.record = make('details', this.root);
    this.makeKeys();
    this.root.addEventListener('keydown', event => this.press(event));
    this.draw();
  }

  // ---------------------------------------------------------------- parts that stay

  button(parent, text, title, keys, act) {
    const node = make('button', parent, text, {type: 'button', title: keys ? `${title} (${keys})` : title});
    if (keys) node.setAttribute('aria-keyshortcuts', keys.replace('Ctrl', 'Control'));
    node.hint = node.title;
    // a button that may not be used keeps the focus, and says why
    node.addEventListener('click', () => node.why ? this.say(node.why) : act());
    return node;
  }
  allow(node, why) {
    node.why = why;
    node.setAttribute('aria-disabled', String(Boolean(why)));
    node.title = why || node.hint;
  }
  makeBar() {
    const bar = make('div', this.root, '', {class: 'bar'});
    const whole = make('div', bar, '', {role: 'group', 'aria-label': 'the list'});
    const ask = verb => () => this.ask({verb});
    this.undo = this.button(whole, 'Undo', 'take back the last edit', 'Ctrl+Z', ask('undo'));
    this.redo = this.button(whole, 'Redo', 'do it again', 'Ctrl+Shift+Z', ask('redo'));
    this.reset = this.button(whole, 'Reset', 'back to the list as it was given', '', ask('reset'));
    const one = make('div', bar, '', {role: 'group', 'aria-labelledby': `${this.id}-which`});
    this.which = make('span', one, '', {id: `${this.id}-which`, class: 'which'});
    this.up = this.button(one, 'Up', 'move the rule up', 'Alt+ArrowUp', () => this.move(-1));
    this.down = this.button(one, 'Down', 'move the rule down', 'Alt+ArrowDown', () => this.move(1));
    this.rewrite = this.button(one, 'Rewrite', 'write the rule anew', 'Enter', () => this.write(true));
    this.add = this.button(one, 'New above', 'write a new rule above this line', 'Insert',
      () => this.write(false));
    this.merge = this.button(one, 'Merge', 'make this rule and another one', '', () => this.choose());
    this.drop = this.button(one, 'Drop', 'take the rule out', 'Delete', () => this.dropIt());
  }
  makeGrid() {
    this.grid = make('table', this.root, '', {role: 'grid', class: 'rules'});
    const head = make('tr', make('thead', this.grid, '', {role: 'rowgroup'}), '', {role: 'row'});
    for (const [name, kind] of [['condition', ''], ['label', ''], ['rows', 'number'], ['share', 'number']]) {
      make('th', head, name, {role: 'columnheader', scope: 'col', class: kind});
    }
    this.body = make('tbody', this.grid, '', {role: 'rowgroup'});
  }
  makeKeys() {
    const keys = make('details', this.root);
    make('summary', keys, 'Keys');
    const list = make('dl', keys);
    for (const [key, deed] of KEYS) {
      make('kbd', make('dt', list), key);
      make('dd', list, deed);
    }
  }

  // ---------------------------------------------------------------- what a state looks like

  draw() {
    const {state, root} = this;
    root.setAttribute('aria-label', `editor of the rules for ${state.target}`);
    this.grid.setAttribute('aria-label', `rules for ${state.target}; the first that holds decides`);
    this.drawBoard();
    this.drawRules();
    this.notes.replaceChildren(...state.notes.map(note => make('p', null, note)));
    this.drawRecord();
  }
  drawBoard() {
    const {measures, rates, costs, proof} = this.state;
    const cost = make('table', null, '', {class: 'numbers'});
    make('caption', cost, 'cost');
    for (const measure of measures) this.drawMeasure(cost, [measure]);
    const right = make('table', null, '', {class: 'numbers'});
    make('caption', right, 'rates, and differences in points');
    if (rates.length > 1) {
      const head = make('tr', make('thead', right));
      make('td', head);
      for (const {rows} of costs) make('th', head, rows, {scope: 'col'});
    }
    rates[0].forEach((_, k) => this.drawMeasure(right, rates.map(ones => ones[k])));
    if (costs.some(one => one.fixed || one.broken)) this.drawAnswers(right, costs);
    this.board.replaceChildren(cost, right);
    this.proof.replaceChildren(proof.text);
    const family = proof.family.replace(/^among /, '');
    if (family) make('span', this.proof, ` Family: ${family}.`, {class: 'less'});
  }
  drawMeasure(table, measures) {
    const row = make('tr', table);
    make('th', row, measures[0].name, {scope: 'row'});
    for (const measure of measures) {
      const cell = make('td', row, '', {title: `${signed(measure.given)} as given`});
      make('span', cell, signed(measure.now), {class: 'value'});
      // a bound stays as it is, and of nothing nothing is said
      if (!isChanged(measure)) continue;
      make('span', cell, inWords(measure), {class: `change ${measure.verdict}`});
    }
  }
  drawAnswers(table, costs) {
    const row = make('tr', table), count = weight => weight.toLocaleString('en');
    make('th', row, 'answers', {scope: 'row'});
    for (const {fixed, broken} of costs) {
      const words = fixed || broken ? `${count(fixed)} fixed, ${count(broken)} broken` : 'all as before';
      make('td', row, words);
    }
  }
  drawRules() {
    const {lines, target} = this.state, last = lines.length - 1;
    this.at = Math.max(0, Math.min(this.at, last));
    this.body.replaceChildren(...lines.map((line, k) => this.drawLine(line, k, last)));
    this.grid.querySelectorAll('th')[1].textContent = target;
    if (this.form) this.place();
    this.mark();
  }
  drawLine(line, k, last) {
    const row = make('tr', null, '', {role: 'row', 'aria-label': spoken(line, k, last)});
    const cell = (name, kind) => make('td', row, '', {role: 'gridcell', class: kind, 'data-name': name});
    const condition = cell('', 'condition');
    make('span', condition, line.word, {class: 'less'});
    line.tests.forEach((test, i) => {
      condition.append(' ');
      make('span', condition, (i ? 'and ' : '') + test, {class: 'test'});
    });
    make('b', cell(this.state.target, 'label'), line.label);
    const rows = cell('rows', 'number');
    rows.append(line.rows, ' ');
    make('span', rows, line.part && `(${line.part})`, {class: 'less'});
    const share = cell('share', 'number');
    if (line.rows !== '0') {
      share.append(`${(100 * line.confidence).toFixed(1)}% `);
      make('span', share, `(${line.interval})`, {class: 'less'});
      const bar = make('span', make('span', share, '', {class: 'share'}), '');
      bar.style.width = `${100 * line.confidence}%`;
    }
    row.addEventListener('click', () => this.select(k, true));
    row.addEventListener('dblclick', () => { if (k < last) this.write(true); });
    return row;
  }
  drawRecord() {
    const {history} = this.state, n = history.length;
    this.record.hidden = !n;
    const list = make('ul', null);
    for (const edit of history) make('li', list, edit);
    const words = `Record: ${n} edit${n === 1 ? '' : 's'}, places counted from 0`;
    this.record.replaceChildren(make('summary', null, words), list);
  }
  rows() { return [...this.body.children].filter(row => row !== this.form?.row); }
  // which line is chosen, and what may be done with it
  mark() {
    const {lines, undo, redo} = this.state, last = lines.length - 1, k = this.at;
    this.rows().forEach((row, i) => {
      row.tabIndex = i === k ? 0 : -1;
      row.setAttribute('aria-selected', String(i === k));
    });
    this.which.textContent = k === last ? 'Last line' : `Rule ${k + 1} of ${last}`;
    const fixed = k === last ? FIXED : '';
    const partners = this.partners();
    this.allow(this.undo, undo ? '' : 'There is nothing to undo.');
    this.allow(this.reset, undo ? '' : 'This is the list as it was given.');
    this.allow(this.redo, redo ? '' : 'There is nothing to redo.');
    this.allow(this.up, fixed || (k ? '' : 'This is the first rule.'));
    this.allow(this.down, fixed || (k < last - 1 ? '' : 'This is the last rule.'));
    for (const node of [this.rewrite, this.drop]) this.allow(node, fixed);
    this.allow(this.merge, fixed || (partners.length ? '' : `No other rule says ${lines[k].label}.`));
  }
  partners() {
    const {lines} = this.state, last = lines.length - 1, own = lines[this.at];
    return lines.map((line, k) => k).filter(k => k < last && k !== this.at && lines[k].label === own.label);
  }
  select(k, focus) {
    this.at = Math.max(0, Math.min(k, this.state.lines.length - 1));
    this.mark();
    if (focus) this.rows()[this.at].focus();
  }
  say(text) { this.status.textContent = text; }

  // ---------------------------------------------------------------- what is asked of Python

  ask(message, next, form) {
    // a second one would be about places that the first may change
    if (this.waiting) return;
    this.waiting = {next, form};
    this.clock = setTimeout(() => this.say('Python has not answered yet. Is the kernel running?'), WAIT);
    this.model.send(message);
  }
  move(by) { this.ask({verb: 'move', which: this.at, to: this.at + by}, this.at + by); }
  dropIt() { this.ask({verb: 'drop', which: this.at}, this.at); }
  answered() {
    const state = this.model.get('state'), before = this.state, waiting = this.waiting || {};
    const active = this.root.getRootNode().activeElement;
    const inList = this.body.contains(active);
    clearTimeout(this.clock);
    this.state = state;
    this.waiting = null;
    if (state.error) {
      this.mark();
      return this.refuse(state.error, waiting.form);
    }
    this.error.replaceChildren();
    const done = waiting.form && waiting.form === this.form;
    // a rule that is being written goes with the line that it is about
    if (this.form && !done) this.form.follow(state.lines);
    if (done) this.form = null;
    this.at = waiting.next ?? firstDifference(before.lines, state.lines) ?? this.at;
    this.draw();
    const objective = state.measures[0];
    const words = isChanged(objective) ? `${signed(objective.now)} (${inWords(objective)})` : objective.now;
    this.say(state.said ? `${state.said}. ${objective.name}: ${words}` : '');
    if (!inList) return;
    if (this.form) this.form.field.focus();
    else this.select(this.at, true);
  }
  refuse(text, form) {
    this.say('');
    if (!form || form !== this.form) {
      showError(this.error, text);
      return;
    }
    showError(form.error, text);
    form.field.setAttribute('aria-invalid', 'true');
    form.field.focus();
    // the cursor goes where the message points
    const {quoted, at} = parts(text);
    if (quoted && quoted === form.field.value) form.field.setSelectionRange(at, at);
  }

  // ---------------------------------------------------------------- writing a rule

  open(k, isBelow, words, field, apply) {
    const id = `${this.id}-form-${++serial}`;
    this.error.replaceChildren();
    const row = make('tr', null, '', {role: 'row', class: 'form'});
    const form = make('form', make('td', row, '', {role: 'gridcell', colspan: 4}));
    const label = make('label', form, words, {for: `${id}-field`});
    field.id = `${id}-field`;
    field.setAttribute('aria-describedby', `${id}-error`);
    const line = make('div', form, '', {class: 'line'});
    line.append(field);
    const ok = make('button', line, apply.word, {type: 'submit', title: `${apply.word} (Enter)`});
    const leave = this.button(line, 'Cancel', 'leave the list as it is', 'Escape', () => this.close());
    const error = make('div', form, '', {class: 'error', role: 'alert', id: `${id}-error`});
    form.addEventListener('submit', event => {
      event.preventDefault();
      apply.send();
    });
    field.addEventListener('input', () => field.removeAttribute('aria-invalid'));
    this.form = {row, label, field, ok, leave, error, at: k, isBelow, follow: () => {}};
    this.drawRules();
    field.focus();
  }
  place() {
    const {row, at, isBelow} = this.form, rows = this.rows();
    rows[Math.min(at, rows.length - 1)][isBelow ? 'after' : 'before'](row);
  }
  close() {
    const had = this.form.row.contains(this.root.getRootNode().activeElement);
    this.form = null;
    this.drawRules();
    if (had) this.select(this.at, true);
  }
  // a text that is being written is not thrown away by the next one
  isBusy() {
    if (!this.form) return false;
    this.form.field.focus();
    this.say('A rule is being written. Apply it or cancel first.');
    return true;
  }
  write(isOld) {
    if (this.isBusy()) return;
    const k = this.at, old = this.state.lines[k].text;
    const field = make('textarea', null, '', {rows: 1, spellcheck: 'false', autocapitalize: 'off'});
    const name = (place, isBelow) => `${isBelow ? 'Rewrite' : 'New'} rule ${place + 1}`;
    const send = () => {
      const {at, isBelow} = this.form, rule = field.value;
      this.ask(isBelow ? {verb: 'replace', which: at, rule} : {verb: 'insert', to: at, rule}, at, this.form);
    };
    field.value = isOld ? old : 'if ';
    this.open(k, isOld, name(k, isOld), field, {word: isOld ? 'Apply' : 'Insert', send});
    this.form.follow = lines => {
      // where the line is gone, what was typed becomes a new rule
      const texts = lines.slice(0, -1).map(line => line.text);
      if (isOld && texts.includes(old)) this.form.at = texts.indexOf(old);
      else this.form.isBelow = false;
      this.form.at = Math.min(this.form.at, lines.length - 1);
      this.form.label.textContent = name(this.form.at, this.form.isBelow);
      this.form.ok.textContent = this.form.isBelow ? 'Apply' : 'Insert';
    };
    field.setSelectionRange(field.value.length, field.value.length);
  }
  choose() {
    if (this.isBusy()) return;
    const k = this.at, field = make('select', null);
    for (const other of this.partners()) {
      make('option', field, `rule ${other + 1}: ${this.state.lines[other].text}`, {value: other});
    }
    const send = () => {
      const other = Number(field.value);
      this.ask({verb: 'merge', which: k, other}, Math.min(k, other), this.form);
    };
    this.open(k, true, `Merge rule ${k + 1} with`, field, {word: 'Merge', send});
    // the choice is about places, which any other edit changes
    this.form.follow = () => { this.form = null; };
  }

  // ---------------------------------------------------------------- keys

  press(event) {
    const inForm = this.form?.row.contains(event.target);
    const onRow = this.rows().includes(event.target);
    const outside = {...this.keysAnywhere(), ...onRow && this.keysOnRow()};
    const deed = (inForm ? this.keysInForm(event.target) : outside)[keyName(event)];
    if (!deed || event.isComposing) return;
    event.preventDefault();
    event.stopPropagation();
    deed();
  }
  keysAnywhere() {
    const redo = () => this.redo.click();
    return {'Ctrl+z': () => this.undo.click(), 'Ctrl+Shift+z': redo, 'Ctrl+y': redo};
  }
  keysOnRow() {
    const rewrite = () => this.rewrite.click(), drop = () => this.drop.click();
    return {
      'ArrowUp': () => this.select(this.at - 1, true),
      'ArrowDown': () => this.select(this.at + 1, true),
      'Home': () => this.select(0, true),
      'End': () => this.select(Infinity, true),
      'Alt+ArrowUp': () => this.up.click(),
      'Alt+ArrowDown': () => this.down.click(),
      'Enter': rewrite,
      'F2': rewrite,
      'Insert': () => this.add.click(),
      'Delete': drop,
      'Backspace': drop,
    };
  }
  keysInForm(target) {
    const keys = {'Escape': () => this.close()};
    if (target === this.form.field) keys.Enter = () => this.form.ok.click();
    return keys;
  }
}

function render({model, el}) {
  const editor = new Editor(model, el);
  const again = () => editor.answered();
  model.on('change:state', again);
  return () => model.off('change:state', again);
}
export default {render};
