"""The words of the book with their meanings, which the site shows where a page first uses one.

The meanings stand in two tables of the book, whose first columns are the words: of rules and lists on
nbs/model/1_rules.ipynb, of certificates on nbs/proof/4_certificate.ipynb.
"""
import json
import re
from functools import cache
from html import escape
from pathlib import Path

NBS = Path(__file__).resolve().parent.parent / 'nbs'
TABLES = {'model/1_rules.ipynb': '| word | here |', 'proof/4_certificate.ipynb': '| word | means |'}
# what is no running text: code, formulas, links and pictures, tags; headings, tables and marks of blocks
PROTECTED = re.compile(
    r'```.*?```|`[^`\n]*`|\$\$.*?\$\$|\$[^$\n]*\$|!?\[[^\]]*\]\([^)]*\)|<[^>]*>|^(?:#|\||:::|@|---).*?$',
    re.DOTALL | re.MULTILINE)

# running text says these of other things too
OTHERWISE = {'rule', 'condition', 'confidence', 'gap', 'optimal', 'stopped', 'heuristic', 'not proved'}

def plain(text):
    "A cell of a table without its marks."
    return re.sub(r'[`*]', '', re.sub(r'\[([^\]]*)\]\([^)]*\)', r'\1', text)).strip()

@cache
def meanings():
    "Words in lower case, and what they mean."
    found = {}
    for page, header in TABLES.items():
        cells = json.loads((NBS / page).read_text(encoding='utf-8'))['cells']
        text = next(''.join(cell['source']) for cell in cells if header in ''.join(cell['source']))
        lines = text[text.index(header):].split('\n\n')[0].splitlines()[2:]
        for line in lines:
            words, meaning = re.split(r'(?<!\\)\|', line)[1:3]
            # one line may have several words
            for word in plain(words).split(', '):
                found[word.lower()] = plain(meaning)
    return {word: found[word] for word in found.keys() - OTHERWISE if re.fullmatch(r'[a-z -]+', word)}

@cache
def pattern():
    "Any of the words, in singular or plural; longer ones first."
    words = sorted(meanings(), key=len, reverse=True)
    return re.compile(rf'\b({"|".join(map(re.escape, words))})(s?)\b', re.IGNORECASE)

def with_meanings(source, seen):
    "Markdown whose words have their meaning as a title where they stand first; `seen` are those before it."
    def explained(found):
        word = found[1].lower()
        if word in seen: return found[0]
        seen.add(word)
        return f'<abbr title="{escape(meanings()[word], quote=True)}">{found[0]}</abbr>'

    parts, at = [], 0
    for kept in PROTECTED.finditer(source):
        parts += [pattern().sub(explained, source[at:kept.start()]), kept[0]]
        at = kept.end()
    return ''.join([*parts, pattern().sub(explained, source[at:])])
