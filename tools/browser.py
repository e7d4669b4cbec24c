"""What only a browser sees of the pages (`make look`), on a desktop and on a phone, light and dark.

    python -m tools.browser [FOLDER [PAGE ...]]     look at the pages of a site (_docs, or else _preview)

No page and no element of it is wider than the window, unless it stands in a frame that scrolls and fades out;
no name of the package is broken; no page is long; axe-core (`make look` fetches it from npm) finds no fault.
Without Chromium nothing is looked at.
"""
import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Queue
from tempfile import TemporaryDirectory
from threading import Thread

ROOT = Path(__file__).resolve().parent.parent
AXE = ROOT / '.axe' / 'node_modules' / 'axe-core' / 'axe.min.js'
VIEWS = (1400, 900, 'light'), (400, 800, 'dark'), (400, 800, 'light'), (1400, 900, 'dark')
AXE_VIEWS = 2  # the first ones: axe takes seconds a page
PICTURED = ('corels/01_estimator', 'ssrl/1_estimator', 'balls/1_estimator', 'turs/1_estimator',
            'ensembles/2_lire', 'ensembles/4_rulefit')
# screens of a desktop; a list grows; more in the letters of another machine
MOST_SCREENS = 22
LONGEST, FONTS = dict.fromkeys(PICTURED, 9), 1.15
PATIENCE = 1800  # seconds for a browser that never answers: no clock decides how long pages take

LOOK = ROOT / 'tools' / 'look.html'  # opens the pages in a frame, and says what it sees

class Listener(SimpleHTTPRequestHandler):
    "Gives Chromium the pages and the script that looks at them, and takes down what it finds."
    def __init__(self, script, said, *args):
        self.script, self.said = script, said
        super().__init__(*args, directory=ROOT)

    def do_GET(self):
        "Give the script, or a file."
        if self.path != '/look': return super().do_GET()
        self.send_response(200)
        self.send_header('Content-Type', 'text/html; charset=utf-8')
        self.end_headers()
        self.wfile.write(self.script.encode())

    def do_POST(self):
        "Take down what was found."
        self.said.put(json.loads(self.rfile.read(int(self.headers['Content-Length']))))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *args): "Say nothing."

def chromium():
    "The program, or None."
    return next(filter(None, map(shutil.which, ('chromium', 'chromium-browser', 'google-chrome'))), None)

def views(pages):
    "What Chromium sees on each page: pairs of a page and its views."
    axe = f"'/{AXE.relative_to(ROOT).as_posix()}'" if AXE.exists() else 'null'
    said, script = Queue(), re.sub(r'\b(PAGES|VIEWS|AXE_VIEWS|AXE)\b', lambda found: {
        'PAGES': json.dumps(['/' + page.relative_to(ROOT).as_posix() for page in pages]), 'AXE': axe,
        'VIEWS': json.dumps(VIEWS), 'AXE_VIEWS': str(AXE_VIEWS)}[found[1]], LOOK.read_text('utf-8'))
    with (TemporaryDirectory(ignore_cleanup_errors=True) as folder,
          ThreadingHTTPServer(('127.0.0.1', 0), partial(Listener, script, said)) as server):
        Thread(target=server.serve_forever, daemon=True).start()
        browser = subprocess.Popen([chromium(), '--headless=new', '--no-sandbox', '--disable-gpu',
                                    '--hide-scrollbars', '--window-size=1500,1000',
                                    f'--user-data-dir={folder}/own',
                                    f'http://127.0.0.1:{server.server_port}/look'],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            for page in pages: yield page, said.get(timeout=PATIENCE)[1]
        finally:
            browser.kill()
            browser.wait()
            server.shutdown()

def problems(folder, pages):
    "What is wrong with the pages of a site as a browser shows them."
    for page, found in views(pages):
        name = page.relative_to(folder).with_suffix('').as_posix().removeprefix('nbs/')
        for width, theme, screens, seen in found:
            for problem in seen: yield f'{name} ({width}, {theme}): {problem}'
            most = LONGEST.get(name, MOST_SCREENS)
            if width > 1000 and theme == 'light' and screens > FONTS * most:
                yield f'{name}: {screens:.1f} screens of a desktop, more than {most}'

def main(folder='', *names):
    "Look at the pages of a folder."
    if chromium() is None: return print('SKIPPED: there is no Chromium to look at the pages')
    folder = ROOT / (folder or ('_docs' if (ROOT / '_docs').exists() else '_preview'))
    pages = [path for path in sorted(folder.rglob('*.html'))
             if 'site_libs' not in path.parts and path != folder / 'index.html'  # which only leads on
             and (not names or any(name in path.as_posix() for name in names))]
    found = []
    for problem in problems(folder, pages):
        found.append(problem)
        print(problem, flush=True)
    kinds = Counter(problem.split(': ', 1)[1].split(':')[0] for problem in found)
    unseen = '' if AXE.exists() else '; axe-core was not there'
    print(f'{len(pages)} pages, {len(found)} problems{unseen}',
          *(f'{n:5} {kind}' for kind, n in kinds.most_common()), sep='\n')
    return bool(found)


if __name__ == '__main__': sys.exit(main(*sys.argv[1:]))
