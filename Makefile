# Two commands do everything on a fresh machine; each makes its own environment in .venv.
#   make try    runs the main job on the examples
#   make test   passes the tests
# and `make docs` builds the documentation's site in build/site.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: try test lint docs bench nightly clean

try: $(VENV)/.installed
	@echo '$$ moelint examples/configs'
	@$(BIN)/moelint examples/configs || true
	@echo
	@echo '$$ moelint --diff examples/configs'
	@$(BIN)/moelint --diff examples/configs || true

test: $(VENV)/.installed-dev
	$(BIN)/python -m pytest

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check src tests
	$(BIN)/mypy

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[fix]'
	@touch $@

$(VENV)/.installed-dev: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[fix,dev]'
	@touch $@ $(VENV)/.installed

docs: $(VENV)/.installed-docs
	$(BIN)/python -m moelint.pages build/docs docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet
	$(BIN)/python tools/check_links.py build/site

$(VENV)/.installed-docs: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[fix,docs]'
	@touch $@ $(VENV)/.installed

# Speed beside yamllint, check-jsonschema and zizmor: a table, and build/bench.json. An environment of its own, since an
# editable checkout is slower than what people install.
bench: build/bench/.installed
	build/bench/bin/python benchmarks/bench.py --json build/bench.json

build/bench/.installed: $(shell find src policies trainers schemas -type f 2>/dev/null)
	$(PYTHON) -m venv build/bench
	build/bench/bin/python -m pip install --quiet --disable-pip-version-check --force-reinstall '.[fix]'
	build/bench/bin/python -m pip install --quiet --disable-pip-version-check yamllint check-jsonschema zizmor
	@touch $@

# Everything that is too long for each push: 20,000 examples a property, 500 killed fixes.
nightly: $(VENV)/.installed-dev
	MOELINT_EXAMPLES=20000 $(BIN)/python -m pytest -m hypothesis tests
	$(BIN)/python tests/project/kill_fixes.py 500

clean:
	rm -rf $(VENV)
