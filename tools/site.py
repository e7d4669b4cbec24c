"""What may be wrong with the pages of the site, looked for without Quarto.

    python -m tools.site [PAGE ...]     every problem of some pages, or of the whole site

The notebooks are read as they are (directives, statements, words, figures), and as pages that tools/pages.py
makes of them (links, anchors, alt texts, headings; the width of a phone, if Chromium is there).
"""
import ast
import re
import sys
from collections import namedtuple
from configparser import ConfigParser
from html import unescape

import nbformat

from tools.pages import (
    PREVIEW, ROOT, all_pages, browser, build, chromium, named, page_path, short, site, sizes, variables)

DIRECTIVE = re.compile(r'^\s*#\|(?!\s*[\w-]+:)(.*)', re.MULTILINE)  # Quarto's own have a colon after the name
KNOWN_DIRECTIVES = [[word]
                    for word in ('default_exp', 'export', 'exports', 'exporti', 'hide', 'notest', 'slow')]
MARKDOWN_LINK = re.compile(r'\[[^\]]*\]\(([^()\s]+)\)')
CODE = re.compile(r'```.*?```|`[^`\n]*`', re.DOTALL)
FORMULA = re.compile(r'\$\$.*?\$\$|\$[^$\n]*\$', re.DOTALL)
LABEL = re.compile(r'\{[^}\n]*#((?:thm|lem|cor|prp|cnj|def|exm|exr|fig|tbl|eq|sec)-[\w-]+)')
FIGURE = re.compile(r'^#\| *label: *(fig-[\w-]+)', re.MULTILINE)
REFERENCE = re.compile(r'(?<![\w.])@((?:thm|lem|cor|prp|cnj|def|exm|exr|fig|tbl|eq|sec)-[\w-]*\w)')
NAMED_PATH = re.compile(r'`((?:nbs|tools|data|rulebook|\.ci|\.github)/[\w./-]+)`')
PRIVATE = re.compile(r'\b(house|rooms?|referees?|tenants?|lodgers?|skeletons?|mend(?:s|ed|ing)?|front door|'
                     r'next door|speaks? for|'
                     r'ways in and out|living with a model|taken up again|dearer|whoever|learnt|anew)\b',
                     re.IGNORECASE)
FOR_CONTRIBUTORS = ('contributing',)  # pages that may use the words of contributors
PICTURED = ('corels/1_estimator', 'ssrl/1_estimator', 'balls/1_estimator', 'turs/1_estimator',
            'ensembles/2_lire', 'ensembles/4_rulefit')
PAIRS = [('body-color', 'body-bg'), ('link-color', 'body-bg'), ('muted-color', 'body-bg'),
         ('code-color', 'code-bg'),
         ('body-color', 'code-bg'), ('navbar-fg', 'navbar-bg'), ('navbar-hl', 'navbar-bg'),
         ('footer-fg', 'footer-bg')]

Made = namedtuple('Made', 'notebook html ids')  # a page: its source, its HTML, and the anchors in it


# ------------------------------------------------------------------ a notebook as it is

def cells_of(path):
    """The cells of a notebook; a page of Markdown is one cell."""
    if path.suffix != '.ipynb':
        return [nbformat.v4.new_markdown_cell(path.read_text(encoding='utf-8'))]
    return nbformat.read(path, as_version=4).cells


def prose_of(cells):
    """Texts of the Markdown cells."""
    return [cell.source for cell in cells if cell.cell_type == 'markdown']


def title_problems(cells):
    """A first Markdown cell without title and subtitle."""
    first = next(iter(prose_of(cells)), '')
    if not re.match(r'# .+\n+> .+', first):
        yield 'the first markdown cell is not `# Title` and `> one sentence`'


def directive_problems(cells):
    """Directives that nbdev would drop without a word, and imports beside other code."""
    for cell in cells:
        if cell.cell_type != 'code':
            continue
        for words in DIRECTIVE.findall(cell.source):
            if words.split()[:1] not in KNOWN_DIRECTIVES:
                yield f'there is no directive `#|{words}`'
        if mixes_imports(cell.source):
            yield ('put the imports into a cell of their own, since pages are made by running such cells: '
                   f'{cell.source[:60]!r}')


def mixes_imports(source):
    """Whether a cell has imports beside other code at its top level."""
    imports = [isinstance(node, (ast.Import, ast.ImportFrom)) for node in ast.parse(source).body]
    return any(imports) and not all(imports)


def statement_problems(cells):
    """Blocks that are not closed, labels that are given twice, references to no label."""
    texts = prose_of(cells)
    figures = [label for cell in cells if cell.cell_type == 'code' for label in FIGURE.findall(cell.source)]
    labels = [*(label for text in texts for label in LABEL.findall(text)), *figures]
    for label in sorted({label for label in labels if labels.count(label) > 1}):
        yield f'the label {label} is given twice'
    for reference in sorted({name for text in texts for name in REFERENCE.findall(CODE.sub('', text))}
                            - set(labels)):
        yield f'@{reference} has no block with that label'
    for text in texts:
        if len(re.findall(r'^:::', text, re.MULTILINE)) % 2:
            yield f'a block opened by ::: is not closed in its cell: {text.strip()[:60]!r}'
        if '\\square' in text:
            yield f'a proof ends with ∎, not with \\square: {text.strip()[-60:]!r}'


def path_problems(path, cells):
    """Files that the prose names and that do not exist; contributors read of files that they are to make."""
    for text in prose_of(cells) if short(path) not in FOR_CONTRIBUTORS else ():
        for name in NAMED_PATH.findall(text):
            if not (ROOT / name).exists() and not any(ROOT.glob(name + '*')):
                yield f'the prose names {name}, which does not exist'


def word_problems(path, cells):
    """Words that only contributors know, or that are no plain English."""
    if short(path) in FOR_CONTRIBUTORS:
        return
    for text in prose_of(cells):
        bare = FORMULA.sub(' ', CODE.sub(' ', re.sub(r'\]\([^)]*\)|\{[^}\n]*\}', ']', text)))
        for found in PRIVATE.finditer(bare):
            yield f'write another word than {found[0]!r}: {around(bare, found, 30)}'
        for found in re.finditer(r'\d %|(?<!\$)10\^\{?\d', bare):
            yield f'write 95% and 100 million: {around(bare, found, 20)}'


def around(text, found, after):
    """What stands about a place of a text."""
    return f"...{' '.join(text[max(0, found.start() - 40):found.end() + after].split())}..."


def first_picture_problems(path, cells):
    """A page of an algorithm whose first picture comes late."""
    pictured = [i for i, cell in enumerate(cells)
                if any('image/png' in output.get('data', {}) for output in cell.get('outputs', []))]
    if short(path) in PICTURED and (not pictured or pictured[0] >= 8):
        yield 'the first picture does not stand in its first eight cells'


def caption_problems(cells):
    """Figures without a label, a caption or an alternative text."""
    for cell in cells:
        if any('image/png' in output.get('data', {}) for output in cell.get('outputs', [])):
            missing = [name for name in ('label: fig-', 'fig-cap: ', 'fig-alt: ')
                       if f'#| {name}' not in cell.source]
            if missing and '#| hide' not in cell.source:
                yield f"a figure lacks {', '.join(missing)}: {cell.source[:60]!r}"


def notebook_problems(path):
    """What is wrong in a notebook as it is."""
    cells = cells_of(path)
    found = [*statement_problems(cells)]
    # the others are the changelog, which names what is gone, and the page for what does not exist
    if path.suffix == '.ipynb':
        found += [*title_problems(cells), *directive_problems(cells), *path_problems(path, cells),
                  *word_problems(path, cells),
                  *first_picture_problems(path, cells), *caption_problems(cells)]
    return [f'{short(path)}: {problem}' for problem in found]


# ------------------------------------------------------------------ the pages made of them

def made(notebook):
    """A page that was made."""
    html = page_path(notebook).read_text(encoding='utf-8')
    return Made(notebook, html, {unescape(name) for name in re.findall(r'\bid="([^"]+)"', html)})


def html_problems(page):
    """What is wrong in the HTML of a page."""
    main = page.html[page.html.index('<main'):page.html.index('</main>')]
    for image in re.findall(r'<img\b[^>]*>', main):
        if not re.search(r'\balt="[^"]+"', image):
            yield f'an image has no alternative text: {image[:80]}'
    for text in re.findall(r'<h[1-6][^>]*>(.*?)</h[1-6]>', main, re.DOTALL):
        if re.search(r'__\w+__|^_|<strong>(dir|getattr|init|all)</strong>', text):
            yield f'a heading has a private name or dunders: {text}'
    if 'NBVAL_' in main:
        yield 'the page shows a mark of nbval'
    for text in re.findall(r'^:::.*', re.sub(r'<pre.*?</pre>', '', main, flags=re.DOTALL), re.MULTILINE):
        yield f'the page shows a fence: {text[:60]}'
    for name in re.findall(r'>\?((?:thm|lem|prp|cor|def|fig)-[\w-]+)<', main):
        yield f'@{name} leads nowhere'
    levels = [int(level) for level in re.findall(r'<h([1-6])\b', main)]
    for before, after in zip(levels, levels[1:]):
        if after > before + 1:
            yield f'a heading of level {after} follows one of level {before}'


def link_problems(page, pages):
    """Links of a page to pages or anchors that do not exist."""
    folder = page_path(page.notebook).parent
    for target in sorted(set(re.findall(r'<a\b[^>]*\bhref="([^"]*)"', page.html))):
        place, _, anchor = unescape(target).partition('#')
        if re.match(r'https://rulebook-learn\.github\.io/rulebook/.*html', target):
            yield f'{target} names no page of the site'
        elif not re.match(r'[a-z]+:', target):
            goal = (folder / place).resolve() if place else page_path(page.notebook)
            if goal in pages:
                if anchor and anchor not in pages[goal].ids:
                    yield f'the link to {target} leads to no anchor of that page'
            elif not (source_of(goal).exists() or goal.suffix != '.html'
                      and (ROOT / goal.relative_to(PREVIEW)).exists()):
                yield f'the link to {target} leads nowhere'


def source_of(page):
    """The notebook of a page that was not made this time."""
    return (ROOT / page.relative_to(PREVIEW.resolve())).with_suffix('.ipynb')


def width_problems(notebooks):
    """Pages that are wider than a phone, or longer than twenty screens."""
    with browser() as window:
        for notebook in notebooks:
            screens, _, _, width, culprits = sizes(window, page_path(notebook))
            if width > 400:
                yield f'{short(notebook)}: {width} pixels wide where a phone has 400: {culprits}'
            most = LONGEST.get(short(notebook), 20)
            if screens > FONTS * most:
                yield f'{short(notebook)}: {screens} screens of a desktop, more than {most}'


FONTS = 1.15  # pages may be longer in the letters of another machine
# screens; all other pages have 20, but a list grows
LONGEST = dict.fromkeys(PICTURED, 8) | {'appendix/statements': 24}


# ------------------------------------------------------------------ the site as a whole

def sidebar_problems():
    """Pages that _quarto.yml names but do not exist, notebooks that it forgets, sections that the keyboard
    cannot reach."""
    config = site()
    for name in paths_in(config):
        if not (any(ROOT.glob(name)) if '*' in name else (ROOT / name).exists()):
            yield f'_quarto.yml: {name} does not exist'
    listed = set(paths_in(config['website']['sidebar']))
    for path in all_pages():
        if path.suffix == '.ipynb' and path.relative_to(ROOT).as_posix() not in listed:
            yield f'_quarto.yml: the sidebar does not list {path.relative_to(ROOT).as_posix()}'
    for section in sections_in(config['website']['sidebar']):
        if 'href' not in section:
            name = section['section']
            yield f'_quarto.yml: the section {name!r} has no href, so the keyboard cannot open it'


def paths_in(node):
    """Paths of files in a part of _quarto.yml."""
    if isinstance(node, str):
        yield from [node] if re.search(r'\.(ipynb|py|css|scss|md|svg|png)$',
                                       node) and '://' not in node else []
    elif isinstance(node, (list, dict)):
        for part in node.values() if isinstance(node, dict) else node:
            yield from paths_in(part)


def sections_in(node):
    """Sections of the sidebar."""
    if isinstance(node, dict):
        yield from [node] if 'section' in node else []
        yield from sections_in(list(node.values()))
    elif isinstance(node, list):
        for part in node:
            yield from sections_in(part)


def footer_problems():
    """A footer that names another version than settings.ini, or links from each page's own folder, as its
    Markdown does."""
    settings = ConfigParser()
    settings.read(ROOT / 'settings.ini')
    version = settings['DEFAULT']['version']
    if f'rulebook {version},' not in site()['website']['page-footer']['left']:
        yield f'_quarto.yml: the footer does not name version {version}'
    for text in site()['website']['page-footer'].values():
        if isinstance(text, str) and re.search(r'\]\((?!\w+:)', text):
            yield (f'_quarto.yml: a link of the footer leads elsewhere from every folder: {text}; '
                   'give it as text and href')


def colour_problems():
    """Colours of the themes that are too close to their backgrounds."""
    light = variables('theme.scss')
    for name, colours in (('light', light), ('dark', {**light, **variables('theme-dark.scss')})):
        for front, back in PAIRS:
            found = contrast(colours[front], colours[back])
            if found < 4.5:
                yield f'the {name} theme: {front} on {back} has a contrast of {found:.1f}, below 4.5'


def contrast(a, b):
    """The contrast of two colours by WCAG 2."""
    low, high = sorted(map(luminance, (a, b)))
    return (high + .05) / (low + .05)


def luminance(colour):
    """The relative luminance of '#rrggbb'."""
    values = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [value / 12.92 if value <= .04045 else ((value + .055) / 1.055) ** 2.4 for value in values]
    return .2126 * linear[0] + .7152 * linear[1] + .0722 * linear[2]


def readme_problems():
    """Links of README.md that lead nowhere."""
    text = CODE.sub('',
                    re.sub(r'\[`([^`]*)`\]\(', r'[\1](', (ROOT / 'README.md').read_text(encoding='utf-8')))
    for target in MARKDOWN_LINK.findall(text):
        place = target.split('#')[0]
        if place and not re.match(r'[a-z]+:', place) and not (ROOT / place).exists():
            yield f'README.md: the link to {target} leads nowhere'


def duplicate_figures(notebooks):
    """Labels of figures that two pages give."""
    seen = {}
    for path in notebooks:
        for cell in cells_of(path):
            for label in FIGURE.findall(cell.source) if cell.cell_type == 'code' else ():
                if seen.setdefault(label, path) != path:
                    yield f'{short(path)}: {short(seen[label])} has a figure {label} too'


def problems(notebooks=None):
    """Everything that is wrong with some pages, or with the whole site, and whether they were looked at in a
    browser."""
    found = []
    if notebooks is None:
        notebooks = all_pages()
        found += [*sidebar_problems(), *footer_problems(), *colour_problems(), *readme_problems(),
                  *duplicate_figures(notebooks)]
    for notebook in notebooks:
        found += notebook_problems(notebook)
    found += build(notebooks)
    pages = {page_path(notebook).resolve(): made(notebook) for notebook in all_pages()
             if page_path(notebook).exists()}
    for page in (pages[page_path(notebook).resolve()] for notebook in notebooks):
        found += [f'{short(page.notebook)}: {problem}'
                  for problem in (*html_problems(page), *link_problems(page, pages))]
    seen = chromium() is not None
    return [*found, *(width_problems(notebooks) if seen else ())], len(notebooks), seen


if __name__ == '__main__':
    given = sys.argv[1:]
    lines, count, looked = problems(named(given) if given else None)
    print('\n'.join([*lines, f'{len(lines)} problems on {count} pages'
                     + ('' if looked else '; Chromium is not there to measure them')]))
    sys.exit(bool(lines))
