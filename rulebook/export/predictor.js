// The parts of a model as a module of JavaScript. rulebook.export.programs puts those together that a model
// calls, and writes what belongs to the model in place of words such as __labels__. A line `//: name` begins
// a part.
//: head
// Predicts __target__. Written by rulebook; a module without dependencies.
const TEXT_CELLS = __text_cells__;  // whether text may stand for a number, a Boolean or a date
const MISSING = new Map(__missing__);  // columns with the words and numbers in them that mean missing

function cellOf(row, name) {  // a cell of the row, text without blanks at its ends; null if it is missing
  if (!Object.prototype.hasOwnProperty.call(row, name))
    throw new Error(`the row has no ${JSON.stringify(name)}, which the rules test.`);
  const cell = row[name];
  if (typeof cell !== "string") {
    const gone = cell === undefined || Number.isNaN(cell) || isCode(cell, name);
    return gone ? null : cell;
  }
  const text = cell.replace(/^[\s\x1c-\x1f\x85\u200b]+|[\s\x1c-\x1f\x85\u200b]+$/g, "").normalize();
  return (text === "" && (cell !== "" || TEXT_CELLS)) || isCode(text, name) ? null : text;
}

function isCode(cell, name) {  // whether a cell is a word, or a number, that means missing in its column
  const codes = MISSING.get(name) ?? [];
  return codes.includes(cell) || (TEXT_CELLS && cell !== "" && codes.includes(Number(cell)));
}

function refuse(name, cell, wanted) {
  const what = `${JSON.stringify(name)} is ${String(cell).slice(0, 60)}`;
  throw new TypeError(`${what}, but the rules compare it with ${wanted}.`);
}
//: present

function present(row, name) {
  return cellOf(row, name) !== null;
}
//: number

function number(row, name) {  // NaN if it is missing
  const cell = cellOf(row, name);
  if (cell === null) return NaN;
  const kinds = ["number", "boolean", "bigint", ...(TEXT_CELLS ? ["string"] : [])];
  const value = String(cell).trim() === "" ? NaN : Number(cell);
  if (!kinds.includes(typeof cell) || Number.isNaN(value)) refuse(name, cell, "numbers");
  if (typeof cell !== "number" && /^\s*[+-]?[0-9]+\s*$/.test(cell) && BigInt(cell) !== BigInt(value))
    refuse(name, cell, "doubles, and it is none");
  return value;
}
//: flag

function flag(row, name) {  // a Boolean as a number; NaN if it is missing
  const cell = cellOf(row, name);
  if (TEXT_CELLS && /^\s*true\s*$/i.test(cell)) return 1;
  if (TEXT_CELLS && /^\s*false\s*$/i.test(cell)) return 0;
  return number(row, name);
}
//: text

function text(row, name) {  // null if it is missing
  const cell = cellOf(row, name);
  if (cell !== null && typeof cell !== "string") refuse(name, cell, "text");
  return cell;
}
//: moment

function moment(row, name) {  // a date as ISO text to the microsecond, in UTC; null if it is missing
  const cell = cellOf(row, name);
  if (cell === null) return null;
  if (!(cell instanceof Date || typeof cell === "string")) refuse(name, cell, "dates");
  const iso = cell instanceof Date ? cell.toISOString() : cell.replace(" ", "T");
  const clock = "(T[0-9]{2}:[0-9]{2})(:[0-9]{2})?([.][0-9]{1,6})?(?:Z|([+-][0-9]{2}):?([0-9]{2})?)?";
  const found = new RegExp(`^([0-9]{4}-[0-9]{2}-[0-9]{2})(?:${clock})?$`).exec(iso) || [];
  const [, day, time = "T00:00", second = ":00", part = ".", hours = "+00", minutes = "00"] = found;
  const ahead = 60 * Number(hours) + Number(hours[0] + minutes);
  const moved = new Date(Date.parse(`${day}${time}${second}Z`) - 6e4 * ahead);
  if (Number.isNaN(moved.valueOf())) refuse(name, cell, "dates");
  return moved.toISOString().slice(0, 19) + part.padEnd(7, "0");
}
//: days

function days(row, name) {  // a date as days since the start of 1970; NaN if it is missing
  const iso = moment(row, name);
  return iso === null ? NaN : (1000 * Date.parse(iso.slice(0, 23) + "Z") + Number(iso.slice(23))) / 86400e6;
}
//: euclidean

function euclidean(cells, center) {
  let total = 0;
  cells.forEach((cell, i) => { total += (cell - center[i]) * (cell - center[i]); });
  return Math.sqrt(total);
}
//: cityblock

function cityblock(cells, center) {
  let total = 0;
  cells.forEach((cell, i) => { total += Math.abs(cell - center[i]); });
  return total;
}
//: chebyshev

function chebyshev(cells, center) {
  return Math.max(...cells.map((cell, i) => Math.abs(cell - center[i])));
}
//: hvdm

function hvdm(squares) {
  let total = 0;
  for (const square of squares) total += square;
  return Math.sqrt(total);
}
//: apart

function apart(cell, there, unit) {  // a squared difference; 1 if one is missing, 0 if both are
  if (there === null || Number.isNaN(cell)) return Number((there === null) !== Number.isNaN(cell));
  return (cell - there) / unit * ((cell - there) / unit);
}
//: level

function level(cell, squares, other) {  // the squared difference that is listed for a level; null: missing
  const missing = cell === null || Number.isNaN(cell);
  const is = known => known === null ? missing : cell === known || cell === Number(known);
  const found = squares.find(([known]) => is(known));
  return found === undefined ? other : found[1];
}
//: list

const LABELS = __labels__;

function which(row) {  // index of the rule that decides; the last is the default
__tests__  return __n__;
}

export function predict(row) {
  return LABELS[which(row)];
}
//: shares

const PROBABILITIES = __shares__;__said__

export function predictProba(row) {  // a Map from label to probability
  return new Map(PROBABILITIES[which(row)]);
}
//: fired

export function fired(row) {  // for each rule whether it holds
  return [
__tests__  ];
}
//: sum

const LABELS = __labels__;
const WEIGHTS = __weights__;
const INTERCEPT = __intercept__;
const LINEAR = __linear__;

function linear(cell, [low, high, center]) {
  return Number.isNaN(cell) ? 0 : Math.min(Math.max(cell, low), high) - center;
}

export function scores(row) {  // the sum of weights, one for each label
  const holds = fired(row);
  const terms = LINEAR.map(([name, bounds, slopes]) => [linear(number(row, name), bounds), slopes]);
  return INTERCEPT.map((start, k) => {
    let rules = 0, slope = 0;
    WEIGHTS.forEach((own, i) => { if (holds[i]) rules += own[k]; });
    terms.forEach(([cell, slopes]) => { slope += slopes[k] * cell; });
    return start + rules + slope;
  });
}
//: softmax

export function predict(row) {
  const totals = scores(row);
  return LABELS[totals.indexOf(Math.max(...totals))];
}

export function predictProba(row) {  // a Map from label to probability
  const totals = scores(row), most = Math.max(...totals), parts = totals.map(total => Math.exp(__apart__));
  const whole = parts.reduce((sum, part) => sum + part, 0);
  return new Map(LABELS.map((label, k) => [label, parts[k] / whole]));
}
//: value

export function predict(row) {
  return scores(row)[0];
}
//: union

const LABELS = __labels__;
const PATTERNS = __patterns__;
const PRIOR = __prior__;
const CLASS_WEIGHTS = __factors__;
const NONE = __none__;
const VOID = __void__;

function sharesOf(row) {  // in the union of the covers of the rules that hold
  const holds = fired(row);
  if (!holds.some(hold => hold)) return NONE;
  const counted = PATTERNS.filter(([members]) => members.some(i => holds[i])).map(([, counts]) => counts);
  const amounts = CLASS_WEIGHTS.map(
    (weight, k) => [...counted, PRIOR].reduce((sum, counts) => sum + counts[k], 0) * weight);
  const whole = amounts.reduce((sum, amount) => sum + amount, 0);
  return whole > 0 ? amounts.map(amount => amount / whole) : VOID;
}

export function predictProba(row) {  // a Map from label to probability
  return new Map(sharesOf(row).map((share, k) => [LABELS[k], share]));
}

export function predict(row) {
  const shares = sharesOf(row);
  return LABELS[shares.indexOf(Math.max(...shares))];
}
