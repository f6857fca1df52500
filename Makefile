# Two commands do everything on a fresh machine; each makes its own environment in .venv.
#   make try    runs the main job on the examples
#   make test   passes the tests
# and `make docs` builds the documentation's site in build/site.
# Tests and linters run on the pinned versions of .ci/requirements.txt, checked by hash; UNPINNED=1 takes what pyproject.toml
# allows instead.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
UNPINNED ?=

.PHONY: try test lint lock pythons docs bench nightly clean

# Tests that make environments of their own take the same checked wheels and ask no index.
ifeq ($(UNPINNED),)
SAME_WHEELS = PIP_NO_INDEX=1 PIP_FIND_LINKS='$(CURDIR)/$(VENV)/wheels'
endif

try: $(VENV)/.installed
	@echo '$$ moelint examples/configs'
	@$(BIN)/moelint examples/configs || true
	@echo
	@echo '$$ moelint --diff examples/configs'
	@$(BIN)/moelint --diff examples/configs || true

test: $(VENV)/.installed-dev
	$(SAME_WHEELS) $(BIN)/python -m pytest

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check src tests
	$(BIN)/mypy

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[fix]'
	@touch $@

$(VENV)/.installed-dev: pyproject.toml .ci/requirements.txt | $(VENV)/bin/python
ifeq ($(UNPINNED),)
	.ci/install $(BIN)/python $(VENV)/wheels
else
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[fix,dev]'
endif
	@touch $@ $(VENV)/.installed

# Pins what pyproject.toml names, and all that these need, for every Python and platform in one file. Never edited by hand.
LOCK = --universal --python-version 3.10 --generate-hashes --no-emit-index-url --no-emit-find-links --no-annotate --upgrade \
	--extra fix --extra dev --custom-compile-command 'make lock'

lock:
	$(PYTHON) -m venv build/lock
	build/lock/bin/python -m pip install --quiet --disable-pip-version-check 'uv>=0.9,<1'
	build/lock/bin/uv pip compile --quiet $(LOCK) --output-file .ci/requirements.txt pyproject.toml

docs: $(VENV)/.installed-docs
	$(BIN)/python -m moelint.pages build/docs docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet
	$(BIN)/python tools/check_links.py build/site

$(VENV)/.installed-docs: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[fix,docs]'
	@touch $@ $(VENV)/.installed

# Speed beside yamllint, check-jsonschema and zizmor: a table, and build/bench.json. An environment of its own, since an
# editable checkout is slower than what people install.
#   make bench PARTS='start many'    some parts only; QUICK=1 fewer files and runs
#   make bench TREE=FOLDER           also a folder of recipes: src/megatron/bridge/recipes of a Megatron Bridge checkout
bench: build/bench/.installed
	build/bench/bin/python benchmarks/bench.py $(if $(TREE),--tree '$(TREE)') $(if $(QUICK),--quick) --json build/bench.json $(PARTS)

build/bench/.installed: $(shell find src policies trainers schemas -type f 2>/dev/null)
	$(PYTHON) -m venv build/bench
	build/bench/bin/python -m pip install --quiet --disable-pip-version-check --force-reinstall '.[fix]'
	build/bench/bin/python -m pip install --quiet --disable-pip-version-check yamllint check-jsonschema zizmor
	@touch $@

# The tests on Python 3.10 to 3.13, as far as they are found here, each with and without libyaml.
#   make pythons PYTHONS='3.10 3.13' TESTS='tests/text tests/read'
pythons:
	PYTHONS='$(PYTHONS)' .ci/pythons $(TESTS)

# Everything that is too long for each push: 20,000 examples a property, 500 killed fixes; some two hours of one processor.
nightly: $(VENV)/.installed-dev
	MOELINT_EXAMPLES=20000 $(SAME_WHEELS) $(BIN)/python -m pytest -m hypothesis tests
	$(BIN)/python tests/project/kill_fixes.py 500

clean:
	rm -rf $(VENV)
