# make demo     the optimal rule list for the bundled COMPAS data, with its certificate
# make test     every check: exported code, rules of the code, notebooks, pages, package
#               make test NEWEST=1 installs the newest versions of everything, in an environment of its own (.venv-newest), instead of
#               those that made the saved outputs (data/release/constraints-dev.txt), and compares no outputs: assertions only
#               make test PAGES="rules bits" runs the pages with such parts in their paths, make test CHANGED=1 those that are not as they
#               were, they or a module that they import, when they last passed here; nothing else is checked then
# make test-elsewhere  every notebook as on other machines: another processor, a busy one, another order; WHERE=busy for one of these,
#               and PAGES="rules bits" for some notebooks only; the result goes into data/results/elsewhere.csv
# make test-long     the long sweeps, for a release: what make test tries on few random cases, on many; and the kernels of TURS with their
#               indices checked, which have to be compiled anew for it
# make test-engines  the page of large tables on a local Spark session (needs Java 17) and a Dask cluster of two processes, and exported
#               models in a PostgreSQL server of its own
# make release-files   pin the packages of a release and write its bill of materials, into data/release
# make export   lay out the exported cells, write rulebook/ from the notebooks, and clean the notebooks
# make docs     render the pages into _docs/ (needs Quarto)
# make preview  the same pages without Quarto, by pandoc, into _preview/
# make look     the pages of make docs, else of make preview, in Chromium, wide and narrow, light and dark: nothing wider than the page, no
#               name broken, no fault that axe-core knows (from npm); skipped where there is no Chromium
# make bench    measure the tables of the benchmark page again that today's code has not made, rivals too, in an environment of its own
#               (.venv-bench); make bench LINES="bench-panel dataset=housevotes" some lines of them. Then the page has to be run
# make studies  make the stored tables of pages again, those lines that today's code has not made: hours;
#               make studies PAGE=clinical_rule LINES="dataset=iai split=0" makes some lines of one page
# make clean    remove what the other commands left behind, except the environments
PYTHON ?= python3
VENV := .venv$(if $(NEWEST),-newest)
PROGRAMS := $(if $(filter Windows_NT,$(OS)),Scripts,bin)
BIN := $(VENV)/$(PROGRAMS)
BENCH := .venv-bench/$(PROGRAMS)
PINS := data/release/constraints-dev.txt
PINNED := $(if $(NEWEST),,--constraint $(PINS))
# pages import tools.runner, tools.house and others from the root of the project
define TOOLS_FOR_PAGES
import os, site
open(os.path.join(site.getsitepackages()[0], 'rulebook-tools.pth'), 'w').write(os.getcwd() + os.linesep)
endef
export TOOLS_FOR_PAGES

.PHONY: demo test test-elsewhere test-long test-engines release-files bench studies export docs preview look clean

demo: $(VENV)/installed
	$(BIN)/rulebook demo

test: $(VENV)/installed-dev
	$(BIN)/python tools/check.py

test-elsewhere: $(VENV)/installed-dev
	$(BIN)/python -m tools.elsewhere $(WHERE)

test-long: $(VENV)/installed-dev
	$(BIN)/python tools/check.py long

test-engines: $(VENV)/installed-engines
	$(BIN)/python -m tools.engines

release-files: $(VENV)/installed-dev
	$(BIN)/python -m tools.release files

export: $(VENV)/installed-dev
	$(BIN)/python -m tools.layout
	$(BIN)/nbdev_export
	$(BIN)/nbdev_clean
	$(BIN)/python -m tools.stubs
	$(BIN)/python tools/check.py picture

docs: $(VENV)/installed-dev
	@command -v quarto >/dev/null || { \
	  echo 'make docs needs Quarto, which is not on the PATH: get it from https://quarto.org/docs/get-started'; exit 1; }
	$(BIN)/python -m tools.pages filter
	PATH="$(CURDIR)/$(BIN):$$PATH" QUARTO_PYTHON="$(CURDIR)/$(BIN)/python" quarto render
	$(BIN)/python -m tools.pages finish _docs

preview: $(VENV)/installed-dev
	$(BIN)/python -m tools.pages build

look: $(VENV)/installed-dev
	@test -e .axe/node_modules/axe-core || npm install --silent --no-audit --no-fund --prefix .axe axe-core@4 || \
	  echo 'npm cannot be had, so axe-core is not asked'
	$(BIN)/python -m tools.browser

bench: .venv-bench/installed
	$(BENCH)/python -m tools.make_studies benchmarks $(LINES)

studies: $(VENV)/installed-dev
	$(BIN)/python -m tools.make_studies $(PAGE) $(LINES)

clean:
	rm -rf _docs _preview _proc .axe .quarto build dist *.egg-info .ruff_cache .pytest_cache nbs/.hypothesis
	find nbs rulebook tools -name __pycache__ -prune -exec rm -rf {} +

# uv installs in a tenth of pip's time; pip does it where uv cannot, as where only pip is told of an index of packages.
# --no-compile: most modules of Jupyter are never imported, and the others are compiled when they are.
COMMA := ,
PIP = -m pip install --quiet --disable-pip-version-check --no-compile
install = $(1)/python -m uv pip install --quiet --python $(1)/python $(2) || $(1)/python $(PIP) $(2)
# The files $(VENV)/* below only note that a step is done, so that the next run does not repeat it.
$(VENV)/made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || { \
	  echo 'rulebook needs Python 3.10 or newer; name one with: make PYTHON=python3.12'; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo 'This Python cannot make virtual environments. Install the missing part: sudo apt install python3-venv'; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	-$(BIN)/python $(PIP) uv
	touch $@

$(VENV)/installed: $(VENV)/made settings.ini setup.py
	$(call install,$(BIN),--editable .)
	touch $@

$(VENV)/installed-dev: $(VENV)/made settings.ini setup.py $(PINS)
	$(call install,$(BIN),$(PINNED) --editable '.[dev]')
	$(BIN)/python -c "$$TOOLS_FOR_PAGES"
	touch $@ $(VENV)/installed

$(VENV)/installed-engines: $(VENV)/made settings.ini setup.py $(PINS)
	$(call install,$(BIN),$(PINNED) --editable '.[dev$(COMMA)engines]')
	touch $@ $(VENV)/installed $(VENV)/installed-dev

# The rivals ask for older versions of numpy and pandas than those that made the saved outputs, so they live apart.
.venv-bench/installed: $(VENV)/made settings.ini setup.py
	$(PYTHON) -m venv --clear .venv-bench
	-$(BENCH)/python $(PIP) uv
	$(call install,$(BENCH),--editable '.[peers]' ipython)
	touch $@
