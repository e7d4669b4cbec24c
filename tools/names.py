"""What the package offers, where it is documented, which methods a class has, and which guides use it.

The filter of the pages and nbs/reference.ipynb read it, so that a class is described the same way on both.
"""
import inspect
import json
import pkgutil
import re
from functools import cache
from importlib import import_module
from pathlib import Path

NBS = Path(__file__).resolve().parent.parent / 'nbs'
TITLE = re.compile(r'# (?P<title>.+)\n+> (?P<subtitle>.+)\n*')  # how the first Markdown cell of a page begins

FIRST = ('fit', 'predict', 'predict_proba', 'score', 'explain')  # methods that a list of methods begins with

@cache
def everything():
    "All modules of the package: with them come the methods that they add to classes of others."
    import rulebook  # slow, and not for all that read this

    found = pkgutil.walk_packages(rulebook.__path__, 'rulebook.')
    return [rulebook, *(import_module(one.name) for one in found)]

@cache
def public_names():
    "Names that users import from `rulebook`."
    import rulebook  # slow too

    return frozenset(rulebook.__all__)

@cache
def bases_of_public():
    "Names of the classes from which public classes inherit."
    import rulebook  # slow too

    things = [getattr(rulebook, name) for name in public_names()]
    return frozenset(base.__name__ for thing in things if inspect.isclass(thing) for base in thing.__mro__)

@cache
def algorithm_modules():
    "Modules of the estimators: their pages are for users, and show no kernels."
    from rulebook.register import ESTIMATORS  # slow too

    return frozenset(line.module for line in ESTIMATORS)

@cache
def symbols():
    "Full names of all that the package defines, with the page and anchor that nbdev gives them."
    from rulebook._modidx import d  # slow too

    return {name: place[0] for names in d['syms'].values() for name, place in names.items()}

def page_of(thing):
    "Page and anchor of a class, function or method, as nbdev names them; None if it is not ours."
    return symbols().get(f'{thing.__module__}.{thing.__qualname__}')

@cache
def real_pages():
    "Pages as nbdev names them (corels/estimator.html), to the notebooks that they are made of."
    from nbdev.doclinks import _nbpath2html  # slow to import

    found = [path.relative_to(NBS) for path in sorted(NBS.rglob('*.ipynb'))]
    return {_nbpath2html(page).as_posix(): page for page in found}

@cache
def title_of(page):
    "The title of a page, which is named as nbdev names it."
    cells = json.loads((NBS / real_pages()[page]).read_text(encoding='utf-8'))['cells']
    return next(filter(None, (TITLE.match(''.join(cell['source'])) for cell in cells)))['title']

def summary(thing):
    "The first sentence of a docstring on one line."
    first = (inspect.getdoc(thing) or '').split('\n\n')[0].replace('\n', ' ')
    return re.split(r'(?<=\.) (?=[A-Z])', first)[0]

def methods_of(cls):
    "Public methods and properties of a class that are ours: pairs of a name and the class that defines it."
    found = {}
    for base in cls.__mro__:
        if base.__module__.split('.')[0] in ('rulebook', '__main__'):
            for name, value in vars(base).items():
                if not name.startswith('_') and is_method(value): found.setdefault(name, base)
    return sorted(found.items(), key=lambda pair: FIRST.index(pair[0]) if pair[0] in FIRST else len(FIRST))

def function_of(owner, name):
    "The function behind a method or property that a class defines."
    value = vars(owner)[name]
    return getattr(value, 'fget', None) or getattr(value, '__func__', value)

def place_of(owner, name):
    """Page and anchor of a method: its own heading if it was added to the class, else its line in the
    class's list."""
    inner, home = function_of(owner, name), page_of(owner)
    page = page_of(inner)
    if page and home and page.split('#')[0] != home.split('#')[0] or page and is_patched(inner):
        # a property that is put into its class has no heading
        headless = isinstance(vars(owner)[name], property) and not is_patched(inner)
        return page.split('#')[0] if headless else page
    return f"{home.split('#')[0]}#{owner.__name__.lower()}.{name}" if home else None

def is_patched(function):
    "Whether a method is added to its class, in a cell of its own, and shown there under a heading."
    return inspect.getsource(function).lstrip().startswith('@patch\ndef')

def is_method(value):
    "Whether an attribute of a class is a method, or read like one."
    return inspect.isfunction(value) or isinstance(value, (property, classmethod, staticmethod))

@cache
def guides():
    "Path below nbs/, title and code of every guide."
    found = []
    for path in sorted((NBS / 'guides').glob('*.ipynb')):
        cells = json.loads(path.read_text(encoding='utf-8'))['cells']
        text = {kind: '\n'.join(''.join(cell['source']) for cell in cells if cell['cell_type'] == kind)
                for kind in ('markdown', 'code')}
        found.append((path.relative_to(NBS).as_posix(), TITLE.search(text['markdown'])['title'],
                      text['code']))
    return found

def guides_with(name):
    "Path and title of the guides whose code has a name."
    return [(page, title) for page, title, code in guides() if re.search(rf'\b{name}\b', code)]
