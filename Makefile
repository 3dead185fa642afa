# Everything here sets itself up: all it needs is Python 3.11 or newer, git and make.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
INSTALLED = $(VENV)/installed
READY = $(VENV)/ready
PIP = $(BIN)/python -m pip install --disable-pip-version-check
PYTEST = $(BIN)/python -m pytest -n auto --dist worksteal

.PHONY: demo test soak lint check test-all format bench clean

demo: $(INSTALLED)
	@exec $(BIN)/python examples/demo.py

test: $(READY)
	$(PYTEST)

# What takes long, and random tests with all their examples.
soak: $(READY)
	$(PYTEST) -m "soak or hypothesis" --hypothesis-profile=thorough

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright --pythonpath $(BIN)/python
	$(BIN)/mypy --python-executable $(BIN)/python

check: $(READY)
	@took=; begun=$$(date +%s); \
	for part in lint test soak; do \
	  since=$$(date +%s); \
	  $(MAKE) --no-print-directory $$part || exit 1; \
	  took="$$took$$part $$(( $$(date +%s) - since )) s, "; \
	done; \
	echo "== $${took}together $$(( $$(date +%s) - begun )) s"

# Each version gets an environment of its own; one that is not installed is an error.
VERSIONS ?= 3.11 3.12 3.13
test-all:
	@for version in $(VERSIONS); do \
	  found=; \
	  for each in python$$version $$HOME/.pyenv/versions/$$version.*/bin/python; do \
	    "$$each" -c pass 2>/dev/null && found=$$each; \
	  done; \
	  [ -n "$$found" ] || { echo "Python $$version is not installed" >&2; exit 1; }; \
	  echo "== Python $$version"; \
	  $(MAKE) --no-print-directory check PYTHON="$$found" VENV=".venv-$$version" || exit 1; \
	done

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(READY)
	$(BIN)/python benchmarks/run.py

clean:
	rm -rf .venv .venv-* .bench build dist

# What serving needs.
$(INSTALLED): pyproject.toml
	@echo "Making an environment in $(VENV), and installing the package ..."
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) --progress-bar on --no-compile -e .
	@touch $@

# What tests and lint need besides.
$(READY): $(INSTALLED)
	@echo "Installing what tests and lint need ..."
	@$(PIP) -q -U pip
	@$(PIP) --progress-bar on -e ".[all]" --group dev
	@touch $@
