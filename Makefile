# simdocs: `make` lists the targets. Each works as the first command in a fresh clone, because it creates the virtual
# environment that it needs.

PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
CORE := $(VENV)/.core
INSTALLED := $(VENV)/.installed
SEEDS ?= 20
MINUTES ?= 5
DOCUMENTS ?= 100000 300000
ROWS ?= 200000
GROWTH ?= 10000 100000 1000000
SIGNATURES ?= 10000000
FILES ?= 20000
RUNS ?= 3
RACE ?= build/race
SMOKE := transcripts docs/test_python.py kernels/test_worked_examples.py kernels/test_fss.py matching/test_rounds.py \
    commands/test_dedupe.py commands/test_directed_updates.py storage/test_kill.py artifacts/test_golden.py \
    reading/test_jsonl.py pipeline/test_reading.py engines/test_engines.py model/test_results.py \
    views options advice

.PHONY: help demo test smoke test-slow test-spark test-browser fuzz check lint types layers size format docs cases bench bench-short bench-stages bench-memory bench-scripts bench-datasets bench-startup bench-reports bench-growth bench-cores race accuracy transcripts expected clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-14s %s\n", $$1, $$2}'

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	    { echo "simdocs needs Python 3.11 or later: make PYTHON=/path/to/python3"; exit 1; }
	@$(PYTHON) -m venv $(VENV)

NATIVE := setup.py $(wildcard simdocs/kernels/native/*.[ch])

$(CORE): pyproject.toml $(NATIVE) | $(BIN)/python
	@echo "installing simdocs into $(VENV)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(INSTALLED): pyproject.toml $(NATIVE) | $(BIN)/python
	@echo "installing simdocs and what its tests need into $(VENV)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,datasets]'
	@touch $(CORE) $@

demo: $(CORE) ## find the near-duplicates of the example corpus
	@PATH='$(abspath $(BIN))':"$$PATH" sh examples/demo.sh

test: $(INSTALLED) ## run the tests, on all cores that this process may use
	$(BIN)/python -m pytest -n auto --dist loadgroup

smoke: $(INSTALLED) ## run tests of every room for a minute
	$(BIN)/python -m pytest -n auto --dist loadgroup $(addprefix tests/,$(SMOKE))

test-slow: $(INSTALLED) ## run the slow tests too
	$(BIN)/python -m pytest -n auto --dist loadgroup -m 'slow or not slow' --hypothesis-profile=thorough

test-spark: $(INSTALLED) ## run all tests of simdocs spark; they need Java 17 or later
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,datasets,spark]'
	$(BIN)/python -m pytest -m spark

test-browser: $(INSTALLED) ## run the tests of reports in a browser; needs Chromium, and npm for the rules of accessibility
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'playwright>=1.50'
	test -d node_modules/axe-core || ! command -v npm >/dev/null || npm install --silent --no-save --no-package-lock axe-core@4
	$(BIN)/python -m pytest -m browser tests/browser

fuzz: $(INSTALLED) ## run simdocs on forged artifacts, at random, for MINUTES=5; SEED=n repeats one run
	$(BIN)/python -m tests.fuzz $(if $(SEED),--seed $(SEED),--minutes $(MINUTES))

check: lint types layers test ## run everything that CI runs

lint: $(INSTALLED) ## check formatting and lint with ruff
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(INSTALLED) ## check types with mypy in strict mode
	$(BIN)/mypy

layers: $(INSTALLED) ## check with import-linter that imports point down
	$(BIN)/lint-imports --no-logo --no-cache

size: $(BIN)/python ## print how large the program is, for each folder and in all
	@$(BIN)/python tests/size.py

format: $(INSTALLED) ## format the code and fix what ruff can fix
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: $(INSTALLED) ## rewrite docs/formats.md, the stub, and in share/ what a build installs: reference, man pages, completion
	$(BIN)/python docs/generate.py

cases: $(BIN)/python ## print each case of docs/reliability.md with the tests that hold it
	@$(BIN)/python docs/cases.py

bench: $(INSTALLED) ## measure speed, memory, precision and recall on 20,000 generated files
	$(BIN)/python benchmarks/dedupe.py

bench-short: $(INSTALLED) ## measure the same on 2,000 files
	$(BIN)/python benchmarks/dedupe.py --files 2000 --runs 1

bench-stages: $(INSTALLED) ## measure each stage on 20,000 files, bytes on disk, and a query of 200,000 documents
	$(BIN)/python benchmarks/stages.py

bench-memory: $(INSTALLED) ## compare the memory of 100,000 and 300,000 documents with the promise; DOCUMENTS=1000000 takes more
	$(BIN)/python benchmarks/memory.py --documents $(DOCUMENTS)

bench-scripts: $(INSTALLED) ## measure what a character of each script costs, as a multiple of ASCII
	$(BIN)/python benchmarks/scripts.py

bench-datasets: $(INSTALLED) ## measure one data set as JSON Lines, CSV, Parquet and Arrow; ROWS=1000000 takes longer
	$(BIN)/python benchmarks/datasets.py --rows $(ROWS)

bench-startup: $(INSTALLED) ## measure the time to start, as a multiple of Python's
	$(BIN)/python benchmarks/startup.py

bench-reports: $(INSTALLED) ## measure how a browser opens a report of 100,000 groups
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'playwright>=1.50'
	$(BIN)/python -m benchmarks.reports

bench-growth: $(INSTALLED) ## measure CPU time and memory of up to 1,000,000 documents of 2 KB, and of 10,000,000 signatures
	$(BIN)/python benchmarks/memory.py --documents $(GROWTH) --bytes 2000 --forms lines files --jobs 1 --commands dedupe index
	$(BIN)/python benchmarks/memory.py --rows $(SIGNATURES) --jobs 1

bench-cores: $(INSTALLED) ## measure how much of the work cores share, on 200,000 documents of 2 KB
	$(BIN)/python benchmarks/cores.py

race: $(CORE) ## race other libraries and write build/race.md; needs a network the first time; FILES=2000 RUNS=1 RIVALS=rensa is quicker
	$(BIN)/python benchmarks/race.py --directory $(RACE) --files $(FILES) --runs $(RUNS) $(if $(RIVALS),--rivals $(RIVALS)) $(if $(CORPORA),--corpora $(CORPORA))

accuracy: $(INSTALLED) ## measure recall and precision on real texts and write build/accuracy.md; SEEDS=3 is quicker
	$(BIN)/python benchmarks/accuracy.py --seeds $(SEEDS)

transcripts: $(INSTALLED) ## record tests/transcripts anew; read what has changed before you commit it
	$(BIN)/python -m tests.transcripts

expected: $(INSTALLED) ## write examples/EXPECTED.tsv anew; read it before you commit it
	cd examples && ../$(BIN)/simdocs dedupe corpus --header -o EXPECTED.tsv

clean: ## remove the environment and all caches
	rm -rf $(VENV) build dist share *.egg-info simdocs/kernels/native/*.so .hypothesis .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
