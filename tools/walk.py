"""The functions between `fit` and every kernel that a fit calls: for the figure on nbs/contributing.ipynb.

While a fit runs, each kernel of the package is replaced by one that notes the frames of its first call.  The
fit before it has compiled them, for a compiled function calls another one directly and is not seen.
"""
import sys
from typing import NamedTuple

from numba.core.dispatcher import Dispatcher

class Frame(NamedTuple):
    "A function on the way."

    module: str  # within the package: 'fit.estimator'
    name: str    # with that of its class
    said: str    # first line of its docstring

class Noted:
    "A kernel that notes from where it is called first."

    def __init__(self, kernel, walks):
        self.kernel = kernel
        self.walks = walks

    def __getattr__(self, name):
        return getattr(self.kernel, name)

    def __call__(self, *args, **kwargs):
        "Call the kernel, and note the frames the first time."
        name = self.kernel.__name__
        if name not in self.walks: self.walks[name] = frames(sys._getframe(1))
        return self.kernel(*args, **kwargs)

def frames(frame):
    "The frames of the package from the outermost on."
    found = []
    while frame:
        code = frame.f_code
        module = frame.f_globals.get('__name__', '')
        if module.startswith('rulebook.'):
            first = code.co_consts[0] if code.co_consts else None
            said = first.strip().split('\n')[0] if isinstance(first, str) else ''
            # Python 3.10 has no names with those of classes
            name = getattr(code, 'co_qualname', code.co_name)
            found.append(Frame(module.removeprefix('rulebook.'), name, said))
        frame = frame.f_back
    return found[::-1]

def walks(fit):
    "Kernel by name to the frames of its first call; `fit` is called twice."
    fit()
    found = {}
    ours = [module for key, module in sys.modules.items() if key.startswith('rulebook')]
    places = [(module, name, value) for module in ours for name, value in vars(module).items()
              if isinstance(value, Dispatcher)]
    for module, name, kernel in places: setattr(module, name, Noted(kernel, found))
    try:
        fit()
    finally:
        for module, name, kernel in places: setattr(module, name, kernel)
    return found
