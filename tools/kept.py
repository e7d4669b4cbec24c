"""What the filter made of pages, kept by a hash of the page and of all that the filter reads.

Quarto starts the filter anew for each page, more than once, and each start would import the whole package.
`python -m tools.pages filter` fills the folder in one process; here stands what finds a page again, with
nothing but the standard library.
"""
import hashlib
import json
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KEPT = ROOT / '_proc'

def read_by_filter():
    "Files beside the page that decide what the filter makes of it."
    for pattern in ('tools/doc_filter.py', 'tools/names.py', 'tools/statements.py', 'tools/kept.py',
                    'rulebook/**/*.py', 'settings.ini', '_quarto.yml', 'nbs/guides/*.ipynb'):
        yield from sorted(ROOT.glob(pattern))

def place_of(text, folder):
    "Where the filtered notebook is kept; `folder` is that of the notebook, in which the filter runs."
    known = hashlib.sha256()
    for path in read_by_filter():
        known.update(f'{path.relative_to(ROOT)}\n'.encode() + path.read_bytes())
    pages = sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob('nbs/**/*.ipynb'))
    # as it is read, not as it is written: Quarto may lay JSON out in another way
    whole = json.dumps([json.loads(text), pages, folder.relative_to(ROOT).as_posix()], sort_keys=True)
    known.update(whole.encode())
    return KEPT / f'{known.hexdigest()}.json'

def filtered(text, folder):
    "The filtered notebook: as it was kept, else made and kept."
    place = place_of(text, folder)
    if not place.exists():
        from tools.doc_filter import convert  # seconds

        made = convert(text)
        KEPT.mkdir(exist_ok=True)
        part = place.with_suffix('.part')
        part.write_text(made, encoding='utf-8')
        part.replace(place)  # whole, or not there
    return place.read_text(encoding='utf-8')
