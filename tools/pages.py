"""The pages of the book without Quarto: what may be wrong with them, and the search index of the site.

    python -m tools.pages build [PAGE ...]      write pages into _preview/, by the same filter and by pandoc
    python -m tools.pages check [PAGE ...]      the same, and every problem of them, or of the whole site
    python -m tools.pages filter                filter all notebooks, in one process, for Quarto to find
    python -m tools.pages index _docs           write the search index of a site, without folded code

A page is named by its path below nbs/.  Notebooks are read as they are, and as pages (options as strictly as
Quarto reads them; width on a phone and length, where Chromium is).  What only Quarto adds is missing.
"""
import ast
import base64
import json
import multiprocessing
import os
import re
import shutil
import subprocess
import sys
import traceback
from collections import Counter
from configparser import ConfigParser
from functools import cache, partial
from html import escape, unescape
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Queue
from tempfile import TemporaryDirectory
from threading import Thread
from typing import NamedTuple

import nbformat
import yaml

from tools import kept
from tools.names import bases_of_public, everything, symbols
from tools.statements import KINDS as WORDS, numbered

ROOT = Path(__file__).resolve().parent.parent
NBS, PREVIEW = ROOT / 'nbs', ROOT / '_preview'
KINDS = '(?:thm|lem|cor|prp|cnj|def|exm|exr|fig|tbl|eq|sec)'
STATEMENT = re.compile(r'^::: *\{#((?:thm|lem|prp|cor|def)-[\w-]+)[^}]*\}\n+(?:## (.*)\n+)?', re.MULTILINE)
REFERENCE = re.compile(rf'(?<![\w.@/])@({KINDS}-[\w-]*\w)')
LABEL = re.compile(rf'(?:\{{[^}}\n]*#|<a id=")({KINDS}-[\w-]+)')
FIGURE = re.compile(r'^#\| *label: *(fig-[\w-]+)', re.MULTILINE)
OPTIONS = re.compile(r'(?:#\|.*(?:\n|$))*')  # of a cell, at its head
KNOWN = {'code-fold', 'code-summary', 'echo', 'fig-alt', 'fig-cap', 'label', 'output'}
DIRECTIVE = re.compile(r'^\s*#\|(?!\s*[\w-]+:)(.*)', re.MULTILINE)  # Quarto's own have a colon after the name
KNOWN_DIRECTIVES = {'default_exp', 'export', 'exports', 'exporti', 'hide', 'notest', 'slow'}
MARKDOWN_LINK = re.compile(r'\[[^\]]*\]\(([^()\s]+)\)')
CODE = re.compile(r'```.*?```|`[^`\n]*`', re.DOTALL)
FORMULA = re.compile(r'\$\$.*?\$\$|\$[^$\n]*\$', re.DOTALL)
NAMED_PATH = re.compile(r'`((?:nbs|tools|data|rulebook|\.ci|\.github)/[\w./-]+)`')
PRIVATE = re.compile(r'\b(house|rooms?|referees?|tenants?|lodgers?|skeletons?|mend(?:s|ed|ing)?|front door|'
                     r'next door|speaks? for|ways in and out|living with a model|taken up again|dearer|'
                     r'whoever|learnt|anew)\b', re.IGNORECASE)
FOR_CONTRIBUTORS = ('contributing',)  # pages that may use the words of contributors
PICTURED = ('corels/01_estimator', 'ssrl/1_estimator', 'balls/1_estimator', 'turs/1_estimator',
            'ensembles/2_lire', 'ensembles/4_rulefit')
# screens of a desktop; a list grows; more in the letters of another machine
MOST_SCREENS = 22
LONGEST, FONTS = dict.fromkeys(PICTURED, 9) | {'reference': 40}, 1.15
PAIRS = [('body-color', 'body-bg'), ('link-color', 'body-bg'), ('muted-color', 'body-bg'),
         ('code-color', 'code-bg'), ('body-color', 'code-bg'), ('navbar-fg', 'navbar-bg'),
         ('navbar-hl', 'navbar-bg'), ('footer-fg', 'footer-bg')]

# ------------------------------------------------------------------ which pages there are

@cache
def site():
    "What _quarto.yml says."
    return yaml.safe_load((ROOT / '_quarto.yml').read_text(encoding='utf-8'))

def all_pages():
    "Every page of the site: notebooks, and the pages of Markdown that _quarto.yml names."
    notebooks = [path for path in sorted(NBS.rglob('*.ipynb'))
                 if not any(part.startswith(('_', '.')) for part in path.relative_to(NBS).parts)]
    return [*notebooks, *(ROOT / name for name in site()['project']['render'] if name.endswith('.md'))]

def named(words):
    "The notebooks of some pages."
    paths = [NBS / word.removeprefix('nbs/').removesuffix('.html').removesuffix('.ipynb') for word in words]
    paths = [path.with_name(f'{path.name}.ipynb') for path in paths]
    for path in paths:
        if not path.exists(): sys.exit(f'there is no page {path.relative_to(ROOT)}')
    return paths

def short(notebook):
    "The name of a page: its path below nbs/ without ending."
    return notebook.relative_to(NBS if NBS in notebook.parents else ROOT).with_suffix('').as_posix()

def page_path(notebook):
    "Where the page of a notebook is written."
    return PREVIEW / notebook.relative_to(ROOT).with_suffix('.html')

# ------------------------------------------------------------------ a notebook as Markdown

def filtered(notebook):
    "The cells of a notebook as Quarto would see them; those of a page of Markdown."
    if notebook.suffix == '.ipynb':
        from tools import doc_filter  # slow, and only for building

        os.chdir(notebook.parent)
        return json.loads(doc_filter.convert(notebook.read_text(encoding='utf-8')))['cells']
    text = notebook.read_text(encoding='utf-8')
    metadata = text.startswith('---\n')
    head, _, body = text.removeprefix('---\n').partition('---\n' if metadata else '\n')
    head = head if metadata else head.replace('# ', 'title: ', 1)
    return [{'cell_type': 'raw', 'source': head}, {'cell_type': 'markdown', 'source': body}]

class StrictLoader(yaml.SafeLoader):
    "YAML as Quarto reads it: a key that stands twice is an error."
    def construct_mapping(self, node, deep=False):
        "A mapping, as a dict."
        keys = [key.value for key, _ in node.value]
        if len(set(keys)) < len(keys): raise ValueError(f"a key stands twice: {', '.join(keys)}")
        return super().construct_mapping(node, deep)

def options_of(head):
    "The options of a cell, from the lines at its head; an error for what Quarto would refuse."
    options = yaml.load(re.sub(r'^#\| ?', '', head, flags=re.MULTILINE), StrictLoader) or {}
    unknown = options if isinstance(options, str) else ', '.join(sorted(options.keys() - KNOWN))
    if unknown: raise ValueError(f'options that no page has: {unknown}')
    if '%' in str(options.get('fig-alt', '')):
        raise ValueError(f'an alternative text has a percent sign, which Quarto takes for the beginning of a '
                         f"code: {options['fig-alt']}")
    return options

class Page:
    "The Markdown of a page; its pictures are written beside it."
    def __init__(self, notebook):
        self.path, self.about, self.images = page_path(notebook), {}, 0
        text = '\n\n'.join(self.cell(cell) for cell in filtered(notebook))
        self.statements = Counter()
        self.markdown = STATEMENT.sub(self.statement, text)

    def statement(self, head):
        "The head of a statement, with its number, as Quarto writes it."
        kind = WORDS[head[1][:3]]
        self.statements[kind] += 1
        return f'::: {{#{head[1]} .theorem}}\n**{kind} {self.statements[kind]}** ({head[2]}) '

    def cell(self, cell):
        "A cell as Markdown."
        source = ''.join(cell['source'])
        if cell['cell_type'] == 'raw':
            self.about = yaml.safe_load(source.strip().strip('-')) or {}
            title, subtitle = self.about['title'], self.about.get('subtitle', '')
            return f'# {title} {{.title}}\n\n::: {{.subtitle}}\n{subtitle}\n:::'
        if cell['cell_type'] == 'markdown': return source
        head = OPTIONS.match(source)[0]
        options, fence = options_of(head), f'`````{{.python .cell-code}}\n{source[len(head):].strip()}\n`````'
        if options.get('code-fold'):
            opened = ' open' if options['code-fold'] == 'show' else ''
            summary = f"<summary>{options.get('code-summary', 'Code')}</summary>"
            fence = f'<details class="code-fold"{opened}>{summary}\n\n{fence}\n\n</details>'
        shown = cell.get('outputs', []) if options.get('output') is not False else ()
        parts = [fence] * (options.get('echo') is not False) + [self.output(one, options) for one in shown]
        return '\n\n'.join(['::: {.cell}', *parts, ':::'])

    def output(self, output, options):
        "An output as Markdown."
        data = {kind: ''.join(text) for kind, text in output.get('data', {}).items()}
        if 'text/markdown' in data: text = data['text/markdown']
        elif 'image/png' in data: text = self.picture(data['image/png'], output, options)
        elif 'image/svg+xml' in data: text = f"````{{=html}}\n{data['image/svg+xml']}\n````"
        else: text = f"`````\n{''.join(output.get('text', data.get('text/plain', ''))).rstrip()}\n`````"
        return f':::: {{.cell-output .cell-output-display}}\n{text}\n::::'

    def picture(self, data, output, options):
        "A figure, with its caption if it has one."
        self.images += 1
        file = self.path.with_suffix('').with_name(f'{self.path.stem}_files') / f'figure-{self.images}.png'
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(base64.b64decode(data))
        width = output.get('metadata', {}).get('image/png', {}).get('width', '')
        words, place = escape(str(options.get('fig-alt', ''))), f'{file.parent.name}/{file.name}'
        image = f'<img src="{place}" alt="{words}"' + f' width="{width}"' * bool(width) + '>'
        head = f'````{{=html}}\n<figure id="{options.get("label", "")}">{image}<figcaption>\n````\n'
        return f"{head}{options.get('fig-cap', '')}\n\n````{{=html}}\n</figcaption></figure>\n````"

# ------------------------------------------------------------------ Markdown as a page

def variables(name):
    "The colours that a style file of the site sets."
    found = re.findall(r'^\$([\w-]+): ([^;]+?)(?: !default)?;', (NBS / name).read_text(), re.MULTILINE)
    return dict(found)

def write_page(notebook):
    "Make the page of a notebook; returns what pandoc complained about."
    import pypandoc  # brings pandoc itself

    page, light = Page(notebook), variables('theme.scss')
    done = subprocess.run([pypandoc.get_pandoc_path(), '-f', 'markdown', '-t', 'html5', '--mathml',
                           '--section-divs', '--syntax-highlighting=none'],
                          input=page.markdown, capture_output=True, encoding='utf-8', check=True)
    # links to notebooks and pages of Markdown lead to the pages made of them
    body = re.sub(r'(<a href="(?![a-z]+:)[^"#]*)\.(?:ipynb|md)(?=["#])', r'\1.html', done.stdout)
    parts = {'title': escape(str(page.about.get('title', ''))), 'font': light['font-family-sans-serif'],
             'light': ' '.join(f'--{key}: {value};' for key, value in light.items()), 'body': body,
             'root': os.path.relpath(PREVIEW, page.path.parent) + '/'}
    page.path.parent.mkdir(parents=True, exist_ok=True)
    frame = (ROOT / 'tools' / 'preview.html').read_text(encoding='utf-8')
    page.path.write_text(re.sub(r'\$(\w+)\$', lambda found: parts[found[1]], frame), encoding='utf-8')
    return done.stderr.strip()

def filter_all():
    "Filter every notebook, and forget what is out of date."
    notebooks, known = [path for path in all_pages() if path.suffix == '.ipynb'], set()
    for path in notebooks:
        os.chdir(path.parent)
        text = path.read_text(encoding='utf-8')
        kept.filtered(text, path.parent)
        known.add(kept.place_of(text, path.parent))
    for path in {*kept.KEPT.glob('*')} - known: path.unlink()
    print(f'{len(notebooks)} notebooks filtered')

def build(notebooks):
    "Write the pages of some notebooks, two at a time; returns what went wrong."
    (PREVIEW / 'nbs').mkdir(parents=True, exist_ok=True)
    for file in (*NBS.glob('*.css'), *NBS.glob('images/*')):
        (PREVIEW / file.relative_to(ROOT)).parent.mkdir(exist_ok=True)
        shutil.copy(file, PREVIEW / file.relative_to(ROOT))
    with converters() as pool:
        return [f'{short(notebook)}: {complaint}' for notebook, complaint
                in zip(notebooks, pool.imap(attempt, notebooks)) if complaint]

def attempt(notebook):
    "Write a page; returns what went wrong."
    try: return write_page(notebook)
    except Exception: return traceback.format_exc()  # of the filter or pandoc

def converters():
    "Two processes that convert pages: forked, where the system can, from one with all imports done."
    from tools import doc_filter  # noqa: F401  slow, and only for building

    for common in everything, bases_of_public, symbols: common()  # once for all pages
    method = 'fork' if 'fork' in multiprocessing.get_all_start_methods() else 'spawn'
    return multiprocessing.get_context(method).Pool(2)

# ------------------------------------------------------------------ search, as Quarto's index has it

FOLDED = re.compile(r'<details class="code-fold".*?</details>', re.DOTALL)

def search_entries(folder):
    "The sections of a site that are searched."
    return [entry for path in sorted(folder.rglob('*.html')) if not is_unsearched(path.relative_to(folder))
            for entry in index_entries(path, path.relative_to(folder).as_posix())]

def write_index(folder):
    "Write search.json of a site as Quarto does, but without folded code."
    entries = search_entries(folder)
    (folder / 'search.json').write_text(json.dumps(entries), encoding='utf-8')
    print(f'{len(entries)} sections in {folder.name}/search.json')

def index_entries(path, href):
    "One entry for each section of level two of a page, or one for a page without any."
    from bs4 import BeautifulSoup  # slow to import

    html = path.read_text(encoding='utf-8')
    # folded code is most of a page, and would take most of the time
    html = FOLDED.sub('', html[html.find('<main'):html.find('</main>')])
    main = BeautifulSoup(html, 'html.parser')
    title = main.select_one('h1.title')
    if title is None: return
    title = title.get_text()
    for hidden in main.select('details.code-fold, header'): hidden.extract()
    sections = main.select('section.level2')
    for section in sections:
        head = section.find('h2').extract().get_text()
        yield {'href': f"{href}#{section['id']}", 'title': title, 'section': head,
               'text': section.get_text().strip()}
    if not sections: yield {'href': href, 'title': title, 'section': '', 'text': main.get_text().strip()}

SEARCHES = {  # what people type, and the page that must come first
    'CORELSClassifier': 'corels/01_estimator', 'export sql': 'export/1_programs', 'model card': 'show/7_card',
    'missing values': 'guides/mixed_data', 'large tables': 'io/2_engines',
    'dates': 'guides/mixed_data', 'recall': 'guides/few_positives', 'class_weight': 'guides/few_positives',
    'proof': 'show/4_check', 'missing': 'guides/mixed_data'}
WEIGHTS = {'title': .4, 'section': .4, 'text': .2}  # of Quarto's search, as shares

def relevance(entry, words):
    """How far up Quarto's search (Fuse) puts a section that has the words as they are: each part that has
    them counts the more, the shorter it is."""
    parts = {part: entry[part] for part in WEIGHTS if words.lower() in entry[part].lower()}
    return sum(WEIGHTS[part] / len(text.split()) ** .5 for part, text in parts.items())

def search_problems(entries):
    "Searches whose first answer is another page than the one that is meant."
    for words, page in SEARCHES.items():
        first = max(entries, key=lambda entry: relevance(entry, words))
        if not re.match(rf'nbs/{page}\.html', first['href']):
            yield f"a search for {words!r} finds {first['href']} before {page}"

def is_unsearched(page):
    "Whether a page is left out of the index, by the metadata of its folder or its own."
    own, folder = (ROOT / page).with_suffix('.md'), ROOT / page.parent / '_metadata.yml'
    return any(file.exists() and re.search(r'^search: false', file.read_text(encoding='utf-8'), re.MULTILINE)
               for file in (own, folder))

# ------------------------------------------------------------------ a notebook as it is

def cells_of(path):
    "The cells of a notebook; a page of Markdown is one cell."
    text = path.read_text(encoding='utf-8')
    if path.suffix != '.ipynb': return [nbformat.v4.new_markdown_cell(text)]
    return nbformat.v4.reads(text).cells  # `nbformat.read` would go through every output for a schema

def prose_of(cells):
    "Texts of the Markdown cells."
    return [cell.source for cell in cells if cell.cell_type == 'markdown']

def has_picture(cell):
    "Whether a cell shows a figure."
    return any('image/png' in output.get('data', {}) for output in cell.get('outputs', []))

def cell_problems(cells):
    "No title and subtitle, directives that nbdev would drop without a word, imports beside other code."
    if not re.match(r'# .+\n+> .+', next(iter(prose_of(cells)), '')):
        yield 'the first markdown cell is not `# Title` and `> one sentence`'
    for cell in cells:
        if cell.cell_type != 'code': continue
        for words in DIRECTIVE.findall(cell.source):
            if not KNOWN_DIRECTIVES.intersection(words.split()[:1]):
                yield f'there is no directive `#|{words}`'
        imports = {isinstance(node, (ast.Import, ast.ImportFrom)) for node in ast.parse(cell.source).body}
        if len(imports) == 2:
            yield ('put the imports into a cell of their own, which a page shows folded: '
                   f'{cell.source[:60]!r}')

def statement_problems(path, cells):
    "Labels that are given twice, wrong numbers, statements and references that only Quarto could read."
    texts = prose_of(cells)
    figures = [label for cell in cells if cell.cell_type == 'code' for label in FIGURE.findall(cell.source)]
    labels = [*(label for text in texts for label in LABEL.findall(text)), *figures]
    for label in sorted({label for label in labels if labels.count(label) > 1}):
        yield f'the label {label} is given twice'
    for text in texts if path.suffix == '.ipynb' else ():
        if text != numbered(text, path):
            yield f'a number of a statement is wrong, run python -m tools.statements: {text.strip()[:60]!r}'
        if found := re.search(r'^:::.*', text, re.MULTILINE) or REFERENCE.search(CODE.sub('', text)):
            yield f'{found[0]!r} stands as text in a notebook; nbs/contributing.ipynb says how statements do'
        if '\\square' in text: yield f'a proof ends with ∎, not with \\square: {text.strip()[-60:]!r}'

def word_problems(path, cells):
    "Files that are named and do not exist; words that only contributors know, or no plain English."
    def around(found, after):
        return f"...{' '.join(bare[max(0, found.start() - 40):found.end() + after].split())}..."
    for text in prose_of(cells) if short(path) not in FOR_CONTRIBUTORS else ():
        for name in NAMED_PATH.findall(text):
            if not (ROOT / name).exists() and not any(ROOT.glob(name + '*')):
                yield f'the prose names {name}, which does not exist'
        bare = FORMULA.sub(' ', CODE.sub(' ', re.sub(r'\]\([^)]*\)|\{[^}\n]*\}', ']', text)))
        for found in PRIVATE.finditer(bare):
            yield f'write another word than {found[0]!r}: {around(found, 30)}'
        for found in re.finditer(r'\d %|(?<!\$)10\^\{?\d', bare):
            yield f'write 95% and 100 million: {around(found, 20)}'

def figure_problems(path, cells):
    "An algorithm's first picture that comes late; figures without label, caption or alternative text."
    if short(path) in PICTURED and not any(map(has_picture, cells[:8])):
        yield 'the first picture does not stand in its first eight cells'
    for cell in filter(has_picture, cells):
        missing = [name for name in ('label: fig-', 'fig-cap: ', 'fig-alt: ')
                   if f'#| {name}' not in cell.source]
        if missing and '#| hide' not in cell.source:
            yield f"a figure lacks {', '.join(missing)}: {cell.source[:60]!r}"

def notebook_problems(path):
    "What is wrong in a notebook as it is."
    cells = cells_of(path)
    found = [*statement_problems(path, cells)]
    # the others are the changelog, which names what is gone, and the page for what does not exist
    if path.suffix == '.ipynb':
        found += [*cell_problems(cells), *word_problems(path, cells), *figure_problems(path, cells)]
    return [f'{short(path)}: {problem}' for problem in found]

# ------------------------------------------------------------------ the pages made of them

class Made(NamedTuple):
    "A page that was made."
    notebook: Path  # its source
    html: str       # all of it
    ids: set        # the anchors in it

def made(notebook):
    "A page that was made."
    html = page_path(notebook).read_text(encoding='utf-8')
    return Made(notebook, html, {unescape(name) for name in re.findall(r'\bid="([^"]+)"', html)})

def html_problems(page):
    "What is wrong in the HTML of a page."
    main = page.html[page.html.index('<main'):page.html.index('</main>')]
    for image in re.findall(r'<img\b[^>]*>', main):
        if not re.search(r'\balt="[^"]+"', image): yield f'an image has no alternative text: {image[:80]}'
    for text in re.findall(r'<h[1-6][^>]*>(.*?)</h[1-6]>', main, re.DOTALL):
        if re.search(r'__\w+__|^_|<strong>(dir|getattr|init|all)</strong>', text):
            yield f'a heading has a private name or dunders: {text}'
    if 'NBVAL_' in main: yield 'the page shows a mark of nbval'
    for text in re.findall(r'^:::.*', re.sub(r'<pre.*?</pre>', '', main, flags=re.DOTALL), re.MULTILINE):
        yield f'the page shows a fence: {text[:60]}'
    levels = [int(level) for level in re.findall(r'<h([1-6])\b', main)]
    for before, after in zip(levels, levels[1:]):
        if after > before + 1: yield f'a heading of level {after} follows one of level {before}'

def link_problems(page, pages):
    "Links of a page to pages or anchors that do not exist."
    path = page_path(page.notebook)
    for target in sorted(set(re.findall(r'<a\b[^>]*\bhref="([^"]*)"', page.html))):
        place, _, anchor = unescape(target).partition('#')
        if re.match(r'https://rulebook-learn\.github\.io/rulebook/.*html', target):
            yield f'{target} names no page of the site'
        elif not re.match(r'[a-z]+:', place):
            goal = (path.parent / place).resolve() if place else path.resolve()
            source = ROOT / goal.relative_to(PREVIEW.resolve())  # of a page that was not made this time
            if goal in pages:
                if anchor and anchor not in pages[goal].ids:
                    yield f'the link to {target} leads to no anchor of that page'
            elif not (source.with_suffix('.ipynb').exists() or goal.suffix != '.html' and source.exists()):
                yield f'the link to {target} leads nowhere'

def chromium():
    "The program, or None."
    return next(filter(None, map(shutil.which, ('chromium', 'chromium-browser', 'google-chrome'))), None)

MEASURE = """<!DOCTYPE html><body><script>
const size = (page, width, height) => new Promise(done => {
  const frame = document.createElement('iframe');
  Object.assign(frame, {width, height, src: page, onload: () => {
    const root = frame.contentDocument?.documentElement ?? {scrollHeight: 1e9, scrollWidth: 1e9};
    done([root.scrollHeight / height, root.scrollWidth]);
    frame.remove();
  }});
  document.body.append(frame);
});
(async () => {
  const found = [];
  for (const page of PAGES) found.push([...await size(page, 1400, 900), ...await size(page, 400, 800)]);
  fetch('/said', {method: 'POST', body: JSON.stringify(found)});
})();
</script>"""
PATIENCE = 1800  # seconds for a browser that never answers: no clock decides how long pages take

class Listener(SimpleHTTPRequestHandler):
    "Gives Chromium the pages and the script that measures them, and takes down what it finds."
    def __init__(self, script, said, *args):
        self.script, self.said = script, said
        super().__init__(*args, directory=ROOT)

    def do_GET(self):
        "Give the script, or a file."
        if self.path != '/measure': return super().do_GET()
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

def sizes(notebooks):
    "Screens and width of each page on a desktop and a phone, measured by Chromium."
    pages = ['/' + page_path(path).relative_to(ROOT).as_posix() for path in notebooks]
    said, script = Queue(), MEASURE.replace('PAGES', json.dumps(pages))
    with (TemporaryDirectory(ignore_cleanup_errors=True) as folder,
          ThreadingHTTPServer(('127.0.0.1', 0), partial(Listener, script, said)) as server):
        Thread(target=server.serve_forever, daemon=True).start()
        browser = subprocess.Popen([chromium(), '--headless=new', '--no-sandbox', '--disable-gpu',
                                    '--hide-scrollbars', f'--user-data-dir={folder}/own',
                                    f'http://127.0.0.1:{server.server_port}/measure'],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try: return said.get(timeout=PATIENCE)
        finally:
            browser.kill()
            browser.wait()
            server.shutdown()

def width_problems(notebooks):
    "Pages that are wider than a phone, or longer than twenty screens."
    for notebook, (screens, _, _, width) in zip(notebooks, sizes(notebooks)):
        most = LONGEST.get(short(notebook), MOST_SCREENS)
        if width > 400: yield f'{short(notebook)}: {width} pixels wide where a phone has 400'
        if screens > FONTS * most:
            yield f'{short(notebook)}: {screens:.1f} screens of a desktop, more than {most}'

# ------------------------------------------------------------------ the site as a whole

def parts_of(node):
    "A part of _quarto.yml and all that is in it."
    yield node
    for part in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from parts_of(part)

def paths_in(node):
    "Paths of files in a part of _quarto.yml."
    return [part for part in parts_of(node) if isinstance(part, str) and '://' not in part
            and re.search(r'\.(ipynb|py|css|scss|md|svg|png)$', part)]

def config_problems():
    """Pages that _quarto.yml names but do not exist, or forgets; sections that the keyboard cannot reach; a
    footer of another version, or with links from each page's own folder, as its Markdown does."""
    website = site()['website']
    for name in paths_in(site()):
        place = name.lstrip('/')  # a path from the project's root may begin with one
        if not (any(ROOT.glob(place)) if '*' in place else (ROOT / place).exists()):
            yield f'{name} does not exist'
    listed = set(paths_in(website['sidebar']))
    for name in (path.relative_to(ROOT).as_posix() for path in all_pages() if path.suffix == '.ipynb'):
        if name not in listed: yield f'the sidebar does not list {name}'
    for part in parts_of(website['sidebar']):
        if isinstance(part, dict) and 'section' in part and 'href' not in part:
            yield f"the section {part['section']!r} has no href, so the keyboard cannot open it"
    settings = ConfigParser()
    settings.read(ROOT / 'settings.ini')
    version = settings['DEFAULT']['version']
    if f'rulebook {version},' not in website['page-footer']['left']:
        yield f'the footer does not name version {version}'
    for text in website['page-footer'].values():
        if isinstance(text, str) and re.search(r'\]\((?!\w+:)', text):
            yield f'a link of the footer leads elsewhere from every folder: {text}; give it as text and href'

def colour_problems():
    "Colours of the themes that are too close to their backgrounds, by WCAG 2."
    def luminance(colour):
        values = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [value / 12.92 if value <= .04045 else ((value + .055) / 1.055) ** 2.4 for value in values]
        return .2126 * linear[0] + .7152 * linear[1] + .0722 * linear[2]
    light = variables('theme.scss')
    for name, colours in (('light', light), ('dark', {**light, **variables('theme-dark.scss')})):
        for front, back in PAIRS:
            low, high = sorted(luminance(colours[place]) for place in (front, back))
            if (found := (high + .05) / (low + .05)) < 4.5:
                yield f'the {name} theme: {front} on {back} has a contrast of {found:.1f}, below 4.5'

def site_problems():
    "What is wrong beside the pages: _quarto.yml, colours, README.md, labels that two pages give."
    yield from (f'_quarto.yml: {problem}' for problem in config_problems())
    yield from colour_problems()
    text = re.sub(r'\[`([^`]*)`\]\(', r'[\1](', (ROOT / 'README.md').read_text(encoding='utf-8'))
    for target in MARKDOWN_LINK.findall(CODE.sub('', text)):
        place = target.split('#')[0]
        if place and not re.match(r'[a-z]+:', place) and not (ROOT / place).exists():
            yield f'README.md: the link to {target} leads nowhere'
    seen = {}
    for path in all_pages():
        for label in (label for cell in cells_of(path) if cell.cell_type == 'code'
                      for label in FIGURE.findall(cell.source)):
            if seen.setdefault(label, path) != path:
                yield f'{short(path)}: {short(seen[label])} has a figure {label} too'

def problems(notebooks=None):
    "Everything that is wrong with some pages, or the whole site, and whether a browser looked at them."
    whole = notebooks is None
    found = [*site_problems()] if whole else []
    notebooks, seen = notebooks or all_pages(), chromium() is not None
    for notebook in notebooks: found += notebook_problems(notebook)
    found += build(notebooks)
    pages = {page_path(notebook).resolve(): made(notebook) for notebook in all_pages()
             if page_path(notebook).exists()}
    notebooks = [notebook for notebook in notebooks if page_path(notebook).resolve() in pages]
    for page in (pages[page_path(notebook).resolve()] for notebook in notebooks):
        found += [f'{short(page.notebook)}: {problem}'
                  for problem in (*html_problems(page), *link_problems(page, pages))]
    if whole: found += search_problems(search_entries(PREVIEW))
    return [*found, *(width_problems(notebooks) if seen else ())], len(notebooks), seen

def main(command='', *words):
    "Run one of the commands; the exit status."
    if command not in ('build', 'check', 'filter', 'index'): sys.exit(__doc__)
    if command == 'filter': return filter_all()
    if command == 'index': return write_index(ROOT / words[0])
    if command == 'build':
        print('\n'.join([*build(named(words) or all_pages()), f'pages are in {PREVIEW.name}/']))
        return None if words else write_index(PREVIEW)
    lines, count, looked = problems(named(words) or None)
    unseen = '' if looked else '; no Chromium to measure them'
    print(*lines, f'{len(lines)} problems on {count} pages{unseen}', sep='\n')
    return bool(lines)


if __name__ == '__main__': sys.exit(main(*sys.argv[1:]))
