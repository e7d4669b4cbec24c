"""Definitions, lemmas, theorems: as a notebook writes them, and as Quarto numbers and frames them.

A statement is a heading and what stands below it; a reference is a link whose words are kind and number:

    #### **Theorem 2.** The first match wins (Rivest 1987, Theorem 1) <a id="thm-first-match"></a>

    By [Theorem 1](#thm-prices) ...

`python -m tools.statements` writes the numbers: each kind is counted on its page; tools/pages.py checks them.
"""
import json
import re
from collections import Counter
from functools import cache
from pathlib import Path

NBS = Path(__file__).resolve().parent.parent / 'nbs'
KINDS = {'thm': 'Theorem', 'lem': 'Lemma', 'prp': 'Proposition', 'cor': 'Corollary', 'def': 'Definition'}
_KIND, _LABEL = '|'.join(KINDS.values()), f"(?:{'|'.join(KINDS)})-[\\w-]*\\w"
HEAD = re.compile(rf'^#{{3,4}} \*\*(?P<kind>{_KIND}) (?P<number>\d+)\.\*\* (?P<name>.*) '
                  rf'<a id="(?P<label>{_LABEL})"></a>$', re.MULTILINE)
END = re.compile(r'^(?:\*+Proof|#{2,4} )|\Z', re.MULTILINE)
LINK = re.compile(rf'\[(?:{_KIND}) \d+\]\((?P<page>[\w./-]*)#(?P<label>{_LABEL})\)')

def as_blocks(text):
    "A text with its statements as the blocks that Quarto knows."
    found = HEAD.search(text)
    if not found: return text
    end = END.search(text, found.end()).start()
    block = f"::: {{#{found['label']}}}\n## {found['name']}\n{text[found.end():end].strip()}\n:::\n\n"
    return text[:found.start()] + block + as_blocks(text[end:])

@cache  # every text of a page, and every link to it, asks for them
def numbers(path):
    "Kind and number of each statement of a notebook, by its label."
    counts, found = Counter(), {}
    for cell in cells_of(path):
        for head in HEAD.finditer(''.join(cell['source'])):
            counts[head['kind']] += 1
            found[head['label']] = f"{head['kind']} {counts[head['kind']]}"
    return found

def cells_of(path):
    "The cells of Markdown of a notebook."
    return [cell for cell in json.loads(path.read_text(encoding='utf-8'))['cells']
            if cell['cell_type'] == 'markdown']

def numbered(text, path):
    "A text of a notebook with its statements, and links to statements, as they are numbered."
    def head(found): return found[0].replace(f"{found['kind']} {found['number']}", own[found['label']], 1)

    def link(found):
        page = (path.parent / found['page']).resolve() if found['page'] else path
        known = numbers(page) if page.suffix == '.ipynb' and page.exists() else {}
        words = known.get(found['label'])
        return re.sub(r'\[.*?\]', f'[{words}]', found[0], count=1) if words else found[0]

    own = numbers(path)
    return LINK.sub(link, HEAD.sub(head, text))

def main():
    "Number the statements of the book, and the links to them."
    for path in sorted(NBS.rglob('*.ipynb')):
        whole = json.loads(path.read_text(encoding='utf-8'))
        for cell in whole['cells']:
            if cell['cell_type'] == 'markdown':
                cell['source'] = numbered(''.join(cell['source']), path).splitlines(keepends=True)
        text = json.dumps(whole, indent=1, ensure_ascii=False) + '\n'
        if text != path.read_text(encoding='utf-8'):
            path.write_text(text, encoding='utf-8')
            print(path.relative_to(NBS.parent))


if __name__ == '__main__': main()
