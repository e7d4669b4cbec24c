"""Turn a notebook of this book into the notebook that Quarto renders: JSON in, JSON out.

Quarto runs this in the notebook's folder (see `ipynb-filters` in _quarto.yml).  nbdev's own
processors do the work: hidden cells go, every exported function gets its signature and its
docstring, names in backticks become links.  Four things differ from nbdev's default:

* exported code stays on the page, since a reader of this book wants to see the kernels; it is
  folded where a signature and a docstring already stand for it;
* docstrings keep all their sections (parameters, returns, raises);
* the first cell gives the page its title and subtitle, and whatever else it says stays;
* pages keep the names of their notebooks (corels/1_estimator.html), so links that nbdev writes
  to corels/estimator.html on the public site become relative links to the page as it is.
"""
import inspect
import json
import os
import re
import sys
from contextlib import redirect_stdout
from pathlib import Path

os.environ["IN_TEST"] = "1"  # an export called from a notebook must not write files now

import nbdev.showdoc  # noqa: E402
import yaml  # noqa: E402
from execnb.nbio import dict2nb, mk_cell, nb2dict  # noqa: E402
from nbdev.config import get_config  # noqa: E402
from nbdev.doclinks import NbdevLookup, _nbpath2html  # noqa: E402
from nbdev.frontmatter import FrontmatterProc  # noqa: E402
from nbdev.process import Processor  # noqa: E402
from nbdev.processors import FilterDefaults, _def_names, add_fold, insert_warning  # noqa: E402

BOOK = Path(__file__).resolve().parent
TITLE = re.compile(r"# (?P<title>.+)\n+> (?P<subtitle>.+)\n*")
EXPORT = re.compile(r"^#\|\s*export\s*$", re.MULTILINE)
SECTION = re.compile(r"^([A-Z][A-Za-z ]+)\n-{3,} *\n", re.MULTILINE)  # of a numpy-style docstring
ENTRY = re.compile(r"^(\S.*)\n?((?:^(?:[ \t]+.*)?\n?)*)", re.MULTILINE)  # in a section: a line, then indented ones
HIDE = re.compile(r"^#\|\s*hide\s*$", re.MULTILINE)


class TitleBlock(Processor):
    """Make the page's title block from the first cell: `# Title`, `> one sentence`."""

    def begin(self):
        self.nb.frontmatter_ = {}

    def cell(self, cell):
        if self.nb.frontmatter_ or cell.cell_type != "markdown":
            return
        found = TITLE.match(cell.source)
        if found:
            self.nb.frontmatter_ = found.groupdict()
            cell.source = cell.source[found.end():]

    def end(self):
        if self.nb.frontmatter_:
            block = yaml.dump(self.nb.frontmatter_, allow_unicode=True)
            self.nb.cells.insert(0, mk_cell(f"---\n{block}---\n", "raw"))


def fold_documented(cell):
    """Show exported code, folded if it defines a public name."""
    if cell.cell_type == "code" and "exports" in cell.directives_:
        state = "true" if _def_names(cell, ()) else "show"
        cell.source = f'#| code-fold: {state}\n#| code-summary: "Source"\n{cell.source}'


class Documentation(nbdev.showdoc.BasicMarkdownRenderer):
    """A public name on its page: heading, link to the source, signature, docstring."""

    def _repr_markdown_(self):
        source = NbdevLookup().code(self.fn)
        link = f'[source]({source}){{target="_blank" style="float:right; font-size:smaller"}}\n\n' if source else ""
        return f"---\n\n{link}### {self.nm}\n\n{self._call()}\n\n{docstring_markdown(inspect.getdoc(self.sym) or '')}"

    def _call(self):
        if self.sig is None:
            return ""
        parameters = [p.replace(annotation=p.empty) for name, p in self.sig.parameters.items() if name != "self"]
        call = f"{self.nm}({', '.join(map(str, parameters))})"
        if len(call) > 88:
            call = f"{self.nm}(\n" + "".join(f"    {parameter},\n" for parameter in parameters) + ")"
        return f"```python\n{call}\n```"


def docstring_markdown(text):
    """A numpy-style docstring as markdown: parameters and the like become lists."""
    summary, *sections = SECTION.split(text)
    parts = [summary.strip()]
    for title, body in zip(sections[::2], sections[1::2]):
        parts.append(f"**{title}**")
        if title not in ("Parameters", "Attributes", "Returns", "Yields", "Raises", "Warns"):
            parts.append(inspect.cleandoc(body))
            continue
        items = []
        for line, description in ENTRY.findall(body):
            name, colon, kind = line.partition(" : ")
            about = [f"`{name}`{colon}{kind}", *inspect.cleandoc(description).splitlines()]
            items.append("- " + "  \n  ".join(about[:2]) + "".join(f"\n  {more}" for more in about[2:]))
        parts.append("\n".join(items))
    return "\n\n".join(parts)


nbdev.showdoc.BasicMarkdownRenderer = Documentation


class BookFilter(FilterDefaults):
    """nbdev's processors, with the title block and the folds above and without the "do not edit" comment."""

    def base_procs(self):
        ours = {FrontmatterProc: TitleBlock, add_fold: fold_documented}
        return [ours.get(proc, proc) for proc in super().base_procs() if proc is not insert_warning]


def show_exports(notebook):
    """Mark exported cells for nbdev as exported and shown, unless they are hidden on purpose."""
    for cell in notebook.cells:
        if cell.cell_type == "code" and not HIDE.search(cell.source):
            cell.source = EXPORT.sub("#| exports", cell.source)


def link_pages(text, folder):
    """Point the links that nbdev made to the public site at the pages beside this one."""
    config = get_config()
    site = f"{config.doc_host}{config.doc_baseurl}/"
    pages = {}
    for notebook in BOOK.rglob("*.ipynb"):
        page = notebook.relative_to(BOOK)
        pages[_nbpath2html(page).as_posix()] = page.with_suffix(".html")

    def relative(link):
        page = pages.get(link[1])
        return link[0] if page is None else Path(os.path.relpath(BOOK / page, folder)).as_posix()

    text = re.sub(r"\[\[(`[^`]+`)\]\([^)]*\)\]\(", r"[\1](", text)  # a name that its author had linked already
    return re.sub(re.escape(site) + r"([\w/.-]+\.html)", relative, text)


def convert(text):
    """The JSON of a notebook in the current folder as Quarto shall see it."""
    notebook = dict2nb(json.loads(text))
    show_exports(notebook)
    with redirect_stdout(sys.stderr):
        BookFilter()(notebook)
    return link_pages(json.dumps(nb2dict(notebook)), Path.cwd())


if __name__ == "__main__":
    sys.stdout.write(convert(sys.stdin.read()))
