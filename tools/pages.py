"""The pages of the book without Quarto, what may be wrong with them, and what Quarto leaves to be done.

    python -m tools.pages build [PAGE ...]      write pages into _preview/, by the same filter and by pandoc
    python -m tools.pages check [PAGE ...]      the same, and every problem of them, or of the whole site
    python -m tools.pages filter                filter all notebooks, in one process, for Quarto to find
    python -m tools.pages finish _docs          give each page its description, and the site its search index

A page is named by its path below nbs/.  Notebooks are read as they are, and as pages (options as strictly as
Quarto reads them).  What only Quarto adds is missing; tools/browser.py looks at pages as they are shown.
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
from configparser import ConfigParser
from functools import cache
from html import escape, unescape
from pathlib import Path
from typing import NamedTuple

import nbformat
import yaml

from tools import kept
from tools.browser import PICTURED
from tools.names import bases_of_public, everything, symbols
from tools.search import search_entries, search_problems, write_index
from tools.statements import numbered

ROOT = Path(__file__).resolve().parent.parent
NBS, PREVIEW = ROOT / 'nbs', ROOT / '_preview'
KINDS = '(?:thm|lem|cor|prp|cnj|def|exm|exr|fig|tbl|eq|sec)'
REFERENCE = re.compile(rf'(?<![\w.@/])@({KINDS}-[\w-]*\w)')
LABEL = re.compile(rf'(?:\{{[^}}\n]*#|<a id=")({KINDS}-[\w-]+)')
FIGURE = re.compile(r'^#\| *label: *(fig-[\w-]+)', re.MULTILINE)
OPTIONS = re.compile(r'(?:#\|.*(?:\n|$))*')  # of a cell, at its head
KNOWN = {'classes', 'code-fold', 'code-summary', 'echo', 'fig-alt', 'fig-cap', 'label', 'output'}
DIRECTIVE = re.compile(r'^\s*#\|(?!\s*[\w-]+:)(.*)', re.MULTILINE)  # Quarto's own have a colon after the name
KNOWN_DIRECTIVES = {'default_exp', 'export', 'exports', 'exporti', 'hide', 'notest', 'slow'}
MARKDOWN_LINK = re.compile(r'\[[^\]]*\]\(([^()\s]+)\)')
PICTURE = re.compile(r'^!\[[^\]]*\]\([^)]*\)(?!\{[^}\n]*fig-alt).*', re.MULTILINE)  # alone in a paragraph
CODE = re.compile(r'```.*?```|`[^`\n]*`', re.DOTALL)
FORMULA = re.compile(r'\$\$.*?\$\$|\$[^$\n]*\$', re.DOTALL)
NAMED_PATH = re.compile(r'`((?:nbs|tools|data|rulebook|\.ci|\.github)/[\w./-]+)`')
PRIVATE = re.compile(r'\b(house|rooms?|referees?|tenants?|lodgers?|skeletons?|mend(?:s|ed|ing)?|front door|'
                     r'next door|speaks? for|ways in and out|living with a model|taken up again|dearer|'
                     r'whoever|learnt|anew)\b', re.IGNORECASE)
FOR_CONTRIBUTORS = ('contributing',)  # pages that may use the words of contributors
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

# in C where PyYAML has it: pages have thousands of heads
class StrictLoader(getattr(yaml, 'CSafeLoader', yaml.SafeLoader)):
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
        self.markdown = '\n\n'.join(self.cell(cell) for cell in filtered(notebook))

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
        classes = ' '.join(f'.{one}' for one in ['cell', *options.get('classes', '').split()])
        return '\n\n'.join([f'::: {{{classes}}}', *parts, ':::'])

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

def as_properties(values):
    "What a style file sets, as custom properties."
    return ' '.join(f'--{key}: {value};' for key, value in values.items())

def write_page(notebook):
    "Make the page of a notebook; returns what pandoc complained about."
    import pypandoc  # brings pandoc itself

    page, light = Page(notebook), variables('theme.scss')
    dark = {**light, **variables('theme-dark.scss')}
    done = subprocess.run([pypandoc.get_pandoc_path(), '-f', 'markdown', '-t', 'html5', '--mathml',
                           '--section-divs', '--syntax-highlighting=none'],
                          input=page.markdown, capture_output=True, encoding='utf-8', check=True)
    # links to notebooks and pages of Markdown lead to the pages made of them
    body = re.sub(r'(<a href="(?![a-z]+:)[^"#]*)\.(?:ipynb|md)(?=["#])', r'\1.html', done.stdout)
    parts = {'title': escape(str(page.about.get('title', ''))), 'font': light['font-family-sans-serif'],
             'light': as_properties(light), 'dark': as_properties(dark), 'body': repaired(body),
             'after': (NBS / 'after_body.html').read_text(encoding='utf-8'),
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
    for file in (*NBS.glob('*.css'), *NBS.glob('images/*'), *NBS.glob('fonts/*')):
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

# ------------------------------------------------------------------ what Quarto leaves to be done

DESCRIPTION = re.compile(r'<meta name="description" content="([^"]*)"')
CARD = re.compile(r'(<meta (?:property|name)="(?:og|twitter):description" content=")[^"]*')
REPAIRS = {  # names for those who hear the page, roles that a part can have, no head without a word
    '<nav class="navbar': '<nav aria-label="Site" class="navbar',
    '<nav class="quarto-secondary-nav"': '<nav aria-label="Where this is" class="quarto-secondary-nav"',
    '<nav id="quarto-sidebar"': '<nav aria-label="Pages" id="quarto-sidebar"',
    '<nav id="TOC"': '<nav aria-label="On this page" id="TOC"',
    '<nav class="page-navigation"': '<nav aria-label="Before and after" class="page-navigation"',
    'd-lg-block" aria-label="breadcrumb"': 'd-lg-block" aria-label="Chapter"',
    'role="navigation" aria-expanded=': 'role="button" aria-expanded=',
    'aria-controls="navbarCollapse" role="menu"': 'aria-controls="navbarCollapse"',
    'class="rb-verdict" role="region"': 'class="rb-verdict" role="status"',
    '<tr class="header">\n<th></th>': '<tr class="header">\n<td></td>', '<tr>\n<th></th>': '<tr>\n<td></td>'}
ACTIVE = re.compile(r'<a class="nav-link active" href="([^"]*)" aria-current="page">')

def finish(folder):
    "Finish a site that Quarto has made."
    for path in folder.rglob('*.html'):
        html = path.read_text(encoding='utf-8')
        done = finished(html)
        if done != html: path.write_text(done, encoding='utf-8')
    write_index(folder)

def repaired(html):
    "A page, or a part of one, with `REPAIRS`."
    for wrong, right in REPAIRS.items(): html = html.replace(wrong, right)
    return html

def finished(html):
    """A page whose card for others says what the page does (Quarto gives all the sentence of the site), and
    whose bar marks no other page as the current one (Quarto marks the first that the sidebar has too)."""
    about = DESCRIPTION.search(html)
    if about: html = CARD.sub(lambda found: found[1] + about[1], html)
    html = ACTIVE.sub(r'<a class="nav-link" href="\1">', html)
    html = repaired(html)
    current = re.search(r'class="sidebar-item-text sidebar-link active">', html)
    here = re.search(r'<a href="([^"]*)" ' + re.escape(current[0]), html) if current else None
    if here:
        html = html.replace(f'<a class="nav-link" href="{here[1]}">',
                            f'<a class="nav-link active" href="{here[1]}" aria-current="page">', 1)
    return html

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
    for found in (found for text in prose_of(cells) for found in PICTURE.findall(text)):
        yield f'Quarto would drop the alternative text of a picture that has no fig-alt: {found}'
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
    for part in website['sidebar']['contents']:
        inner = part.get('contents', ()) if isinstance(part, dict) else ()
        if any(isinstance(one, dict) for one in inner[:-1]):  # styles.css counts what is shown
            yield f"in {part['section']!r} a section does not stand last: pages after it get other numbers"
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
    "Everything that is wrong with some pages, or the whole site, and how many pages they are."
    whole = notebooks is None
    found = [*site_problems()] if whole else []
    notebooks = notebooks or all_pages()
    for notebook in notebooks: found += notebook_problems(notebook)
    found += build(notebooks)
    pages = {page_path(notebook).resolve(): made(notebook) for notebook in all_pages()
             if page_path(notebook).exists()}
    notebooks = [notebook for notebook in notebooks if page_path(notebook).resolve() in pages]
    for page in (pages[page_path(notebook).resolve()] for notebook in notebooks):
        found += [f'{short(page.notebook)}: {problem}'
                  for problem in (*html_problems(page), *link_problems(page, pages))]
    if whole:
        anchors = {path.relative_to(PREVIEW.resolve()).as_posix(): page.ids for path, page in pages.items()}
        found += search_problems(search_entries(PREVIEW), anchors)
    return found, len(notebooks)

def main(command='', *words):
    "Run one of the commands; the exit status."
    if command not in ('build', 'check', 'filter', 'finish'): sys.exit(__doc__)
    if command == 'filter': return filter_all()
    if command == 'finish': return finish(ROOT / words[0])
    if command == 'build':
        print('\n'.join([*build(named(words) or all_pages()), f'pages are in {PREVIEW.name}/']))
        return None if words else write_index(PREVIEW)
    lines, count = problems(named(words) or None)
    print(*lines, f'{len(lines)} problems on {count} pages', sep='\n')
    return bool(lines)


if __name__ == '__main__': sys.exit(main(*sys.argv[1:]))
