"""Kernels that begin with everything imported and compiled: each is a fork of a process that has it.

Pages define the kernels and records of the package again.  A record of a page would be another type, for
which every kernel would be compiled once more; so those that are in the module as on the page are taken from
there.

    python -m tools.kernels serve SOCKET           waits, and forks
    python -m tools.kernels ask SOCKET FILE        what Jupyter starts: has a kernel forked for it

The process that was started stands for the fork: signals are passed on, and when one of the two ends, so does
the other.
"""
import ast
import gc
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import warnings
from contextlib import contextmanager, suppress
from functools import lru_cache
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIBRARIES = ('numpy', 'pandas', 'sklearn.base', 'sklearn.tree', 'sklearn.datasets',
             'sklearn.utils.estimator_checks', 'scipy.optimize', 'numba', 'hypothesis', 'sqlglot',
             'tqdm.auto', 'matplotlib.figure',
             # not pyplot: it asks for the kernel when it is imported
             'ipykernel.kernelapp', 'ipykernel.debugger', 'IPython.core.completer', 'IPython.core.oinspect')
STANDARD = 0, 1, 2  # input, output, error output
NAME = 'forked'     # of the kernel, for nbval
EXPORTED = re.compile(r'^#\| default_exp (\S+)', re.MULTILINE)
COMPILED = 'kernel', 'inner_kernel', 'NamedTuple'  # decorators, and a base

def serve(path):
    "Import the libraries, then fork a kernel for everyone who asks."
    # what ipykernel would tell matplotlib
    os.environ['MPLBACKEND'] = 'module://matplotlib_inline.backend_inline'
    os.environ['PYDEVD_DISABLE_FILE_VALIDATION'] = '1'  # else the debugger warns when it is imported
    # collecting as often as Python does takes a tenth of the time of compiling, and more of some pages
    gc.set_threshold(50_000)
    for name in LIBRARIES: import_module(name)
    len(import_module('sqlglot').Dialect.classes)  # imports all dialects
    import_module('pandas').set_option('display.max_columns', 20)  # what pandas shows in a notebook
    read_sources()
    no_pixels()
    with warnings.catch_warnings(): compile_kernels()
    gc.freeze()  # collecting would copy what the forks share
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the system forgets ended forks
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(path)
        listener.listen()
        while True:
            connection, _ = listener.accept()
            if os.fork():
                connection.close()
                continue
            listener.close()
            be_kernel(connection)

def compile_kernels():
    "Compile what several pages call: two that call it first at the same time would compile it twice."
    package = import_module('rulebook')
    package.warm_up()
    warnings.simplefilter('ignore')  # of stopped searches
    X, y = package.load_dataset('mammographic')
    for given in {}, {'max_literals': 2, 'options': {'node_limit': 300}}:
        package.CORELSClassifier(time_limit=None, **given).fit(X, y)
    package.CORELSClassifier(time_limit=None).fit(*package.load_dataset('iris'))
    some = y[::9]
    weights = [(i + 1) ** .5 for i in range(len(some))]  # not whole: sums of 64 bits
    package.CORELSClassifier(max_literals=1, time_limit=None).fit(X[::9], some, weights)

def read_sources():
    "Parse the modules of the package once: each page with a stored table asks which code made it."
    study, _ = import_module('rulebook.io.study'), import_module('rulebook.io.cli')
    names = ['.'.join(path.relative_to(ROOT).with_suffix('').parts) for path in ROOT.glob('rulebook/**/*.py')]
    for path in study._with_imports(names).values(): study._bare(path.read_text(encoding='utf-8'))

def no_pixels():
    "Have figures laid out and not drawn: nobody compares pictures, and pixels are half of the work."
    tools = import_module('IPython.core.pylabtools')
    tools.print_figure = tools.retina_figure = laid_out

def laid_out(figure, *args, **options):
    "Do all for a figure that can fail; in place of its picture, nothing."
    if figure.axes or figure.lines: figure.draw_without_rendering()

def be_kernel(connection):
    "Take the place of the process that asks, and run a kernel to its end."
    message, files, *_ = socket.recv_fds(connection, 2**20, len(STANDARD))
    asked = json.loads(message)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    for given, own in zip(files, STANDARD):
        os.dup2(given, own)
        os.close(given)
    os.environ.clear()
    os.environ.update(asked['environment'])
    os.chdir(asked['folder'])
    connection.sendall(str(os.getpid()).encode())
    threading.Thread(target=end_with, args=(connection,), daemon=True).start()
    sys.argv = ['kernel', '-f', asked['file']]
    try:
        app = import_module('ipykernel.kernelapp').IPKernelApp.instance()
        app.initialize()
        read_once(app.kernel.shell)
        app.kernel.shell.ast_transformers.append(FromPackage(Path(ROOT, page_asked())))
        app.start()
    finally: os._exit(0)

def read_once(shell):
    "Have each cell read once: IPython asks twice for its lines without magic, and twice whether it awaits."
    shell.transform_cell = lru_cache(maxsize=1)(shell.transform_cell)
    shell.autoawait = False  # no page awaits anything

class FromPackage(ast.NodeTransformer):
    "Has the kernels and records that a page defines taken from its module, where they are the same."

    def __init__(self, page):
        cells = json.loads(page.read_text(encoding='utf-8'))['cells']
        named = EXPORTED.findall('\n'.join(''.join(cell['source']) for cell in cells))
        self.module = f'rulebook.{named[0]}' if named else ''
        path = ROOT / (self.module.replace('.', '/') + '.py')
        tree = ast.parse(path.read_text(encoding='utf-8') if named else '')
        self.known = {node.name: ast.dump(node) for node in tree.body if is_compiled(node)}

    def visit_Module(self, tree):
        "An import in place of each definition that the module has."
        tree.body = [self.taken(node) for node in tree.body]
        return ast.fix_missing_locations(tree)

    def taken(self, node):
        "The import, or the node as it is."
        if self.known.get(getattr(node, 'name', '')) != ast.dump(node): return node
        return ast.copy_location(ast.ImportFrom(self.module, [ast.alias(node.name)], 0), node)

def is_compiled(node):
    "Whether a node defines a kernel or a record."
    marks = [*getattr(node, 'decorator_list', ()), *getattr(node, 'bases', ())]
    return any(isinstance(part, ast.Name) and part.id in COMPILED
               for mark in marks for part in ast.walk(mark))

def end_with(connection):
    "End this process when the other end of a connection is closed; say first what the page took."
    with suppress(OSError): connection.recv(1)
    if 'RULEBOOK_SECONDS' in os.environ:
        with open(os.environ['RULEBOOK_SECONDS'], 'a', encoding='utf-8') as file:
            file.write(f'{page_asked()}\t{sum(os.times()[:4])}\n')  # of its processes too
    os._exit(1)

def page_asked():
    "Path of the page for which pytest starts a kernel."
    return os.environ['PYTEST_CURRENT_TEST'].partition('::')[0]

def ask(path, file):
    "Have a kernel forked, and last as long as it does."
    environment = {name: value for name, value in os.environ.items() if name != 'JPY_PARENT_PID'}
    asked = {'file': file, 'folder': os.getcwd(), 'environment': environment}
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as connection:
        connection.connect(path)
        socket.send_fds(connection, [json.dumps(asked).encode()], STANDARD)
        kernel = int(connection.recv(32))
        for name in (signal.SIGINT, signal.SIGTERM):
            signal.signal(name, lambda number, _: os.kill(kernel, number))
        connection.recv(1)  # empty, when the kernel has ended

@contextmanager
def forked_kernels(folder, environment):
    "Serve from a folder in which Jupyter looks for kernels; gives the options with which nbval asks."
    if sys.platform != 'linux':
        # two processes would compile each kernel twice, and matplotlib announces that it lists the fonts
        subprocess.run([sys.executable, '-c', 'import matplotlib.font_manager, rulebook; rulebook.warm_up()'],
                       env=environment, check=True, capture_output=True)
        yield ['--nbval-current-env']
        return
    path, place = Path(folder, 'socket'), Path(folder, 'kernels', NAME)
    place.mkdir(parents=True)
    command = [sys.executable, '-m', 'tools.kernels', 'ask', str(path), '{connection_file}']
    Path(place,
         'kernel.json').write_text(json.dumps({'argv': command, 'display_name': NAME, 'language': 'python'}))
    server = subprocess.Popen([*command[:3], 'serve', str(path)], cwd=ROOT, env=environment,
                              start_new_session=True)
    try:
        while not path.exists() and server.poll() is None: time.sleep(.05)
        yield ['--nbval-kernel-name', NAME]
    finally:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()


if __name__ == '__main__': {'serve': serve, 'ask': ask}[sys.argv[1]](*sys.argv[2:])
