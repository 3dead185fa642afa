# Everything here sets itself up: all it needs is Python 3.11 or newer, git and make.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
READY = $(VENV)/ready

.PHONY: demo test test-all soak lint format bench clean

demo: $(READY)
	@$(BIN)/python examples/demo.py
	@$(BIN)/toolwright serve examples/shop.py --http

test: $(READY)
	$(BIN)/python -m pytest -n auto

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
	  $(MAKE) --no-print-directory test PYTHON="$$found" VENV=".venv-$$version" || exit 1; \
	done

# Long load; TOOLWRIGHT_SOAK=60 makes it longer.
soak: $(READY)
	$(BIN)/python -m pytest -m soak -n0

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright
	$(BIN)/python -m pytest tests/test_structure.py

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(READY)
	$(BIN)/python benchmarks/run.py

clean:
	rm -rf .venv .venv-* .bench build dist

$(READY): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --disable-pip-version-check -U pip
	$(BIN)/python -m pip install -q --disable-pip-version-check -e ".[all]" --group dev
	@touch $@
