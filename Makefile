# Everything here sets itself up: all it needs is Python 3.11 or newer, git and make.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
INSTALLED = $(VENV)/installed
READY = $(VENV)/ready
PIP = $(BIN)/python -m pip install --disable-pip-version-check
PYTEST = $(BIN)/python -m pytest -n auto --dist worksteal

# Modules are compiled once and kept, whatever the caller's environment says: collecting the tests
# takes each worker 13 s of processor time with this and 29 s without, and hundreds of interpreters
# are started as well.
export PYTHONDONTWRITEBYTECODE =

.PHONY: demo test soak browser programs lint lowest check test-all format bench console picture clean

demo: $(INSTALLED)
	@exec $(BIN)/python examples/demo.py

test: $(READY)
	$(PYTEST)

# What takes long, and random tests with all their examples.
soak: $(READY) programs browser
	$(PYTEST) tests/soak --ignore=tests/soak/console --hypothesis-profile=thorough
	$(PYTEST) -m hypothesis --hypothesis-profile=thorough

# The console in a browser; what is missing is installed where that is possible, or said.
browser: $(READY)
	@$(PIP) -q --group browser || echo "Playwright cannot be installed: tests are skipped" >&2
	@command -v npm >/dev/null && (cd console && npm ci --silent --no-audit --no-fund) \
	  || echo "npm is missing, or cannot install: tests of the form are skipped" >&2
	@command -v chromium >/dev/null || command -v google-chrome >/dev/null \
	  || if command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
	    echo "Installing chromium ..."; \
	    apt-get install -y -q --no-install-recommends chromium >/dev/null 2>&1 \
	      || echo "chromium cannot be installed with apt-get (is apt-get update needed?)" >&2; \
	  else \
	    echo "chromium is missing, and only root may install it with apt-get" >&2; \
	  fi
	$(PYTEST) -rs tests/soak/console

# Programs whose help is scanned in soak tests: each with the packages that may contain it.
PROGRAMS = docker=docker-cli,docker.io rg=ripgrep fdfind=fd-find git=git \
  kubectl=kubernetes-client gh=gh curl=curl cargo=cargo man=man-db
programs:
	@for each in $(PROGRAMS); do \
	  name=$${each%%=*}; \
	  command -v $$name >/dev/null && continue; \
	  if ! command -v apt-get >/dev/null || [ "$$(id -u)" != 0 ]; then \
	    echo "$$name is missing, and only root may install it with apt-get: its test is skipped" >&2; \
	    continue; \
	  fi; \
	  for package in $$(echo $${each#*=} | tr , ' '); do \
	    echo "Installing $$package for $$name ..."; \
	    apt-get install -y -q --no-install-recommends $$package >/dev/null 2>&1 \
	      && command -v $$name >/dev/null && break; \
	  done; \
	  command -v $$name >/dev/null \
	    || echo "$$name cannot be installed with apt-get (is apt-get update needed?)" >&2; \
	done

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright --pythonpath $(BIN)/python
	$(BIN)/mypy --python-executable $(BIN)/python

# With the package's own dependencies at the lowest versions that pyproject.toml allows, and test
# tools as they come: the tests of what leans on them, and one call over stdio and over HTTP.
LOWEST = $(VENV)-lowest
LOWEST_TESTS = tests/test_dependencies.py tests/wire/test_one_call.py tests/wire/test_watching.py $(addprefix tests/unit/, \
  arguments client/test_sign_in.py contract/trials json_schema outcome schema serve test_store.py test_sqlite_file.py \
  test_attack_stores.py testing)
lowest: $(READY)
	@$(BIN)/uv venv -q --clear --python $(BIN)/python $(LOWEST)
	@$(BIN)/uv pip compile -q --no-deps --no-annotate --no-header --resolution lowest-direct \
	  --extra all pyproject.toml -o $(LOWEST)/lowest.txt >/dev/null
	@VIRTUAL_ENV=$(LOWEST) $(BIN)/uv pip install -q -e ".[all]" --group lowest -c $(LOWEST)/lowest.txt
	@tr '\n' ' ' < $(LOWEST)/lowest.txt; echo
	$(LOWEST)/bin/python -m pytest -n auto --dist worksteal $(LOWEST_TESTS)

check: $(READY)
	@took=; begun=$$(date +%s); \
	for part in lint test lowest; do \
	  since=$$(date +%s); \
	  $(MAKE) --no-print-directory $$part || exit 1; \
	  took="$$took$$part $$(( $$(date +%s) - since )) s, "; \
	done; \
	echo "== $${took}together $$(( $$(date +%s) - begun )) s"

# Each version gets an environment of its own; a version that is not installed is an error.
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

# The page of the console, from its sources; what is built is committed, so that nobody needs npm.
console:
	@cd console && npm ci --silent --no-audit --no-fund && npm run --silent build

# The picture of the console in the README; needs chromium, and playwright from PyPI.
picture: $(READY)
	@PYTHONPATH=. $(BIN)/python console/picture.py

clean:
	rm -rf .venv .venv-* .bench build dist console/node_modules

# What serving needs.
$(INSTALLED): pyproject.toml
	@echo "Making an environment in $(VENV), and installing the package ..."
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) --progress-bar on --no-compile -e .
	@touch $@

# What tests and lint need in addition.
$(READY): $(INSTALLED)
	@echo "Installing what tests and lint need ..."
	@$(PIP) -q -U pip
	@$(PIP) --progress-bar on -e ".[all]" --group dev
	@touch $@
