# simdocs: `make` lists the targets. Each works as the first command in a fresh clone: it makes the
# virtual environment that it needs.

PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
CORE := $(VENV)/.core
INSTALLED := $(VENV)/.installed
SEEDS ?= 20
MINUTES ?= 5

.PHONY: help demo test test-slow fuzz check lint types layers format docs bench bench-short bench-stages bench-scripts bench-startup accuracy expected clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-14s %s\n", $$1, $$2}'

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	    { echo "simdocs needs Python 3.11 or later: make PYTHON=/path/to/python3"; exit 1; }
	@$(PYTHON) -m venv $(VENV)

$(CORE): pyproject.toml | $(BIN)/python
	@echo "installing simdocs into $(VENV)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(INSTALLED): pyproject.toml | $(BIN)/python
	@echo "installing simdocs and what its tests need into $(VENV)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $(CORE) $@

demo: $(CORE) ## the near-duplicates of the example corpus
	@PATH='$(abspath $(BIN))':"$$PATH" sh examples/demo.sh

test: $(INSTALLED) ## the tests, on all cores that this process may use
	$(BIN)/python -m pytest -n auto --dist loadgroup

test-slow: $(INSTALLED) ## the tests in their long form, too
	$(BIN)/python -m pytest -n auto --dist loadgroup -m 'slow or not slow' --hypothesis-profile=thorough

fuzz: $(INSTALLED) ## random trees, names, bytes and options for MINUTES=5; SEED=n: again what was found
	$(BIN)/python -m tests.fuzz $(if $(SEED),--seed $(SEED),--minutes $(MINUTES))

check: lint types layers test ## what CI runs: all of these

lint: $(INSTALLED) ## ruff: format and lint
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(INSTALLED) ## mypy, strict
	$(BIN)/mypy

layers: $(INSTALLED) ## the layers of the house, by import-linter
	$(BIN)/lint-imports --no-logo --no-cache

format: $(INSTALLED) ## let ruff mend what it can
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: $(INSTALLED) ## generated pages, man pages and shell completion in docs/ anew, from program and tests
	$(BIN)/python docs/generate.py

bench: $(INSTALLED) ## figures: speed, memory, precision and recall on 20,000 generated files
	$(BIN)/python benchmarks/dedupe.py

bench-short: $(INSTALLED) ## the same on 2,000 files
	$(BIN)/python benchmarks/dedupe.py --files 2000 --runs 1

bench-stages: $(INSTALLED) ## figures: every stage of 20,000 files, bytes on disk, a query against 200,000 documents
	$(BIN)/python benchmarks/stages.py

bench-scripts: $(INSTALLED) ## figures: what a character of each script costs, as a multiple of ASCII
	$(BIN)/python benchmarks/scripts.py

bench-startup: $(INSTALLED) ## figures: what a start takes, as a multiple of what Python takes
	$(BIN)/python benchmarks/startup.py

accuracy: $(INSTALLED) ## docs/accuracy.md anew: recall and precision on real texts; SEEDS=3 is quicker
	$(BIN)/python benchmarks/accuracy.py --seeds $(SEEDS)

expected: $(INSTALLED) ## examples/EXPECTED.tsv anew, to be read before it is committed
	cd examples && ../$(BIN)/simdocs dedupe corpus --header -o EXPECTED.tsv

clean: ## remove the environment and all caches
	rm -rf $(VENV) build dist *.egg-info .hypothesis .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
