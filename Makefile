# Every command works on a fresh clone with nothing but Python 3.11 or newer. `make help` lists them.
SHELL := /bin/sh
VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
PYTEST := $(BIN)/pytest -n auto --maxprocesses=4 --dist worksteal
COMPILE := $(BIN)/python -m compileall -q -x 'toolbox|cases|lab_template|adoption' agents apps evaluation graphs prompts tools
SOURCES := agents apps evaluation graphs prompts tools tests examples .ci setup.py
export LANGSMITH_TRACING = false
# Each of the tests' processes would compile every module anew.
export PYTHONDONTWRITEBYTECODE =

.DEFAULT_GOAL := help
.PHONY: help demo test test-slow test-nightly test-all check format format-check lint types contracts docs studio lock sbom audit clean

help: ## show this list
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-14s %s\n", $$1, $$2}'

demo: $(VENV)/.demo-installed ## calibrate a qubit of the simulated processor, unattended
	@$(BIN)/labwright demo $(ARGS)

test: $(VENV)/.test-installed ## run the tests
	@$(COMPILE)
	@$(PYTEST) -m "not slow" $(ARGS)

test-slow: $(VENV)/.test-installed ## run the slow tests, and each law with more draws
	@$(COMPILE)
	@$(PYTEST) -m "(slow or hypothesis) and not nightly" $(ARGS)

test-nightly: $(VENV)/.test-installed ## run whole corpora and what takes minutes (hours)
	@$(COMPILE)
	@$(PYTEST) -m nightly $(ARGS)

test-all: test test-slow test-nightly ## run all tests

check: format-check lint types contracts test ## everything that must hold before a change is merged

format: $(VENV)/.test-installed ## put the code into the one format
	@$(BIN)/ruff check --quiet --fix $(wildcard $(SOURCES)) || true
	@$(BIN)/ruff format $(wildcard $(SOURCES))

format-check: $(VENV)/.test-installed ## fail if `make format` would change something
	@$(BIN)/ruff format --check $(wildcard $(SOURCES))

lint: $(VENV)/.test-installed ## style and likely mistakes
	@$(BIN)/ruff check $(wildcard $(SOURCES))

types: $(VENV)/.test-installed ## strict types
	@$(BIN)/mypy src

contracts: $(VENV)/.test-installed ## which folder may import which
	@$(BIN)/lint-imports

docs: $(VENV)/.test-installed ## build the documentation site into build/site, for any static host
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet && echo build/site/index.html

studio: $(VENV)/.test-installed ## serve the graphs to LangGraph Studio on this machine
	@LANGGRAPH_CLI_NO_ANALYTICS=1 LANGGRAPH_NO_VERSION_CHECK=true $(BIN)/langgraph dev --no-browser --no-reload $(ARGS)

lock: $(VENV)/.test-installed ## pin what is installed now in the requirement files, with every platform's hashes
	@$(BIN)/python .ci/requirements_lock.py

sbom: $(VENV)/.test-installed ## write dist/sbom.json, what is installed with Labwright, as CycloneDX
	@mkdir -p dist && $(BIN)/uv --quiet tool run --from cyclonedx-bom==7.5.0 cyclonedx-py requirements requirements.lock --pyproject pyproject.toml \
		--output-reproducible -o dist/sbom.json 2>/dev/null && echo dist/sbom.json

audit: $(VENV)/.test-installed ## compare the locked packages with known vulnerabilities
	@$(BIN)/python .ci/vulnerability_audit.py

clean: ## remove what was built; runs stay
	@rm -rf $(VENV) build dist src/*.egg-info .mypy_cache .ruff_cache .pytest_cache .import_linter_cache

# Locked versions first, then the package itself, in place: an edit needs no new installation.
$(VENV)/.demo-installed: $(BIN)/python requirements.lock pyproject.toml
	@echo "Installing Labwright into $(VENV) (a few minutes, once)..." >&2
	@$(PIP) install -r requirements.lock
	@$(PIP) install --no-deps -e .
	@touch $@

$(VENV)/.test-installed: $(VENV)/.demo-installed requirements-dev.lock
	@echo "Installing what the tests need into $(VENV)..." >&2
	@$(PIP) install -r requirements.lock -r requirements-dev.lock
	@touch $@

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "Labwright needs Python 3.11 or newer, and none was found. Install it, or name it: make demo PYTHON=/path/to/python3" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Labwright needs Python 3.11 or newer, but $(PYTHON) is older. Name another: make demo PYTHON=/path/to/python3" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { echo "Python cannot make a virtual environment. On Debian and Ubuntu: apt install python3-venv" >&2; rm -rf $(VENV); exit 1; }
