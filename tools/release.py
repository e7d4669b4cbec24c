"""What a release carries, and what it was tried on.

    python -m tools.release files
        from settings.ini into data/release: constraints.txt (what the library needs, for each Python, with
        hashes), sbom.cdx.json (the bill of materials of an installation with these versions, CycloneDX) and
        constraints-dev.txt (what `make test` installs; versions that it names stay where they are allowed)
    python -m tools.release try [--lowest] [--pages=one,two] [PYTHON ...]
        the library in fresh environments (--lowest: with the lowest versions allowed), into versions.csv
    python -m tools.release checks [NAME ...]
        scikit-learn's checks of the estimators, into estimator-checks.csv; status 1 if a check fails

No setting of this machine's pip is read, so that no private index can get into the files.
"""
import configparser
import json
import os
import re
import shutil
import subprocess
import sys
import time
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from tools.runner import ROOT, renew

RELEASE = ROOT / 'data' / 'release'
CONSTRAINTS, BILL = RELEASE / 'constraints.txt', RELEASE / 'sbom.cdx.json'
DEV = RELEASE / 'constraints-dev.txt'
EXTRAS = ('sql', 'text', 'big', 'data', 'excel', 'widget')  # of the library itself, not of its makers
PAGES = ('balls/1_estimator', 'corels/01_estimator', 'ensembles/2_lire', 'ensembles/4_rulefit',
         'ssrl/1_estimator', 'turs/1_estimator', 'export/1_programs', 'io/1_datasets')
PAGE_TOOLS = ('nbval>=0.11', 'pytest>=8', 'ipykernel', 'hypothesis>=6.100', 'polars>=1.0')

HEAD = """\
# Made by `python -m tools.release files`: what rulebook needs at run time, for every Python that it
# supports. To install with nothing else than these files: pip install --require-hashes -r constraints.txt,
# then pip install --no-deps . in a clone
"""
DEV_HEAD = """\
# Made by `python -m tools.release files`: what `make test` installs. The saved outputs were made with
# these versions, on Python 3.11. To raise a version, delete its lines, make the file again, and execute the
# pages.
"""

def settings():
    "What settings.ini says."
    read = configparser.ConfigParser(delimiters=['='])
    read.read(ROOT / 'settings.ini', encoding='utf-8')
    return read['DEFAULT']

# ------------------------------------------------------------------ environments that are thrown away

def clean_environment(**variables):
    "The variables of this process without those that pip, uv or Python read, but for certificates."
    kept = {name: value for name, value in os.environ.items() if name == 'PIP_CERT'
            or not name.startswith(('PIP_', 'UV_', 'PYTHON', 'NUMBA_', 'RULEBOOK_'))}
    certificates = {'SSL_CERT_FILE': kept['PIP_CERT']} if 'PIP_CERT' in kept else {}
    return {**certificates, **kept, 'PIP_CONFIG_FILE': os.devnull, 'PIP_DISABLE_PIP_VERSION_CHECK': '1',
            'UV_NO_CONFIG': '1', **variables}

def run(*command, check=True, **options):
    "Run a command; its output, or an error that holds it."
    done = subprocess.run([str(part) for part in command], check=False, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, encoding='utf-8', errors='replace',
                          **{'env': clean_environment(), 'cwd': ROOT, **options})
    if check and done.returncode:
        called = ' '.join(map(str, command[:6]))
        raise RuntimeError(f'{called} ... ended with status {done.returncode}\n{done.stdout}')
    return done.stdout

def environment(folder, python=sys.executable, packages=(), options=()):
    "A new virtual environment with packages in it; the folder of its programs."
    run(python, '-m', 'venv', folder)
    programs = Path(folder) / ('Scripts' if os.name == 'nt' else 'bin')
    if packages: run(programs / 'python', '-m', 'pip', 'install', '--quiet', *options, *packages)
    return programs

# ------------------------------------------------------------------ the files of a release

def compiled(folder, requirements, *options):
    "The lines of `uv pip compile`: all that the requirements draw in, at one version for each Python."
    wanted, place = Path(folder, 'requirements.in'), Path(folder, 'uv')
    wanted.write_text('\n'.join(requirements), encoding='utf-8')
    programs = place / ('Scripts' if os.name == 'nt' else 'bin')
    if not place.exists(): environment(place, packages=('uv',))
    return run(programs / 'uv', 'pip', 'compile', '--quiet', '--no-annotate', '--no-header',
               '--python-version', settings()['min_python'], '--default-index', 'https://pypi.org/simple',
               *options, wanted)

def write_constraints(folder):
    "Write data/release/constraints.txt."
    lines = compiled(folder, settings()['requirements'].split(), '--universal', '--generate-hashes')
    CONSTRAINTS.write_text(HEAD + lines, encoding='utf-8')

def write_pins(folder):
    "Write data/release/constraints-dev.txt."
    needs = [*settings()['requirements'].split(), *settings()['dev_requirements'].split()]
    compiled(folder, needs, '--universal', '--output-file', DEV)
    DEV.write_text(DEV_HEAD + DEV.read_text(encoding='utf-8'), encoding='utf-8')

def own_component():
    "The library itself, as the bill of materials names it."
    ini = settings()
    return {'type': 'library', 'bom-ref': 'root', 'name': ini['lib_name'], 'version': ini['version'],
            'description': ini['description'], 'licenses': [{'license': {'id': ini['license']}}],
            'purl': f"pkg:pypi/{ini['lib_name']}@{ini['version']}",
            'externalReferences': [{'type': 'vcs', 'url': ini['git_url']}]}

def write_bill(folder):
    "Write data/release/sbom.cdx.json, from an environment with exactly the constraints, hashes checked."
    installed = environment(Path(folder, 'installed'), packages=('--requirement', CONSTRAINTS),
                            options=('--require-hashes',))
    run(installed / 'python', '-m', 'pip', 'uninstall', '--quiet', '--yes', 'pip', 'setuptools')
    maker = environment(Path(folder, 'maker'), packages=('cyclonedx-bom',))
    bill = json.loads(run(maker / 'cyclonedx-py', 'environment', '--output-reproducible', '--spec-version',
                          '1.6', '--output-format', 'JSON', installed / 'python'))
    direct = {name.lower() for name in names(settings()['requirements'])}
    needed = sorted(part['bom-ref'] for part in bill['components'] if part['name'].lower() in direct)
    bill['metadata']['component'] = own_component()
    bill['dependencies'] = [*bill['dependencies'], {'ref': 'root', 'dependsOn': needed}]
    for part in bill['components']:  # where it was installed, with its properties, says nothing here
        part.pop('properties', None)
    text = json.dumps(bill, indent=1, ensure_ascii=False, sort_keys=True)
    BILL.write_text(text + '\n', encoding='utf-8')

def files():
    "Write the files again."
    RELEASE.mkdir(exist_ok=True)
    with TemporaryDirectory(prefix='rulebook-release-') as folder:
        for write in (write_constraints, write_bill, write_pins): write(folder)
    counts = f'{len(pins())} versions pinned, {len(bill_parts())} components in the bill'
    print(*disagreements() or [counts], sep='\n')

# ------------------------------------------------------------------ whether the files agree with settings.ini

class Pin(NamedTuple):
    "One line of the constraints."
    name: str     # of the package
    version: str  # the one that is allowed
    marker: str   # where the line holds: an environment marker, '' for everywhere
    hashes: int   # number of files with these contents that may be installed

def names(requirements):
    "The names in a list of requirements."
    return [re.match(r'[\w.-]+', part)[0] for part in requirements.split()]

def pins(path=CONSTRAINTS):
    "The lines of the constraints."
    text = re.sub(r'^#.*\n', '', Path(path).read_text(encoding='utf-8'), flags=re.MULTILINE)
    found = []
    for line in filter(str.strip, text.replace('\\\n', ' ').splitlines()):
        parts = re.match(r'([\w.-]+)==([\w.!+-]+)\s*(?:;\s*(.*?))?\s*(?=--hash|$)', line)
        found.append(Pin(parts[1], parts[2], parts[3] or '', line.count('--hash=sha256:')))
    return found

def bill_parts(path=BILL):
    "The components of the bill of materials: name to version."
    found = json.loads(Path(path).read_text(encoding='utf-8'))['components']
    return {part['name'].lower(): part['version'] for part in found}

def disagreements(pinned=None, parts=None, requirements=None):
    "What does not agree between settings.ini, the constraints and the bill; an empty list if all does."
    from packaging.requirements import Requirement  # comes with matplotlib, and only this needs it

    pinned, parts = pins() if pinned is None else pinned, bill_parts() if parts is None else parts
    found = [f'{pin.name} {pin.version} has no hash' for pin in pinned if not pin.hashes]
    for need in map(Requirement, (requirements or settings()['requirements']).split()):
        versions = [pin.version for pin in pinned if pin.name == need.name]
        if not versions: found.append(f'{need.name} is not pinned')
        found += [f'{need.name} is pinned at {version}, settings.ini says {need}' for version in versions
                  if version not in need.specifier]
        if parts.get(need.name) not in versions:
            found.append(f'the bill has {need.name} {parts.get(need.name)}, which is not pinned')
    known = {(pin.name.lower(), pin.version) for pin in pinned}
    found += [f'the bill has {name} {version}, which is not pinned' for name, version in parts.items()
              if (name, version) not in known]
    return list(dict.fromkeys(found))

# ------------------------------------------------------------------ trying versions

class Trial(NamedTuple):
    "One row of data/results/versions.csv."
    python: str    # its version
    versions: str  # 'newest' or 'lowest' that settings.ini allows
    what: str      # was tried: 'packages', 'imports', 'demo', or a page
    outcome: str   # the versions that were installed; how many names or cells, and what failed

IMPORTS = """
import importlib, pkgutil, warnings
import rulebook
warnings.simplefilter("ignore", DeprecationWarning)
modules = [found.name for found in pkgutil.walk_packages(rulebook.__path__, "rulebook.")
           if "_modidx" not in found.name]
for name in modules: importlib.import_module(name)
public = [name for name in rulebook.__all__ if getattr(rulebook, name) is not None]
print(len(modules) + len(public))
"""

def page_outcomes(programs, folder, pages):
    "Run pages with the installed library: the name of each, and how many cells ran and failed."
    tree = Path(folder, 'tree')
    shutil.rmtree(tree / 'rulebook')  # the installed one is tried; pages look for stored results beside it
    place = run(programs / 'python', '-c', 'import rulebook; print(rulebook.__path__[0])', cwd=folder)
    shutil.copytree(tree / 'data' / 'results', Path(place.strip()).parent / 'data' / 'results')
    env = clean_environment(PYTHONPATH=str(tree), PYTHONHASHSEED='0', OMP_NUM_THREADS='1',
                            NUMBA_NUM_THREADS='1', NUMBA_CACHE_DIR=str(Path(folder, 'kernels')),
                            MPLCONFIGDIR=str(Path(folder, 'matplotlib')))
    for page in pages:
        said = run(programs / 'python', '-m', 'pytest', '-q', '--color=no', '-p', 'no:cacheprovider',
                   '--nbval-lax', '--nbval-current-env', '--nbval-cell-timeout', '1800', f'nbs/{page}.ipynb',
                   cwd=tree, env=env, check=False)
        found = re.findall(r'(\d+) (passed|failed|error)', said.splitlines()[-1])
        counts = {word: int(number) for number, word in found}
        bad = counts.get('failed', 0) + counts.get('error', 0)
        if bad or not counts: print(re.sub(r'\x1b\[[0-9;]*m', '', said)[-8000:], flush=True)
        yield page, f'{sum(counts.values())} cells, {bad} failed'

def outcomes(programs, folder, pages):
    "What was tried in an environment, and what came of it."
    installed = json.loads(run(programs / 'python', '-m', 'pip', 'list', '--format', 'json'))
    versions = {entry['name'].lower(): entry['version'] for entry in installed}
    yield 'packages', ', '.join(f'{name} {versions[name]}' for name in names(settings()['requirements']))
    count = int(run(programs / 'python', '-c', IMPORTS, cwd=folder).split()[-1])
    yield 'imports', f'{count} modules and names, 0 failed'
    try: yield 'demo', f"{len(run(programs / 'rulebook', 'demo', cwd=folder).splitlines())} lines, 0 failed"
    except RuntimeError as problem: yield 'demo', f'failed: {str(problem).splitlines()[-1]}'
    yield from page_outcomes(programs, folder, pages)

def try_python(python, lowest=False, pages=PAGES):
    "Install the library for one interpreter and try it; yields each `Trial` when it is done."
    clutter = shutil.ignore_patterns('.*', '__pycache__', '_docs', '_proc', 'build', 'dist', '*.egg-info')
    with TemporaryDirectory(prefix='rulebook-try-', ignore_cleanup_errors=True) as folder:
        tree, options = shutil.copytree(ROOT, Path(folder, 'tree'), ignore=clutter), ()
        if lowest:
            keys = ('requirements', *(f'{extra}_requirements' for extra in EXTRAS))
            needs = [need for key in keys for need in settings()[key].split()]
            lines = compiled(folder, needs, '--resolution', 'lowest-direct', '--only-binary', ':all:')
            Path(folder, 'lowest.txt').write_text(lines, encoding='utf-8')
            options = ('--constraint', Path(folder, 'lowest.txt'))
        packages = (f"{tree}[{','.join(EXTRAS)}]", *(PAGE_TOOLS if pages else ()))
        programs = environment(Path(folder, 'env'), python, packages, options)
        version = run(programs / 'python', '-c', 'import platform; print(platform.python_version())')
        for what, outcome in outcomes(programs, folder, pages):
            yield Trial(version.strip(), 'lowest' if lowest else 'newest', what, outcome)

def try_all(arguments):
    "Try every interpreter that is named, the one that runs this without a name."
    pythons = [part for part in arguments if not part.startswith('--')] or [sys.executable]
    named = [part.removeprefix('--pages=') for part in arguments if part.startswith('--pages=')]
    pages = PAGES if not named else tuple(filter(None, named[-1].split(',')))
    for python in pythons:
        for trial in try_python(python, '--lowest' in arguments, pages):
            renew('versions', [trial._asdict()], ['python', 'versions', 'what'])
            print(*trial, flush=True)

# ------------------------------------------------------------------ scikit-learn's checks

class Checked(NamedTuple):
    "One row of data/results/estimator-checks.csv."
    estimator: str   # its class
    checks: int      # that were made, those that scikit-learn skips left out
    failed: str      # names of the checks that failed; 'none'
    seconds: float   # of the processor, compiled code warm
    longest: str     # the check that took longest, with its seconds

def check_one(name):
    "scikit-learn's checks of one estimator as constructed by default; a `Checked`."
    from sklearn.utils.estimator_checks import check_estimator  # needed by this command only

    from rulebook.register import ESTIMATORS

    marks, seconds, failed = [time.process_time()], [], []

    def note(check_name, status, exception, **_):
        marks.append(time.process_time())
        if status != 'skipped': seconds.append((marks[-1] - marks[-2], check_name))
        if exception and status != 'skipped':
            failed.append(check_name)
            print(f'{name}: {check_name}: {type(exception).__name__}: {exception}', flush=True)

    warnings.simplefilter('ignore')
    estimator = next(line for line in ESTIMATORS if line.name == name).load()()
    check_estimator(estimator, on_skip=None, on_fail=None, callback=note)
    most, longest = max(seconds)
    return Checked(name, len(seconds), ', '.join(failed) or 'none', round(sum(one for one, _ in seconds), 1),
                   f'{longest} {most:.1f}')

def check_all(chosen):
    "Check estimators of the register, all without names; whether all pass."
    from rulebook.register import ESTIMATORS

    rows = []
    for name in chosen or [line.name for line in ESTIMATORS]:
        rows.append(check_one(name))
        renew('estimator-checks', [rows[-1]._asdict()], ['estimator'])
        print(rows[-1], flush=True)
    return all(row.failed == 'none' for row in rows)

def main(arguments):
    "Do what the first argument says."
    work = {'files': lambda _: files(), 'try': try_all, 'checks': check_all}
    if not arguments or arguments[0] not in work: sys.exit(__doc__)
    return 1 if work[arguments[0]](arguments[1:]) is False else 0


if __name__ == '__main__': sys.exit(main(sys.argv[1:]))
