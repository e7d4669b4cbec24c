"""The editor of a rule list in a browser, used by keyboard alone: `python -m tools.widget [FOLDER]`.

Chromium gets the script and the style sheet of the widget, with a stand-in for anywidget's model that sends
messages to a `ListEditor` here.  Ten edits are made and undone by keys; the state has to come back, and the
focus must stay.  axe-core looks for what keeps people out, where AXE names its axe.min.js.  With FOLDER,
pictures of narrow, wide, light and dark pages are written there, and with `nbs/images` that of the page.
Without Chromium or websocket-client nothing is done.  No part of `make test`.
"""
import base64
import importlib.util
import json
import os
import subprocess
import sys
import time
import urllib.request
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread

from tools.pages import ROOT, chromium

PATIENCE = 30.  # seconds for an answer of the browser
PAGE = """<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>A rule list to be edited</title>
<link rel="stylesheet" href="/editor.css"><style>STYLE</style></head>
<body><main><h1>A notebook</h1><a href="#">before</a><div id="widget"></div></main><script type="module">
import widget from '/editor.js';
const heard = [], ask = (path, body) => fetch(path, {method: 'POST', body}).then(answer => answer.json());
window.state = await ask('/state', 'null');
const model = {
  get: () => window.state, on: (name, hear) => heard.push(hear), off: () => {},
  send: async message => {
    window.state = await ask('/message', JSON.stringify(message));
    heard.forEach(hear => hear());
  },
};
widget.render({model, el: document.getElementById('widget')});
window.ready = true;
</script></body></html>"""
THEMES = {  # the page around: a plain one, and what JupyterLab sets
    'light': 'body { font-family: sans-serif; background: white; color: #222; }',
    'dark': 'body { font-family: sans-serif; background: #15181c; color: #ddd; color-scheme: dark; } '
            'a { color: #9cf; }',
    'jupyter-dark': 'body { background: #111; color: white; font-family: sans-serif; } a { color: #9cf; } '
                    ':root { color-scheme: dark; --jp-content-font-color1: rgba(255, 255, 255, 1); '
                    '--jp-border-color2: #616161; --jp-brand-color1: #2196f3; --jp-layout-color0: #111; '
                    '--jp-code-font-family: monospace; --jp-content-font-size1: 14px; }',
}
BARE = 'h1, main > a { display: none; } body { margin: 0; padding: 12px; }'  # for pictures
# key: name of the key on the keyboard, its number, text that it writes
KEYS = {'Tab': ('Tab', 9, ''), 'Enter': ('Enter', 13, '\r'), 'Escape': ('Escape', 27, ''),
        'End': ('End', 35, ''), 'Home': ('Home', 36, ''), 'Up': ('ArrowUp', 38, ''),
        'Down': ('ArrowDown', 40, ''), 'Insert': ('Insert', 45, ''), 'Delete': ('Delete', 46, ''),
        'z': ('z', 90, ''), 'Z': ('Z', 90, ''), 'Space': (' ', 32, ' ')}
HELD = {'Alt': 1, 'Ctrl': 2, 'Shift': 8}

# ------------------------------------------------------------------ Python's side

def reviewed():
    "The list of the page about editing, and the rows that it is edited on."
    from sklearn.model_selection import train_test_split

    from rulebook import CORELSClassifier, load_dataset

    X, y = load_dataset('mammographic')
    parts = train_test_split(X, y, test_size=.3, random_state=0, stratify=y)
    return CORELSClassifier().fit(parts[0], parts[2]), *parts

def new_editor(learner, train, test, y_train, y_test):
    "An editor of the list that a learner has."
    from rulebook.model.editing import ListEditor

    return ListEditor(learner.model_, train, y_train, held_out=(test, y_test), estimator=learner)

class Kernel(BaseHTTPRequestHandler):
    "Stands for the kernel: gives the page, and carries out its messages."

    def __init__(self, desk, *args):
        self.desk = desk  # 'editor': the present one; 'style': of the page
        super().__init__(*args)

    def answer(self, kind, text):
        "Send a text."
        self.send_response(200)
        self.send_header('Content-Type', f'{kind}; charset=utf-8')
        self.send_header('Cache-Control', 'no-store')
        self.end_headers()
        self.wfile.write(text.encode())

    def do_GET(self):
        "Give the page, or a file of the widget."
        files = {'/editor.js': 'text/javascript', '/editor.css': 'text/css'}
        if self.path in files:
            return self.answer(files[self.path], (ROOT / 'rulebook/model' / self.path[1:]).read_text('utf-8'))
        return self.answer('text/html', PAGE.replace('STYLE', self.desk['style']))

    def do_POST(self):
        "Carry out a message, or only tell the state."
        message = json.loads(self.rfile.read(int(self.headers['Content-Length'])))
        if self.path == '/message': self.desk['editor'].do(message)
        self.answer('application/json', json.dumps(self.desk['editor'].state()))

    def log_message(self, *args): "Say nothing."

# ------------------------------------------------------------------ the browser's side

class Browser:
    "A page in Chromium, driven through its debugging protocol."

    def __init__(self, folder, address):
        self.address = address
        self.process = subprocess.Popen(
            [chromium(), '--headless=new', '--no-sandbox', '--disable-gpu', '--hide-scrollbars',
             '--remote-debugging-port=0', '--remote-allow-origins=*', f'--user-data-dir={folder}',
             'about:blank'],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        port = until(lambda: Path(folder, 'DevToolsActivePort').exists()
                     and Path(folder, 'DevToolsActivePort').read_text().split())[0]
        table = f'http://127.0.0.1:{port}/json'
        tabs = until(lambda: [tab for tab in json.load(urllib.request.urlopen(table))
                              if tab['type'] == 'page'])
        from websocket import create_connection

        self.line = create_connection(tabs[0]['webSocketDebuggerUrl'], timeout=PATIENCE, suppress_origin=True)
        self.n_calls = 0

    def call(self, method, **params):
        "Call a method of the protocol."
        self.n_calls += 1
        self.line.send(json.dumps({'id': self.n_calls, 'method': method, 'params': params}))
        while True:
            said = json.loads(self.line.recv())
            if said.get('id') != self.n_calls: continue  # an event
            if 'error' in said: raise RuntimeError(f'{method}: {said["error"]}')
            return said['result']

    def js(self, text):
        "The value of an expression in the page."
        said = self.call('Runtime.evaluate', expression=text, returnByValue=True, awaitPromise=True)
        if 'exceptionDetails' in said: raise RuntimeError(json.dumps(said['exceptionDetails']))
        return said['result'].get('value')

    def show(self, width=1000, height=900):
        "Load the page anew, in a window of some size."
        self.call('Emulation.setDeviceMetricsOverride', width=width, height=height, deviceScaleFactor=1,
                  mobile=False)
        self.call('Page.navigate', url=self.address)
        until(lambda: self.js('document.readyState === "complete" && window.ready === true'))

    def press(self, keys, *commands):
        "Press a key, with others held: 'Alt+Up'."
        *held, name = keys.split('+')
        key, code, text = KEYS[name]
        common = {'key': key, 'code': key, 'windowsVirtualKeyCode': code,
                  'modifiers': sum(HELD[one] for one in held)}
        self.call('Input.dispatchKeyEvent', type='keyDown' if text else 'rawKeyDown',
                  **common, **({'text': text} if text else {}))
        self.call('Input.dispatchKeyEvent', type='keyUp', **common)

    def type(self, text):
        "Write over all that stands in the field."
        self.call('Input.dispatchKeyEvent', type='rawKeyDown', key='a', code='KeyA', windowsVirtualKeyCode=65,
                  modifiers=2, commands=['selectAll'])
        self.call('Input.dispatchKeyEvent', type='keyUp', key='a', code='KeyA', windowsVirtualKeyCode=65)
        self.call('Input.insertText', text=text)

    def focused(self):
        "What a screen reader would name: the words of the focused element."
        return self.js("""(() => {
          const node = document.activeElement;
          return node.getAttribute('aria-label') || node.labels?.[0]?.textContent || node.textContent;
        })()""")

    def picture(self, path):
        "Write what the page looks like."
        height = self.js('Math.ceil(document.body.getBoundingClientRect().height)')
        width = self.js('innerWidth')
        self.call('Emulation.setDeviceMetricsOverride', width=width, height=height, deviceScaleFactor=1,
                  mobile=False)
        data = self.call('Page.captureScreenshot', format='png')['data']
        Path(path).write_bytes(base64.b64decode(data))

    def close(self):
        "End the browser."
        self.line.close()
        self.process.terminate()
        self.process.wait()

def until(found):
    "What a function gives once it gives something."
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            if value := found(): return value
        except OSError: pass  # not there yet
        time.sleep(.02)
    raise TimeoutError('the browser has not done what it should')

# ------------------------------------------------------------------ what is tried

NEW = 'if margin = spiculated and age >= 50 then malignant'
WRONG = 'if agee < 60 and shape != irregular then benign'
LAST = 'if age >= 80 then malignant'
# an edit: what is done, and what is focused after it
EDITS = [
    (['Insert', '=' + NEW, 'Enter'], 'rule 1 of 3: if margin = spiculated and age >= 50'),
    (['Alt+Down'], 'rule 2 of 3: else if margin = spiculated'),
    (['Alt+Up'], 'rule 1 of 3: if margin = spiculated'),
    (['End', 'Insert', '=' + LAST, 'Enter'], 'rule 4 of 4: else if age >= 80'),
    (['Up', 'Enter', '=if age < 60 then benign', 'Enter'], 'rule 3 of 4: else if age < 60'),
    (['Up', 'Alt+Down'], 'rule 3 of 4: else if margin = circumscribed'),
    (['Up', 'Enter', '=' + WRONG, 'Enter', 'refused', '=' + WRONG.replace('agee', 'age'), 'Enter'],
     'rule 2 of 4: else if age < 60 and shape != irregular'),
    (['Home', 'Tab*', 'Enter', 'merge', 'Enter'], 'rule 1 of 3: if age >= 50'),
    (['End', 'Up', 'Delete'], 'last line: else malignant'),
    (['Home', 'Delete'], 'rule 1 of 1: if age < 60'),
]

def kept(state):
    "A state without what tells of the way to it."
    return {name: value for name, value in state.items() if name not in ('turn', 'said', 'error', 'redo')}

def tab_to(browser, words, backwards=False):
    "Press Tab until something with these words is focused; what was passed."
    passed = []
    for _ in range(40):
        browser.press('Shift+Tab' if backwards else 'Tab')
        passed.append(browser.focused())
        if words in passed[-1]: return passed
    raise AssertionError(f'Tab does not lead to {words!r}, only to {passed}')

def refused(browser):
    "Whether a refusal is shown beside the field that keeps its text, with the cursor at the place."
    until(lambda: browser.js('state.error'))
    field = browser.js("""(() => {
      const node = document.activeElement;
      const error = document.getElementById(node.getAttribute('aria-describedby'));
      return [node.value, node.getAttribute('aria-invalid'), node.selectionStart, error.getAttribute('role'),
              error.firstChild.textContent, error.querySelector('pre').textContent];
    })()""")
    assert field[:4] == [WRONG, 'true', WRONG.index('agee'), 'alert'], field
    assert 'agee' in field[4] and field[5] == WRONG + '\n' + ' ' * WRONG.index('agee') + '^', field

def carry_out(browser, steps):
    "Press the keys of an edit."
    for step in steps:
        turn = browser.js('state.turn')
        if step == 'refused': refused(browser)
        elif step == 'Tab*': tab_to(browser, 'Merge', backwards=True)
        elif step == 'merge': until(lambda: browser.js('document.activeElement.tagName === "SELECT"'))
        elif step.startswith('='): browser.type(step[1:])
        else: browser.press(step)
    return until(lambda: browser.js('state.turn') >= max(turn, 1) and browser.js('state'))

def edited_by_keys(browser):
    "Make ten edits, undo and redo them all; what the Tab key passes on its way."
    browser.js("document.querySelector('main > a').focus()")
    passed = tab_to(browser, 'rule 1 of 2')
    states = [browser.js('state')]
    for n, (steps, focused) in enumerate(EDITS, 1):
        carry_out(browser, steps)
        state = until(lambda n=n: len(browser.js('state.history')) == n and browser.js('state'))
        until(lambda focused=focused: browser.focused().startswith(focused))
        states.append(state)
    way = {'Ctrl+z': states[-2::-1], 'Ctrl+Shift+Z': states[1:]}
    for keys, wanted in way.items():
        for state in wanted:
            browser.press(keys)
            until(lambda state=state: kept(browser.js('state')) == kept(state))
            assert browser.js('document.activeElement.getAttribute("aria-selected")') == 'true', keys
    # a button keeps the focus, also where there is nothing left for it to do
    tab_to(browser, 'Reset', backwards=True)
    browser.press('Enter')
    until(lambda: kept(browser.js('state')) == kept(states[0]))
    assert browser.focused() == 'Reset' and browser.js('document.activeElement.ariaDisabled') == 'true'
    return passed

def written_meanwhile(browser):
    "A rule that is being written goes with its line, whatever else is done, and is not thrown away."
    browser.js("document.querySelector('tr[tabindex=\"0\"]').focus()")
    carry_out(browser, EDITS[0][0])
    until(lambda: browser.focused().startswith(EDITS[0][1]))
    carry_out(browser, ['Down', 'Enter', '=if age <'])
    assert browser.focused() == 'Rewrite rule 2', browser.focused()
    tab_to(browser, 'Undo', backwards=True)
    browser.press('Enter')
    until(lambda: not browser.js('state.history.length'))
    tab_to(browser, 'Drop')
    assert tab_to(browser, 'Rewrite rule')[-1] == 'Rewrite rule 1'
    browser.press('Escape')
    browser.press('Enter')
    assert browser.js('document.activeElement.value') == browser.js('state.lines[0].text')
    browser.type('if age <')
    tab_to(browser, 'New above', backwards=True)
    browser.press('Enter')
    assert browser.js('document.activeElement.value') == 'if age <'

def faults(browser):
    "What axe-core finds in the page as it is: rules and the elements that break them."
    # the page around the widget is not ours to judge
    browser.js(Path(os.environ['AXE']).read_text('utf-8') + ';document.getElementById("widget").append('
               'Object.assign(document.createElement("button"), {id: "planted"}))')
    found = browser.js("""(async () => {
      const {violations} = await axe.run('#widget', {resultTypes: ['violations']});
      const words = node => node.html.slice(0, 120) + ' ' + node.failureSummary;
      return violations.map(one => [one.id, one.help, one.nodes.map(words)]);
    })()""")
    browser.js('document.getElementById("planted").remove()')
    # a planted fault is seen, or the others would not be
    assert any(name == 'button-name' for name, _, _ in found), found
    return [f'{name}: {words}\n    ' + '\n    '.join(nodes) for name, words, nodes in found
            if name != 'button-name' or len(nodes) > 1]

def half_way(browser):
    "An edited list, and a rule that is refused: all that can be seen at once."
    browser.js("document.querySelector('tr[tabindex=\"0\"]').focus()")
    carry_out(browser, EDITS[0][0])
    until(lambda: browser.focused().startswith(EDITS[0][1]))
    carry_out(browser, ['End', 'Up', 'Enter', '=' + WRONG, 'Enter', 'refused'])

# ------------------------------------------------------------------ all of it

def main(folder=None):
    "Try the widget, and write pictures if there is a folder for them."
    if chromium() is None or importlib.util.find_spec('websocket') is None:
        print('SKIPPED: Chromium or websocket-client is not there')
        return 0
    table = reviewed()
    desk = {}
    failures = []
    def fresh(style):
        desk.update(editor=new_editor(*table), style=style)
    with (TemporaryDirectory(ignore_cleanup_errors=True) as own,
          ThreadingHTTPServer(('127.0.0.1', 0), partial(Kernel, desk)) as server):
        Thread(target=server.serve_forever, daemon=True).start()
        browser = Browser(own, f'http://127.0.0.1:{server.server_port}/')
        try:
            fresh(THEMES['light'])
            browser.show()
            passed = edited_by_keys(browser)
            print('ten edits by keyboard, undone, done again and reset: the state and the focus came back')
            print('Tab passes:', ', '.join(passed))
            fresh(THEMES['light'])
            browser.show()
            written_meanwhile(browser)
            print('what is being written is kept through other edits')
            for theme, style in THEMES.items():
                for width in (400, 1000):
                    failures += looked_at(browser, partial(fresh, style), theme, width, folder)
        finally:
            browser.close()
            server.shutdown()
    if 'AXE' not in os.environ: print('SKIPPED: axe-core, as AXE names no axe.min.js')
    print('\n'.join(failures) or 'no faults')
    return int(bool(failures))

def looked_at(browser, fresh, theme, width, folder):
    "Faults of a page in some theme and width, before and after an edit; its pictures."
    found = []
    for name, act in {'given': lambda browser: None, 'refused': half_way}.items():
        fresh()
        browser.show(width)
        act(browser)
        place = f'{theme}, {width} px, {name}'
        wide = browser.js('document.documentElement.scrollWidth')
        if wide > width: found.append(f'{place}: {wide} px wide')
        if 'AXE' in os.environ: found += [f'{place}: {fault}' for fault in faults(browser)]
        browser.js(f'document.head.append(Object.assign(document.createElement("style"), '
                   f'{{textContent: {BARE!r}}}))')
        if folder == 'nbs/images':
            if (theme, width, name) == ('light', 1000, 'refused'): browser.picture(f'{folder}/widget.png')
        elif folder: browser.picture(f'{folder}/{theme}-{width}-{name}.png')
    return found

if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
