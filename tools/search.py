"""The search index of the site: what Quarto's search (Fuse) looks through, and what it must find first.

Quarto's own index has a line for each section, so that a heading among the proofs beats the guide that
answers.  This one has a line for each section of the pages for users, one alone for a page of the background,
one for each parameter and method of the package, and an index of words as books have it (WORDS).
"""
import inspect
import json
import re
from collections import defaultdict
from pathlib import Path

from tools.names import everything, function_of, methods_of, page_of, place_of, real_pages, summary

ROOT = Path(__file__).resolve().parent.parent
FOLDED = re.compile(r'<details class="code-fold".*?</details>', re.DOTALL)
# tags that divide nothing here: their text stays, and the tree of the others is made in a fifth of the time
INNER = re.compile(r'</?(?!(?:section|details|header|div|h1|h2|script|style|main)\b)[a-z][\w-]*'
                   r'(?:\s(?:[^<>"\']|"[^"]*"|\'[^\']*\')*)?/?>')
# pages that say how something is proved, measured or written
BACKGROUND = re.compile(
    r'nbs/(corels/(0[2-9]|1[23])|\w+/\d_(search|results|forest|lire_search|population|code_length|cover)|ground|'
    r'table|lists|appendix|literals/3|proof/[13]|contributing|statements|replication)|CHANGELOG')
DULL = {'Source', 'Imports', 'Checks', 'Limits and errors', 'Limits', 'Errors', 'Trials', 'References'}
WORDS = {  # what people type, and where the book speaks of it in other words
    'proof': 'show/4_check', 'verify': 'show/4_check', 'credit': 'guides/mixed_data#categories-in-an-order',
    'positive class': 'guides/few_positives', 'rare outcome': 'guides/few_positives',
    'imbalanced': 'guides/few_positives', 'cost-sensitive': 'corels/11_path#what-a-wrong-answer-costs',
    'probabilities': 'show/2_metrics#can-the-probabilities-be-believed',
    'calibration': 'show/2_metrics#can-the-probabilities-be-believed',
    'Rashomon set': 'corels/11_path#near-optimal-lists', 'regression': 'ensembles/2_lire#lireregressor',
    'large tables': 'io/2_engines', 'big data': 'io/2_engines', 'medicine': 'guides/clinical_rule',
    'sensitivity': 'guides/clinical_rule', 'bias': 'guides/fairness', 'command line': 'io/4_cli',
    'notebook': 'index#a-book-that-runs', 'interpretable': 'index',
    'save a model': 'guides/first_model#keeping-it',
    'decision tree': 'guides/which_model#compare-with-a-pruned-tree', 'categorical': 'guides/mixed_data',
    'overfitting': 'fit/3_penalty', 'penalty': 'fit/3_penalty',
    'weights': 'fit/1_estimator#labels-and-weights',
    'groups': 'guides/fairness', 'feature importance': 'show/1_plot#what-the-rules-of-a-sum-weigh',
    'hyperparameters': 'fit/3_penalty', 'scikit-learn': 'guides/other_tools'}
SEARCHES = {  # what people type, and the pages of which one must come first
    'CORELSClassifier': 'corels/01_estimator', 'LIREClassifier': 'ensembles/2_lire',
    'export sql': 'export/1_programs', 'to_onnx': 'export/3_standards', 'model card': 'show/7_card',
    'missing values': 'guides/mixed_data', 'dates': 'guides/mixed_data', 'large tables': 'io/2_engines',
    'recall': 'guides/few_positives', 'class_weight': 'guides/few_positives|corels/01_estimator',
    'positive class': 'guides/few_positives', 'sensitivity': 'guides/clinical_rule',
    'credit': 'guides/mixed_data', 'fairness': 'guides/fairness', 'proof': 'show/4_check', 'install': 'index',
    'time_limit': 'corels/01_estimator|proof/4_certificate',
    'monotonic': 'corels/01_estimator|ssrl/1_estimator',
    'near-optimal': 'corels/11_path', 'cross-validation': 'fit/3_penalty'}
ENOUGH = 19  # of them
WEIGHTS = {'title': .4, 'section': .4, 'text': .2}  # of Quarto's search, as shares

# ------------------------------------------------------------------ the index

def search_entries(folder):
    "What is searched of a site: sections, names of the package, words."
    paths = {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob('*.html'))
             if not is_unsearched(path.relative_to(folder))}
    pages = {href: list(index_entries(path, href)) for href, path in paths.items()}
    titles = {href: entries[0]['title'] for href, entries in pages.items() if entries}
    return [*(entry for entries in pages.values() for entry in entries), *name_entries(titles),
            *word_entries(titles)]

def write_index(folder):
    "Write search.json of a site as Quarto does."
    entries = search_entries(folder)
    (folder / 'search.json').write_text(json.dumps(entries), encoding='utf-8')
    print(f'{len(entries)} lines in {folder.name}/search.json')

def index_entries(path, href):
    """One entry for each section of level two of a page for users; one for the rest of it, and for a page of
    the background."""
    from bs4 import BeautifulSoup  # slow to import

    html = path.read_text(encoding='utf-8')
    # folded code is most of a page, and would take most of the time
    html = INNER.sub('', FOLDED.sub('', html[html.find('<main'):html.find('</main>')]))
    main = BeautifulSoup(html, 'html.parser')
    title = main.select_one('h1.title')
    if title is None: return
    title = words_of(title)
    for hidden in main.select('details.code-fold, header, .page-links'): hidden.extract()
    sections = [] if BACKGROUND.match(href) else main.select('section.level2')
    for section in sections:
        head = words_of(section.find('h2'))
        if head in DULL: continue
        section.find('h2').extract()
        yield {'href': f"{href}#{section['id']}", 'title': title, 'section': head,
               'text': section.extract().get_text().strip()}
    yield {'href': href, 'title': title, 'section': '', 'text': main.get_text().strip()}

def words_of(tag):
    "The text of a tag on one line."
    return ' '.join(tag.get_text().split())

def name_entries(titles):
    "One entry for each parameter of an estimator, and for each method, where it is described first."
    import rulebook  # slow, and only for building
    from rulebook.register import ESTIMATORS

    everything()
    owners, places = defaultdict(list), {}
    for cls in (line.load() for line in ESTIMATORS):
        for name in cls._get_param_names():
            owners[name].append(cls.__name__)
            places.setdefault(name, (page_of(cls), f'Parameter of OWNERS: {described(cls, name)}'))
    for cls in (getattr(rulebook, name) for name in rulebook.__all__):
        for name, owner in methods_of(cls) if inspect.isclass(cls) else ():
            owners[name].append(cls.__name__)
            places.setdefault(name, (place_of(owner, name), f'{summary(function_of(owner, name))} (OWNERS)'))
    for name, (place, text) in places.items():
        page, _, anchor = (place or '').partition('#')
        if page in real_pages():
            href = f"nbs/{real_pages()[page].with_suffix('.html').as_posix()}"
            if href in titles and not BACKGROUND.match(href):
                yield {'href': f'{href}#{anchor}', 'title': titles[href], 'section': name,
                       'text': text.replace('OWNERS', ', '.join(dict.fromkeys(owners[name])))}

def described(cls, name):
    "What the docstring of a class says of a parameter, in one line."
    lines = re.search(rf'^{name}(?:, \w+)* : .*\n((?:    .*\n?)+)', inspect.getdoc(cls), re.MULTILINE)
    return ' '.join(lines[1].split()) if lines else ''

def word_entries(titles):
    "One entry for each word of the index."
    for word, place in WORDS.items():
        page, _, anchor = place.partition('#')
        href = f'nbs/{page}.html'
        if href in titles:
            yield {'href': f'{href}#{anchor}'.rstrip('#'), 'title': titles[href], 'section': word, 'text': ''}

def is_unsearched(page):
    "Whether a page is left out of the index, by the metadata of its folder or its own."
    own, folder = (ROOT / page).with_suffix('.md'), ROOT / page.parent / '_metadata.yml'
    return any(file.exists() and re.search(r'^search: false', file.read_text(encoding='utf-8'), re.MULTILINE)
               for file in (own, folder))

# ------------------------------------------------------------------ what it finds

def relevance(entry, words):
    """How far up Quarto's search (Fuse) puts an entry that has the words as they are: each part that has them
    counts the more, the shorter it is."""
    parts = {part: entry[part] for part in WEIGHTS if words.lower() in entry[part].lower()}
    return sum(WEIGHTS[part] / len(text.split()) ** .5 for part, text in parts.items())

def first_hit(entries, words):
    "The page that a search finds first."
    return max(entries, key=lambda entry: relevance(entry, words))['href']

def search_problems(entries, anchors):
    """Searches whose first answer is another page than one that is meant, if there are more than one of them;
    words that lead nowhere. `anchors` are those of each page."""
    found = {words: first_hit(entries, words) for words in SEARCHES}
    wrong = [f'a search for {words!r} finds {found[words]} before {page}' for words, page in SEARCHES.items()
             if not re.match(rf'nbs/({page})\.html', found[words])]
    if len(SEARCHES) - len(wrong) < ENOUGH: yield from wrong
    for word, place in WORDS.items():
        page, _, anchor = place.partition('#')
        if anchor not in {'', *anchors.get(f'nbs/{page}.html', ())} or f'nbs/{page}.html' not in anchors:
            yield f'tools/search.py: {word!r} leads to {place}, which does not exist'
