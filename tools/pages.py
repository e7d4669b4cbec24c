"""The pages of the book without Quarto: the same filter, then pandoc, in a frame like Quarto's.

    python -m tools.pages build [PAGE ...]      write pages into _preview/, and its search index
    python -m tools.pages measure [PAGE ...]    screens of each page on a desktop and a phone, what is wider
    python -m tools.pages shot PAGE --out x.png a picture: --width, --dark, --screens, --first
    python -m tools.pages axe [PAGE ...] --axe axe.min.js   faults that axe-core (from npm) finds, both themes
    python -m tools.pages index _docs           write the search index of a site, without folded code

A page is named by its path below nbs/, with or without ending (corels/1_estimator).  All but `build` need
Chromium. Colours, fonts and the sidebar come from _quarto.yml and the style files of the site; what only
Quarto adds (its search box, switches, copy buttons) is missing.
"""
import argparse
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
from contextlib import contextmanager, suppress
from functools import cache
from html import escape
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from time import sleep
from urllib.request import urlopen

import yaml

ROOT = Path(__file__).resolve().parent.parent
NBS = ROOT / 'nbs'
PREVIEW = ROOT / '_preview'
KINDS = {'thm': 'Theorem', 'lem': 'Lemma', 'prp': 'Proposition', 'cor': 'Corollary', 'def': 'Definition',
         'fig': 'Figure'}
STATEMENT = re.compile(r'^::: *\{#((thm|lem|prp|cor|def)-[\w-]+)[^}]*\}\n+(?:## (.*)\n+)?', re.MULTILINE)
REFERENCE = re.compile(r'(?<![\w.@/])@((thm|lem|prp|cor|def|fig)-[\w-]*\w)')
OPTIONS = re.compile(r'(?:#\|.*(?:\n|$))*')  # of a cell, at its head
KNOWN = {'code-fold', 'code-summary', 'echo', 'fig-alt', 'fig-cap', 'label', 'output'}
DESKTOP, PHONE = (1400, 900), (400, 800)


# ------------------------------------------------------------------ which pages there are

@cache
def site():
    """What _quarto.yml says."""
    return yaml.safe_load((ROOT / '_quarto.yml').read_text(encoding='utf-8'))


def all_pages():
    """Every page of the site: notebooks, and the pages of Markdown that _quarto.yml names."""
    notebooks = [path for path in sorted(NBS.rglob('*.ipynb'))
                 if not any(part.startswith(('_', '.')) for part in path.relative_to(NBS).parts)]
    return [*notebooks, *(ROOT / name for name in site()['project']['render'] if name.endswith('.md'))]


def named(words):
    """The notebooks of some pages; all of them without a word."""
    if not words:
        return all_pages()
    paths = [NBS / word.removeprefix('nbs/').removesuffix('.html').removesuffix('.ipynb') for word in words]
    paths = [path.parent / f'{path.name}.ipynb' for path in paths]
    for path in paths:
        if not path.exists():
            sys.exit(f'there is no page {path.relative_to(ROOT)}')
    return paths


def short(notebook):
    """The name of a page: its path below nbs/ without ending."""
    return notebook.relative_to(NBS if NBS in notebook.parents else ROOT).with_suffix('').as_posix()


def page_path(notebook):
    """Where the page of a notebook is written."""
    return PREVIEW / notebook.relative_to(ROOT).with_suffix('.html')


# ------------------------------------------------------------------ a notebook as Markdown

def filtered(notebook):
    """The notebook as Quarto would see it."""
    from tools import doc_filter  # slow, and only for building

    os.chdir(notebook.parent)
    return json.loads(doc_filter.convert(notebook.read_text(encoding='utf-8')))


def plain_cells(path):
    """A page of Markdown as cells: its metadata, or its title, then its text."""
    text = path.read_text(encoding='utf-8')
    head, _, body = (text.removeprefix('---\n').partition('---\n') if text.startswith('---\n')
                     else text.partition('\n'))
    head = head.replace('# ', 'title: ', 1) if head.startswith('# ') else head
    return [{'cell_type': 'raw', 'source': head}, {'cell_type': 'markdown', 'source': body}]


class StrictLoader(yaml.SafeLoader):
    """YAML as Quarto reads it: a key that stands twice is an error."""

    def construct_mapping(self, node, deep=False):
        """A mapping, as a dict."""
        keys = [key.value for key, _ in node.value]
        if len(set(keys)) < len(keys):
            raise ValueError(f"a key stands twice: {', '.join(keys)}")
        return super().construct_mapping(node, deep)


def options_of(head):
    """The options of a cell, from the lines at its head; an error for what Quarto refuses or takes for
    text."""
    options = yaml.load(re.sub(r'^#\| ?', '', head, flags=re.MULTILINE), StrictLoader) or {}
    unknown = options if isinstance(options, str) else ', '.join(sorted(options.keys() - KNOWN))
    if unknown:
        raise ValueError(f'options that no page has: {unknown}')
    if '%' in str(options.get('fig-alt', '')):
        raise ValueError(f"an alternative text has a percent sign, which Quarto takes for the beginning of a "
                         f"code: {options['fig-alt']}")
    return options


class Page:
    """The Markdown of a page, its pictures and what it numbers."""

    def __init__(self, notebook):
        self.path = page_path(notebook)
        self.images = 0
        self.numbers = {}
        self.about = {}
        cells = filtered(notebook)['cells'] if notebook.suffix == '.ipynb' else plain_cells(notebook)
        text = '\n\n'.join(self.cell(cell) for cell in cells)
        text = STATEMENT.sub(self.statement, text)
        self.markdown = REFERENCE.sub(self.reference, text)

    def cell(self, cell):
        """A cell as Markdown."""
        source = ''.join(cell['source'])
        if cell['cell_type'] == 'raw':
            self.about = yaml.safe_load(source.strip().strip('-')) or {}
            return ''
        return source if cell['cell_type'] == 'markdown' else self.code(source, cell.get('outputs', []))

    def code(self, source, outputs):
        """A cell of code with what it gave."""
        head = OPTIONS.match(source)[0]
        options, body = options_of(head), source[len(head):].strip('\n')
        parts = ['::: {.cell}']
        if options.get('echo') is not False:
            fence = f'`````{{.python .cell-code}}\n{body}\n`````'
            if options.get('code-fold'):
                opened = ' open' if options['code-fold'] == 'show' else ''
                summary = f"<summary>{options.get('code-summary', 'Code')}</summary>"
                fence = f'<details class="code-fold"{opened}>{summary}\n\n{fence}\n\n</details>'
            parts.append(fence)
        parts += [self.output(output, options) for output in outputs if options.get('output') is not False]
        return '\n\n'.join([*parts, ':::'])

    def output(self, output, options):
        """An output as Markdown."""
        if 'text' in output:
            return self.plain(''.join(output['text']), output.get('name', 'stdout'))
        data = {kind: ''.join(text) if isinstance(text, list) else text for kind,
                text in output.get('data', {}).items()}
        if 'text/markdown' in data:
            return f":::: {{.cell-output .cell-output-display}}\n{data['text/markdown']}\n::::"
        if 'image/png' in data:
            return self.picture(data['image/png'], output.get('metadata', {}).get('image/png', {}), options)
        if 'image/svg+xml' in data:
            html = f"````{{=html}}\n{data['image/svg+xml']}\n````"
            return f':::: {{.cell-output .cell-output-display}}\n{html}\n::::'
        return self.plain(data.get('text/plain', ''), 'display')

    def plain(self, text, kind):
        """Printed text."""
        return f':::: {{.cell-output .cell-output-{kind}}}\n`````\n{text.rstrip()}\n`````\n::::'

    def picture(self, data, size, options):
        """A figure, with its caption if it has one."""
        self.images += 1
        file = self.path.with_suffix('').with_name(f'{self.path.stem}_files') / f'figure-{self.images}.png'
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(base64.b64decode(data))
        width = f' width="{size["width"]}"' if 'width' in size else ''
        alt = escape(str(options.get('fig-alt', '')), quote=True)
        image = f'<img src="{file.parent.name}/{file.name}" alt="{alt}"{width} class="img-fluid figure-img">'
        if 'fig-cap' not in options:
            return f':::: {{.cell-output .cell-output-display}}\n````{{=html}}\n<p>{image}</p>\n````\n::::'
        label = str(options.get('label', ''))
        number = f'{self.number(label)}: ' if label.startswith('fig-') else ''
        return (f":::: {{.cell-output .cell-output-display}}\n````{{=html}}\n<figure "
                f"id=\"{label}\">{image}<figcaption>\n````\n"
                f"{number}{options['fig-cap']}\n\n````{{=html}}\n</figcaption></figure>\n````\n::::")

    def number(self, label):
        """'Theorem 3': the name of a labelled block."""
        kind = label.split('-')[0]
        if label not in self.numbers:
            count = sum(name.split('-')[0] == kind for name in self.numbers) + 1
            self.numbers[label] = f'{KINDS[kind]} {count}'
        return self.numbers[label]

    def statement(self, found):
        """The head of a statement, with its number and name."""
        name = f' ({found[3].strip()})' if found[3] else ''
        return f'::: {{#{found[1]} .theorem}}\n**{self.number(found[1])}{name}.** '

    def reference(self, found):
        """A reference as a link."""
        return f"[{self.numbers.get(found[1], '?' + found[1])}](#{found[1]})"


# ------------------------------------------------------------------ Markdown as a page

def pandoc(markdown, *options):
    """HTML of a page's Markdown."""
    import pypandoc  # brings pandoc itself

    command = [pypandoc.get_pandoc_path(), '-f', 'markdown', '-t', 'html5', '--mathml', '--section-divs',
               '--syntax-highlighting=none']
    done = subprocess.run([*command, *options], input=markdown, capture_output=True, encoding='utf-8',
                          check=True)
    return done.stdout, done.stderr


def variables(name):
    """The colours that a style file of the site sets, as CSS variables."""
    path = NBS / name
    text = path.read_text(encoding='utf-8') if path.exists() else ''
    return {key: value for key,
            value in re.findall(r'^\$([\w-]+): ([^;]+?)(?: !default)?;', text, re.MULTILINE)}


def css(names):
    """CSS that sets variables."""
    return ' '.join(f'--{key}: {value};' for key, value in names.items())


def menu(items, page):
    """The sidebar, or the bar at the top, as a list of links."""
    lines = []
    for item in items:
        entry = {'href': item} if isinstance(item, str) else item
        href = entry.get('href', '')
        text = entry.get('text') or entry.get('section') or title_of(ROOT / href)
        ours = href and '://' not in href
        target = os.path.relpath(PREVIEW / href, page.parent).replace('.ipynb', '.html') if ours else href
        link = f'<a href="{target}">{escape(text)}</a>' if href else escape(text)
        below = menu(entry['contents'], page) if 'contents' in entry else ''
        lines.append(f'<li>{link}{below}</li>')
    return f"<ul>{''.join(lines)}</ul>"


def title_of(notebook):
    """The title of a notebook."""
    if not notebook.exists():
        return notebook.name
    found = re.search(r'"# ([^"\\]+)\\n"', notebook.read_text(encoding='utf-8'))
    return found[1] if found else notebook.stem


def write_page(notebook):
    """Make the page of a notebook; returns what pandoc complained about."""
    page = Page(notebook)
    body, complaints = pandoc(page.markdown)
    body = as_html_links(body)
    parts = {**title_block(page), **surroundings(page.path), 'body': body, 'toc': contents(body)}
    html = re.sub(r'\$(\w+)\$', lambda found: parts[found[1]],
                  (ROOT / 'tools' / 'preview.html').read_text(encoding='utf-8'))
    page.path.parent.mkdir(parents=True, exist_ok=True)
    page.path.write_text(html, encoding='utf-8')
    return complaints.strip()


def as_html_links(html):
    """HTML whose links to notebooks and pages of Markdown lead to the pages made of them."""
    return re.sub(r'(<a href="(?![a-z]+:)[^"#]*)\.(?:ipynb|md)(?=["#])', r'\1.html', html)


def title_block(page):
    """Title, subtitle and description of a page, as HTML."""
    subtitle = pandoc(str(page.about.get('subtitle', '')))[0].strip()
    return {'title': escape(str(page.about.get('title', ''))),
            'subtitle': re.sub(r'^<p>|</p>$', '', subtitle),
            'description': escape(str(page.about.get('description-meta', '')), quote=True)}


def contents(body):
    """The table of contents of a page."""
    headings = re.findall(r'<section id="([^"]*)"[^>]*>\s*<h[23][^>]*>(.*?)</h[23]>', body, re.DOTALL)
    items = [f'<li><a href="#{name}">{re.sub("<[^>]*>", "", text)}</a></li>' for name, text in headings]
    return f"<ul>{''.join(items)}</ul>"


def surroundings(path):
    """What stands around the text of a page: menus, footer and colours."""
    config = site()['website']
    light, dark = variables('theme.scss'), variables('theme-dark.scss')
    parts = [[part] if isinstance(part, str) else part for part in config.get('page-footer', {}).values()]
    footer = ' '.join(one if isinstance(one, str) else f"[{one['text']}]({one['href']})" for part in parts
                      for one in part)
    return {
        'root': os.path.relpath(PREVIEW, path.parent) + '/',
        'light': css(light),
        'dark': css({**light, **dark}),
        'font': light['font-family-sans-serif'],
        'sidebar': menu(config['sidebar']['contents'], path),
        'navbar': ''.join(re.findall(r'<a .*?</a>', menu(config['navbar'].get('left', []), path))),
        'scripts': '\n'.join(one['text'] for one in site()['format']['html'].get('include-after-body', [])),
        'footer': as_html_links(pandoc(re.sub(r'\]\((?!\w+:)', f']({os.path.relpath(PREVIEW, path.parent)}/',
                                              footer))[0]),
    }


def build(notebooks):
    """Write the pages of some notebooks, two at a time; returns what pandoc and the filter complained
    about."""
    (PREVIEW / 'nbs').mkdir(parents=True, exist_ok=True)
    for file in (*NBS.glob('*.css'), *NBS.glob('images/*')):
        goal = PREVIEW / file.relative_to(ROOT)
        goal.parent.mkdir(exist_ok=True)
        shutil.copy(file, goal)
    with converters(notebooks) as pool:
        return [f'{short(notebook)}: {complaint}' for notebook,
                complaint in zip(notebooks, pool.imap(attempt, notebooks)) if complaint]


def attempt(notebook):
    """Write a page; returns what went wrong."""
    try:
        return write_page(notebook)
    except Exception:  # whatever a cell of imports, the filter or pandoc raises
        return traceback.format_exc()


def converters(notebooks):
    """Processes that convert a page each: forked, where the system can, from one that has all imports
    done."""
    import_module('tools.doc_filter')

    for name in sorted(imported_by(notebooks)):
        with suppress(ImportError):  # a page that needs it says so itself
            import_module(name)
    method = 'fork' if 'fork' in multiprocessing.get_all_start_methods() else 'spawn'
    return multiprocessing.get_context(method).Pool(2, maxtasksperchild=1)


def imported_by(notebooks):
    """Names of the modules that pages import, and of what makes pages of them."""
    names = {'bs4'}
    for path in notebooks:
        cells = json.loads(path.read_text(encoding='utf-8'))['cells'] if path.suffix == '.ipynb' else ()
        for source in (''.join(cell['source']) for cell in cells if cell['cell_type'] == 'code'):
            for node in ast.walk(ast.parse(source)) if 'import' in source else ():
                if isinstance(node, ast.Import):
                    names.update(alias.name for alias in node.names)
                elif isinstance(node, ast.ImportFrom):
                    names.add(node.module)
    return names


# ------------------------------------------------------------------ search, as Quarto's index has it

def write_index(folder):
    """Write search.json of a site: what Quarto does, but folded code (sources, imports, checks) is not
    searched."""
    paths = [path for path in sorted(folder.rglob('*.html')) if not is_unsearched(path.relative_to(folder))]
    entries = [entry for path in paths for entry in index_entries(path, path.relative_to(folder).as_posix())]
    (folder / 'search.json').write_text(json.dumps(entries), encoding='utf-8')
    print(f'{len(entries)} sections of {len(paths)} pages in {folder.name}/search.json')


def index_entries(path, href):
    """One entry for each section of level two of a page, or one for a page without any."""
    from bs4 import BeautifulSoup  # slow to import

    soup = BeautifulSoup(path.read_text(encoding='utf-8'), 'html.parser')
    title, main = soup.select_one('h1.title'), soup.select_one('main')
    if title is None or main is None:
        return
    for hidden in main.select('details.code-fold, header'):
        hidden.extract()
    sections = main.select('section.level2')
    for section in sections:
        head = section.find('h2').extract().get_text()
        yield {'href': f"{href}#{section['id']}", 'title': title.get_text(), 'section': head,
               'text': section.get_text().strip()}
    if not sections:
        yield {'href': href, 'title': title.get_text(), 'section': '', 'text': main.get_text().strip()}


def is_unsearched(page):
    """Whether a page is left out of the index, by the metadata of its folder or its own."""
    own, folder = (ROOT / page).with_suffix('.md'), ROOT / page.parent / '_metadata.yml'
    return any(file.exists() and re.search(r'^search: false', file.read_text(encoding='utf-8'), re.MULTILINE)
               for file in (own, folder))


# ------------------------------------------------------------------ Chromium

def chromium():
    """The program, or None."""
    return next(filter(None, map(shutil.which, ('chromium', 'chromium-browser', 'google-chrome'))), None)


class Browser:
    """A tab of headless Chromium, driven over its own protocol."""

    def __init__(self, port):
        from websocket import create_connection  # comes with JupyterLab

        tabs = json.loads(urlopen(f'http://127.0.0.1:{port}/json').read())
        self.socket = create_connection(next(tab for tab in tabs if tab['type']
                                             == 'page')['webSocketDebuggerUrl'],
                                        suppress_origin=True, timeout=120)
        self.count = 0
        self.say('Page.enable')

    def say(self, method, **params):
        """Send a command and return its result."""
        self.count += 1
        self.socket.send(json.dumps({'id': self.count, 'method': method, 'params': params}))
        while True:
            answer = json.loads(self.socket.recv())
            if answer.get('id') == self.count:
                if 'error' in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer['result']

    def open(self, path, size, dark=False):
        """Show a page in a window of a size, and wait until it stands."""
        self.say('Emulation.setDeviceMetricsOverride', width=size[0], height=size[1], deviceScaleFactor=1,
                 mobile=size[0] < 700)
        self.say('Page.navigate', url=Path(path).as_uri())
        for _ in range(200):
            if self.run("document.readyState === 'complete' && location.protocol === 'file:'"):
                break
            sleep(.02)
        if dark:
            self.run("document.body.className = 'quarto-dark'")

    def run(self, code):
        """The value of a piece of JavaScript."""
        answer = self.say('Runtime.evaluate', expression=code, awaitPromise=True, returnByValue=True)
        if 'exceptionDetails' in answer:
            raise RuntimeError(answer['exceptionDetails']['exception'].get('description'))
        return answer['result'].get('value')

    def shot(self, top, size):
        """A picture of the part of a page that begins at `top`, as PNG."""
        clip = {'x': 0, 'y': top, 'width': size[0], 'height': size[1], 'scale': 1}
        return base64.b64decode(self.say('Page.captureScreenshot', clip=clip,
                                         captureBeyondViewport=True)['data'])


@contextmanager
def browser():
    """A browser that is gone at the end."""
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        program = subprocess.Popen([chromium(), '--headless=new', '--no-sandbox', '--disable-gpu',
                                    '--remote-debugging-port=0',
                                    '--allow-file-access-from-files', f'--user-data-dir={folder}',
                                    'about:blank'],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            note = Path(folder, 'DevToolsActivePort')
            for _ in range(1500):
                if note.exists() and note.read_text().strip():
                    break
                sleep(.02)
            yield Browser(int(note.read_text().split()[0]))
        finally:
            program.terminate()
            program.wait()


WIDE = """[...document.querySelectorAll('main *')]
  .filter(node => node.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
  .filter(node => { while ((node = node.parentElement))
                      if (/auto|scroll|hidden/.test(getComputedStyle(node).overflowX)) return false;
                    return true })
  .map(node => node.tagName.toLowerCase() + ' ' + node.textContent.trim().slice(0, 40))
  .slice(0, 4).join('; ')"""
AXE = """axe.run(document, {resultTypes: ['violations']}).then(found => found.violations.map(
  one => [one.id, one.impact, one.nodes.length, one.nodes[0].html.slice(0, 120)]))"""


def sizes(window, path):
    """Screens on a desktop and on a phone, and the width that a page needs there."""
    found = []
    for size in (DESKTOP, PHONE):
        window.open(path, size)
        height, width = window.run('[document.documentElement.scrollHeight, '
                                   'document.documentElement.scrollWidth]')
        found += [round(height / size[1], 1), width]
    return [*found, window.run(WIDE) if width > PHONE[0] else '']


def faults(window, path, axe, dark):
    """What axe-core finds on a page: number of nodes by rule."""
    window.open(path, DESKTOP, dark)
    window.run(axe)
    return window.run(AXE)


# ------------------------------------------------------------------ the command

def measure(notebooks):
    """Print the screens of pages, and how wide they are."""
    with browser() as window:
        rows = [(short(path), *sizes(window, page_path(path))) for path in notebooks]
    print(f"{'page':40} {'desktop':>8} {'width':>6} {'phone':>6} {'width':>6}")
    for row in rows:
        print('{:40} {:8} {:6} {:6} {:6}  {}'.format(*row))
    print(f'{len(rows)} pages, {sum(row[1] for row in rows):.0f} screens on a desktop, '
          f'{sum(row[1] > 20 for row in rows)} pages over 20')


def main():
    """Run one of the commands."""
    parser = argparse.ArgumentParser(prog='python -m tools.pages', description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('command', choices=('build', 'measure', 'shot', 'axe', 'index'))
    parser.add_argument('pages', nargs='*')
    parser.add_argument('--out', default='page.png')
    parser.add_argument('--width', type=int, default=DESKTOP[0])
    parser.add_argument('--screens', type=float, default=1.)
    parser.add_argument('--first', type=float, default=0., help='screen to begin with, from 0')
    parser.add_argument('--dark', action='store_true')
    parser.add_argument('--axe', help='axe.min.js of the npm package axe-core')
    given = parser.parse_args()
    if given.command == 'index':
        return write_index(ROOT / given.pages[0])
    notebooks = named(given.pages)
    if given.command == 'build':
        print('\n'.join([*build(notebooks), f'{len(notebooks)} pages in {PREVIEW.name}/']))
        if not given.pages:
            write_index(PREVIEW)
        return
    if chromium() is None:
        sys.exit('this needs Chromium, which is not on the PATH')
    if given.command == 'measure':
        measure(notebooks)
    elif given.command == 'shot':
        size = (given.width, 900 if given.width > 700 else 800)
        with browser() as window:
            window.open(page_path(notebooks[0]), size, given.dark)
            Path(given.out).write_bytes(window.shot(given.first * size[1],
                                                    (size[0], int(given.screens * size[1]))))
    else:
        with browser() as window:
            axe = Path(given.axe).read_text(encoding='utf-8')
            for path in notebooks:
                for dark in (False, True):
                    for one in faults(window, page_path(path), axe, dark):
                        print(short(path), 'dark' if dark else 'light', *one, sep='\t')


if __name__ == '__main__':
    main()
