# Two commands matter: `make demo` and `make test`. Both need Python 3.11 or later, pip and make, and nothing else.

PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin
JOBS ?= 2

.PHONY: demo test check author verify bench large-class mutants site attacks kills fuzz clean

demo: $(VENV)/kit
	$(RUN)/attnkit demo

# All that this project claims, JOBS files of tests at once.
test: $(VENV)/tests $(VENV)/npm check
	$(RUN)/python -m pytest -n $(JOBS) --dist loadfile # a file's tests share what they set up

# Lint, format, who may import whom, types.
check: $(VENV)/tests
	$(RUN)/ruff check .
	$(RUN)/ruff format --check .
	$(RUN)/lint-imports
	$(RUN)/mypy

# Make assignments/ anew from reference_solutions/.
author: $(VENV)/kit
	$(RUN)/attnkit author

# Prove the suites, and write the certificate.
verify: $(VENV)/kit
	$(RUN)/attnkit verify

# CPU a submission beside the least that any grader could cost; no figure fails anything.
bench: $(VENV)/tests
	$(RUN)/python -m benchmarks

# One grading of COUNT submissions: has everybody a mark, is memory flat?
large-class: $(VENV)/tests
	$(RUN)/python -m benchmarks.large_class $(or $(COUNT),10000)

# The attempts on the wall and on marks alone, here and on emulated machines.
attacks: $(VENV)/tests
	$(RUN)/python -m pytest tests/attacks tests/boundary -n $(JOBS) --dist loadfile
	$(RUN)/python -m tests.attacks.battery

# Kill graders, and what they started, KILLS times.
kills: $(VENV)/tests
	$(RUN)/python -m tests.attacks.kills $(or $(KILLS),1000)

# Bytes against the wall's decoder for SECONDS.
fuzz: $(VENV)/tests
	$(RUN)/python tests/boundary/fuzz/fuzz_decoder.py -max_total_time=$(or $(SECONDS),3600)

# Mutate the reference solutions, and hold the suites to them.
mutants: $(VENV)/tests
	$(RUN)/python -m tests.mutants

# The guide, the docs and the API as pages in site/.
site: $(VENV)/tests
	$(RUN)/python -m sphinx -q -E -W --keep-going -c docs -d build/doctrees . site

clean:
	rm -rf $(VENV) demo-out build dist site

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or later is needed")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/kit: requirements.txt pyproject.toml | $(VENV)/bin/python
	$(RUN)/pip install --quiet --disable-pip-version-check -r requirements.txt
	$(RUN)/pip install --quiet --disable-pip-version-check --no-deps --editable .
	touch $@

$(VENV)/tests: tests/requirements.txt $(VENV)/kit
	$(RUN)/pip install --quiet --disable-pip-version-check -r tests/requirements.txt
	touch $@

# Browsers' and quizzes' consumers for the tests; without npm the tests that need them say so and skip.
$(VENV)/npm: tests/package.json | $(VENV)/bin/python
	if ! command -v npm >/dev/null; then echo "No npm here: the tests that need its packages skip."; \
	elif npm install --prefix tests --no-package-lock --no-fund --no-audit --silent --fetch-timeout=60000; then touch $@; \
	else echo "npm could not install its packages: the tests that need them skip."; fi
