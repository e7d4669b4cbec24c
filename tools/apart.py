"""A process of its own for what a page shows of the finished package before it defines the same again.

Numba looks records up by their shape: where two classes of one shape are used in a process, the package's and
that of the page, every call of a kernel takes the slow way through Python.  So the opening example of such a
page runs apart.
"""
from multiprocessing import get_context

def apart(function, *arguments):
    "What a function returns, called in a copy of this process that ends then."
    with get_context('fork').Pool(1) as pool: return pool.apply(function, arguments)
