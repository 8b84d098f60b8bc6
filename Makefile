# Every target sets up .venv by itself; Python (3.11 or newer) and make are all it needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
BENCH_READY := $(VENV)/.bench-ready
DOCS_READY := $(VENV)/.docs-ready

.PHONY: demo test test-lowest test-python smoke start-up memory lint format docs pictures facts bench published ask growth scale truth simulators laws bands ledgers regions alarms outcomes verdicts explorer analytical reproduce fuzz kills clean

demo: $(READY)
	$(BIN)/anova-report demo

test: $(READY)
	$(BIN)/python -m pytest -n 2 --dist loadfile

# All tests with the lowest versions that are declared, in an environment of its own.
test-lowest: $(READY)
	tests/supported.sh lowest $(BIN)/python tests

# All tests with another Python and the newest versions: make test-python PYTHON=python3.13
test-python: $(READY)
	tests/supported.sh newest $(PYTHON) tests

# One notebook that makes an audit with the lowest versions, then with another Python, where there is one.
smoke: $(READY)
	tests/supported.sh lowest $(BIN)/python smoke
	tests/supported.sh newest other smoke

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# The site, into docs/_build/html: runs the gallery, takes warnings for errors, then follows every link.
docs: $(DOCS_READY)
	$(BIN)/python -m sphinx -W --keep-going -b html -d docs/_build/doctrees docs docs/_build/html
	$(BIN)/python -m pytest -q docs/test_site.py

# The pictures of the README and the site, from the present code; needs Chromium.
pictures: docs
	$(BIN)/python -m docs.pictures

# The race: our default, the published method and peers on six models, judged on untouched rows.
bench: $(BENCH_READY)
	$(BIN)/python -m benchmarks.race

# The XGBoost rows of the paper's tables, by its own estimator.
published: $(BENCH_READY)
	$(BIN)/python -m benchmarks.published

# What asking models at recombined rows buys on fresh rows and between samples, and planted cases; half an hour.
ask: $(BENCH_READY)
	$(BIN)/python -m benchmarks.ask --json bench-results/ask.json

# How time and memory grow with rows, features and outputs.
growth: $(BENCH_READY)
	$(BIN)/python -m benchmarks.growth

# Folders of Parquet files of 10^5, 10^6 and 10^7 rows: time, memory and R² on fresh rows; an hour on two cores.
scale: $(BENCH_READY)
	$(BIN)/python -m benchmarks.scale

# Components against a truth known on paper, beside the published method, a spline GAM and an EBM; then the simulators.
truth: $(BENCH_READY)
	$(BIN)/python -m benchmarks.truth --html bench-results/truth.html
	$(MAKE) simulators

# Fifteen simulators from 200 to 10,000 calls beside polynomial chaos: what is left unexplained, and Sobol' indices.
simulators: $(BENCH_READY)
	$(BIN)/python -m benchmarks.simulations --json bench-results/simulators.json

# Which family is taken, what is said to be left and what one more row changes, for 24 models; four minutes.
laws: $(READY)
	ANOVA_REPORT_LAWS=1 $(BIN)/python -m pytest tests/core/fit/test_fit_laws.py

# How often 95% bands and intervals of shares contain a truth known on paper, then one known of real tables.
bands: $(BENCH_READY)
	@kept=0; for part in bands real_bands; do $(BIN)/python -m benchmarks.$$part || kept=1; done; exit $$kept

# How often intervals of a proxy ledger hold the truth, on copulas and other dependent laws; half an hour.
ledgers: $(BENCH_READY)
	$(BIN)/python -m benchmarks.proxies

# How often equal functions are called different where two decompositions are compared, and changes are found.
alarms: $(READY)
	$(BIN)/python -m benchmarks.alarms

# How often a planted region where the explanation fails is found, and how often one is claimed without; five minutes.
regions: $(BENCH_READY)
	$(BIN)/python -m benchmarks.regions

# How often comparisons of models whose distance is known are wrong, and how often they cannot tell; ten minutes.
outcomes: $(BENCH_READY)
	$(BIN)/python -m benchmarks.outcomes

# How often a verdict is wrong in cases whose truth is known, and how often the interval of R² holds; half an hour.
verdicts: $(BENCH_READY)
	$(BIN)/python -m benchmarks.verdicts

# Every fact of the pages of 45 models and of 11 comparisons, held against rows, and planted errors; ten minutes.
facts: $(BENCH_READY)
	$(BIN)/python -m benchmarks.facts

# How long the notebook explorer takes from a key on a slider to the picture, in a real JupyterLab.
explorer: $(BENCH_READY)
	$(BIN)/python -m benchmarks.explorer

# Every method's main effects against a truth known on paper, as a page.
analytical: $(BENCH_READY)
	$(BIN)/python -m benchmarks.analytical

# The paper's tables for four kinds of models; what is finished is kept, so it can be stopped and called again.
reproduce: $(BENCH_READY)
	$(BIN)/python -m benchmarks.reproduce

# How long importing the package and asking for help take, as ratios to an empty run of Python; exits with 1 above 8.
start-up: $(READY)
	$(BIN)/python -m benchmarks.start_up

# Whether many audits in one process leave memory behind; exits with 1 if they do.
memory: $(READY)
	$(BIN)/python -m benchmarks.memory

# Hostile tables, models, configurations, command lines, documents and mail fields: 10,000 cases, by a seed.
fuzz: $(BENCH_READY)
	$(BIN)/python -m benchmarks.fuzz

# Commands killed at 100 random moments, then resumed; half an hour.
kills: $(BENCH_READY)
	$(BIN)/python -m benchmarks.kills

clean:
	rm -rf $(VENV) build dist docs/_build docs/api docs/gallery

$(READY): pyproject.toml
	$(PYTHON) -c 'import sys; assert sys.version_info >= (3, 11), "Python 3.11 or newer is needed: make PYTHON=/path/to/python3.11"'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[test]'
	touch $@

$(BENCH_READY): $(READY)
	$(BIN)/python -m pip install --quiet --editable '.[test,bench,peers]'
	touch $@

$(DOCS_READY): $(READY)
	$(BIN)/python -m pip install --quiet --editable '.[test,docs]'
	touch $@
