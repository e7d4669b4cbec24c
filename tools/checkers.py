"""What the checker in JavaScript says of a proof, in a process of Node.js."""
import csv
import io
import json
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple

from rulebook.show.check import checker_script

NODE = """
const fs = require('fs'), checker = RulebookChecker();
async function check([proof, table]) {
  const began = process.cpuUsage();
  let said;
  try {
    const read = name => new Uint8Array(fs.readFileSync(name));
    const found = await checker.runCheck({proof: read(proof), table: read(table)}, () => {});
    said = ['proved', String(found.bound), String(found.objective), ''];
  } catch (error) {
    const {refused, message} = checker.plainError(error);
    said = [refused ? 'refused' : 'CRASH', '', '', message];
  }
  const {user, system} = process.cpuUsage(began);
  console.log(JSON.stringify([...said, (user + system) / 1e6]));
}
let last = Promise.resolve();
require('readline').createInterface({input: process.stdin}).on('line', line => {
  last = last.then(() => check(JSON.parse(line)));
});
"""

def csv_text(columns, labels, weights, label='y', weight='w'):
    "A table as the text of a CSV file."
    columns = [*columns.items(), (label, labels), *([] if weights is None else [(weight, weights)])]
    lines = [['' if cell is None else repr(cell) if isinstance(cell, float) else cell for cell in line]
             for line in zip(*(cells for _, cells in columns))]
    text = io.StringIO(newline='')
    csv.writer(text).writerows([[name for name, _ in columns], *lines])
    return text.getvalue()

class Node:
    "A process of Node.js that answers each line of JSON by one."
    def __init__(self, *arguments):
        self.process = subprocess.Popen(['node', *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, encoding='utf-8')

    def ask(self, question):
        "The answer; None if the process has ended."
        self.process.stdin.write(json.dumps(question) + '\n')
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline() or 'null')

    def close(self):
        "End the process."
        self.process.kill()
        self.process.communicate()

class Said(NamedTuple):
    "What a checker said of a proof."
    verdict: str     # 'proved', 'refused' or 'CRASH'
    bound: str       # a fraction, where it is proved
    objective: str   # likewise
    reason: str      # where it is not
    seconds: float   # of CPU

class JavaScript:
    "The checker in Node: a process that checks files one after another, begun when it is asked."
    def __init__(self):
        self.node = None
        self.folder = tempfile.TemporaryDirectory()  # goes away with the object

    def ask_texts(self, proof, table):
        "What it says of the texts of both files; None without Node.js."
        if not shutil.which('node'): return None
        names = [Path(self.folder.name, name) for name in ('proof.json', 'table.csv', 'checker.js')]
        for place, text in zip(names, (proof, table, checker_script() + NODE)):
            place.write_text(text, encoding='utf-8', newline='')
        if self.node is None: self.node = Node('--max-old-space-size=4096', names[2])
        return Said(*self.node.ask([*map(str, names[:2])]) or ('CRASH', '', '', 'the process ended', 0.))

    def end(self):
        "End the process."
        if self.node is not None: self.node.close()
        self.node = None
