"""Turn a notebook of this book into the notebook that Quarto renders: JSON in, JSON out.

Quarto runs nbs/_doc_filter.py, which calls this.  nbdev's own processors do the work, except that no cell
runs: names are documented as they are in the module that the page exports, so that one process makes all
pages.  contributing.ipynb says what a page looks like.  HTML outputs become raw HTML within Markdown, so that
Quarto loads no scripts of others for them.  Pages keep the names of their notebooks, and links are relative.
"""
import ast
import inspect
import json
import os
import re
import textwrap
from functools import reduce
from html import escape
from importlib import import_module
from itertools import count, pairwise
from pathlib import Path

import yaml
from bs4 import BeautifulSoup
from execnb.nbio import dict2nb, mk_cell, nb2dict
from fastcore.basics import AttrDict
from nbdev.config import get_config
from nbdev.doclinks import NbdevLookup, _lineno
from nbdev.frontmatter import FrontmatterProc
from nbdev.process import Processor
from nbdev.processors import FilterDefaults, add_fold, exec_show_docs, insert_warning

from tools.names import (
    NBS as BOOK, TITLE, algorithm_modules, bases_of_public, everything, function_of, guides_with, is_patched,
    methods_of, place_of, public_names, real_pages, summary)
from tools.statements import as_divs
from tools.words import with_meanings

EXPORT = re.compile(r'^#\|\s*export\s*$', re.MULTILINE)
EXPORTED = re.compile(r'^#\|\s*export|^show_doc\(', re.MULTILINE)
SECTION = re.compile(r'^([A-Z][A-Za-z ]+)\n-{3,} *\n', re.MULTILINE)  # of a numpy-style docstring
# in a section: a line, then indented ones
ENTRY = re.compile(r'^(\S.*)\n?((?:^(?:[ \t]+.*)?\n?)*)', re.MULTILINE)
HIDE = re.compile(r'^#\|\s*hide\s*$', re.MULTILINE)
ONLY_FOLDED = '#| code-fold: true\n'
FOLD = re.compile(r'^#\|\s*code-fold:', re.MULTILINE)
SUMMARY = re.compile(r'^#\|\s*code-summary:', re.MULTILINE)  # such a cell folds as it says
OPTIONS = re.compile(r'(?:#\|.*(?:\n|$))*')  # of a cell, at its head
SUMMARY_WORD = re.compile(r'^#\|\s*code-summary: *"?([\w ]+)', re.MULTILINE)
QUIET = 'Imports', 'Checks'
# a last paragraph that leads to a cell
LEADS = re.compile(r'(?:^|\n\n)((?![-#>|*]|\d+\.|:::)[^\n]+:)\s*$')
NBVAL = re.compile(r'^#\s*NBVAL_\w+[ \t]*\n?', re.MULTILINE)
NUMBER = re.compile(r'[-+−±]?[\d,. ]*\d(e[-+]?\d+)?\s*%?( ?[±(–-].*)?|nan|none|inf|[-–—]?', re.IGNORECASE)
LINKED_NAME = re.compile(r'\[(`[^`\]]+`)\]\([^)]*\)')
LINKED_TWICE = re.compile(r'\[((?:[^\[\]"]|' + LINKED_NAME.pattern + r')*)\]\(')
HEADING = re.compile(r'(#{2,4}) (.*?)[ \t]*$', re.MULTILINE)
KERNEL = re.compile(r'^\s*@(kernel|inner_kernel|njit)\b', re.MULTILINE)
REPOSITORY = 'rulebook-learn/rulebook'
COLAB = f'https://colab.research.google.com/github/{REPOSITORY}/blob/main/nbs/'
RAW = f'https://raw.githubusercontent.com/{REPOSITORY}/main/nbs/'

# ------------------------------------------------------------------ title and links of a page

class TitleBlock(Processor):
    "Make the page's title block from the first cell: `# Title`, `> one sentence`."
    def begin(self):
        "No block yet."
        self.nb.frontmatter_ = {}

    def cell(self, cell):
        "Take title and sentence out of the first cell of Markdown."
        if self.nb.frontmatter_ or cell.cell_type != 'markdown': return
        found = TITLE.match(cell.source)
        if found:
            self.nb.frontmatter_ = {**found.groupdict(), 'description-meta': plain(found['subtitle'])}
            cell.source = cell.source[found.end():]

    def end(self):
        "Write the block."
        if self.nb.frontmatter_:
            block = yaml.dump(self.nb.frontmatter_, allow_unicode=True)
            self.nb.cells.insert(0, mk_cell(f'---\n{block}---\n', 'raw'))

def plain(text):
    "A sentence without its Markdown."
    return re.sub(r'[`*$]', '', re.sub(r'\[([^\]]*)\]\([^)]*\)', r'\1', text)).strip()

def page_links(notebook, page):
    """Links below the title, which a script puts into the menu of the page's code (nbs/after_body.html): the
    notebook to download, or opened elsewhere."""
    links = [f'[Download as notebook]({RAW}{page})']
    code = '\n'.join(cell.source for cell in notebook.cells if cell.cell_type == 'code')
    if not re.search(r'^\s*(from|import) tools\b', code, re.MULTILINE):
        run = f'first run %pip install git+https://github.com/{REPOSITORY}'
        links.append(f'[Open in Colab]({COLAB}{page}){{title="{run}"}}')
    return mk_cell('::: {.page-links}\n' + ' '.join(links) + '\n:::', 'markdown')

def notebook_of(cells):
    "The path below nbs/ of the notebook in the current folder that begins as this one does."
    def beginning(cells):
        return next((''.join(cell['source']) for cell in cells if cell['cell_type'] == 'markdown'), '')

    wanted = beginning(cells)
    for path in sorted(Path.cwd().glob('*.ipynb')):
        if beginning(json.loads(path.read_text(encoding='utf-8'))['cells']) == wanted:
            return path.relative_to(BOOK).as_posix()
    return None

# ------------------------------------------------------------------ what is folded

class Folds(Processor):
    "Fold exported code, imports and tests; join folds that follow each other."
    def end(self):
        "Fold cell by cell."
        module = self.nb.module_
        kernels_open = module and module not in algorithm_modules()
        cells, shown = [], False
        for cell in self.nb.cells:
            folded_only = cell.cell_type == 'code' and cell.source.startswith(ONLY_FOLDED)
            if folded_only and not SUMMARY.search(cell.source):
                cell.source, cell.fold_ = cell.source.removeprefix(ONLY_FOLDED), 'Code'
                cells.append(cell)
            elif cell.cell_type != 'code' or 'show_doc(' in cell.source or FOLD.search(cell.source):
                cells.append(cell)
            else:
                cell.fold_ = fold_of(cell, kernels_open, shown)
                cells += [cell] if cell.fold_ else without_last_checks(cell)
            shown = shown or bool(cell.get('outputs'))
        self.nb.cells = [folded(cell) for cell in joined(cells)]
        for before, cell in pairwise([None, *self.nb.cells]):
            if not is_quiet(cell, module): continue
            cell.source = f'#| classes: quiet\n{cell.source}'
            if before and before.cell_type == 'markdown' and not cell.get('outputs'):
                before.source = LEADS.sub(r'\n\n::: {.leads}\n\1\n:::\n', before.source).lstrip('\n')

def fold_of(cell, kernels_open, shown):
    "The word under which a cell is folded, or None."
    if 'exports' in cell.directives_:
        return None if kernels_open and KERNEL.search(cell.source) else 'Source'
    statements = parsed(cell.source)
    if statements and all(isinstance(node, (ast.Import, ast.ImportFrom)) for node in statements):
        return 'Imports' if shown or len(statements) > 2 else None
    lines = sum(node.end_lineno - node.lineno + 1 for node in statements)
    checking = sum(node.end_lineno - node.lineno + 1 for node in statements if is_check(node))
    return 'Checks' if checking and 2 * checking >= lines and not has_picture(cell) else None

def parsed(source):
    "The statements of a cell; none if it is no Python."
    try: return ast.parse(source).body
    except SyntaxError: return []

def is_check(node):
    "Whether a statement tests something: an assertion, a refusal, or what is given random cases."
    return any(isinstance(inner, ast.Assert) or getattr(inner, 'id', '') in ('refusal', 'given')
               for inner in ast.walk(node))

def has_picture(cell):
    "Whether a cell shows a figure or a table."
    return any({'image/png', 'text/html', 'image/svg+xml'} & set(output.get('data', {}))
               for output in cell.get('outputs', []))

def without_last_checks(cell):
    "A cell, and what it asserts at its end in a folded cell of its own."
    statements = parsed(cell.source)
    kept = len(statements)
    while kept and is_check(statements[kept - 1]) and not isinstance(statements[kept - 1], ast.FunctionDef):
        kept -= 1
    if kept in (0, len(statements)): return [cell]
    lines = cell.source.splitlines()
    first = statements[kept - 1].end_lineno
    rest = mk_cell('\n'.join(lines[first:]).strip('\n'), 'code')
    rest.directives_, rest.fold_ = {}, 'Checks'
    cell.source = '\n'.join(lines[:first])
    return [cell, rest]

def joined(cells):
    "The cells, with folds that follow each other without an output between them joined into one."
    done = []
    for cell in cells:
        before = done[-1].get('fold_') if done and not done[-1].get('outputs') else None
        fold = joint_fold(before, cell.get('fold_'))
        if fold:
            done[-1].source += '\n\n' + cell.source
            done[-1].outputs = cell.get('outputs', [])
            done[-1].fold_ = fold
        else:
            done.append(cell)
    return done

def joint_fold(first, second):
    "The word for two folds in one; None if they stay apart."
    if first == second: return first
    both = {first, second}
    return None if both & {None, 'Checks'} else 'Source' if 'Source' in both else 'Code'

def folded(cell):
    "The cell with the directives that fold it."
    if cell.get('fold_'):
        cell.source = f'#| code-fold: true\n#| code-summary: "{cell.fold_}"\n{cell.source}'
    return cell

def is_quiet(cell, module):
    """Whether a folded cell has no mark of its own, and is shown and hidden by the switch of its page alone:
    imports and checks, what has drawn a picture, and all code of the guides."""
    head = OPTIONS.match(cell.source)[0]
    word = SUMMARY_WORD.search(head)
    return ('code-fold: true' in head
            and bool(word and word[1] in QUIET or cell.get('outputs') or module is None))

# ------------------------------------------------------------------ documentation of names

def documentation(thing, name):
    "A public name on its page: heading, link to the source, signature, docstring, methods."
    for_users = is_for_users(name.split('.')[0])
    offered = name in public_names()
    hidden = not for_users and ('.' in name or MODULE in algorithm_modules())
    if name.startswith('_') or '._' in name or hidden: return ''
    source = source_of(f'{thing.__module__}.{name}', name)
    link = (f'[source]({source}){{target="_blank" style="float:right; font-size:smaller"}}\n\n' if source
            else '')
    summary, details = docstring_markdown(inspect.getdoc(thing) or '')
    if not for_users: return f'### {name}\n\n{link}{summary}' if details else ''
    if inspect.isclass(thing):
        details = '\n\n'.join(filter(None, [details, class_markdown(thing, name)]))
    details = f'::: {{.api}}\n{call_of(thing, name)}\n\n{details}\n:::'
    if MODULE in algorithm_modules() and name != main_class(MODULE):
        first, _, rest = summary.partition('\n\n')
        head = f'<details class="more"><summary>{escape(plain(first))}</summary>'
        details = f'{head}\n\n{rest}\n\n{details}\n\n</details>'
        summary = ''
    return f"{'##' if offered else '###'} {name}\n\n{link}{summary}\n\n{details}"

def call_of(thing, name):
    "How a function is called or a class is made, as code; empty if Python does not know."
    try: known = inspect.signature(thing)
    except (ValueError, TypeError): return ''
    parameters = [one.replace(annotation=one.empty) for one in known.parameters.values()
                  if one.name != 'self']
    call = f"{name}({', '.join(map(str, parameters))})"
    if len(call) > 88:
        call = textwrap.fill(call, 88, subsequent_indent=' ' * 4, break_long_words=False,
                             break_on_hyphens=False)
    return f'```python\n{call}\n```'

MODULE = None  # that the page exports

def source_of(full_name, name):
    "The address of the line that defines a name, or None."
    known = NbdevLookup()[full_name] or NbdevLookup()[name]
    return f'{known[2]}#L{_lineno(name, known[1])}' if known else None

def is_for_users(name):
    "Whether users import a name (in any case), or something that they import inherits from it."
    return name.lower() in {known.lower() for known in public_names() | bases_of_public()}

def main_class(module):
    "The estimator of a module that its page is about: the first in the register."
    from rulebook.register import ESTIMATORS

    return next(line.name for line in ESTIMATORS if line.module == module)

def docstring_markdown(text):
    """A numpy-style docstring as markdown: what it begins with, and its sections, parameters and the like as
    lists."""
    summary, *sections = SECTION.split(text)
    parts = []
    for title, body in zip(sections[::2], sections[1::2]):
        parts.append(f'**{title}**')
        if title not in ('Parameters', 'Attributes', 'Returns', 'Yields', 'Raises', 'Warns'):
            parts.append(inspect.cleandoc(body))
            continue
        items = []
        for line, description in ENTRY.findall(body):
            name, colon, kind = line.partition(' : ')
            names = ', '.join(f'`{one}`' for one in name.split(', '))
            about = [f'{names}{colon}{kind}', *inspect.cleandoc(description).splitlines()]
            items.append('- ' + '  \n  '.join(about[:2]) + ''.join(f'\n  {more}' for more in about[2:]))
        parts.append('\n'.join(items))
    return summary.strip(), '\n\n'.join(parts)

def class_markdown(cls, name):
    "The methods of a class, its own and inherited, and the guides in which its name stands."
    # with the methods that later cells of the page add
    whole = getattr(import_module(f'rulebook.{MODULE}'), name)
    lines = [method_line(whole, name, method, owner) for method, owner in methods_of(whole)]
    used = [f'[{title}]({os.path.relpath(BOOK / page, Path.cwd())})' for page, title in guides_with(name)]
    parts = ['**Methods**\n\n' + '\n'.join(lines)] if lines else []
    if used and name in public_names(): parts.append(f"**Guides that use it:** {', '.join(used)}.")
    return '\n\n'.join(parts)

def method_line(cls, name, method, owner):
    "One line of the list of methods: a link, or an anchor if it is described here."
    config, place = get_config(), place_of(owner, method)
    here = (place is None or place.endswith(f'#{name.lower()}.{method}')
            and not is_patched(function_of(owner, method)))
    link = f'{{#{name.lower()}.{method}}}' if here else f'({config.doc_host}{config.doc_baseurl}/{place})'
    return f'- [`{method}`]{link}: {summary(function_of(owner, method))}'

class Documented(Processor):
    "Documents the names that the page exports, as its module has them; nbdev would run the page's cells."
    def cell(self, cell):
        "Show what `show_doc` would."
        if cell.cell_type != 'code' or 'show_doc(' not in cell.source: return
        name = ast.unparse(ast.parse(cell.source).body[0].value.args[0])
        thing = reduce(getattr, name.split('.'), import_module(f'rulebook.{self.nb.module_}'))
        # a kernel is wrapped by its compiler
        thing = getattr(thing, 'fget', None) or getattr(thing, '__wrapped__', thing)
        data = AttrDict({'text/markdown': documentation(thing, name).splitlines(keepends=True)})
        cell.outputs = [AttrDict(output_type='display_data', metadata={}, data=data)]

def is_empty_documentation(cell):
    "Whether a cell documents a name that this page does not offer."
    shown = [output['data'].get('text/markdown') for output in cell.get('outputs', []) if 'data' in output]
    return (cell.cell_type == 'code' and 'show_doc(' in cell.source
            and not any(map(''.join, filter(None, shown))))

# ------------------------------------------------------------------ outputs

def readable_outputs(notebook):
    "HTML outputs as raw HTML in Markdown: tables in a frame that scrolls, numbers at the right."
    numbers = count(1)
    for cell in notebook.cells:
        for output in cell.get('outputs', []):
            html = ''.join(output.get('data', {}).get('text/html', ''))
            if html:
                output['data'] = {'text/markdown': f'````{{=html}}\n{readable_html(html, numbers)}\n````'}

def readable_html(html, numbers):
    """An HTML output with tables that are easy to read, by eye, keyboard or voice; `numbers` counts the
    tables of a page."""
    html = re.sub(r'<th\b([^>]*)></th>', r'<td\1></td>', html)  # an empty head is no head
    if 'class="dataframe' in html:
        soup = BeautifulSoup(html, 'html.parser')
        for table in soup.select('table.dataframe'): align(table)
        for style in soup('style'): style.decompose()
        html = str(soup)
    if '<table' in html and '<iframe' not in html and '<script' not in html:
        frame = f'<div class="table-frame" tabindex="0" role="region" aria-label="Table {next(numbers)}">'
        html = f'{frame}{html}</div>'
    return html

def align(table):
    "Set numbers of a pandas table at the right and words at the left."
    table.attrs.pop('border', None)
    rows = [row('td') for row in table.select('tbody tr')]
    width = max(map(len, rows), default=0)
    words = [not all(NUMBER.fullmatch(row[i].get_text().strip()) for row in rows if len(row) == width)
             for i in range(width)]
    for row in rows:
        for cell, word in zip(row, words): cell['class'] = 'word' if word else 'number'
    for head in table.select('thead tr'):
        head.attrs.pop('style', None)
        cells = head('th')
        for cell, word in zip(cells[len(cells) - width:], words):
            cell['class'] = 'word' if word else 'number'

# ------------------------------------------------------------------ the whole

def fold_sections(notebook):
    """Sections that open by a click: those with `{.more}` behind their heading, and `## Source` on an
    algorithm's page."""
    cells, level = [], None  # level of the heading whose section is being folded
    for cell in (part for whole in notebook.cells for part in at_headings(whole)):
        heading, documented = heading_of(cell), documentation_of(cell)
        depth = len((heading or documented or ['', '#######'])[1])
        if level and depth <= level:
            cells.append(mk_cell('</details>', 'markdown'))
            level = None
        summary = summary_of(heading) if heading and not level else None
        if summary:
            level = depth
            title, _, text = cell.source.partition('\n')
            head = f'<details class="more"><summary>{summary}</summary>'
            cell.source = f"{title.replace(' {.more}', '')}\n\n{head}\n\n{text.strip()}"
        elif level and heading:  # a heading would open a section that reaches out of the fold
            cell.source = HEADING.sub(r'**\2**', cell.source, count=1)
        elif level and documented:
            text = ''.join(cell.outputs[0]['data']['text/markdown'])
            text = HEADING.sub(lambda one: f'[**{one[2]}**]{{#{one[2].lower()}}}', text, count=1)
            cell.outputs[0]['data']['text/markdown'] = text
        cells.append(cell)
    notebook.cells = [*cells, *([mk_cell('</details>', 'markdown')] if level else [])]

def heading_of(cell):
    "The heading with which a cell of Markdown begins, or None."
    return HEADING.match(cell.source) if cell.cell_type == 'markdown' else None

def documentation_of(cell):
    "The heading with which the documentation of a name begins, or None."
    if cell.cell_type != 'code' or 'show_doc(' not in cell.source or not cell.get('outputs'):
        return None
    return HEADING.match(''.join(cell.outputs[0].get('data', {}).get('text/markdown', '')))

def at_headings(cell):
    "A cell of Markdown divided before each of its headings."
    if cell.cell_type != 'markdown' or ':::' in cell.source or '```' in cell.source: return [cell]
    texts = [text.strip() for text in re.split(r'^(?=#{2,4} )', cell.source, flags=re.MULTILINE)
             if text.strip()]
    return [mk_cell(text, 'markdown') for text in texts] if len(texts) > 1 else [cell]

def summary_of(heading):
    "The words to click on for a section that is folded; None for one that stands open."
    if heading[2] == 'Source' and MODULE in algorithm_modules():
        return 'The code of this page, and what checks it'
    return 'Read more' if heading[2].endswith('{.more}') else None

class BookFilter(FilterDefaults):
    """nbdev's processors, with the title block and the folds above and without the "do not edit" comment."""
    def base_procs(self):
        "The processors in their order."
        ours = {FrontmatterProc: TitleBlock, exec_show_docs: Documented}
        procs = [ours.get(proc, proc) for proc in super().base_procs()]
        return [*(proc for proc in procs if proc not in (insert_warning, add_fold)), Folds]

def show_exports(notebook):
    "Mark exported cells for nbdev as exported and shown, unless they are hidden on purpose; note the module."
    notebook.module_ = None
    for cell in notebook.cells:
        if cell.cell_type == 'code':
            found = re.search(r'^#\|\s*default_exp (\S+)', cell.source, re.MULTILINE)
            notebook.module_ = found[1] if found else notebook.module_
            cell.source = NBVAL.sub('', cell.source)
            if not HIDE.search(cell.source): cell.source = EXPORT.sub('#| exports', cell.source)
            # nbdev looks for definitions to document, in other cells in vain
            if not EXPORTED.search(cell.source): cell._parsed_ = []

def link_pages(text, folder):
    "Point the links that nbdev made to the public site at the pages beside this one."
    config = get_config()
    site = f'{config.doc_host}{config.doc_baseurl}/'

    def relative(link):
        page = real_pages().get(link[1])
        return (link[0] if page is None
                else Path(os.path.relpath(BOOK / page.with_suffix('.html'), folder)).as_posix())

    def described(link):
        "The link to a name, without its anchor where its page has it in a fold."
        return link[0] if is_for_users(link[3].split('.')[0]) else f'[{link[1]}]({site}{link[2]})'

    # names within a link of the author's
    text = LINKED_TWICE.sub(lambda link: '[' + LINKED_NAME.sub(r'\1', link[1]) + '](', text)
    text = re.sub(r'\[(`[^`\]]+`)\]\(' + re.escape(site) + r'([\w/.-]+\.html)#([\w.]+)\)', described, text)
    text = re.sub(re.escape(site) + r'([\w/.-]+\.html)', relative, text)
    return text

def convert(text):
    "The JSON of a notebook in the current folder as Quarto shall see it."
    global MODULE
    everything()  # else a class would be shown with the methods of those modules that earlier pages needed
    notebook = dict2nb(json.loads(text))
    page = notebook_of(notebook.cells)
    # pages at the top and in the appendix are not for learning by trying
    has_links = page and page.split('/')[0] not in (page, 'appendix')
    links = page_links(notebook, page) if has_links else None
    explained = set()
    for number, cell in enumerate(notebook.cells):
        if cell.cell_type != 'markdown': continue
        cell.source = as_divs(cell.source, page or '')
        # the first one becomes the title of the page and its description
        if number > 1: cell.source = with_meanings(cell.source, explained)
    for cell in notebook.cells:
        for output in cell.get('outputs', []):
            text = ''.join(output.get('data', {}).get('text/markdown', ''))
            if text: output['data']['text/markdown'] = as_divs(text, page or '')
    show_exports(notebook)
    MODULE = notebook.module_
    BookFilter()(notebook)
    readable_outputs(notebook)
    notebook.cells = [cell for cell in notebook.cells if not is_empty_documentation(cell)]
    fold_sections(notebook)
    if links: notebook.cells.insert(1, links)
    return link_pages(json.dumps(nb2dict(notebook)), Path.cwd())
