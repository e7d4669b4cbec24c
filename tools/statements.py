"""Definitions, lemmas, theorems: as a notebook writes them, and as the site numbers and frames them.

A statement is a heading and what stands below it; a reference is a link whose words are kind and number:

    #### **Theorem 2.** The first match wins (Rivest 1987, Theorem 1) <a id="thm-first-match"></a>

    By [Theorem 1](#thm-prices) ...

`python -m tools.statements` writes the numbers: each kind is counted on its page; tools/pages.py checks them.
On the site the place of the page in the sidebar stands before a number: Theorem 5.7.2 is the second theorem
on the seventh page of the fifth chapter. So no two have one number, and a notebook need not know its place.
"""
import json
import os
import re
from collections import Counter
from functools import cache
from pathlib import Path

import yaml

NBS = Path(__file__).resolve().parent.parent / 'nbs'
KINDS = {'thm': 'Theorem', 'lem': 'Lemma', 'prp': 'Proposition', 'cor': 'Corollary', 'def': 'Definition'}
_KIND, _LABEL = '|'.join(KINDS.values()), f"(?:{'|'.join(KINDS)})-[\\w-]*\\w"
HEAD = re.compile(rf'^#{{3,4}} \*\*(?P<kind>{_KIND}) (?P<number>\d+)\.\*\* (?P<name>.*) '
                  rf'<a id="(?P<label>{_LABEL})"></a>$', re.MULTILINE)
END = re.compile(r'^(?:\*+Proof|#{2,4} )|\Z', re.MULTILINE)
LINK = re.compile(rf'\[(?P<words>(?:{_KIND}) \d+)\]\((?P<page>[\w./-]*)#(?P<label>{_LABEL})\)')

def as_blocks(text):
    "A text with its statements as the blocks that Quarto knows."
    found = HEAD.search(text)
    if not found: return text
    end = END.search(text, found.end()).start()
    block = f"::: {{#{found['label']}}}\n## {found['name']}\n{text[found.end():end].strip()}\n:::\n\n"
    return text[:found.start()] + block + as_blocks(text[end:])

# a block of raw HTML: Quarto would number what it takes for a statement anew on each page
FRAME = """````{{=html}}
<div class="theorem" id="{label}">
````

[**{kind} {number}.** {name}]{{.theorem-title}}

{text}

````{{=html}}
</div>
````

"""

def as_divs(text, page):
    "A text of a page (its path below nbs/) with statements and links to them as the site has them."
    def link(found):
        beside = os.path.join(os.path.dirname(page), found['page']) if found['page'] else page
        words = in_book(found['words'], os.path.normpath(beside))
        # of other pages Quarto would show the beginning
        preview = '' if found['page'] else '{.quarto-xref}'
        return found[0].replace(found['words'], words, 1) + preview

    def divs(text):
        found = HEAD.search(text)
        if not found: return text
        end = END.search(text, found.end()).start()
        block = FRAME.format(**found.groupdict() | {'number': in_book(found['number'], page)},
                             text=text[found.end():end].strip())
        return text[:found.start()] + block + divs(text[end:])

    # but for lines of code
    lines = (line if line.startswith('    ') else LINK.sub(link, line) for line in text.splitlines(True))
    return divs(''.join(lines))

def in_book(words, page):
    "A number on a page, perhaps with a word before it, as it is in the whole book."
    place = places().get(page)
    return re.sub(r'(?=\d+$)', f'{place}.', words) if place else words

@cache
def places():
    """The place of each page in the sidebar of _quarto.yml, by its path below nbs/: chapter, and page in it.
    The front page, which stands first, has none; a chapter of one page has no second number."""
    def pages_of(entry):
        if isinstance(entry, str): return [entry]
        below = [page for part in entry.get('contents', ()) for page in pages_of(part)]
        return [entry['href'], *below]

    website = yaml.safe_load((NBS.parent / '_quarto.yml').read_text(encoding='utf-8'))['website']
    found = {}
    for chapter, entry in enumerate(website['sidebar']['contents'][1:], 1):
        pages = pages_of(entry)
        for number, page in enumerate(pages, 1):
            found[page.removeprefix('nbs/')] = f'{chapter}.{number}' if len(pages) > 1 else str(chapter)
    return found

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
