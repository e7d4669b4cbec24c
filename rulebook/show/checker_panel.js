// The panel of the checker: two files, a button, a bar, a verdict. It needs `RulebookChecker` of
// checker.js. A worker does the check while the page stays free. Where a browser allows no worker, the page
// does it itself, slice by slice.

// The check in a worker, so that the page can be used meanwhile; where there is none, on the page in slices.
function startCheck(job, hear) {
  let over = false, worker = null, address = null, heard = false;
  const tell = message => {
    if (over) return;
    over = !message.progress;
    if (over) stop();
    hear(message);
  };
  const stop = () => {
    over = true;
    if (worker) worker.terminate();
    if (address) URL.revokeObjectURL(address);
  };
  const here = () => RulebookChecker().runCheck(job, progress => {
    if (over) throw new Error('stopped');
    tell({progress});
  }).then(verdict => tell({verdict}), error => tell({error: plainError(error)}));
  const answer = `const checker = (${RulebookChecker})();
    onmessage = ({data}) => {
      postMessage({progress: {what: 'reading the files', done: 0, total: 1}});
      checker.runCheck(data, progress => postMessage({progress})).then(
        verdict => postMessage({verdict}), error => postMessage({error: checker.plainError(error)}));
    };`;
  try {
    address = URL.createObjectURL(new Blob([answer], {type: 'text/javascript'}));
    worker = new Worker(address);
    worker.onmessage = ({data}) => { heard = true; tell(data); };
    worker.onerror = event => {
      event.preventDefault();
      worker = null;
      if (heard) tell({error: {refused: false, message: 'the check ended without an answer'}});
      else if (!over) here();
    };
    worker.postMessage(job);
  } catch (error) { worker = null; here(); }
  return stop;
}

// The panel: two files, a button, a bar, a verdict.
const amount = number => `${number}`.replace(/\B(?=(\d{3})+$)/g, ',');
function progressText({what, done, total}) {
  return total === null || total === undefined ? `${amount(done)} ${what} checked`
    : total < 2 ? `${what} …` : `${amount(done)} of ${amount(total)} ${what} checked`;
}
function add(parent, tag, text, className) {
  const node = document.createElement(tag);
  if (text !== undefined) node.textContent = text;
  if (className) node.className = className;
  return parent.appendChild(node);
}
function showVerdict(box, verdict) {
  box.className = 'rb-verdict rb-proved';
  const optimal = verdict.optimal ? '✓ Proved: this list is optimal' : '✓ Proved: the bound holds';
  add(box, 'h4', verdict.list.length ? optimal : '✓ Proved: there is no such list');
  add(box, 'p', verdict.sentence);
  if (verdict.list.length) add(box, 'pre', verdict.list.join('\n')).setAttribute('aria-label', 'the list');
  const counted = ([name, count]) => `${amount(count)} ${count === 1 ? name.replace(/s$/, '') : name}`;
  const counts = Object.entries(verdict.counts).map(counted).join(', ');
  add(box, 'p', `Looked at: ${counts}. ${verdict.seconds} s in this browser; nothing was sent.`, 'rb-note');
}
function showError(box, {refused, place, message}) {
  box.className = 'rb-verdict rb-refused';
  add(box, 'h4', refused ? '✗ Not proved' : '✗ Could not be checked');
  add(box, 'p', message);
  if (place === 'table, rows' || place === 'table, digest') {
    add(box, 'p', 'The proof may be right for another table. It says nothing about this one.', 'rb-note');
  }
}
function setUp(root) {
  const find = name => root.querySelector(`.rb-${name}`), files = {};
  const say = text => { find('status').textContent = text; };
  const carried = name => {
    const text = root.querySelector(`script[data-rb="${name}"]`)?.textContent;
    return text ? Uint8Array.from(atob(text), character => character.charCodeAt(0)) : null;
  };
  let stop = null;
  const finish = () => {
    stop = null;
    root.removeAttribute('aria-busy');
    find('progress').hidden = find('stop').hidden = true;
    find('check').disabled = !ready();
  };
  const ready = () => ['proof', 'table'].every(name => files[name]);
  const hear = started => ({progress, verdict, error}) => {
    if (progress) {
      const bar = find('progress');
      if (progress.total > 1) { bar.max = progress.total; bar.value = progress.done; }
      else bar.removeAttribute('value');
      return say(progressText(progress));
    }
    finish();
    say('');
    const seconds = ((Date.now() - started) / 1000).toFixed(2);
    if (verdict) showVerdict(find('verdict'), {...verdict, seconds});
    else showError(find('verdict'), error);
    if (!error || error.place !== 'table, label') return;
    find('label').hidden = false;
    find('label').querySelector('input').focus();
  };
  function check() {
    if (stop || !ready()) return;
    find('verdict').replaceChildren();
    find('verdict').className = 'rb-verdict';
    root.setAttribute('aria-busy', 'true');
    find('progress').hidden = find('stop').hidden = false;
    find('check').disabled = true;
    say('reading the proof …');
    const label = find('label').querySelector('input').value || null;
    stop = startCheck({...files, label}, hear(Date.now()));
  }
  async function take(name, file, dropped = false) {
    if (!file || !find(name)) return;
    if (name === 'proof') find('label').hidden = true;
    if (stop) { stop(); finish(); }
    say('');
    find('verdict').replaceChildren();
    find('verdict').className = 'rb-verdict';
    files[name] = new Uint8Array(await file.arrayBuffer());
    const shown = dropped ? `${file.name}, ` : '';
    find(name).querySelector('.rb-name').textContent = `${shown}${amount(file.size)} bytes`;
    find('check').disabled = !ready();
    check();
  }
  // Files go where their names say, else where they were dropped.
  function drop(name, dropped) {
    const kinds = [['table', /\.csv(\.gz)?$/i], ['proof', /\.json(\.gz)?$/i]];
    const kind = file => (kinds.find(([, ending]) => ending.test(file.name)) || [name])[0];
    for (const file of dropped) take(kind(file), file, true);
  }
  for (const name of ['proof', 'table']) {
    files[name] = carried(name);
    const area = find(name);
    if (!area) continue;
    const lit = on => event => { event.preventDefault(); area.classList.toggle('rb-over', on); };
    area.querySelector('input').addEventListener('change', event => take(name, event.target.files[0]));
    area.addEventListener('dragover', lit(true));
    area.addEventListener('dragleave', lit(false));
    area.addEventListener('drop', event => { lit(false)(event); drop(name, [...event.dataTransfer.files]); });
  }
  find('check').addEventListener('click', check);
  find('stop').addEventListener('click', () => {
    if (stop) stop();
    finish();
    say('stopped; nothing is proved');
    find('check').focus();
  });
  find('check').disabled = !ready();
}
for (const root of document.querySelectorAll('.rulebook-checker:not([data-ready])')) {
  root.dataset.ready = '';
  setUp(root);
}
