// The checker of proofs: format "rulebook proof", version 1, in plain JavaScript. Nothing is loaded,
// nothing is sent. It was written apart from rulebook/proof/checker.py and shares no code with it; both must
// say the same of every file.
function RulebookChecker() {
'use strict';
// ---------- Reading a proof ----------
// Every refusal names its place in the proof and its reason. Numbers of a proof are whole and below 2**53,
// so that a number of JavaScript holds them exactly; where sums could grow larger, big integers take over.
// A file may come from anyone: a character that is not seen becomes an escape, and what could grow faster
// than the files is counted before it is made.

// A text in which every character that is not seen is an escape such as \x1b.
const UNSEEN = new RegExp('(?! )[\\p{C}\\p{Z}\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u2065\\u3164'
  + '\\ufe00-\\ufe0f\\uffa0\\ufff0-\\ufff8\\u{e0000}-\\u{e0fff}]', 'gu');
const visible = text => text.replace(UNSEEN, found => {
  const code = found.codePointAt(0), digits = n => code.toString(16).padStart(n, '0');
  return code < 256 ? `\\x${digits(2)}` : code < 65536 ? `\\u${digits(4)}` : `\\U${digits(8)}`;
});
class ProofError extends Error {
  constructor(place, reason) {
    super(visible(place ? `${place}: ${reason}` : reason));
    this.name = 'ProofError';
    this.place = place;
  }
}
const refuse = (place, reason) => { throw new ProofError(place, reason); };
const isList = value => Array.isArray(value);
const isRecord = value =>
  value !== null && typeof value === 'object' && !isList(value) && !(value instanceof Real);
const aList = (value, place) => isList(value) ? value : refuse(place, 'is no list');
const aText = (value, place) => typeof value === 'string' ? value : refuse(place, 'is no text');
function aRecord(value, place, names) {
  if (!isRecord(value)) refuse(place, 'is no object');
  const unknown = names && Object.keys(value).find(name => !names.includes(name));
  return unknown === undefined ? value : refuse(place, `has the unknown key ${quoted(unknown)}`);
}
function aWhole(value, place, low, high) {
  if (!Number.isSafeInteger(value)) refuse(place, 'is no whole number below 2**53');
  if (value < low || value > high) refuse(place, `is ${value}, which is not between ${low} and ${high}`);
  return value;
}
const MOST = Number.MAX_SAFE_INTEGER;
const aCount = (value, place, high = MOST) => aWhole(value, place, 0, high);
const orNull = (value, read, ...rest) => value === null || value === undefined ? null : read(value, ...rest);
function distinct(values, place) {
  if (new Set(values).size < values.length) refuse(place, 'names something twice');
  return values;
}
// A number that is not written as a whole number: allowed in the values of literals only.
class Real { constructor(value) { this.value = value; } }
// Bytes that a check may still take: ten times the size of its files, and these.
const SPARE = 2 ** 28;
let room = SPARE;
function take(bytes, keep = true) {
  if (bytes > room) refuse('memory', 'files of this size may not take so much');
  if (keep) room -= bytes;
}
// What was computed and may be needed again, as long as it takes little.
class Kept extends Map {
  keep(key, value, bytes) {
    if ((this.taken || 0) + bytes > SPARE / 4) { this.clear(); this.taken = 0; }
    this.taken = (this.taken || 0) + bytes;
    this.set(key, value);
    return value;
  }
}
const SIZES = new WeakMap();  // ten times the size of what was read, less what it takes

// Names and labels stand in the sentence as they do in that of Python: plain words, or in quotes. The
// sentence at the end is written from the data of the proof, not from the texts in it, which are not
// checked. A table has a clause for each field that makes the claim, and a field without one is refused.
const grouped = number => `${number}`.replace(/\B(?=(\d{3})+$)/g, ',');
const count = (number, thing) => `${grouped(number)} ${thing}${number === 1 ? '' : 's'}`;
// A text in quotes; of a long one the beginning.
function quoted(text) {
  const characters = text.length > 100 ? Array.from(text) : [...text];
  const short = characters.slice(0, 100).join('').replace(/["\\]/g, '\\$&'), n = characters.length;
  return `"${visible(short)}"${n > 100 ? `... (${grouped(n)} characters)` : ''}`;
}
// A name that cannot be taken for words of the sentence: a plain word, or in quotes.
const WORD = /^[A-Za-z_][A-Za-z0-9_]*(?:[.-][A-Za-z0-9_]+)*$/;
const name = text => text.length <= 100 && WORD.test(text) ? text : quoted(text);
// Things in a row; of many the first ones, and how many others.
function few(things, word, others) {
  const n = things.length > 4 ? 3 : things.length, texts = things.slice(0, n);
  if (things.length > n) texts.push(`${grouped(things.length - n)} ${others}`);
  return [...texts.length > 1 ? [texts.slice(0, -1).join(', ')] : [], ...texts.slice(-1)].join(` ${word} `);
}
function shown(value) {
  if (isList(value)) return `[${few(value.map(shown), 'and', 'others')}]`;
  if (typeof value === 'string') return quoted(value);
  const far = typeof value === 'number' && value && !(Math.abs(value) >= 1e-4 && Math.abs(value) < 1e16);
  return far ? value.toExponential() : `${value}`;
}
const labelText = value => typeof value === 'string' ? name(value) : shown(value);
function literalText({column, op, values}) {
  if (!values) return `${name(column)} is ${op}`;
  return `${name(column)} ${op} ${shown(ANY_OF.has(op) ? values : values[0])}`;
}
// Six digits behind the point, and dots if there are more.
function decimal({n, d}) {
  const scaled = n * 1000000n, text = `${scaled / d}`.padStart(7, '0');
  const point = `${text.slice(0, -6)}.${text.slice(-6)}`;
  return scaled % d ? `${point}...` : point.replace(/\.?0+$/, '');
}
const shortText = a => a.d >> 300n ? decimal(a) : asText(a);

// The browser's own JSON.parse rounds large numbers, keeps the last of two equal names and does not report
// whether a number was written as a whole number. This reader refuses all of these, and nesting deeper than
// twenty levels.
function readJson(text) {
  let at = 0, left = 10 * text.length + SPARE;
  const hold = bytes => {
    if ((left -= bytes) < 0) refuse('memory', 'a file of this size may not take so much');
  };
  const number = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y;
  const fail = reason => refuse(`character ${at + 1} of the JSON text`, reason);
  const next = () => {
    let code = text.charCodeAt(at);
    while (code === 32 || code === 10 || code === 13 || code === 9) code = text.charCodeAt(++at);
    return code;
  };
  const take = character => next() === character.charCodeAt(0) ? ++at : fail(`${character} is missing`);
  function string() {
    const start = at++;
    for (;;) {
      const code = text.charCodeAt(at);
      if (!(code >= 32)) fail('a text does not end');
      at += code === 92 ? 2 : 1;
      if (code === 34) break;
    }
    hold(32 + 2 * (at - start));
    try { return JSON.parse(text.slice(start, at)); } catch (error) { fail('a text has a wrong escape'); }
  }
  function amount() {
    number.lastIndex = at;
    const found = number.exec(text);
    if (!found) return fail('a value is missing');
    at = number.lastIndex;
    const value = Number(found[0]);
    if (found[1] || found[2]) return new Real(value);
    if (!Number.isSafeInteger(value)) fail(`${found[0].slice(0, 40)} is not below 2**53`);
    return value + 0;
  }
  function word() {
    for (const [name, value] of [['true', true], ['false', false], ['null', null]]) {
      if (text.startsWith(name, at)) { at += name.length; return value; }
    }
    return amount();
  }
  function list(depth) {
    const values = [];
    hold(64);
    at++;
    if (next() === 93) { at++; return values; }
    for (;;) {
      values.push(value(depth));
      hold(24);
      if (next() !== 44) break;
      at++;
    }
    take(']');
    return values;
  }
  function record(depth) {
    const values = Object.create(null);
    hold(300);
    at++;
    if (next() === 125) { at++; return values; }
    for (;;) {
      if (next() !== 34) fail('a name is missing');
      const name = string();
      if (name in values) fail(`the name ${quoted(name)} stands twice`);
      take(':');
      values[name] = value(depth);
      hold(60);
      if (next() !== 44) break;
      at++;
    }
    take('}');
    return values;
  }
  function value(depth) {
    const code = next();
    if (depth > 19 && (code === 91 || code === 123)) fail('the text is nested too deeply');
    if (code === 91) return list(depth + 1);
    if (code === 123) return record(depth + 1);
    return code === 34 ? string() : word();
  }
  const whole = value(0);
  if (!Number.isNaN(next())) fail('something stands behind the end');
  if (isRecord(whole)) SIZES.set(whole, left - SPARE);
  return whole;
}

// Fractions are pairs of big integers. Nothing is rounded before it is shown.
const gcd = (a, b) => { while (b) [a, b] = [b, a % b]; return a < 0n ? -a : a; };
function fraction(n, d = 1n) {
  const common = gcd(n, d) || 1n;
  return {n: n / common, d: d / common};
}
const plus = (a, b) => fraction(a.n * b.d + b.n * a.d, a.d * b.d);
const minus = (a, b) => fraction(a.n * b.d - b.n * a.d, a.d * b.d);
const times = (a, b) => fraction(a.n * b.n, a.d * b.d);
const compare = (a, b) => { const c = a.n * b.d - b.n * a.d; return c < 0n ? -1 : c > 0n ? 1 : 0; };
const floorOf = (n, d) => n >= 0n ? n / d : -((d - 1n - n) / d);
const floor = a => floorOf(a.n, a.d);
const ceil = a => -floorOf(-a.n, a.d);
const asText = a => a.d === 1n ? `${a.n}` : `${a.n}/${a.d}`;
const FRACTION = /^(\d{1,40})(?:\.(\d{1,40}))?(?:\/([1-9]\d{0,40}))?$/;
function readFraction(text, place) {
  const parts = FRACTION.exec(aText(text, place));
  if (!parts) refuse(place, `${quoted(text)} is no fraction`);
  const digits = parts[2] || '';
  return fraction(BigInt(parts[1] + digits), 10n ** BigInt(digits.length) * BigInt(parts[3] || 1));
}
// The common denominator; it has at most 4,096 binary digits.
function common(denominators, place) {
  let unit = 1n;
  for (const d of new Set(denominators)) {
    unit = unit / gcd(unit, d) * d;
    if (unit >> 4096n) refuse(place, 'numbers with so many digits are not read');
  }
  return unit;
}

// The digest of a table. A page opened from a disk may have no crypto.subtle, so the few lines are written
// out; the constants are computed from primes.

// The constants are the first bits of roots of primes.
const ROOTS = (() => {
  const primes = [];
  for (let p = 2; primes.length < 64; p++) if (primes.every(q => p % q)) primes.push(p);
  // floor(p ** (1 / degree) * 2**32) by whole numbers, and of it the bits behind the point
  const bits = (p, degree) => {
    const goal = BigInt(p) << BigInt(32 * degree);
    let low = 0n, high = 1n << 40n;
    while (high - low > 1n) {
      const middle = (low + high) >> 1n;
      if (middle ** BigInt(degree) <= goal) low = middle; else high = middle;
    }
    return Number(BigInt.asUintN(32, low)) | 0;
  };
  return {start: primes.slice(0, 8).map(p => bits(p, 2)), round: primes.map(p => bits(p, 3))};
})();
const turn = (x, n) => (x >>> n) | (x << (32 - n));
function digestBlock(state, words) {
  for (let i = 16; i < 64; i++) {
    const a = words[i - 15], b = words[i - 2];
    words[i] = words[i - 16] + words[i - 7] + (turn(a, 7) ^ turn(a, 18) ^ (a >>> 3))
      + (turn(b, 17) ^ turn(b, 19) ^ (b >>> 10));
  }
  let [a, b, c, d, e, f, g, h] = state;
  for (let i = 0; i < 64; i++) {
    const s = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25), choice = (e & f) ^ (~e & g);
    const x = (h + s + choice + ROOTS.round[i] + words[i]) | 0;
    const y = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g; g = f; f = e; e = (d + x) | 0; d = c; c = b; b = a; a = (x + y) | 0;
  }
  [a, b, c, d, e, f, g, h].forEach((value, i) => { state[i] += value; });
}
class Sha256 {
  constructor() {
    this.state = Int32Array.from(ROOTS.start);
    this.words = new Int32Array(64);
    this.length = 0;
  }
  addByte(byte) {
    const place = this.length++ & 63;
    if (!(place & 3)) this.words[place >> 2] = 0;
    this.words[place >> 2] |= byte << (24 - 8 * (place & 3));
    if (place === 63) digestBlock(this.state, this.words);
  }
  add(ascii) { for (let i = 0; i < ascii.length; i++) this.addByte(ascii.charCodeAt(i)); }
  hex() {
    const bits = BigInt(this.length) * 8n;
    this.addByte(128);
    while ((this.length & 63) !== 56) this.addByte(0);
    for (let i = 56n; i >= 0n; i -= 8n) this.addByte(Number((bits >> i) & 255n));
    return [...this.state].map(word => (word >>> 0).toString(16).padStart(8, '0')).join('');
  }
}

// A table is read as Python's csv module reads it, and a cell is missing where it is for pandas. Of each
// column the different cells are kept, and for each row the number of its cell.
const MISSING = new Set(['', '#N/A', '#N/A N/A', '#NA', '-1.#IND', '-1.#QNAN', '-NaN', '-nan', '1.#IND',
  '1.#QNAN', '<NA>', 'N/A', 'NA', 'NULL', 'NaN', 'None', 'n/a', 'nan', 'null']);
const BLANK = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;
// A cell without the blanks around it, as Python's str.strip has them; null where it is missing.
function tidied(cell) {
  let start = 0, end = cell.length;
  while (start < end && BLANK.test(cell[start])) start++;
  while (start < end && BLANK.test(cell[end - 1])) end--;
  return MISSING.has(cell = cell.slice(start, end)) ? null : cell;
}
// Rows of cells; quotes as Python's csv module reads them.
function* csvRows(text) {
  let row = [], cell = '', start = 0, quoted = false, at = 0, began = 0;
  const ends = code => code === 44 || code === 10 || code === 13 || Number.isNaN(code);
  const close = () => {
    row.push(cell + text.slice(start, at));
    cell = '';
    const long = row[row.length - 1].length > LONG && 'a cell';
    if (long || at - began >= WIDE) refuse('the table', `has ${long || 'a row'} with too many characters`);
  };
  for (;;) {
    if (text.charCodeAt(at) === 34) {
      quoted = true;
      start = ++at;
      while (quoted && at < text.length) {
        if (text.charCodeAt(at) !== 34) { at++; continue; }
        cell += text.slice(start, at++);
        start = at;
        if (text.charCodeAt(at) === 34) at++; else quoted = false;
      }
    } else start = at;
    let code = text.charCodeAt(at);
    while (!ends(code)) code = text.charCodeAt(++at);
    const empty = !row.length && text.charCodeAt(at - 1) !== 34 && start === at && cell === '';
    if (empty && code !== 44) { if (Number.isNaN(code)) return; } else close();
    if (code !== 44 && row.length) { yield row; row = []; began = at; }
    if (Number.isNaN(code)) return;
    at += code === 13 && text.charCodeAt(at + 1) === 10 ? 2 : 1;
    start = at;
  }
}
const WIDE = 2 ** 21, LONG = 131072;  // characters of a row of the table, and of a cell
// A column as its different cells, and for each row the place of its cell among them.
class Coded {
  constructor() {
    Object.assign(this, {values: [], places: new Map(), codes: new Int32Array(64), length: 0});
  }
  add(cell) {
    let code = this.places.get(cell);
    if (code === undefined) {
      this.places.set(cell, code = this.values.push(cell) - 1);
      take(220 + (typeof cell === 'string' ? 2 * cell.length : 0));
    }
    if (this.length === this.codes.length) {
      const longer = new Int32Array(2 * this.length);
      longer.set(this.codes);
      this.codes = longer;
    }
    this.codes[this.length++] = code;
  }
  end() {
    this.codes = this.codes.subarray(0, this.length);
    this.places = null;
    return this;
  }
}
function coded(cells) {
  const column = new Coded();
  cells.forEach(cell => column.add(cell));
  return column.end();
}
// The columns with some names, or all: a `Coded` for each, null where two have the same name.
function readCsv(text, names) {
  if (text.includes('\0')) refuse('the table', 'has a NUL character');
  const columns = new Map(), kept = [];
  let rows = -1, width = 0;
  room = SPARE + 10 * text.length;
  for (const row of csvRows(text)) {
    if (rows++ < 0) {
      width = row.length;
      row.forEach((name, i) => {
        if (names && !names.has(name)) return;
        take(600);
        columns.set(name, columns.has(name) ? null : [i, new Coded()]);
      });
      for (const [name, some] of columns) if (some) { kept.push(some); columns.set(name, some[1]); }
      continue;
    }
    if (row.length !== width) {
      refuse(`row ${rows} of the table`, `has ${row.length} cells, but the table has ${width} columns`);
    }
    for (const [i, column] of kept) column.add(tidied(row[i]));
  }
  if (rows < 0) refuse('the table', 'is empty');
  for (const [, column] of kept) column.end();
  return {columns, rows, left: room - SPARE};
}
function columnOf({columns}, name, place) {
  const column = columns.get(name);
  if (column === undefined) refuse(place, `the table has no column ${quoted(name)}`);
  return column || refuse(place, `the table has two columns ${quoted(name)}`);
}

// A literal is tested on a cell as the format defines it: text, number or Boolean.
const NUMBER = /^[+-]?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;
const ENDLESS = {'inf': Infinity, '+inf': Infinity, '-inf': -Infinity};
// The number that a cell denotes; NaN if none.
function numberOf(cell) {
  if (typeof cell === 'number') return cell;
  if (typeof cell === 'boolean') return cell ? 1 : 0;
  if (NUMBER.test(cell)) return Number(cell);
  return Object.hasOwn(ENDLESS, cell) ? ENDLESS[cell] : NaN;
}
// A date or time: text whose order is that of time. NaN if a cell denotes none.
class Moment {
  constructor(said, text) { this.said = said; this.text = text; }
  toString() { return this.said; }
}
const MOMENT = /^[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.][0-9]{1,9})?)?)?$/;
function momentOf(cell) {
  if (typeof cell !== 'string' || !MOMENT.test(cell)) return NaN;
  return cell.replace(' ', 'T') + '0000-00-00T00:00:00.000000000'.slice(cell.length);
}
// What cells are compared with: a key for each value of a proof.
function keyOf(value) {
  if (typeof value === 'string') return `text ${value}`;
  return value instanceof Moment ? `date ${value.text}` : value;
}
// The keys of all values that a cell, not missing, is equal to.
function keysOf(cell) {
  const number = numberOf(cell), keys = Number.isNaN(number) ? [] : [number];
  if (typeof cell === 'string') {
    const moment = momentOf(cell), word = cell.length < 6 ? cell.toLowerCase() : '';
    keys.push(`text ${cell}`);
    if (moment === moment) keys.push(`date ${moment}`);
    if (word === 'true' || word === 'false') return [...keys, word === 'true'];
  }
  if (typeof cell === 'boolean') return [...keys, cell];
  return number === 0 || number === 1 ? [...keys, number === 1] : keys;
}
function readValue(value, place) {
  if (value instanceof Real && Number.isFinite(value.value)) return value.value + 0;
  if (['string', 'number', 'boolean'].includes(typeof value)) return value;
  const [said, ...others] = isRecord(value) ? Object.entries(value) : [];
  const known = said && !others.length && ['date', 'time'].includes(said[0]) && typeof said[1] === 'string';
  if (known && MOMENT.test(said[1])) return new Moment(said[1], momentOf(said[1]));
  return refuse(place, 'is no text, number, Boolean or date');
}
const ORDERS = {'<': (a, b) => a < b, '<=': (a, b) => a <= b, '>': (a, b) => a > b, '>=': (a, b) => a >= b};
const ANY_OF = new Set(['in', 'not in']);
function readLiteral(literal, place) {
  const {column, op, value} = aRecord(literal, place, ['column', 'op', 'value', 'text']);
  aText(column, `${place}, column`);
  if (op === 'missing' || op === 'present') return {column, op};
  const read = one => readValue(one, `${place}, value`);
  if (ANY_OF.has(op)) return {column, op, values: aList(value, place).map(read)};
  const ordered = Object.hasOwn(ORDERS, aText(op, `${place}, op`)), values = [read(value)];
  if (!ordered && op !== '=' && op !== '!=') refuse(place, `has the unknown op ${quoted(op)}`);
  if (ordered && typeof values[0] !== 'number' && !(values[0] instanceof Moment)) {
    refuse(place, 'compares with something that is neither a number nor a date');
  }
  return {column, op, values};
}
// Whether a cell satisfies a literal; undefined if the cell has no place in an order.
function holds(literal, cell) {
  const {op, values} = literal;
  if (op === 'missing' || op === 'present') return (cell === null) === (op === 'missing');
  if (cell === null) return false;
  if (!Object.hasOwn(ORDERS, op)) {
    literal.keys ??= new Set(values.map(keyOf));
    return keysOf(cell).some(key => literal.keys.has(key)) === (op === '=' || op === 'in');
  }
  const isMoment = values[0] instanceof Moment, place = isMoment ? momentOf(cell) : numberOf(cell);
  return Number.isNaN(place) ? undefined : ORDERS[op](place, isMoment ? values[0].text : values[0]);
}

// The parts of a proof, each with its type and its limits. Whatever has another shape is refused before
// anything is computed.
const NAMES = ['format', 'version', 'table', 'literals', 'family', 'list', 'claim', 'grain', 'conjunctions',
  'live', 'sets', 'prices', 'exclude', 'states', 'cases'];
function readLabels(labels) {
  const values = aList(labels, 'labels').map((value, i) => readValue(value, `labels, entry ${i}`));
  if (values.some(value => value instanceof Moment)) refuse('labels', 'a label is a date');
  const places = new Map(values.map((value, i) => [keyOf(value), i]));
  if (!values.length || places.size < values.length) refuse('labels', 'are none, or two are equal');
  const same = (value, i) => keysOf(value).every(key => [undefined, i].includes(places.get(key)));
  return values.every(same) ? {labels: values, places} : refuse('labels', 'two labels are equal');
}
function readTable(table, rows) {
  const names = ['rows', 'label', 'labels', 'weight', 'label_weights', 'digest'];
  const {labels, places} = readLabels(aRecord(table, 'table', names).labels);
  const [label, weight, digest] = ['label', 'weight', 'digest'].map(name =>
    orNull(table[name], aText, `table, ${name}`));
  const place = 'table, label_weights', read = (text, i) => readFraction(text, `${place}, entry ${i}`);
  const factors = orNull(table.label_weights, list => aList(list, place).map(read));
  if (factors && factors.length !== labels.length) refuse(place, 'has not one weight for each label');
  return {rows: aCount(table.rows, 'table, rows'), labels, places, label, weight, factors, digest};
}
function readCondition(literals, place, count) {
  if (!aList(literals, place).length) refuse(place, 'has no literal');
  return distinct(literals.map(literal => aCount(literal, place, count - 1)), place);
}
function readFamily(family, n, nLabels) {
  aRecord(family, 'family', ['conditions', 'most_literals', 'most_rules', 'may', 'prefix', 'rule_penalty',
    'literal_penalty', 'default', 'constraints', 'asking']);
  const all = family.conditions === 'all', most = 'family, most_';
  const condition = (literals, k) => {
    take(200);
    return readCondition(literals, `family, condition ${k}`, n);
  };
  const may = orNull(family.may, aList, 'family, may');
  if (may && may.length !== n) refuse('family, may', 'has not one entry for each literal');
  const known = new Map(), labels = (list, i) => {
    const place = `family, may, entry ${i}`;
    const some = aList(list, place).map(l => aCount(l, place, nLabels - 1));
    const key = distinct(some, place).sort((a, b) => a - b).join();
    if (!known.has(key)) { take(200 + 50 * some.length); known.set(key, some); }
    return known.get(key);
  };
  const prefix = (literals, k) => readCondition(literals, `family, prefix, rule ${k}`, n);
  return {all, conditions: all ? null : aList(family.conditions, 'family, conditions').map(condition),
    mostLiterals: orNull(family.most_literals, aCount, `${most}literals`) ?? Infinity,
    mostRules: orNull(family.most_rules, aCount, `${most}rules`) ?? Infinity,
    prefix: aList(family.prefix ?? [], 'family, prefix').map(prefix), may: may && may.map(labels),
    ...readMore(family, nLabels),
    rulePenalty: readFraction(family.rule_penalty, 'family, rule_penalty'),
    literalPenalty: readFraction(family.literal_penalty, 'family, literal_penalty')};
}
function readVector(vector, place, nSets) {
  aRecord(vector, place, ['unit', 'sets', 'values']);
  const sets = aList(vector.sets, `${place}, sets`), values = aList(vector.values, `${place}, values`);
  if (sets.length !== values.length) refuse(place, 'has not one value for each set');
  const unit = aWhole(vector.unit, `${place}, unit`, 1, MOST);
  let total = 0;
  const prices = values.map((value, i) => {
    const price = aCount(value, `${place}, value ${i}`) * unit;
    total += price;
    if (total >= 2 ** 52) refuse(place, 'its prices add up to 2**52 or more');
    return price;
  });
  sets.forEach((set, i) => aCount(set, `${place}, set ${i}`, nSets - 1));
  return {sets: distinct(sets, `${place}, sets`), prices, total};
}
function readStates(states, nVectors) {
  const {parent, rule, rest, prices} =
    aRecord(states, 'states', ['counted', 'parent', 'rule', 'rest', 'prices']);
  const n = aList(parent, 'states, parent').length;
  for (const [name, list] of Object.entries({rule, rest, prices})) {
    const place = `states, ${name}`;
    if (aList(list, place).length !== n) refuse(place, 'has another length than parent');
  }
  if (!n) refuse('states', 'is empty');
  for (let i = 0; i < n; i++) {
    const place = `states, entry ${i}`, low = i ? 0 : -1;
    aWhole(parent[i], `${place}, parent`, low, i - 1);
    aWhole(rule[i], `${place}, rule`, low, i ? MOST : -1);
    aWhole(rest[i], `${place}, rest`, -MOST, MOST);
    aWhole(prices[i], `${place}, prices`, -1, nVectors - 1);
  }
  return {counted: aCount(states.counted, 'states, counted', 1) === 1, parent, rule, rest, prices};
}
function readList(list, family, n, nLabels) {
  const rules = aList(aRecord(list, 'list', ['rules', 'default']).rules, 'list, rules').map((rule, k) => {
    const place = `list, rule ${k}`;
    if (aList(rule, place).length !== 2) refuse(place, 'is no pair of literals and label');
    const label = aCount(rule[1], `${place}, label`, nLabels - 1);
    return {literals: readCondition(rule[0], place, n), label};
  });
  return {rules, default: aCount(list.default, 'list, default', nLabels - 1)};
}
function readConjunctions(record, nLiterals, mostLiterals) {
  const sets = aList(aRecord(record, 'conjunctions', ['sets', 'prices', 'live']).sets, 'conjunctions, sets');
  const vector = readVector(record.prices, 'conjunctions, prices', sets.length);
  const read = (condition, k) => {
    const place = `conjunctions, live, entry ${k}`, found = readCondition(condition, place, nLiterals);
    return found.length > mostLiterals ? refuse(place, 'has more literals than the family allows') : found;
  };
  return {sets, vector, live: () => aList(record.live, 'conjunctions, live').map(read)};
}
// What the listed stage begins with; the rest is looked at when it is needed.
function readStage(raw, nColumns) {
  const live = aList(raw.live, 'live').map((c, i) => aCount(c, `live, entry ${i}`, nColumns - 1));
  const lists = {sets: raw.sets, prices: raw.prices, exclude: raw.exclude ?? []};
  for (const [name, list] of Object.entries(lists)) aList(list, name);
  return {live: distinct(live, 'live'), ...lists};
}
// Measures, for a label y, a prediction p and the positive label t: what is counted, and among what.
const MEASURES = {
  'selection rate': [(y, p, t) => p === t, () => true],
  'recall': [(y, p, t) => y === t && p === t, (y, p, t) => y === t],
  'false negative rate': [(y, p, t) => y === t && p !== t, (y, p, t) => y === t],
  'false positive rate': [(y, p, t) => y !== t && p === t, (y, p, t) => y !== t],
  'specificity': [(y, p, t) => y !== t && p !== t, (y, p, t) => y !== t],
  'error rate': [(y, p) => y !== p, () => true],
  'precision': [(y, p, t) => y === t && p === t, (y, p, t) => p === t]};
function readConstraint(entry, place, nLabels) {
  const {measure, sense} =
    aRecord(entry, place, ['measure', 'positive', 'of', 'minus', 'sense', 'limit']);
  const literal = key => orNull(entry[key], readLiteral, `${place}, ${key}`);
  if (!Object.hasOwn(MEASURES, aText(measure, place))) refuse(place, 'has an unknown measure');
  if (sense !== '<=' && sense !== '>=') refuse(place, 'has an unknown sense');
  const of = literal('of'), minus = literal('minus');
  if (measure === 'precision' && minus) refuse(place, 'is a difference of precisions');
  return {measure, sense, of, minus, limit: readFraction(entry.limit, `${place}, limit`),
    positive: aCount(entry.positive, `${place}, positive`, nLabels - 1)};
}
function readAsking(prices, place) {
  const read = ([name, text]) => [name, readFraction(text, `${place}, ${quoted(name)}`)];
  const found = new Map(Object.entries(aRecord(prices, place)).map(read));
  common([...found.values()].map(({d}) => d), place);
  return found;
}
// What a family may have besides.
function readMore({default: label, constraints, asking}, nLabels) {
  const read = (entry, k) => readConstraint(entry, `family, constraint ${k}`, nLabels);
  return {default: orNull(label, aCount, 'family, default', nLabels - 1),
    constraints: orNull(constraints, list => aList(list, 'family, constraints').map(read)),
    asking: orNull(asking, readAsking, 'family, asking')};
}
// What is given must belong together.
function checkTogether({table, family, list, claim, cases}) {
  const {constraints, asking, prefix} = family, byCases = constraints !== null || asking !== null;
  if (byCases !== (cases !== null)) refuse('cases', 'belong to constraints and prices of columns');
  if (byCases && prefix.length) refuse('family, prefix', 'is not allowed with cases');
  if (!list !== !claim.bound) refuse('claim, bound', 'is given if and only if there is a list');
  if (!list && (claim.objective || !constraints?.length)) refuse('list', 'is needed');
  const zero = constraints?.length && table.factors?.some(({n}) => !n);
  if (zero) refuse('table, label_weights', 'one of them is 0');
}
function readProof(raw) {
  aRecord(raw, 'the proof', NAMES);
  if (raw.format !== 'rulebook proof') refuse('format', 'is not "rulebook proof"');
  if (raw.version !== 1) refuse('version', 'is not 1');
  const table = readTable(raw.table), literals = aList(raw.literals, 'literals')
    .map((literal, i) => { take(200); return readLiteral(literal, `literals, entry ${i}`); });
  const family = readFamily(raw.family, literals.length, table.labels.length);
  const list = orNull(raw.list, readList, family, literals.length, table.labels.length);
  const {objective, bound} = aRecord(raw.claim, 'claim', ['objective', 'bound']);
  const said = part => Object.keys(raw[part]).map(name => `${part}, ${name}`);
  const silent = ['table', 'family', 'claim'].flatMap(said).find(name => !CLAUSES.has(name));
  if (silent) refuse(silent, 'is a field of which the sentence says nothing');
  const claim = {objective: orNull(objective, readFraction, 'claim, objective'),
    bound: orNull(bound, readFraction, 'claim, bound')};
  const cases = orNull(raw.cases, aList, 'cases');
  const proof = {raw, table, literals, family, list, claim, cases, grain: aCount(raw.grain, 'grain', 200)};
  checkTogether(proof);
  if (!cases) checkKind(family, raw);
  return proof;
}
// The first stage belongs to the family "all".
function checkKind({all}, {conjunctions}) {
  if (all === isRecord(conjunctions) && (all || (conjunctions ?? null) === null)) return;
  refuse('conjunctions', 'is given if and only if the conditions are "all"');
}

// What a row adds to a constraint for each label is a fraction; over one denominator these are whole
// numbers. A fixed default is a row more.

// For each constraint: the kind of each row, what a kind adds for each label, in parts of 1, and the most.
function limitsOf({family: {constraints}}, table, rows) {
  return (constraints || []).map((entry, k) => limitOf(entry, `family, constraint ${k}`, table, rows));
}
function limitOf({measure, sense, positive, of, minus: other, limit}, place, table, rows) {
  const {of: labels, weights, own, nLabels} = rows;
  const [above, among] = MEASURES[measure], ratio = measure !== 'precision', sign = sense === '<=' ? 1n : -1n;
  function lies(literal, every) {
    if (!literal) return () => every;
    const column = columnOf(table, literal.column, place), answers = answersOf(literal, column, place);
    return row => answers[column.codes[row]] ? 1 : 0;
  }
  const first = lies(of, 1), second = lies(other, 0), kinds = new Map();
  const codes = new Float64Array(labels.length);
  labels.forEach((y, row) => {
    const a = first(row), b = second(row), code = (weights[row] * nLabels + y) * 4 + 2 * a + b;
    codes[row] = code;
    if (!kinds.has(code)) kinds.set(code, {weight: own[weights[row]], y, groups: [a, b], count: 0n});
    kinds.get(code).count++;
  });
  const total = group => [...kinds.values()].filter(({y, groups}) => groups[group] && among(y, -1, positive))
    .reduce((sum, {weight, count}) => plus(sum, times(weight, fraction(count))), fraction(0n));
  const one = fraction(1n), totals = ratio ? [total(0), other ? total(1) : one] : [one, one];
  if (totals.some(({n}) => !n)) refuse(place, 'is about no row');
  const less = ratio ? fraction(0n) : limit, number = truth => fraction(truth ? 1n : 0n);
  const adds = ({weight, y, groups}) => {
    const parts = totals.map(({n, d}, i) => groups[i] ? fraction(i ? -d : d, n) : fraction(0n));
    const part = times(times(weight, fraction(sign)), plus(...parts));
    const add = p =>
      times(part, minus(number(above(y, p, positive)), times(less, number(among(y, p, positive)))));
    const [own, that, other] = [y, positive, -1].map(add);
    return Array.from({length: nLabels}, (_, p) => p === y ? own : p === positive ? that : other);
  };
  take(kinds.size * (600 + 100 * nLabels));
  const exact = [...kinds].map(([code, kind]) => [code, adds(kind)]);
  const unit = common(exact.flatMap(([, some]) => some.map(({d}) => d)), place);
  const whole = new Map(exact.map(([code, some]) => [code, some.map(({n, d}) => n * (unit / d))]));
  return {codes, whole, unit, most: ratio ? times(limit, fraction(sign)) : fraction(0n)};
}
// The row that fixes the default: no literal holds there, and it weighs as much as all others.
function withRow(source, weight, label, nLabels) {
  const own = Array.from({length: nLabels}, (_, l) => l === label ? weight : 0n);
  return {...source, n: source.n + 1, sums: source.sums.concat(own),
    adds: source.adds.concat(new Array(source.width).fill(0n)),
    tests: source.tests.map(test => Uint8Array.from({length: source.n + 1}, (_, i) => test[i] || 0))};
}

// ---------- Rows and classes ----------
// Weights are exact: all of them become whole numbers over one denominator. Rows with equal cells in all
// tested columns are one.
const WEIGHT = /^\+?(\d{1,40})(?:\.(\d{1,40}))?(?:[eE]([+-]?\d{1,3}))?$/;
function readWeight(cell, place) {
  const text = typeof cell === 'number' || typeof cell === 'string' ? `${cell}` : '';
  const parts = WEIGHT.exec(text);
  if (!parts) return text.includes('/') ? readFraction(text, place) : refuse(place, 'is no weight');
  const digits = parts[2] || '', power = BigInt(parts[3] || 0) - BigInt(digits.length);
  const whole = BigInt(parts[1] + digits);
  take(1000);
  return power >= 0n ? fraction(whole * 10n ** power) : fraction(whole, 10n ** -power);
}
// Labels and weights: for each row its label's place; all weights as whole numbers over one denominator.
function weighedRows(table, proof, label) {
  const {labels, places, weight, factors} = proof.table;
  const name = proof.table.label ?? (label || refuse('table, label', 'the proof names none: give one'));
  const cells = columnOf(table, name, 'table, label');
  const labelOf = cell => keysOf(cell).map(key => places.get(key)).find(label => label !== undefined) ?? -1;
  const known = cells.values.map(cell => cell === null ? -1 : labelOf(cell));
  const strange = code => `its label ${quoted(`${cells.values[code]}`)} is none of the proof's`;
  const weights = weight === null ? {values: ['1'], codes: new Int32Array(cells.codes.length)}
    : columnOf(table, weight, 'table, weight');
  const amounts = weights.values.map(cell => readWeight(cell, `weight ${quoted(`${cell}`)} of the table`));
  const of = cells.codes.map((code, row) => {  // any label where a row has no weight
    if (known[code] >= 0 || !amounts[weights.codes[row]].n) return Math.max(known[code], 0);
    return refuse(`row ${row + 1} of the table`, strange(code));
  });
  const kinds = new Coded();  // of rows: weight and label
  of.forEach((label, row) => kinds.add(weights.codes[row] * labels.length + label));
  const {values, codes} = kinds.end(), exact = values.map(kind => {
    const amount = amounts[Math.floor(kind / labels.length)];
    return factors ? times(amount, factors[kind % labels.length]) : amount;
  });
  const scale = common(exact.map(({d}) => d), 'weight'), whole = exact.map(({n, d}) => n * (scale / d));
  return {of, scale, weights: weights.codes, codes, whole, own: amounts, nLabels: labels.length, name};
}
// Rows with the same cells in all tested columns and the same label are one; the weights are added up.
function sources(table, literals, rows, limits) {
  const names = [...new Set(literals.map(literal => literal.column))], {nLabels} = rows;
  const columns = new Map(names.map(name => [name, columnOf(table, name, 'literals')]));
  let group = new Float64Array(rows.of.length), first = [0];
  for (const {values, codes} of columns.values()) {
    const places = new Map();
    first = [];
    group = group.map((of, row) => {
      const key = of * values.length + codes[row];
      let place = places.get(key);
      if (place === undefined) { places.set(key, place = places.size); first.push(row); }
      return place;
    });
  }
  const width = limits.length * nLabels, large = rows.whole.some(weight => weight >> 64n);
  take(first.length * (300 + (nLabels + width) * (large ? 600 : 24) + literals.length));
  const sums = new Array(first.length * nLabels).fill(0n);
  let counted = 0;
  group.forEach((of, row) => {
    const weight = rows.whole[rows.codes[row]];
    sums[of * nLabels + rows.of[row]] += weight;
    if (weight) counted++;
  });
  const tests = literals.map((literal, i) => {
    const column = columns.get(literal.column), answers = answersOf(literal, column, `literals, entry ${i}`);
    return Uint8Array.from(first, row => answers[column.codes[row]] ? 1 : 0);
  });
  const adds = new Array(first.length * width).fill(0n);
  limits.forEach(({codes, whole}, k) => group.forEach((of, row) => whole.get(codes[row])
    .forEach((add, l) => { adds[of * width + k * nLabels + l] += add; })));
  return {n: first.length, sums, tests, counted, adds, width};
}
// What a literal says of each distinct cell of a column.
function answersOf(literal, {values, codes}, place) {
  const answers = values.map(cell => holds(literal, cell)), wrong = answers.indexOf(undefined);
  if (wrong < 0) return answers;
  const where = `column ${name(literal.column)}, row ${codes.indexOf(wrong) + 1}`;
  const wanted = literal.values[0] instanceof Moment ? 'date' : 'number';
  return refuse(place, `${where} holds ${quoted(`${values[wrong]}`)}, which is no ${wanted}`);
}

// Base rows are the distinct lines over the columns. Their digest shows whether this is the table that the
// proof is about.
// Distinct lines over the columns (conjunctions), sorted as text; sums of weights for each label.
function baseRows(source, columns, nLabels) {
  const width = Math.max(1, (columns.length + 31) >> 5), kept = [];
  for (let i = 0; i < source.n; i++) {
    const some = source.keep || source.sums.slice(i * nLabels, (i + 1) * nLabels).some(Boolean);
    if (some) kept.push(i);
  }
  take(source.n * (9 * width + 200));
  const bits = new Uint32Array(source.n * width);
  columns.forEach((literals, c) => {
    const mask = (1 << (31 - (c & 31))) >>> 0, word = c >> 5, tests = literals.map(i => source.tests[i]);
    for (const i of kept) if (tests.every(test => test[i])) bits[i * width + word] |= mask;
  });
  const order = (a, b) => {
    for (let k = 0; k < width; k++) {
      const difference = bits[a * width + k] - bits[b * width + k];
      if (difference) return difference;
    }
    return 0;
  };
  kept.sort(order);
  const first = kept.filter((row, i) => !i || order(kept[i - 1], row));
  const {width: stride = 0, keep} = source, sums = new Array(first.length * nLabels).fill(0n);
  const adds = new Array(first.length * stride).fill(0n);
  let line = -1;
  kept.forEach((row, i) => {
    if (!i || order(kept[i - 1], row)) line++;
    for (let l = 0; l < nLabels; l++) sums[line * nLabels + l] += source.sums[row * nLabels + l];
    for (let l = 0; l < stride; l++) adds[line * stride + l] += source.adds[row * stride + l];
  });
  const lines = new Uint32Array(first.length * width);
  first.forEach((row, i) => lines.set(bits.subarray(row * width, (row + 1) * width), i * width));
  const covers = (c, i) => (lines[i * width + (c >> 5)] >>> (31 - (c & 31))) & 1;
  return {n: first.length, sums, adds, covers, columns, keep};
}
function digestOf(base, scale, nLabels) {
  const hash = new Sha256();
  for (let i = 0; i < base.n; i++) {
    const characters = base.columns.map((_, c) => base.covers(c, i) ? '1' : '0').join('');
    const sums = base.sums.slice(i * nLabels, (i + 1) * nLabels).map(sum => asText(fraction(sum, scale)));
    hash.add(`${i ? '\n' : ''}${characters} ${sums.join(' ')}`);
  }
  return hash.hex();
}

// The list must be of the family, and its objective is computed again.
const sameSet = (a, b) => a.length === b.length && a.every(x => b.includes(x));
// Labels that a rule with these literals may have; lists of labels are looked up, not copied.
function labelsOf(literals, family, nLabels) {
  family.every ??= [...Array(nLabels).keys()];
  if (!family.may) return family.every;
  const [first, ...others] = new Set(literals.map(i => family.may[i]));
  if (!others.length) return first;
  const sets = others.map(some => new Set(some));
  return first.filter(l => sets.every(some => some.has(l)));
}
const costOf = (size, family, total) =>
  times(plus(family.rulePenalty, times(family.literalPenalty, fraction(BigInt(size)))), total);
// Whether the list has another default than its family, which only a list without rules may have.
const isOther = ({list, family}) => ![null, list.default].includes(family.default);
function checkList({list, family}, nLabels) {
  const {rules} = list, name = literals => [...literals].sort().join();
  const listed = new Set((family.conditions || []).map(name));
  if (isOther({list, family}) && rules.length) refuse('list, default', 'is not that of the family');
  if (rules.length > family.mostRules) refuse('list', 'has more rules than the family allows');
  if (family.all && family.prefix.length) refuse('family, prefix', 'is not allowed with all conjunctions');
  rules.forEach(({literals, label}, k) => {
    const place = `list, rule ${k}`;
    const known = family.all ? literals.length <= family.mostLiterals : listed.has(name(literals));
    if (!known) refuse(place, 'has a condition that is not in the family');
    const may = labelsOf(literals, family, nLabels);
    if (!may.includes(label)) refuse(place, 'has a label that it may not have');
  });
  family.prefix.forEach((literals, k) => {
    const first = rules[k];
    if (!first || !sameSet(literals, first.literals)) refuse('list', 'does not begin with the prefix');
  });
}
// The exact objective of the list, from the merged rows; it must satisfy the constraints.
function objectiveOf({list, family, literals: tests}, source, limits, total, scale, nLabels) {
  const over = limits.map(() => 0n);
  let wrong = 0n;
  for (let i = 0; i < source.n; i++) {
    const rule = list.rules.find(({literals}) => literals.every(j => source.tests[j][i]));
    const label = rule ? rule.label : list.default;
    for (let l = 0; l < nLabels; l++) if (l !== label) wrong += source.sums[i * nLabels + l];
    limits.forEach((_, k) => { over[k] += source.adds[i * source.width + k * nLabels + label]; });
  }
  limits.forEach(({unit, most}, k) => {
    if (compare(fraction(over[k], unit), most) <= 0) return;
    refuse(`family, constraint ${k}`, 'the list does not satisfy it');
  });
  if (isOther({list, family})) wrong -= total.n * (scale / total.d);  // the row that fixes the default
  const costs = list.rules.map(({literals}) => costOf(literals.length, family, total));
  const asked = new Set(list.rules.flatMap(({literals}) => literals.map(i => tests[i].column)));
  const paid = [...family.asking || []].filter(([name]) => asked.has(name)).map(([, price]) => price);
  const share = times(costs.reduce(plus, fraction(wrong, scale)), fraction(total.d, total.n));
  return paid.reduce(plus, share);
}

// What a better list could cost at most: with whole weights only sums of rule costs and a whole number are
// possible.
// The largest cost in grains that a better list can have, by its number of rules.
class Target {
  constructor(t, costs, most, {whole, strict}, grain) {
    this.t = t;
    this.strict = strict;  // lists must cost more than t
    this.unit = fraction(1n << BigInt(grain));
    this.levels = whole ? this.attainable(costs, most) : null;
    this.known = new Map();
  }
  attainable(costs, most) {
    const scale = common([this.t, ...costs].map(({d}) => d), 'family');
    const t = this.t.n * (scale / this.t.d);
    const steps = [...new Set(costs.map(cost => cost.n * (scale / cost.d)))];
    const levels = [];
    let sums = t > 0n ? [0n] : [], pairs = 0;
    for (let k = 0; k <= most && sums.length; k++) {
      const more = new Set();
      const highest = sums.map(sum => sum + (-floorOf(sum - t, scale) - 1n) * scale);
      levels.push(fraction(highest.reduce((a, b) => a > b ? a : b), scale));
      pairs += sums.length;
      for (const sum of k < most ? sums : []) {
        for (const step of steps) if (sum + step < t) more.add(sum + step);
        if (pairs + more.size > 20000) {
          this.below = fraction(t - 1n, scale);  // all costs are multiples of 1 / scale
          return null;
        }
      }
      sums = [...more];
    }
    return levels;
  }
  find(low) {
    if (this.strict) return floor(times(this.t, this.unit));
    if (this.below) return floor(times(this.below, this.unit));
    if (!this.levels) return ceil(times(this.t, this.unit)) - 1n;
    const best = this.levels.slice(low).reduce((a, b) => a && compare(a, b) >= 0 ? a : b, null);
    return best ? floor(times(best, this.unit)) : -1n;
  }
  // What lists of at least `low` rules must exceed.
  ceiling(low) {
    if (!this.known.has(low)) this.known.set(low, this.find(low));
    return this.known.get(low);
  }
  // Whether a number of grains reaches the target.
  reached(value) { return BigInt(value) > this.ceiling(0); }
}

// Rows that agree on some columns form a class. Columns that no list needs are dropped, or replaced by
// others.

// Sums of weights as numbers where that is exact, else as big integers.
function lighten(sums) {
  const total = sums.reduce((a, b) => a + b, 0n);
  return total < 2n ** 53n ? {sums: Float64Array.from(sums, Number), zero: 0} : {sums, zero: 0n};
}
// Rows with weight that agree on some columns: the class of each row, and for each class one of its rows.
function classesBy(base, columns, nLabels) {
  const {sums, zero} = base.light, of = new Int32Array(base.n).fill(-1);
  let n = 0;
  const alive = [];
  for (let i = 0; i < base.n; i++) {
    let some = base.keep;
    for (let l = 0; l < nLabels; l++) if (sums[i * nLabels + l]) some = true;
    if (some) { alive.push(i); of[i] = 0; n = 1; }
  }
  for (const c of columns) {
    const place = new Int32Array(2 * n).fill(-1);
    n = 0;
    for (const i of alive) {
      const key = 2 * of[i] + base.covers(c, i);
      if (place[key] < 0) place[key] = n++;
      of[i] = place[key];
    }
  }
  const weights = new Array(n * nLabels).fill(zero), row = new Int32Array(n);
  for (const i of alive) {
    row[of[i]] = i;
    for (let l = 0; l < nLabels; l++) weights[of[i] * nLabels + l] += sums[i * nLabels + l];
  }
  return {n, of, row, weights, ...extremes(weights, n, nLabels, zero)};
}
function extremes(weights, n, nLabels, zero) {
  const most = new Array(n).fill(zero), least = new Array(n).fill(zero), all = new Array(n).fill(zero);
  for (let u = 0; u < n; u++) {
    const mine = weights.slice(u * nLabels, (u + 1) * nLabels);
    most[u] = mine.reduce((a, b) => a > b ? a : b);
    least[u] = mine.reduce((a, b) => a < b ? a : b);
    all[u] = mine.reduce((a, b) => a + b, zero);
  }
  return {most, least, all};
}
// Test A: columns that gain no more than they cost; pass by pass.
function dropColumns(base, columns, live, setting) {
  const {nLabels, shift, scale} = setting, kept = new Set(live);
  let left = columns.map((_, c) => c);
  for (;;) {
    const classes = classesBy(base, left, nLabels);
    const useless = c => !kept.has(c) && columns[c].labels.every(label => {
      let gain = base.light.zero;
      for (let u = 0; u < classes.n; u++) {
        if (base.covers(c, classes.row[u])) gain += classes.weights[u * nLabels + label] - classes.least[u];
      }
      return BigInt(gain) << shift <= columns[c].grains * scale;
    });
    const rest = left.filter(c => !useless(c));
    if (rest.length === left.length) return left;
    left = rest;
  }
}
// Test B: what is left and not live is replaced by a live column, or covers everything.
function checkReplaced(base, columns, live, left, nLabels) {
  const classes = classesBy(base, left, nLabels), counted = [];
  for (let u = 0; u < classes.n; u++) if (classes.most[u] > classes.least[u]) counted.push(classes.row[u]);
  const covers = c => counted.map(row => base.covers(c, row)).join('');
  const known = new Map(), kept = new Set(live), everything = '1'.repeat(counted.length);
  for (const c of live) known.set(covers(c), [...known.get(covers(c)) || [], c]);
  for (const c of left) {
    if (kept.has(c)) continue;
    const mine = covers(c);
    const replaces = d => compare(columns[d].cost, columns[c].cost) <= 0
      && columns[c].labels.every(label => columns[d].labels.includes(label));
    if (mine !== everything && !(known.get(mine) || []).some(replaces)) {
      refuse(`column ${c}`, 'is not live, but its rules could pay, and no live column replaces it');
    }
  }
}

// All numbers of the second stage: losses in grains, columns by classes, the floor that every list pays.
function makeStage(base, columns, live, fixedCosts, proof, setting) {
  const {nLabels, shift, scale, total} = setting;
  checkReplaced(base, columns, live, dropColumns(base, columns, live, setting), nLabels);
  const classes = classesBy(base, live, nLabels), number = new Int32Array(classes.n).fill(-1), counted = [];
  let floor = 0n, tops = 0n;
  for (let u = 0; u < classes.n; u++) {
    floor += BigInt(classes.all[u] - classes.most[u]);
    tops += BigInt(classes.most[u] - classes.least[u]);
    if (classes.most[u] > classes.least[u]) number[u] = counted.push(u) - 1;
  }
  if (tops << shift >= scale << 51n) refuse('grain', 'is too large for the weights of this table');
  const n = counted.length;
  take(n * (100 + 16 * nLabels) + live.length * (100 + 8 * nLabels));
  const loss = new Float64Array(n * nLabels), top = new Float64Array(n);
  const grains = weight => Number((BigInt(weight) << shift) / scale);
  counted.forEach((u, i) => {
    top[i] = grains(classes.most[u] - classes.least[u]);
    for (let l = 0; l < nLabels; l++) {
      loss[i * nLabels + l] = grains(classes.most[u] - classes.weights[u * nLabels + l]);
    }
  });
  const of = classes.of.map(u => u < 0 ? -1 : number[u]), columnsOf = counted.map(() => []);
  const covers = live.map(c =>
    Int32Array.from(counted.keys()).filter(i => base.covers(c, classes.row[counted[i]])));
  take(16 * covers.reduce((sum, cover) => sum + cover.length, 0));
  covers.forEach((cover, k) => cover.forEach(i => columnsOf[i].push(k)));
  const place = new Map(live.map((c, k) => [c, k])), free = new Uint8Array(live.length * nLabels);
  live.forEach((c, k) => columns[c].labels.forEach(l => { free[k * nLabels + l] = 1; }));
  const limit = 2n ** 52n, cost = Float64Array.from(live, c =>
    Number(columns[c].grains < limit ? columns[c].grains : limit));
  const most = Math.min(proof.family.mostRules - proof.family.prefix.length, live.length);
  const t = minus(minus(times(proof.claim.bound, total), fixedCosts), fraction(floor, scale));
  const target = new Target(t, live.map(c => columns[c].cost), most, setting, proof.grain);
  return {n, nLabels, loss, top, of, covers, columnsOf: columnsOf.map(list => Int32Array.from(list)), place,
    free, cost, most, target, live, nLive: live.length};
}

// ---------- What is proved ----------
// Prices of sets of units, and what a vector of them proves.
// Exact sums of whole numbers below 2**53.
class Sum {
  constructor() { this.low = 0; this.high = 0n; }
  add(value) {
    this.low += value;
    if (this.low > 2 ** 52 || this.low < -(2 ** 52)) { this.high += BigInt(this.low); this.low = 0; }
  }
  get value() { return this.high + BigInt(this.low); }
}
// Sets of units, by classes: what they touch, and which items are pure in them.
class Sets {
  constructor(stage, lists, vectors, place) {
    Object.assign(this, {stage, lists, vectors, place});
    this.read = new Kept();
    this.known = new Kept();
  }
  units(k) {
    if (this.read.has(k)) return this.read.get(k);
    const units = this.unitsOf(this.lists[k], `${this.place}, set ${k}`);
    return this.read.keep(k, units, 200 + 4 * units.length);
  }
  vector(v, place) {
    if (v >= this.vectors.length) refuse(place, `there is no vector ${v}`);
    return readVector(this.vectors[v], `prices, vector ${v}`, this.lists.length);
  }
  unitOf(unit, place) {
    const {of, nLabels} = this.stage, row = Math.floor(unit / nLabels);
    if (row >= of.length) refuse(place, `unit ${unit} is no unit`);
    if (of[row] < 0) refuse(place, `unit ${unit} lies in no class whose weights differ`);
    return of[row] * nLabels + unit % nLabels;
  }
  unitsOf(units, place) {
    const found = [...new Set(aList(units, place).map(unit => this.unitOf(aCount(unit, place), place)))];
    const labels = new Set(found.map(unit => unit % this.stage.nLabels));
    return labels.size < 2 ? refuse(place, 'has only one label') : Int32Array.from(found);
  }
  // {touched: live columns that cover a unit of the set, pure: items}
  items(k) {
    if (this.known.has(k)) return this.known.get(k);
    const {columnsOf, nLabels} = this.stage, label = new Map();
    for (const unit of this.units(k)) {
      const l = unit % nLabels;
      for (const c of columnsOf[(unit - l) / nLabels]) {
        label.set(c, label.has(c) && label.get(c) !== l ? -1 : l);
      }
    }
    const pure = [...label].filter(([, l]) => l >= 0).map(([c, l]) => c * nLabels + l);
    const items = {touched: Int32Array.from(label.keys()), pure: Int32Array.from(pure)};
    return this.known.keep(k, items, 400 + 8 * label.size);
  }
}
// The loads of the items and the prices of the units.
function weigh(sets, vector, place) {
  const {nLive, nLabels} = sets.stage, load = new Float64Array(nLive * nLabels), units = new Map();
  if (vector.total * (nLabels - 1) >= 2 ** 52.5) refuse(place, 'its prices are too large for this program');
  vector.sets.forEach((k, i) => {
    const price = vector.prices[i];
    for (const item of sets.items(k).pure) load[item] += price;
    for (const unit of price ? sets.units(k) : []) {
      const u = Math.floor(unit / nLabels);
      if (!units.has(u)) units.set(u, new Float64Array(nLabels));
      units.get(u)[unit % nLabels] += price;
    }
  });
  return {load, units, vector};
}
// What a class adds to the debt: the best label that it may get.
function chargeOf({loss, nLabels}, u, prices) {
  const all = prices.reduce((a, b) => a + b, 0);
  return Math.max(...prices.map((own, l) => all - own - loss[u * nLabels + l]));
}
// Items that no list below the target uses are free no longer; the value of the vector.
function exclude(stage, {load, units, vector}, free) {
  const {cost, nLabels, target} = stage, sum = new Sum();
  sum.add(vector.total);
  const reduced = load.map((mine, item) => cost[Math.floor(item / nLabels)] - mine);
  reduced.forEach((amount, item) => { if (free[item] && amount < 0) sum.add(amount); });
  for (const [u, prices] of units) sum.add(-chargeOf(stage, u, prices));
  const {value} = sum;
  reduced.forEach((amount, item) => {
    if (free[item] && amount > 0 && target.reached(value + BigInt(amount))) free[item] = 0;
  });
  return value;
}

// States are sets of classes that may be left behind some rules. Equal ones are found by a hash and then
// compared class by class.
// Each state is a set of classes; equal ones are found by a hash of their classes.
class States {
  constructor(stage, sets, items, states) {
    Object.assign(this, {stage, sets, states});
    const {n, nLive, nLabels, cost} = stage;
    const freeLabels = k => [...Array(nLabels).keys()].filter(l => items[k * nLabels + l]);
    this.items = items;
    this.labels = Array.from({length: nLive}, (_, k) => freeLabels(k));
    this.least = cost.filter((_, k) => this.labels[k].length).reduce((a, b) => Math.min(a, b), Infinity);
    this.width = (n + 31) >> 5;
    this.mark = Int32Array.from({length: n}, () => Math.floor(Math.random() * 2 ** 26));
    this.mark2 = Int32Array.from({length: n}, () => Math.floor(Math.random() * 2 ** 26));
    this.parts = new Kept();
    this.used = new Set([0]);
    this.single = new Kept();
    this.scratch = [0, 1].map(() => ({err: new Float64Array(nLive * nLabels), top: new Float64Array(nLive),
      lost: new Float64Array(nLive), key: new Int32Array(nLive), key2: new Int32Array(nLive)}));
    this.list(stage, states);
  }
  list({n, nLive, covers, most, place, top}, {parent, rule, counted}) {
    const {width, mark, mark2} = this, count = parent.length;
    take(count * (4 * width + 150) + nLive * (4 * width + 100));
    this.words = new Uint32Array(count * width);
    this.left = new Float64Array(count);
    this.found = new Map();
    const masks = covers.map(cover => {
      const mask = new Uint32Array(width);
      for (const u of cover) mask[u >> 5] |= 1 << (u & 31);
      return mask;
    });
    this.masks = masks;
    for (let i = 0; i < count; i++) {
      const words = this.wordsOf(i), at = `states, entry ${i}`;
      if (i && !place.has(rule[i])) refuse(at, `column ${rule[i]} is not live`);
      if (i) words.set(this.wordsOf(parent[i]));
      else for (let u = 0; u < n; u++) if (top[u]) words[u >> 5] |= 1 << (u & 31);
      if (i) { const mask = masks[place.get(rule[i])]; for (let w = 0; w < width; w++) words[w] &= ~mask[w]; }
      this.left[i] = !counted ? Infinity : i ? this.left[parent[i]] - 1 : most;
      if (this.left[i] < 0) refuse(at, 'stands behind more rules than a list may have');
      let key = 0, key2 = 0;
      for (const u of this.members(words)) { key ^= mark[u]; key2 ^= mark2[u]; }
      const name = key * 2 ** 26 + key2;
      if (this.found.has(name)) this.found.get(name).push(i); else this.found.set(name, [i]);
    }
  }
  wordsOf(i) { return this.words.subarray(i * this.width, (i + 1) * this.width); }
  members(words) {
    const members = [];
    words.forEach((word, w) => {
      for (let b = 0; word; b++, word >>>= 1) if (word & 1) members.push(32 * w + b);
    });
    return members;
  }
  // For a vector: its sets by classes, its debts.
  partsOf(v) {
    if (v < 0) return null;
    if (!this.parts.has(v)) {
      const vector = this.sets.vector(v, 'states, prices'), {cost, nLabels} = this.stage;
      const {load, units} = weigh(this.sets, vector, `prices, vector ${v}`);
      let debt = 0;
      load.forEach((mine, item) => {
        if (this.items[item]) debt += Math.max(0, mine - cost[Math.floor(item / nLabels)]);
      });
      const charge = new Float64Array(this.stage.n);
      for (const [u, prices] of units) charge[u] = chargeOf(this.stage, u, prices);
      const charges = charge.reduce((a, b) => a + b, 0);
      if (charges >= 2 ** 52.9) refuse(`prices, vector ${v}`, 'its prices are too large for this program');
      const sets = vector.sets.map((k, i) => ({price: vector.prices[i], units: this.sets.units(k),
        touched: this.sets.items(k).touched}));
      const parts = {debt: Math.min(debt, 2 ** 53), charge, sets: sets.filter(({price}) => price)};
      return this.parts.keep(v, parts, 8 * charge.length + sets.reduce((sum, {touched}) =>
        sum + 300 + 4 * touched.length, 0));
    }
    return this.parts.get(v);
  }
  // Sums over a set of classes, and for each column over what it covers of it.
  sums(members, inside, parts, scratch) {
    const {loss, top, columnsOf, nLabels} = this.stage, {err, top: tops, lost, key, key2} = scratch;
    for (const array of [err, tops, lost, key, key2]) array.fill(0);
    const losses = new Float64Array(nLabels);
    let charges = 0, prices = 0;
    for (const u of members) {
      const gain = top[u], charge = parts ? parts.charge[u] : 0, mark = this.mark[u], mark2 = this.mark2[u];
      for (let l = 0; l < nLabels; l++) losses[l] += loss[u * nLabels + l];
      charges += charge;
      for (const c of columnsOf[u]) {
        tops[c] += gain;
        lost[c] -= charge;
        key[c] ^= mark;
        key2[c] ^= mark2;
        for (let l = 0; l < nLabels; l++) err[c * nLabels + l] += loss[u * nLabels + l];
      }
    }
    for (const {price, touched} of inside) {
      prices += price;
      for (const c of touched) lost[c] += price;
    }
    return {losses, bound: prices - charges};
  }
  use(i) {
    this.used.add(i);
    return true;
  }
  simple(losses, k) { return k === 0 ? losses : Math.min(losses, this.least); }
  // Whether a listed state claims at least `need` for this set of classes; the first such claim is used.
  listed(words, column, name, k, need) {
    const mask = this.masks[column], {states: {rest}, width} = this;
    for (const i of this.found.get(name) || []) {
      if (rest[i] < need || this.left[i] < k) continue;
      const other = this.wordsOf(i);
      let w = 0;
      while (w < width && other[w] === (words[w] & ~mask[w]) >>> 0) w++;
      if (w === width) return this.use(i);
    }
    return false;
  }
  // The claim that the classes cost at least `rest` with at most k rules; '' if it holds, else the reason.
  claim(set, k, rest, parts, depth) {
    const scratch = this.scratch[depth], {err, top, lost, key, key2} = scratch, {cost, nLabels} = this.stage;
    if (k === 1 && rest > this.least) {
      const most = this.remember(set.words, () => this.oneRule(set.members, 1, null, null));
      return rest <= Math.max(0, most) ? '' : `claims ${rest}, but one rule and a default cost ${most}`;
    }
    const {losses, bound} = this.sums(set.members, set.inside, parts, scratch), debt = parts ? parts.debt : 0;
    const least = losses.reduce((a, b) => Math.min(a, b));
    if (!depth) this.weight = set.members.reduce((sum, u) => sum + this.stage.top[u], 0);
    if (rest <= Math.max(0, bound - debt, this.simple(least, k))) return '';
    if (rest > least) return `claims ${rest}, but the default costs ${least}`;
    let name = 0, name2 = 0;
    for (const u of set.members) { name ^= this.mark[u]; name2 ^= this.mark2[u]; }
    for (let c = 0; c < top.length; c++) {
      if (!top[c] || !this.labels[c].length) continue;
      let mistakes = Infinity, after = Infinity;
      for (const l of this.labels[c]) mistakes = Math.min(mistakes, err[c * nLabels + l]);
      if (top[c] - mistakes <= cost[c]) continue;
      const need = rest - cost[c] - mistakes;
      for (let l = 0; l < nLabels; l++) after = Math.min(after, losses[l] - err[c * nLabels + l]);
      if (need <= Math.max(0, bound - lost[c] - debt, this.simple(after, k - 1))) continue;
      if (this.listed(set.words, c, (name ^ key[c]) * 2 ** 26 + (name2 ^ key2[c]), k - 1, need)) continue;
      if (!depth && need <= after && this.follows(c, need, k - 1, losses, scratch)) continue;
      if (depth || this.inner(set, c, k - 1, need, parts, losses, scratch)) {
        const column = `column ${this.stage.live[c]}`;
        return `claims ${rest}, but behind ${column} it is not shown that the rest costs ${need}`;
      }
    }
    return '';
  }
  // Whether every second rule q behind a rule c leaves enough, by sums over the classes before c. What
  // (q: a, default: b) gets right behind c is at most what is computed here.
  follows(c, need, k, losses, {err, top}) {
    const {cost, nLabels} = this.stage, {all, behind, inside} = this.gains(c, losses, err, top);
    if (k > 1 && this.least < Infinity && this.least + this.least < need) {
      if (this.labels.some((labels, q) => labels.length && cost[q] + this.least < need)) return false;
    }
    for (let q = 0; q < top.length; q++) {
      if (q === c || !top[q]) continue;
      const spare = all - need + cost[q], start = q * nLabels;
      for (const a of this.labels[q]) {
        const first = Math.min(top[q] - err[start + a], behind[a]);
        for (let b = 0; b < nLabels; b++) {
          if (a === b) continue;
          const kept = top[q] - err[start + b] - inside[b];
          if (first + behind[b] - (kept > 0 ? kept : 0) > spare) return false;
        }
      }
    }
    return true;
  }
  // Of the classes: what they weigh behind c, and what each label gets right behind c and in c.
  gains(c, losses, err, top) {
    const {nLabels} = this.stage, inside = losses.map((_, l) => top[c] - err[c * nLabels + l]);
    const behind = losses.map((loss, l) => this.weight - loss - inside[l]);
    return {all: this.weight - top[c], behind, inside};
  }
  // The reason why a step behind column c does not hold, '' if it does.
  inner(set, c, k, need, parts, losses, {err}) {
    const rest = this.without(set, c);
    if (k !== 1) return this.claim(rest, k, need, parts, 1);
    const gone = set.members.filter(u => !((rest.words[u >> 5] >>> (u & 31)) & 1));
    const {members} = rest, least = this.remember(rest.words, () => gone.length < members.length
      ? this.oneRule(gone, -1, losses, err) : this.oneRule(members, 1, null, null));
    return need <= least ? '' : 'one rule is enough';
  }
  remember(words, compute) {
    let name = '';
    for (const word of words) name += String.fromCharCode(word & 65535, word >>> 16);
    return this.single.has(name) ? this.single.get(name)
      : this.single.keep(name, compute(), 150 + 2 * name.length);
  }
  // What at most one rule and a default cost on some classes; or on those that are left without them.
  oneRule(members, sign, before, errors) {
    const {loss, cost, columnsOf, nLabels} = this.stage, {err} = this.scratch[1];
    const losses = before ? before.slice() : new Float64Array(nLabels);
    if (errors) err.set(errors); else err.fill(0);
    for (const u of members) {
      for (let l = 0; l < nLabels; l++) {
        const mine = sign * loss[u * nLabels + l];
        losses[l] += mine;
        if (mine) for (const c of columnsOf[u]) err[c * nLabels + l] += mine;
      }
    }
    let best = losses.reduce((a, b) => Math.min(a, b));
    this.labels.forEach((labels, c) => {
      let after = Infinity;
      for (let l = 0; l < nLabels; l++) after = Math.min(after, losses[l] - err[c * nLabels + l]);
      for (const l of labels) best = Math.min(best, cost[c] + err[c * nLabels + l] + after);
    });
    return best;
  }
  without({members, inside, words}, column) {
    const mask = this.masks[column], left = words.map((word, w) => word & ~mask[w]);
    return {words: left, members: members.filter(u => (left[u >> 5] >>> (u & 31)) & 1),
      inside: inside.filter(({touched}) => !touched.includes(column))};
  }
  check(i) {
    const words = this.wordsOf(i), {prices, rest} = this.states, {nLabels} = this.stage;
    const parts = this.partsOf(prices[i]);
    const lies = unit => { const u = Math.floor(unit / nLabels); return (words[u >> 5] >>> (u & 31)) & 1; };
    const inside = parts ? parts.sets.filter(({units}) => units.every(lies)) : [];
    const wrong = this.claim({members: this.members(words), inside, words}, this.left[i], rest[i], parts, 0);
    if (wrong) refuse(`states, entry ${i}`, wrong);
  }
}

// All conjunctions of the literals: no rule may carry more than it costs. Conjunctions that no list needs are
// not visited.
// Everything about one label: rows by number, what a rule gains on them, the pairs that it may touch.
class Conjunctions {
  constructor(proof, base, setting) {
    const {nLabels, shift, scale, total} = setting, {family, literals} = proof;
    Object.assign(this, {family, base, setting, nLiterals: literals.length});
    this.record = readConjunctions(proof.raw.conjunctions, literals.length, family.mostLiterals);
    const {sums, zero} = base.light, {n} = base, {most, least, all} = extremes(sums, n, nLabels, zero);
    Object.assign(this, {most, least});
    const tops = most.reduce((a, top, u) => a + BigInt(top - least[u]), 0n);
    if (tops << shift >= scale << 51n) refuse('grain', 'is too large for the weights of this table');
    take(n * (literals.length + 24 * nLabels));
    this.tests = literals.map((_, c) => Uint8Array.from({length: n}, (_, u) => base.covers(c, u)));
    this.weighPairs(sums, shift, scale);
    const sizes = family.literalPenalty.n ? Math.min(family.mostLiterals, literals.length) : 1;
    const costs = Array.from({length: sizes}, (_, i) => costOf(i + 1, family, total));
    const floor = all.reduce((a, weight, u) => a + BigInt(weight - most[u]), 0n);
    const t = minus(times(proof.claim.bound, total), fraction(floor, scale));
    this.target = new Target(t, costs, family.mostRules, setting, proof.grain);
    this.reached = this.target.reached(this.value);
    this.live = [];
  }
  weighPairs(sums, shift, scale) {
    const {most, least, record, base: {n}, setting: {nLabels}} = this, loss = new Float64Array(n * nLabels);
    sums.forEach((weight, i) => {
      loss[i] = Number((BigInt(most[Math.floor(i / nLabels)] - weight) << shift) / scale);
    });
    const of = Int32Array.from({length: n}, (_, u) => most[u] > least[u] ? u : -1);
    const stage = {of, nLabels, loss, nLive: 0, columnsOf: Array.from({length: n}, () => [])};
    this.sets = new Sets(stage, record.sets, [], 'conjunctions');
    for (const k of record.vector.sets) {
      if (this.sets.units(k).length !== 2) refuse(`conjunctions, set ${k}`, 'is no pair');
    }
    const {units} = weigh(this.sets, record.vector, 'conjunctions, prices'), debt = new Sum();
    for (const [u, prices] of units) debt.add(chargeOf(stage, u, prices));
    this.value = BigInt(record.vector.total) - debt.value;
  }
  prepare(columns) {
    const {family, setting: {nLabels, total}} = this, cover = literals => this.tests[literals[0]]
      .map((_, u) => literals.every(i => this.tests[i][u]) ? 1 : 0);
    take(columns.length * (this.base.n + 200));
    this.live = columns.map(literals => ({cover: cover(literals), labels: labelsOf(literals, family, nLabels),
      cost: costOf(literals.length, family, total)}));
  }
  // The gain of each row and the pairs of a label, and its literals.
  forLabel(l) {
    const {base: {n, light}, setting: {nLabels}, least, most, record: {vector}} = this;
    const gain = least.map((low, u) => light.sums[u * nLabels + l] - low);
    const best = Uint8Array.from({length: n}, (_, u) => light.sums[u * nLabels + l] === most[u] ? 1 : 0);
    const pairs = [], carries = new Float64Array(n);
    const add = pair => { pairs.push(pair); carries[pair.row] += pair.price; };
    vector.sets.forEach((k, i) => {
      const price = vector.prices[i], units = Array.from(this.sets.units(k));
      const rows = units.map(unit => Math.floor(unit / nLabels));
      units.forEach((unit, side) => {
        if (unit % nLabels === l && price) add({price, row: rows[side], other: rows[1 - side]});
      });
    });
    const {may} = this.family, every = [...Array(this.nLiterals).keys()];
    return {l, gain, best, pairs, carries, literals: every.filter(i => !may || may[i].includes(l))};
  }
  // Of conjunctions with so many literals: the cost in grains, the least gain with which one could pay, and
  // the load from which on one could be in a better list.
  limits(size) {
    if (this.known.has(size)) return this.known.get(size);
    const {shift, scale} = this.setting, exact = costOf(size, this.family, this.setting.total);
    const cost = floor(times(exact, this.target.unit));
    const ceiling = this.target.ceiling(1);
    const pays = -floorOf(-(cost * scale), 1n << shift);
    const most = this.reached ? Infinity : this.value + cost - ceiling;
    const exactPays = typeof this.base.light.zero === 'bigint' ? pays : Number(pays);
    const limits = {exact, cost: Number(cost), pays: exactPays, most: Number(most)};
    if (limits.cost > 2 ** 52) limits.cost = 2 ** 52;  // more than any load
    this.known.set(size, limits);
    return limits;
  }
  // The rows on which a literal holds; null if no rule on them or on fewer could pay or carry too much.
  cut({gain, carries}, rows, test, {pays, cost, most}) {
    const left = this.buffer;
    let n = 0, right = this.base.light.zero, load = 0;
    for (let k = 0; k < rows.length; k++) {
      const u = rows[k];
      if (!test[u]) continue;
      left[n++] = u;
      right += gain[u];
      load += carries[u];
    }
    return right < pays || (load <= cost && load < most) ? null : left.slice(0, n);
  }
  checkOne(about, literals, rows) {
    const {exact, pays, cost, most} = this.limits(literals.length), mark = this.scratch;
    const name = () => `the conjunction of the literals ${literals.join(', ')} with label ${about.l}`;
    let right = this.base.light.zero, load = 0;
    for (const u of rows) { right += about.gain[u]; mark[u] = 1; }
    for (const {price, row, other} of about.pairs) if (mark[row] && !mark[other]) load += price;
    for (const u of rows) mark[u] = 0;
    if (right < pays) return;
    if (load > cost) refuse('conjunctions', `${name()} carries ${load} grains, but costs ${cost}`);
    if (load < most || this.replaced(about, rows, exact)) return;
    refuse('conjunctions', `${name()} could be in a better list and is not replaced by a live one`);
  }
  replaced({l, best, gain}, rows, cost) {
    const {base: {n}, scratch: mark} = this;
    for (const u of rows) mark[u] = 1;
    const fits = cover => {
      for (let u = 0; u < n; u++) {
        if (cover[u] && !mark[u] && !best[u]) return false;
        if (mark[u] && !cover[u] && gain[u]) return false;
      }
      return true;
    };
    const found = this.live.some(other =>
      other.labels.includes(l) && compare(other.cost, cost) <= 0 && fits(other.cover));
    for (const u of rows) mark[u] = 0;
    return found;
  }
  * check() {
    const {family, base: {n}} = this, closed = !family.literalPenalty.n && family.mostLiterals === Infinity;
    this.scratch = new Uint8Array(n);
    this.buffer = new Int32Array(n);
    this.known = new Map();
    let seen = 0;
    for (let l = 0; l < this.setting.nLabels; l++) {
      const about = this.forLabel(l), all = Int32Array.from({length: n}, (_, u) => u);
      const first = closed ? this.close(about, [], all, -1) : {literals: [], rows: all, last: -1};
      const stack = [[first].values()];  // what is to be looked at, on each level
      while (stack.length) {
        const {value: node, done} = stack[stack.length - 1].next();
        if (done) { stack.pop(); continue; }
        if (node.literals.length) this.checkOne(about, node.literals, node.rows);
        stack.push(closed ? this.closedNext(about, node) : this.chainNext(about, node));
        take(stack.length * (800 + 4 * n + 8 * this.nLiterals), false);
        yield ++seen;
      }
    }
    return seen;
  }
  // Whether a literal holds on all of these rows that gain.
  keeps(i, rows, gain) {
    const test = this.tests[i];
    for (let k = 0; k < rows.length; k++) if (!test[rows[k]] && gain[rows[k]]) return false;
    return true;
  }
  // The closure: all literals that hold where there is a gain. With `last`, null if it adds one before that.
  close(about, old, rows, last) {
    const had = new Uint8Array(this.nLiterals), added = [];
    for (const i of old) had[i] = 1;
    for (const i of about.literals) {
      if (had[i] || !this.keeps(i, rows, about.gain)) continue;
      if (i < last) return null;
      added.push(i);
    }
    const left = added.length ? rows.filter(u => added.every(i => this.tests[i][u])) : rows;
    return {literals: [...old, ...added].sort((a, b) => a - b), rows: left, last};
  }
  // Closed conjunctions, each once: literals are added in order, and the closure adds none before the last.
  * closedNext(about, {literals, rows, last}) {
    const had = new Set(literals);
    for (const i of about.literals) {
      if (i <= last || had.has(i)) continue;
      const left = this.cut(about, rows, this.tests[i], this.limits(1));
      const node = left && this.close(about, literals, left, i);
      if (node) yield node;
    }
  }
  // Conjunctions of which each literal in turn removes a row on which the label is not a best one.
  * chainNext(about, {literals, rows, last}) {
    if (literals.length >= this.family.mostLiterals) return;
    for (const i of about.literals) {
      if (i <= last || rows.every(u => this.tests[i][u] || about.best[u])) continue;
      const left = this.cut(about, rows, this.tests[i], this.limits(literals.length + 1));
      if (left) yield {literals: [...literals, i], rows: left, last: i};
    }
  }
}

// The whole check is a generator. It yields what it is looking at, so that a page can show it and can stop
// it.

// Yields what is being looked at: {what, done, total}. Returns the verdict.
function* checking(raw, table, label) {
  room = SPARE + (SIZES.get(raw) || 0) + (table.left || 0);
  const proof = readProof(raw), {labels} = proof.table, nLabels = labels.length, {family, claim} = proof;
  yield {what: 'reading the table', done: 0, total: 1};
  const rows = weighedRows(table, proof, label), limits = limitsOf(proof, table, rows);
  let source = sources(table, proof.literals, rows, limits);
  if (source.counted !== proof.table.rows) {
    refuse('table, rows', `says ${proof.table.rows}, but the table has ${source.counted} rows that count`);
  }
  const weight = source.sums.reduce((a, b) => a + b, 0n), total = fraction(weight, rows.scale);
  if (!weight) refuse('the table', 'has no row that counts');
  if (weight >> 4096n) refuse('weight', 'numbers with so many digits are not read');
  if (family.default !== null) source = withRow(source, weight, family.default, nLabels);
  const columns = family.all ? proof.literals.map((_, i) => [i]) : family.conditions;
  const base = withNumbers(baseRows(source, columns, nLabels));
  const digest = digestOf(base, rows.scale, nLabels);
  if (proof.table.digest !== null && digest !== proof.table.digest) {
    refuse('table, digest', `the proof is about other data (this table has ${digest})`);
  }
  if (proof.list) checkList(proof, nLabels);
  const objective = proof.list && objectiveOf(proof, source, limits, total, rows.scale, nLabels);
  if (claim.objective && compare(objective, claim.objective)) {
    const found = `on this table the list costs ${shortText(objective)}`;
    refuse('claim, objective', `is ${shortText(claim.objective)}, but ${found}`);
  }
  const above = objective && compare(claim.bound, objective) > 0;
  if (above) refuse('claim, bound', 'is above the objective of the list');
  const whole = base.sums.every(sum => sum % rows.scale === 0n);
  const setting = {nLabels, shift: BigInt(proof.grain), scale: rows.scale, total, whole};
  const counts = proof.cases ? yield* provingCases(proof, base, limits, setting)
    : yield* proving(proof, source, base, setting);
  const sizes = {rows: source.counted, 'base rows': base.n, ...counts};
  const optimal = objective !== null && !compare(claim.bound, objective), text = a => a && asText(a);
  return {...verdict(proof, objective, table, rows), objective: text(objective), bound: text(claim.bound),
    optimal, counts: sizes};
}
const withNumbers = base => ({...base, light: lighten(base.sums)});
function* proving(proof, source, base, setting) {
  const counts = {};
  const {conditions} = proof.family;
  if (conditions) return yield* listed({...proof, conditions}, base, setting, counts);
  const conjunctions = new Conjunctions(proof, base, setting);
  if (!conjunctions.reached && (proof.raw.conjunctions.live ?? null) === null) {
    const value = `prove ${conjunctions.value} grains`;
    refuse('conjunctions', `${value}, which does not reach the target, and none are live`);
  }
  const columns = conjunctions.reached ? [] : conjunctions.record.live();
  conjunctions.prepare(columns);
  for (const done of conjunctions.check()) {
    counts.conjunctions = done;
    if (done % 64 === 0) yield {what: 'conjunctions', done, total: null};
  }
  if (conjunctions.reached) return counts;
  const lines = withNumbers(baseRows(source, columns, setting.nLabels));
  return yield* listed({...proof, conditions: columns}, lines, setting, counts);
}
// The prefix takes its rows: what it costs, and the weights that are left.
function takePrefix(proof, base, {nLabels, total, scale}) {
  const sums = base.sums.slice(), {family} = proof;
  let cost = fraction(0n);
  family.prefix.forEach((literals, k) => {
    const c = family.conditions.findIndex(other => sameSet(other, literals));
    const may = labelsOf(literals, family, nLabels);
    if (!may.length) refuse(`family, prefix, rule ${k}`, 'may have no label');
    const caught = new Array(nLabels).fill(0n);
    for (let i = 0; i < base.n; i++) {
      if (!base.covers(c, i)) continue;
      for (let l = 0; l < nLabels; l++) { caught[l] += sums[i * nLabels + l]; sums[i * nLabels + l] = 0n; }
    }
    const best = may.map(l => caught[l]).reduce((a, b) => a > b ? a : b);
    const wrong = fraction(caught.reduce((a, b) => a + b) - best, scale);
    cost = plus(cost, plus(wrong, costOf(literals.length, family, total)));
  });
  return {base: withNumbers({...base, sums}), cost};
}
function* listed(proof, whole, setting, counts) {
  const {nLabels, total} = setting, {family} = proof, {base, cost} = takePrefix(proof, whole, setting);
  const unit = fraction(1n << setting.shift);
  const {live, sets: lists, prices, exclude: excluding} = readStage(proof.raw, proof.conditions.length);
  const columns = proof.conditions.map(literals => {
    const exact = costOf(literals.length, family, total);
    return {labels: labelsOf(literals, family, nLabels), cost: exact, grains: floor(times(exact, unit))};
  });
  yield {what: 'columns', done: 0, total: columns.length};
  const stage = makeStage(base, columns, live, cost, proof, setting);
  const sets = new Sets(stage, lists, prices, 'sets');
  Object.assign(counts, {classes: stage.n, columns: stage.nLive, sets: lists.length});
  const free = stage.free.slice();
  for (const [i, v] of excluding.entries()) {
    const place = `exclude, entry ${i}`, vector = sets.vector(aCount(v, place), place);
    counts.vectors = i + 1;
    const value = exclude(stage, weigh(sets, vector, `prices, vector ${v}`), free);
    if (stage.target.reached(value)) return counts;
    yield {what: 'vectors', done: i + 1, total: excluding.length};
  }
  const states = orNull(proof.raw.states, readStates, prices.length);
  if (!states) refuse('the proof', 'its prices do not reach the bound, and no states follow');
  return yield* claims(stage, sets, free, states, counts);
}
function* claims(stage, sets, free, states, counts) {
  if (!stage.target.reached(states.rest[0])) {
    refuse('states, entry 0', `claims ${states.rest[0]} grains, which does not reach the target`);
  }
  const all = new States(stage, sets, free, states);
  counts.claims = 0;
  for (const i of all.used) {  // which grows meanwhile
    all.check(i);
    yield {what: 'claims', done: ++counts.claims, total: all.used.size};
  }
  return counts;
}
// The check at one go; `report` is called now and then with {what, done, total}.
function checkProof(proof, table, label, report) {
  const steps = checking(proof, table, label);
  let last = 0;
  for (;;) {
    const {value, done} = steps.next();
    if (done) return value;
    if (report && Date.now() - last > 50) { report(value); last = Date.now(); }
  }
}

// Cases: base rows get labels or do not, columns are tested or not. Each leaf is a proof like those above, on
// weights that multipliers of the constraints make, and for another target.
// What lists that satisfy the constraints cost at least, or more than that: {level, strict}.
function levelOf({family, claim, literals}, base, {whole, total}) {
  const prices = [...(family.asking || new Map()).values()].map(price => times(price, total));
  const longest = Math.max(1, Math.min(literals.length, family.mostLiterals));
  const sizes = family.all ? Array.from({length: longest}, (_, i) => i + 1)
    : family.conditions.map(literals => literals.length);
  const costs = [...new Set(sizes)].map(size => costOf(size, family, total));
  const highest = costs.reduce((a, b) => compare(a, b) > 0 ? a : b, fraction(0n));
  const target = claim.bound ? times(claim.bound, total)
    : plus(plus(total, times(highest, fraction(BigInt(base.n)))), prices.reduce(plus, fraction(1n)));
  const scale = common([target, ...costs, ...prices].map(({d}) => d), 'family');
  const parts = ({n, d}) => n * (scale / d), end = parts(target), steps = costs.map(parts), most = 20000;
  const sums = new Set(end > 0n && whole ? [0n] : []);
  let fresh = [...sums];
  for (let k = 0; fresh.length && k < family.mostRules && sums.size <= most; k++) {
    const next = new Set();
    for (const sum of fresh) {
      if (sums.size + next.size > most) break;
      for (const step of steps) if (sum + step < end && !sums.has(sum + step)) next.add(sum + step);
    }
    fresh = [...next];
    for (const sum of fresh) sums.add(sum);
  }
  for (const price of prices.map(parts)) {
    if (sums.size > most) break;
    for (const sum of [...sums]) if (sum + price < end) sums.add(sum + price);
  }
  if (!sums.size) return {level: target, strict: false};
  // costs are multiples of 1 / scale
  if (sums.size > most) return {level: fraction(end - 1n, scale), strict: true};
  let best = 0n;
  for (const sum of sums) {
    const high = sum + floorOf(end - sum - 1n, scale) * scale;
    if (high > best) best = high;
  }
  return {level: fraction(best, scale), strict: true};
}
function readLeaf(entry, nLimits) {
  const read = (text, k) => readFraction(text, `multiplier ${k}`);
  aRecord(entry, 'leaf', ['multipliers', 'fixing', 'grid', 'grain', 'conjunctions', 'live', 'sets', 'prices',
    'exclude', 'states']);
  const multipliers = aList(entry.multipliers, 'multipliers').map(read);
  if (multipliers.length !== nLimits) refuse('multipliers', 'are not one for each constraint');
  return {multipliers, fixing: readFraction(entry.fixing, 'fixing'), grid: aCount(entry.grid, 'grid', 200),
    grain: aCount(entry.grain, 'grain', 200)};
}
// The weights of a leaf, and what all lists pay beside them: whole numbers of 2**-grid.
function leafWeights(base, limits, {multipliers, fixing, grid}, labels, {nLabels, scale}) {
  const parts = limits.map((limit, k) => limit.unit * multipliers[k].d), width = limits.length * nLabels;
  const unit = common([scale, fixing.d, ...parts], 'multipliers'), shift = BigInt(grid), sums = [];
  const prices = parts.map((part, k) => unit / part * multipliers[k].n), fine = fixing.n * (unit / fixing.d);
  let beside = 0n;
  for (let u = 0; u < base.n; u++) {
    const own = base.sums.slice(u * nLabels, (u + 1) * nLabels), all = own.reduce((a, b) => a + b, 0n);
    const costs = own.map((weight, l) => {
      const at = u * width + l;
      const added = prices.reduce((sum, price, k) => sum + price * base.adds[at + k * nLabels], 0n);
      const fixed = labels.has(u) && !labels.get(u).has(l) ? fine : 0n;
      return floorOf(((all - weight) * (unit / scale) + added + fixed) << shift, unit);
    });
    const top = costs.reduce((a, b) => a > b ? a : b), found = costs.map(cost => top - cost);
    for (const weight of found) sums.push(weight);
    beside += found.reduce((rest, weight) => rest - weight, top);
  }
  return {sums, beside};
}
// A leaf is a proof on other weights, with another target.
function* provingLeaf(proof, entry, base, limits, {labels, unused, paid}, {level, strict}, setting) {
  const {family, literals, claim} = proof, {nLabels, total} = setting, leaf = readLeaf(entry, limits.length);
  const {sums, beside} = leafWeights(base, limits, leaf, labels, setting), unit = 1n << BigInt(leaf.grid);
  let target = minus(level, fraction(beside, unit));
  limits.forEach(({most}, k) => { target = plus(target, times(leaf.multipliers[k], most)); });
  for (const name of paid) target = minus(target, times(family.asking.get(name), total));
  if (target.n < 0n || (!target.n && !strict)) return {};
  checkKind(family, entry);
  const every = [...Array(nLabels).keys()];
  const may = literals.map(({column}, i) => unused.has(column) ? [] : family.may ? family.may[i] : every);
  const bound = times(target, fraction(total.d, total.n));
  const part = {...proof, raw: entry, grain: leaf.grain, family: {...family, may}, claim: {...claim, bound}};
  const tests = base.columns.map((_, c) => Uint8Array.from({length: base.n}, (_, u) => base.covers(c, u)));
  const own = {...setting, shift: BigInt(leaf.grain), scale: unit, whole: false, strict};
  const source = {n: base.n, sums, tests, keep: true};
  return yield* proving(part, source, withNumbers({...base, sums, keep: true}), own);
}
// The two contexts into which an entry divides one, the second first; null if it divides nothing.
function divide(entry, {labels, unused, paid}, {asking}, nRows, nLabels, place) {
  if ('row' in entry) {
    aRecord(entry, place, ['row', 'label']);
    const row = aCount(entry.row, `${place}, row`, nRows - 1);
    const l = aCount(entry.label, `${place}, label`, nLabels - 1);
    const some = [...labels.get(row) || Array(nLabels).keys()];
    const keep = test => ({labels: new Map(labels).set(row, new Set(some.filter(test))), unused, paid});
    return [keep(other => other !== l), keep(other => other === l)];
  }
  if (!('column' in entry)) return null;
  const name = aText(aRecord(entry, place, ['column']).column, `${place}, column`);
  if (!asking?.has(name)) refuse(place, 'this column has no price');
  return [{labels, unused, paid: new Set(paid).add(name)}, {labels, unused: new Set(unused).add(name), paid}];
}
function* provingCases(proof, base, limits, setting) {
  const {family, cases} = proof, counts = {cases: 0}, level = levelOf(proof, base, setting);
  const fixed = new Map(family.default === null ? [] : [[0, new Set([family.default])]]);
  const stack = [{labels: fixed, unused: new Set(), paid: new Set()}], left = room;
  const size = ({labels, unused, paid}) =>
    600 + 60 * (labels.size + unused.size + paid.size) + 30 * setting.nLabels;
  let held = size(stack[0]);
  for (const [i, entry] of cases.entries()) {
    const place = `cases, entry ${i}`, context = stack.pop() || refuse(place, 'stands behind the end');
    const parts = divide(aRecord(entry, place), context, family, base.n, setting.nLabels, place);
    room = left;
    held += (parts || []).reduce((sum, part) => sum + size(part), 0) - size(context);
    take(held, false);
    if (parts) { stack.push(...parts); continue; }
    try {
      const found = yield* provingLeaf(proof, entry, base, limits, context, level, setting);
      for (const [name, count] of Object.entries(found)) counts[name] = (counts[name] || 0) + count;
    } catch (error) { throw error instanceof ProofError ? new ProofError(place, error.message) : error; }
    yield {what: 'cases', done: ++counts.cases, total: cases.length};
  }
  if (stack.length) refuse('cases', `${stack.length} of them are not proved`);
  return counts;
}
const classText = ({measure, positive}, {labels}) =>
  measure === 'error rate' ? '' : ` for ${labelText(labels[positive])}`;
function constraintText(entry, table) {
  const {measure, sense, of, minus, limit} = entry, kind = classText(entry, table);
  const group = of ? ` where ${literalText(of)}` : '', side = sense === '<=' ? 'most' : 'least';
  const less = minus ? `, less that where ${literalText(minus)},` : '';
  return `a${measure[0] === 'e' ? 'n' : ''} ${measure}${kind}${group}${less} of at ${side} ${decimal(limit)}`;
}
// What the constraints between the values of a column have in common; null if the entry is another one.
function alike({measure, positive, sense, of, minus, limit}) {
  const fits = sense === '<=' && of?.op === '=' && minus?.op === '=' && of.column === minus.column;
  return fits ? JSON.stringify([measure, positive, asText(limit), of.column]) : null;
}
// Constraints that are alike: one text if they are all ordered pairs of some values.
function togetherText(entries, table) {
  const [{measure, of, limit}] = entries, singly = entries.map(entry => constraintText(entry, table));
  if (!alike(entries[0])) return singly;
  const pairs = entries.map(({of, minus}) => [keyOf(of.values[0]), keyOf(minus.values[0])]);
  const texts = new Map(entries.flatMap(({of, minus}) => [of, minus])
    .map(({values: [value]}) => [keyOf(value), shown(value)]));
  const values = [...texts.values()], n = new Set(pairs.map(pair => JSON.stringify(pair))).size;
  if (n < values.length * (values.length - 1) || pairs.some(([one, two]) => one === two)) return singly;
  const rates = measure === 'specificity' ? 'specificities' : `${measure}s`, last = values.pop();
  const among = `${name(of.column)} = ${values.join(', ')} and ${last}`, any = values.length > 1;
  const kind = classText(entries[0], table);
  const pair = any ? 'any two of ' : '';
  return [`${rates}${kind} that differ by at most ${decimal(limit)} between ${pair}${among}`];
}
function constraintsText(entries, table) {
  const groups = new Map();
  entries.forEach((entry, i) => {
    const key = alike(entry) || i;
    groups.set(key, groups.get(key) || []);
    groups.get(key).push(entry);
  });
  return [...groups.values()].flatMap(some => togetherText(some, table)).join(' and ');
}
// What the lists are called, one of them, and the labels that all tests may predict.
function kindOf({family: {may, default: label, every}, table: {labels}}) {
  const some = may ? [...new Set(may.flat())] : every, text = l => labelText(labels[l]);
  if (label === null) return ['rule list', 'list', every];
  if (some.length === 1 && some[0] !== label) return [`rule set for ${text(some[0])}`, 'rule set', some];
  return [`rule list with the default ${text(label)}`, 'list', every];
}
// Which labels rules with a test may predict.
function mayText(said) {
  const {family: {may}, literals, table: {labels}} = said, usual = kindOf(said)[2].join(), groups = new Map();
  (may || []).forEach((some, i) => {
    if (some.join() === usual) return;
    if (!groups.has(some)) groups.set(some, []);
    groups.get(some).push(literalText(literals[i]));
  });
  const texts = [...groups].map(([some, tests]) => {
    const listed = few(tests, 'or', 'other tests'), names = some.map(l => labelText(labels[l]));
    if (!some.length) return `no rule has ${listed}`;
    return `rules with ${listed} predict only ${few(names, 'or', 'others')}`;
  });
  return texts.length ? `, where ${few(texts, 'and', 'more such limits hold')},` : '';
}
function prefixText({family: {prefix}, literals}) {
  const one = some => `(${[...some].sort((a, b) => a - b).map(i => literalText(literals[i])).join(' and ')})`;
  return prefix.length ? ` and that begins with ${few(prefix.map(one), 'and', 'more conditions')}` : '';
}
const range = prices => {
  const [low, high] = prices.reduce(([low, high], a) =>
    [compare(a, low) < 0 ? a : low, compare(a, high) > 0 ? a : high], [prices[0], prices[0]]);
  return `${decimal(low)} to ${decimal(high)}`;
};
// What a row of each label counts.
function labelWeightsText({table: {factors, labels}, weighted}) {
  if (!factors) return '';
  const fold = weighted ? '-fold' : '', n = factors.length < 5 ? factors.length : 3, rest = factors.slice(n);
  const texts = factors.slice(0, n).map((factor, i) =>
    `of ${labelText(labels[i])}${i ? '' : ' counts'} ${decimal(factor)}${fold}`);
  if (rest.length) texts.push(`of ${grouped(rest.length)} other labels ${range(rest)}${fold}`);
  return `, where ${weighted ? 'the weight of ' : ''}a row ${texts.join(', ')},`;
}
const priceText = (price, what) => price.n ? ` plus ${decimal(price)} ${what}` : '';
// What a list pays for the columns that it tests.
function columnsText({family: {asking}}) {
  const prices = [...asking || []].filter(([, {n}]) => n).sort(([a], [b]) => a < b ? -1 : 1);
  const n = prices.length < 7 ? prices.length : 5, rest = prices.slice(n).map(([, price]) => price);
  const texts = prices.slice(0, n).map(([column, price]) => priceText(price, `if ${name(column)} is tested`));
  return texts.join('') + (rest.length
    ? ` plus ${range(rest)} for each of ${grouped(rest.length)} other columns that is tested` : '');
}
function foundText(said) {
  const {objective, claim: {bound}, list, table} = said, gap = minus(objective, bound), one = kindOf(said)[1];
  const answer = labelText(table.labels[list.default]);
  const always = unless(!isOther(said), `, which has no rules and always answers ${answer},`);
  const begin = `; the ${one} of this proof${always} has`;
  if (!gap.n) return `${begin} exactly this objective, so no such ${one} is better`;
  const up = fraction(-floorOf(-gap.n * 1000000n, gap.d), 1000000n);
  return `${begin} ${decimal(objective)}, so at most ${decimal(up)} can be gained`;
}
const unless = (no, text) => no ? '' : text;
// Fields that make the claim, in the order of the sentence, and what it says of each.
const CLAUSES = new Map(Object.entries({
  'table, rows': said => `Proved: on ${said.rows},`,
  'table, weight': ({weighted}) => unless(!weighted, `, weighted ${weighted},`),
  'table, labels': () => '',  // they are named where they matter
  'table, digest': () => '',  // it is compared
  'family, default': said => ` no ${kindOf(said)[0]} whose conditions are`,
  'family, conditions': ({family: {all, conditions}}) =>
    all ? ' conjunctions of' : ` among the ${count(conditions.length, 'listed one')}`,
  'family, most_literals': ({family: {all, mostLiterals: most}}) =>
    unless(!all || most === Infinity, ` at most ${grouped(most)} of`),
  'literals': ({family, literals}) => unless(!family.all, ` the ${count(literals.length, 'listed test')}`),
  'family, most_rules': ({family: {mostRules: most}}) =>
    unless(most === Infinity, `, with at most ${count(most, 'rule')},`),
  'family, may': mayText,
  'family, prefix': prefixText,
  'family, constraints': ({family: {constraints}, table, objective}) => unless(!constraints?.length,
    `${objective ? ' and that' : ''} has ${constraintsText(constraints || [], table)}`),
  'table, label': ({label}) => ` has an objective (share of wrong decisions about ${name(label)}`,
  'table, label_weights': labelWeightsText,
  'family, rule_penalty': ({family}) => priceText(family.rulePenalty, 'for each rule'),
  'family, literal_penalty': ({family}) => priceText(family.literalPenalty, 'for each test in a rule'),
  'family, asking': columnsText,
  'claim, bound': ({claim}) => `) below ${decimal(claim.bound)}`,
  'claim, objective': foundText}));
function sentenceOf(said) {
  let text = '';
  for (const [field, clause] of CLAUSES) {
    if (field === 'table, label' && !said.objective) break;  // there is no list
    const more = clause(said), closes = more[0] === ',' || more[0] === ')';
    text = (closes ? text.replace(/,$/, '') : text) + more;
  }
  return `${visible(text)}.`;
}
function listText({literals, list, table: {labels}}, label) {
  const answer = l => `${name(label)} = ${labelText(labels[l])}`;
  const condition = tests => tests.map(i => literalText(literals[i])).join(' and ');
  const lines = list.rules.map(({literals: tests, label: l}, k) =>
    `${k ? 'else if' : 'if'} ${condition(tests)} then ${answer(l)}`);
  return [...lines, `${lines.length ? 'else' : 'always'} ${answer(list.default)}`];
}
function verdict(proof, objective, table, {name: label, nLabels}) {
  const {rows, weight} = proof.table, these = `these ${count(table.rows, 'row')}`;
  proof.family.every ??= [...Array(nLabels).keys()];
  const said = {...proof, objective, label, weighted: weight === null ? '' : `by ${name(weight)}`,
    rows: rows < table.rows ? `the ${grouped(rows)} of ${these} that have a weight` : these};
  return {sentence: sentenceOf(said), list: proof.list ? listText(proof, label) : []};
}

// ---------- The page ----------
// A file is unpacked, read and checked. The work is done in slices of some 40 milliseconds.
// Bytes of a file, unpacked where they are gzip; more than `limit` bytes are refused.
async function unpacked(bytes, limit, what) {
  const tooLarge = () => refuse(what, `is larger than ${limit >> 20} MB`);
  if (bytes.length > limit) tooLarge();
  if (bytes[0] !== 31 || bytes[1] !== 139) return bytes;
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip')).getReader();
  const parts = [];
  for (let size = 0; ;) {
    const {done, value} = await reader.read().catch(() => refuse(what, 'is damaged: it cannot be unpacked'));
    if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
    size += value.length;
    if (size > limit) tooLarge();
    parts.push(value);
  }
}
async function textOf(bytes, limit, what) {
  const plain = await unpacked(bytes, limit, what);
  const decoder = new TextDecoder('utf-8', {fatal: true});
  try { return decoder.decode(plain); } catch (error) { return refuse(what, 'is no UTF-8 text'); }
}
// A table that a page carries: {names, columns}, cells as they were.
function carriedTable(text) {
  const {names, columns} = readJson(text), cell = value => value instanceof Real ? value.value : value;
  room = SPARE + 10 * text.length;
  const kept = names.map((name, i) => [name, coded(columns[i].map(cell))]);
  return {columns: new Map(kept), rows: columns[0].length, left: room - SPARE};
}
// Bytes that the files may have when they are unpacked, unless a caller says something else.
const LIMITS = {proof: 64 * 2 ** 20, table: 500 * 2 ** 20};
// The columns that a proof is about, as far as it names some.
function columnsOf(raw, label) {
  const texts = [label], add = value => { if (typeof value === 'string') texts.push(value); };
  const tests = [...isList(raw?.literals) ? raw.literals : []];
  for (const limit of isList(raw?.family?.constraints) ? raw.family.constraints : []) {
    tests.push(limit?.of, limit?.minus);
  }
  [raw?.table?.label, raw?.table?.weight, ...tests.map(test => test?.column)].forEach(add);
  return new Set(texts);
}
async function runCheck({proof, table, label, limits}, report) {
  const most = {...LIMITS, ...limits}, raw = readJson(await textOf(proof, most.proof, 'the proof'));
  const text = await textOf(table, most.table, 'the table');
  const read = text.startsWith('{"names":') ? carriedTable(text) : readCsv(text, columnsOf(raw, label));
  const steps = checking(raw, read, label);
  for (let last = Date.now(); ;) {
    const {value, done} = steps.next();
    if (done) return value;
    if (Date.now() - last < 40) continue;
    report(value);
    await new Promise(resolve => setTimeout(resolve));
    last = Date.now();
  }
}
const plainError = ({name, place, message}) => ({refused: name === 'ProofError', place, message});

return {
  ProofError, checkProof, checking, readCsv, readJson, runCheck, plainError, csvRows, Sha256, readLiteral,
  holds,
};
}
