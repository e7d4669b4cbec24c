"""The layout of exported code is ruff's: `python -m tools.layout [FOLDER]` writes it into the notebooks.

Only exported cells are laid out, each on its own: they become the files that stack traces, editors and
GitHub show.  Cells of examples and trials keep the lines that their pages are read in.  So do the fields of
records, whose words stand in a column.
"""
import ast
import json
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import wrap

ROOT = Path(__file__).resolve().parent.parent
LONGEST = 100  # as ruff.toml says
EXPORTED = re.compile(r'^#\|\s*export', re.MULTILINE)
FOLDED = re.compile(r'^#\|\s*code-fold:\s*true', re.MULTILINE)
DIRECTIVES = re.compile(r'(?:#\|.*(?:\n|$))*')  # at the head of a cell

def is_record(node):
    "Whether a node is a call that makes a record, with a field a line."
    if not isinstance(node, ast.Call):
        return False
    return getattr(node.func, 'id', getattr(node.func, 'attr', '')) in ('namedtuple', 'dtype')

def tables(text):
    "First and last line of each run of fields."
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ClassDef):
            fields = [part for part in node.body if isinstance(part, ast.AnnAssign)]
            if fields:
                yield fields[0].lineno, last_line(text, fields[-1])
        if isinstance(node, ast.Assign) and any(map(is_record, ast.walk(node))):
            yield node.lineno, node.end_lineno

def last_line(text, field):
    "The last line of a field, with the comments below it that go on with its words."
    lines = text.splitlines()
    n = field.end_lineno
    while n < len(lines) and lines[n].lstrip().startswith('#'):
        n += 1
    return n

OFF, ON = '# fmt: off', '# fmt: on'

def with_tables(text):
    "A text in which ruff is told to leave the fields of records as they are."
    lines = text.split('\n')
    for first, last in sorted(tables(text), reverse=True):
        indent = ' ' * (len(lines[first - 1]) - len(lines[first - 1].lstrip()))
        lines[last:last] = [indent + ON]
        lines[first - 1:first - 1] = [indent + OFF]
    return '\n'.join(lines)

def without_marks(text):
    "A text without what `with_tables` told ruff."
    return ''.join(line for line in text.splitlines(keepends=True) if line.strip() not in (OFF, ON))

def with_short_imports(text):
    """A text whose imports from the package have a line each.

    The export makes them relative, but not where the closing bracket stands on a line of its own.
    """
    lines = text.split('\n')
    found = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ImportFrom)
             and (node.module or '').startswith('rulebook') and node.end_lineno > node.lineno]
    for node in sorted(found, key=lambda node: -node.lineno):
        head = f"{' ' * node.col_offset}from {node.module} import "
        names = ', '.join(ast.unparse(alias) for alias in node.names)
        parts = wrap(names, LONGEST, initial_indent=head, subsequent_indent=head)
        lines[node.lineno - 1:node.end_lineno] = [part.removesuffix(',') for part in parts]
    return '\n'.join(lines)

def laid_out(texts):
    "Python texts as ruff lays them out."
    with TemporaryDirectory() as folder:
        paths = [Path(folder, f'{i}.py') for i in range(len(texts))]
        for path, text in zip(paths, texts):
            path.write_text(with_tables(with_short_imports(text)), encoding='utf-8')
        options = '--quiet', '--no-cache', '--config', ROOT / 'ruff.toml'
        subprocess.run([sys.executable, '-m', 'ruff', 'format', *options, folder], check=True)
        return [without_marks(path.read_text(encoding='utf-8')).rstrip('\n') for path in paths]

def exported_cells(notebook):
    "The exported code cells of a notebook."
    for cell in notebook['cells']:
        if cell['cell_type'] == 'code' and EXPORTED.search(''.join(cell['source'])):
            yield cell

def fold(notebook):
    "Fold in JupyterLab what the site folds, so that a reader of the notebook sees the picture, not its code."
    for cell in notebook['cells']:
        if cell['cell_type'] != 'code':
            continue
        cell['metadata'].pop('jupyter', None)
        if FOLDED.search(''.join(cell['source'])):
            cell['metadata']['jupyter'] = {'source_hidden': True}

def lay_out(notebooks):
    "Lay out the exported cells of notebooks, and fold others."
    cells = [cell for notebook in notebooks for cell in exported_cells(notebook)]
    sources = [''.join(cell['source']) for cell in cells]
    heads = [DIRECTIVES.match(source)[0] for source in sources]
    # one ruff for all cells: it takes longer to start than to lay out a page
    bodies = laid_out([source.removeprefix(head) for source, head in zip(sources, heads)])
    for cell, head, body in zip(cells, heads, bodies):
        cell['source'] = (head + body).splitlines(keepends=True)
    for notebook in notebooks:
        fold(notebook)

def main(folder=ROOT):
    "Lay out every notebook of the book."
    pages = [page for page in sorted(Path(folder, 'nbs').rglob('[!.]*.ipynb'))
             if '.ipynb_checkpoints' not in page.parts]
    texts = [page.read_text(encoding='utf-8') for page in pages]
    notebooks = [json.loads(text) for text in texts]
    lay_out(notebooks)
    for page, old, notebook in zip(pages, texts, notebooks):
        new = json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True) + '\n'
        if new != old:
            page.write_text(new, encoding='utf-8')
            print(f'{page.relative_to(folder)} laid out')


if __name__ == '__main__':
    main(*sys.argv[1:])
