"""What both checkers say of a proof: that in Python, and that in JavaScript in a process of Node.js."""
import json
import selectors
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import NamedTuple
from unittest import mock

from rulebook import checker
from rulebook.models.check import checker_script

NODE = """
const fs = require('fs'), checker = RulebookChecker();
async function check([proof, table, label]) {
  const began = process.cpuUsage();
  let said;
  try {
    const read = name => new Uint8Array(fs.readFileSync(name));
    const files = {proof: read(proof), table: read(table), label: label || undefined};
    const found = await checker.runCheck(files, () => {});
    said = {verdict: 'proved', bound: found.bound, objective: found.objective, optimal: found.optimal};
  } catch (error) {
    const {refused, place, message} = checker.plainError(error);
    const verdict = refused ? 'refused' : 'CRASH';
    said = {verdict, reason: message, stack: refused ? undefined : error.stack};
  }
  const {user, system} = process.cpuUsage(began);
  console.log(JSON.stringify({...said, seconds: (user + system) / 1e6}));
}
let last = Promise.resolve();
require('readline').createInterface({input: process.stdin}).on('line', line => {
  last = last.then(() => check(JSON.parse(line)));
});
"""

class Said(NamedTuple):
    "What a checker said of a proof."
    verdict: str   # 'proved', 'refused', 'CRASH' or 'HANG'
    bound: str     # a fraction, where it is proved
    objective: str
    reason: str    # where it is not
    seconds: float

def ask_python(proof, table, label=None, seconds=20):
    "What the checker in Python says of two files, as `python checker.py` would."
    start = time.process_time()
    def said(*words): return Said(*words, time.process_time() - start)
    try:
        entry, columns = checker.read_proof(proof), checker.read_table(table)
        if label is None and isinstance(entry, dict) and isinstance(entry.get('table'), dict):
            label = entry['table'].get('label')
        labels = columns.get(label) if isinstance(label, str) else None
        if labels is None: return said('refused', '', '', 'table, label')
        with cpu_limits(): found = checker.check(entry, columns, labels, seconds=seconds)
    except checker.ProofError as error: return said('refused', '', '', str(error))
    except Exception as error: return said('CRASH', '', '', repr(error))
    return said('proved', str(found.bound), str(found.objective), '')

class JavaScript:
    "The checker in JavaScript, in Node: a process that checks files one after another."
    def __init__(self, seconds=30):
        self.seconds = seconds
        self.process = None
        self.folder = tempfile.TemporaryDirectory()  # goes away with the object
        self.script = Path(self.folder.name) / 'checker.js'
        self.script.write_text(checker_script() + NODE, encoding='utf-8')

    def ask(self, proof, table, label=None):
        "What it says of two files; a process that takes too long is ended."
        if self.process is None:
            command = ['node', '--max-old-space-size=4096', self.script]
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            stderr=subprocess.DEVNULL, text=True)
        self.process.stdin.write(json.dumps([str(proof), str(table), label or '']) + '\n')
        self.process.stdin.flush()
        line = self._line()
        if line is None: return Said('HANG', '', '', f'more than {self.seconds} s', self.seconds)
        if not line:
            self.end()
            return Said('CRASH', '', '', 'the process ended', 0.)
        said = json.loads(line)
        return Said(said['verdict'], str(said.get('bound', '')), str(said.get('objective', '')),
                    said.get('reason', ''), said['seconds'])

    def ask_texts(self, proof, table):
        "What it says of the texts of both files; None without Node.js."
        if not has_node(): return None
        places = [Path(self.folder.name) / name for name in ('proof.json', 'table.csv')]
        for place, text in zip(places, (proof, table)): place.write_text(text, encoding='utf-8', newline='')
        return self.ask(*places)

    def _line(self):
        "The answer, or None if it takes too long."
        with selectors.DefaultSelector() as waiting:
            waiting.register(self.process.stdout, selectors.EVENT_READ)
            if waiting.select(self.seconds): return self.process.stdout.readline()
        self.end()

    def end(self):
        "End the process."
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
        self.process = None

def has_node():
    "Whether Node is installed."
    return shutil.which('node') is not None

def kind_of(entry):
    "What a proof is made of."
    words = ['conjunctions'] * (entry['conjunctions'] is not None)
    if entry.get('states'): words.append('counted states' if entry['states']['counted'] else 'states')
    return ' + '.join(words) or 'prices'

def cpu_limits():
    "Limits of fits count CPU seconds, so that other work on the machine does not stop them sooner."
    return mock.patch.multiple(time, perf_counter=time.process_time, monotonic=time.process_time)
