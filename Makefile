# Two commands do everything on a fresh machine; each makes its own environment in .venv.
#   make try    runs the main job on the examples
#   make test   passes the tests
# and `make docs` builds the documentation's site in build/site.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: try test lint docs clean

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

clean:
	rm -rf $(VENV)
