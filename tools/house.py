"""How the code stands: what imports what, and the rules for lines, kernels, records and methods.

`python -m tools.house` prints every place that breaks a rule; `tools/check.py house` fails on them, and
nbs/contributing.ipynb draws the imports and counts the rest.  Everything is read from the syntax trees of the
exported modules, so nothing is imported and nothing can hide in a branch.
"""
import ast
import json
import re
import sys
import tokenize
from collections import namedtuple
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LONGEST, MOST_TARGETS, MOST_ARGUMENTS = 110, 3, 8
# room and reasons: nodes of the syntax tree a line, on average and in a function of several lines; comments
# inside functions per 1,000 lines
MOST_DENSE = 6.5
MOST_DENSE_HERE = 9
SEVERAL = 8
FEWEST_REASONS = 45
# nodes of the syntax tree in an exported cell, and in cells without a sentence between, docstrings aside
MOST_CELL = 330
MOST_RUN = 710
KERNELS = {'kernel', 'inner_kernel', 'njit'}

# folder: of the module, its own name for one at the top, '.' for the front; page: of the notebook, relative
# to nbs/; nodes: all of the tree
Module = namedtuple('Module', 'name folder page text tree nodes')
Arrow = namedtuple('Arrow', 'source target names line nested')
Place = namedtuple('Place', 'rule module line what')

# ------------------------------------------------------------------ modules

def walked(tree):
    "All nodes of a syntax tree in the order of `ast.walk`, which takes twice as long."
    found = [tree]
    for node in found:  # it grows
        for name in node._fields:
            part = getattr(node, name, None)
            if isinstance(part, ast.AST): found.append(part)
            elif isinstance(part, list): found += [one for one in part if isinstance(one, ast.AST)]
    return found

@cache
def parsed(text):
    "The syntax tree of a text, and all of its nodes."
    tree = ast.parse(text)
    return tree, tuple(walked(tree))

@cache
def nodes_of(text, *kinds):
    "The nodes of some kinds in a text."
    return [node for node in parsed(text)[1] if isinstance(node, kinds)]

def page_named(text):
    "The page that a module says it is made of."
    return re.search(r'File to edit: (?:\.\./)+nbs/(\S+)\.$', text, re.MULTILINE)[1]

def modules(root=ROOT):
    "The exported modules by name ('register', 'corels.search', '' for the front of the package)."
    found = {}
    for path in sorted((root / 'rulebook').rglob('*.py')):
        if path.name == '_modidx.py' or path.name == '__init__.py' and path.parent.name != 'rulebook':
            continue  # folders have no front
        parts = path.relative_to(root / 'rulebook').with_suffix('').parts
        parts = parts[:-1] if parts[-1] == '__init__' else parts
        text = path.read_text(encoding='utf-8')
        page = page_named(text)
        folder = parts[0] if parts else '.'
        found['.'.join(parts)] = Module('.'.join(parts), folder, page, text, *parsed(text))
    return found

def changed(module, text):
    "The module with another text."
    tree, nodes = parsed(text)
    return module._replace(text=text, tree=tree, nodes=nodes)

# folders from the ground up; each knows those before it
FLOORS = ('register', 'ground', 'table', 'model', 'literals', 'proof', 'fit', 'lists')
AFTER_FIT = ('export', 'show')  # these work with any model, and know no search
ANYTHING = ('io', '.', '__main__')  # these may import all others
BUILDS_ON = {'sets': 'corels', 'show': 'export'}  # folder to another of its height that it may import

def floor(folder):
    "The height of a folder; those of algorithms and all others stand on the highest floor."
    return FLOORS.index(folder) if folder in FLOORS else len(FLOORS)

def number(module):
    "The number of a module within its folder, read from the name of its page; 0 for a page without one."
    first = Path(module.page).name.split('_')[0]
    return int(first) if first.isdigit() else 0

# ------------------------------------------------------------------ imports

def imported(module, node, names):
    "The modules of ours that an import statement names, and the names that it takes from each."
    if isinstance(node, ast.Import):
        own = [alias.name[9:] for alias in node.names if alias.name.startswith('rulebook.')]
        return [(name, ()) for name in own]
    if node.level:
        parts = module.name.split('.')
        parts = parts[:len(parts) - node.level + is_front(module)]
        base = '.'.join(filter(None, [*parts, node.module]))
    elif node.module == 'rulebook' or (node.module or '').startswith('rulebook.'):
        base = node.module[9:]
    else: return []
    inner = [alias.name for alias in node.names if '.'.join(filter(None, (base, alias.name))) in names]
    taken = tuple(alias.name for alias in node.names if alias.name not in inner)
    found = [('.'.join(filter(None, (base, name))), ()) for name in inner]
    return [*found, (base, taken)] if taken else found

def is_front(module):
    "Whether a module is the front of the package."
    return not module.name

def arrows(found):
    "Every import of one of our modules by another, also those inside functions."
    for module in found.values():
        top = set(module.tree.body)
        for node in nodes_of(module.text, ast.Import, ast.ImportFrom):
            for target, names in imported(module, node, found):
                yield Arrow(module.name, target, names, node.lineno, node not in top)

def may_import(source, target):
    """Whether an arrow from one module to another runs down: to a lower floor, or within a floor to a page
    with a smaller number; within an algorithm to any page, and `io` and the front of the package know all."""
    if source.folder in ANYTHING: return True
    if source.folder == target.folder:
        return source.folder not in FLOORS + AFTER_FIT or number(target) < number(source)
    if BUILDS_ON.get(source.folder) == target.folder: return True
    highest = floor('fit') + 1 if source.folder in AFTER_FIT else floor(source.folder)
    return floor(target.folder) < highest

def import_problems(found):
    "Arrows that run up, circles, private names that cross a module, nested imports without a reason."
    graph = {name: set() for name in found}
    for arrow in arrows(found):
        if arrow.target not in found:
            yield Place('arrow', arrow.source, arrow.line, f'imports {arrow.target}, which does not exist')
            continue
        graph[arrow.source].add(arrow.target)
        if not may_import(found[arrow.source], found[arrow.target]):
            yield Place('arrow', arrow.source, arrow.line,
                        f"imports {arrow.target or 'the front'}, which is not below it")
        for name in arrow.names:
            if name.startswith('_') and not name.startswith('__'):
                yield Place('private', arrow.source, arrow.line, f'imports {name} of {arrow.target}')
    try: TopologicalSorter(graph).prepare()
    except CycleError as error:
        yield Place('circle', error.args[1][0], 0, ' -> '.join(name or 'the front' for name in error.args[1]))
    for module in found.values():
        lines, top = module.text.splitlines(), set(module.tree.body)
        for node in nodes_of(module.text, ast.Import, ast.ImportFrom):
            if node not in top:
                before, last = lines[node.lineno - 2].strip(), lines[node.end_lineno - 1]
                # the only line of a block may have its reason above the head of the block
                if before.startswith('with '): before = lines[node.lineno - 3].strip()
                if '#' not in last and not before.startswith('#'):
                    yield Place('nested import', module.name, node.lineno,
                                'an import inside a function without its reason')

def ground_up(found):
    "Names of the modules, each after those that it imports, folder by folder."
    graph = {name: set() for name in found}
    for arrow in arrows(found): graph[arrow.source] |= {arrow.target} - {arrow.source}
    sorted_names = list(TopologicalSorter(graph).static_order())
    folders = {module.folder for module in found.values()}
    ranks = [*FLOORS, *sorted(folders.difference(FLOORS, AFTER_FIT, ANYTHING)), *AFTER_FIT, *ANYTHING]

    def place(name):
        folder = found[name].folder
        # numbers of an algorithm's pages are an order to read them in
        within = number(found[name]) if folder in FLOORS + AFTER_FIT else 0
        return ranks.index(folder), within, sorted_names.index(name)

    return sorted(sorted_names, key=place)

# ------------------------------------------------------------------ lines

def generated(module):
    "Numbers of the lines of `__all__`, which the export writes."
    for node in module.tree.body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], 'id', '') == '__all__':
            yield from range(node.lineno, node.end_lineno + 1)

def line_problems(module):
    "Lines that are too long."
    skipped = set(generated(module))
    for number, line in enumerate(module.text.splitlines(), 1):
        if len(line) > LONGEST and not line.startswith('# %%') and number not in skipped:
            yield Place('line', module.name, number, f'{len(line)} characters')

def targets(node):
    "Pairs of a target and what is assigned to it (None in loops)."
    if isinstance(node, ast.Assign): return [(target, node.value) for target in node.targets]
    if isinstance(node, (ast.For, ast.comprehension)): return [(node.target, None)]
    return []

def unpacking_problems(module):
    "Assignments of several values to more than three targets at once."
    for node in nodes_of(module.text, ast.Assign, ast.For, ast.comprehension):
        for target, value in targets(node):
            both = isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple)
            if both and len(target.elts) > MOST_TARGETS:
                yield Place('unpacking', module.name, node.lineno, f'{len(target.elts)} targets')

def constructor_problems(module):
    "Constructors that set several attributes in a line."
    for node in functions(module):
        if node.name == '__init__':
            for statement in node.body:
                for target, _ in targets(statement):
                    if isinstance(target, ast.Tuple) \
                            and any(isinstance(part, ast.Attribute) for part in target.elts):
                        yield Place('constructor', module.name, statement.lineno,
                                    f'sets {len(target.elts)} attributes in a line')

# ------------------------------------------------------------------ names in loops

LOOPS = (ast.For, ast.While)
SCOPES = (ast.FunctionDef, ast.Lambda, ast.ClassDef, ast.ListComp, ast.SetComp, ast.DictComp,
          ast.GeneratorExp)

def accesses(node):
    "Names that a node reads or sets, in the order in which it runs, but for what is set in inner scopes."
    if isinstance(node, ast.Name): yield node
    parts = list(ast.iter_child_nodes(node))
    if isinstance(node, ast.Assign): parts = [node.value, *node.targets]
    if isinstance(node, ast.For): parts = [node.iter, node.target, *node.body, *node.orelse]
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        yield ast.copy_location(ast.Name(node.target.id, ast.Load()), node)
    for part in parts:
        for name in accesses(part):
            if not isinstance(node, SCOPES) or is_read(name): yield name

def is_read(name):
    "Whether a name is read, not set."
    return isinstance(name.ctx, ast.Load)

def overwritten(loop):
    "Names that every pass of a loop sets before anything in it reads them."
    head = [loop.target] if isinstance(loop, ast.For) else [loop.test]
    found, touched = set(), set()
    for node in [*head, *loop.body]:
        for name in accesses(node):
            # under a condition a name may keep the value that it had
            always = node in head or isinstance(node, ast.Assign)
            if always and not is_read(name) and name.id not in touched: found.add(name.id)
            touched.add(name.id)
    return found

def loop_problems(module):
    "Names that a loop sets, that a loop within it overwrites unread, and that are read after that one."
    for outer in nodes_of(module.text, *LOOPS):
        within = [node for node in walked(outer)[1:] if isinstance(node, LOOPS)]
        names = list(accesses(outer)) if within else []
        for inner in within:
            begin, end = (inner.lineno, inner.col_offset), (inner.end_lineno, inner.end_col_offset)
            before = {name.id for name in names
                      if (name.lineno, name.col_offset) < begin and not is_read(name)}
            after = {}
            for name in names:
                if (name.lineno, name.col_offset) >= end: after.setdefault(name.id, is_read(name))
            for name in sorted(overwritten(inner) & before):
                if after.get(name):
                    yield Place('loop', module.name, inner.lineno, f'{name} has a second meaning')

# ------------------------------------------------------------------ kernels, records, methods

def decorators(node):
    "Names of the decorators of a function."
    for decorator in node.decorator_list:
        inner = decorator.func if isinstance(decorator, ast.Call) else decorator
        yield inner.attr if isinstance(inner, ast.Attribute) else getattr(inner, 'id', '')

def kernels(module):
    "The kernels of a module."
    for node in functions(module):
        if KERNELS & set(decorators(node)): yield node

def functions(module):
    "All functions and methods of a module."
    return nodes_of(module.text, ast.FunctionDef)

def length(node):
    "Lines of a function, its docstring not counted."
    described = ast.get_docstring(node) is not None
    docstring = node.body[0].end_lineno - node.body[0].lineno + 1 if described else 0
    return node.end_lineno - node.lineno + 1 - docstring

def kernel_problems(module):
    "Kernels with too many arguments."
    for node in kernels(module):
        if len(node.args.args) > MOST_ARGUMENTS:
            yield Place('kernel', module.name, node.lineno,
                        f'{node.name} has {len(node.args.args)} arguments')

def records(module):
    "Named tuples and structured dtypes: the node, its name, and the lines that hold a field."
    for node in nodes_of(module.text, ast.ClassDef, ast.Call):
        if isinstance(node, ast.ClassDef) and any(getattr(base, 'id', getattr(base, 'attr', ''))
                                                  == 'NamedTuple' for base in node.bases):
            yield node, node.name, [field.lineno for field in node.body if isinstance(field, ast.AnnAssign)]
        if isinstance(node, ast.Call):
            called = getattr(node.func, 'id', getattr(node.func, 'attr', ''))
            if called == 'namedtuple':
                fields = node.args[1]
                yield node, 'namedtuple', [part.lineno for part in getattr(fields, 'elts', [])]
            elif called == 'dtype' and node.args and isinstance(node.args[0], (ast.List, ast.ListComp)):
                yield node, 'dtype', [part.lineno for part in getattr(node.args[0], 'elts', [])]

def record_problems(module):
    "Records with a field without a line and words of its own."
    lines = module.text.splitlines()
    for node, name, fields in records(module):
        if not fields:
            yield Place('record', module.name, node.lineno, f'{name}: fields without words')
        elif len(set(fields)) < len(fields):
            yield Place('record', module.name, node.lineno, f'{name}: several fields in a line')
        elif any('#' not in lines[line - 1] for line in fields):
            yield Place('record', module.name, node.lineno, f'{name}: a field without a comment')

def patches(module):
    "Methods that are added to a class from outside."
    for node in functions(module):
        if 'patch' in decorators(node): yield node

def patch_problems(module):
    "Methods outside of a class of their own module, and private ones of any class."
    classes = {node.name for node in module.tree.body if isinstance(node, ast.ClassDef)}
    for node in patches(module):
        if ast.unparse(node.args.args[0].annotation or ast.Name('')) in classes:
            yield Place('patch', module.name, node.lineno, f'{node.name} belongs into the body of its class')
        if node.name.startswith('_') and not node.name.endswith('_'):
            yield Place('patch', module.name, node.lineno,
                        f'{node.name} is private: put it into its class, or make it a function')

# ------------------------------------------------------------------ room and reasons

AS_WRITTEN = '# yapf: disable'  # in a cell that the layout leaves alone

def cells_of(module):
    "First line, a mark, and the line after the last one of each exported cell."
    lines = module.text.splitlines()
    marks = [i for i, line in enumerate(lines, 1) if line.startswith('# %%')]
    return list(zip(marks, [*marks[1:], len(lines) + 1]))

def code_lines(module):
    "Numbers of the lines that hold code, not only a comment or a docstring."
    described = set()
    for node in nodes_of(module.text, ast.Module, ast.ClassDef, ast.FunctionDef):
        if ast.get_docstring(node, clean=False) is not None:
            described.update(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    lines = enumerate(module.text.splitlines(), 1)
    return {i for i, line in lines if line.strip() and line.strip()[0] != '#' and i not in described}

def is_counted(node):
    "Whether a node is a statement or an expression."
    return isinstance(node, (ast.stmt, ast.expr))

def reasons(module):
    "Comments inside the bodies of functions."
    within = {line for node in functions(module) for line in range(node.body[0].lineno, node.end_lineno + 1)}
    lines, found = module.text.splitlines(keepends=True), []
    for node in module.tree.body:
        part = lines[node.lineno - 1:node.end_lineno]
        if not any('#' in line for line in part): continue  # reading tokens is slow
        tokens = tokenize.generate_tokens(iter(part).__next__)
        found += [token.string for token in tokens
                  if token.type == tokenize.COMMENT and token.start[0] + node.lineno - 1 in within]
    return found

def density_problems(module):
    "Functions whose lines hold too much; those of exported programs, whose text is kept short, aside."
    lines = code_lines(module)
    texts = module.text.splitlines()
    kept_short = {line for first, last in cells_of(module) if AS_WRITTEN in texts[first:last]
                  for line in range(first, last)}
    for node in functions(module):
        if node.lineno in kept_short: continue
        n_lines = len(lines & {*range(node.lineno, node.end_lineno + 1)})
        if n_lines < SEVERAL: continue
        density = sum(map(is_counted, walked(node))) / n_lines
        if density > MOST_DENSE_HERE:
            yield Place('density', module.name, node.lineno, f'{node.name}: {density:.1f} nodes a line')

def room(found):
    "Nodes of the syntax trees, lines of code, and comments inside functions, of the whole package."
    n_nodes = sum(len(nodes_of(module.text, ast.stmt, ast.expr)) for module in found.values())
    n_lines = sum(len(code_lines(module)) for module in found.values())
    return n_nodes, n_lines, sum(len(reasons(module)) for module in found.values())

def room_problems(found):
    "A package whose lines hold too much, or say too seldom why."
    n_nodes, n_lines, n_reasons = room(found)
    if n_nodes > MOST_DENSE * n_lines:
        yield Place('room', '', 0, f'{n_nodes / n_lines:.2f} nodes a line')
    if 1000 * n_reasons < FEWEST_REASONS * n_lines:
        yield Place('reasons', '', 0, f'{1000 * n_reasons / n_lines:.0f} comments per 1,000 lines')

def class_problems(found):
    "Names of classes that mean several things."
    homes = {}
    for module in found.values():
        for node in module.tree.body:
            if isinstance(node, ast.ClassDef):
                homes.setdefault(node.name, []).append((module.name, node.lineno))
    for name, places in homes.items():
        for home, line in places[1:]:
            yield Place('class', home, line, f'{name} is a class of {places[0][0]} too')

# ------------------------------------------------------------------ cells

@cache
def n_nodes(tree):
    "Statements and expressions of a syntax tree, docstrings and imports aside."
    left_out, nodes = 0, walked(tree)
    for node in nodes:
        described = isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
        if described and ast.get_docstring(node, clean=False) is not None:
            left_out += 2
        left_out += isinstance(node, (ast.Import, ast.ImportFrom))
    return sum(map(is_counted, nodes)) - left_out

def cell_problems(module):
    "Exported cells of several definitions that hold too much."
    for begin, end in cells_of(module):
        parts = [n_nodes(node) for node in module.tree.body if begin < node.lineno < end]
        if len(parts) > 1 and sum(parts) > MOST_CELL >= max(parts):
            yield Place('cell', module.name, begin, f'{sum(parts)} nodes')

def nodes_of_cell(source):
    "Nodes of a cell of a notebook; none of one that is not plain Python."
    try:
        return n_nodes(ast.parse(source))
    except SyntaxError:
        return 0

PART = re.compile(r'\w+|[^\w\s]')

def most_nodes(source):
    "At least as many as a text can have: each node but a bare expression has a word or a sign of its own."
    return len(PART.findall(source)) + source.count('\n') + 1

@cache
def cells_of_page(path):
    "The cells of a notebook."
    return json.loads(path.read_text(encoding='utf-8'))['cells']

def run_problems():
    "Several cells of code in a row that hold too much together."
    for path in sorted((ROOT / 'nbs').rglob('[!.]*.ipynb')):
        runs = [[]]
        for cell in cells_of_page(path):
            if cell['cell_type'] != 'code': runs.append([])
            else: runs[-1].append(''.join(cell['source']))
        for run in runs:
            if len(run) < 2 or sum(map(most_nodes, run)) <= MOST_RUN: continue
            sizes = list(map(nodes_of_cell, run))
            if sum(sizes) > MOST_RUN > max(sizes): yield Place('run', path.stem, 0, f'{sum(sizes)} nodes')

# ------------------------------------------------------------------ names that modules had before

def old_name_problems():
    "Pages and tools that name a module as it was called before it moved; the page that tries this aside."
    from rulebook.register import MOVED

    names = '|'.join(map(re.escape, MOVED))
    old = re.compile(rf'\brulebook\.(?:{names})\b|\bfrom rulebook import [\w, ]*\b(?:{names})\b')
    pages = [path for path in sorted((ROOT / 'nbs').rglob('[!.]*.ipynb')) if path.stem != 'reference']
    for path in [*pages, *sorted((ROOT / 'tools').glob('*.py'))]:
        if path.suffix == '.ipynb':
            text = '\n'.join(''.join(cell['source']) for cell in cells_of_page(path))
        else: text = path.read_text(encoding='utf-8')
        for line in text.splitlines():
            if found := old.search(line): yield Place('moved', path.stem, 0, f'names {found[0]}')

# ------------------------------------------------------------------ tables made from the register

def algorithm_table(folder=''):
    "The algorithms in Markdown, a line for each module; `folder` leads from the reader to nbs/."
    from rulebook.register import ESTIMATORS

    lines = ['| ask for | and get | paper | page |', '|---|---|---|---|']
    for first in (line for line in ESTIMATORS if line.gives):
        names = [f'`{line.name}`' for line in ESTIMATORS if line.module == first.module]
        path = Path(ROOT, 'rulebook', *first.module.split('.')).with_suffix('.py')
        page = page_named(path.read_text(encoding='utf-8'))
        title = first.name.removesuffix('Classifier')
        lines.append(f"| {', '.join(names)} | {first.gives} | {first.paper} | [{title}]({folder}{page}) |")
    return '\n'.join(lines)

RULES = (line_problems, unpacking_problems, constructor_problems, kernel_problems, record_problems,
         patch_problems, cell_problems, loop_problems, density_problems)

def module_problems(module):
    "Every place within a module that breaks a rule about single modules."
    return [place for rule in RULES for place in rule(module)]

def problems():
    "Every place that breaks a rule."
    found = modules()
    return [*import_problems(found), *run_problems(), *room_problems(found), *class_problems(found),
            *old_name_problems(),
            *(place for module in found.values() for place in module_problems(module))]

def main(words):
    "Print the places whose module or rule contains a word, and how many there are."
    places = [place for place in problems() if not words or any(word in (place.rule, place.module)
              or place.module.startswith(word + '.') for word in words)]
    for place in places:
        print(f"rulebook/{place.module.replace('.', '/')}.py:{place.line}: {place.rule}: {place.what}")
    print(f'{len(places)} places')
    return bool(places)


if __name__ == '__main__': sys.exit(main(sys.argv[1:]))
