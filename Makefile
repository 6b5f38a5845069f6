# `make run` is all it takes; `make help` lists the rest.
# Stamps keep a second run short: nothing is installed or built unless what it is made from has changed.

SHELL := /bin/sh
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
PAGE := src/refdesk/server/static/index.html
PAGE_SOURCES := $(shell find frontend/src frontend/public frontend/*.json frontend/*.ts frontend/*.html -type f 2>/dev/null)
NODE_STAMP := frontend/node_modules/.installed
PYTEST := $(BIN)/python -m pytest
# Each process takes whole files, for the tests of a file share a database.
TEST_PROCESSES ?= 2
PARALLEL := --numprocesses $(TEST_PROCESSES) --dist loadfile

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help install compiled run demo page test lint types checks docs client test-unit test-service test-http test-e2e test-page test-browser wheel bench lock clean

help: ## List the targets
	@awk 'BEGIN {FS = ":.*## "} /^[a-z0-9-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

install: $(VENV)/.installed ## Install Refdesk into .venv

$(VENV)/.created: scripts/find_python.sh
	@if [ -x $(BIN)/python ] && $(BIN)/python -c 'import pip, sys; sys.exit(sys.version_info < (3, 12))' 2>/dev/null; then \
	    :; \
	else \
	    python=$$(scripts/find_python.sh) || exit 1; \
	    echo "using $$python"; \
	    rm -rf $(VENV) && "$$python" -m venv $(VENV); \
	fi
	@touch $@

$(VENV)/.installed: $(VENV)/.created requirements.txt pyproject.toml
	@echo "Installing, this takes a few minutes"
	$(PIP) install --quiet --require-hashes --requirement requirements.txt
	$(PIP) install --quiet --no-deps --editable .
	@touch $@

$(VENV)/.developing: $(VENV)/.installed requirements-dev.txt
	$(PIP) install --quiet --require-hashes --requirement requirements-dev.txt
	@touch $@

# Where Python is told to write no bytecode, each start would compile a thousand modules: 2 of 4 seconds.
compiled: $(VENV)/.installed
	@$(BIN)/python -m compileall -q src

run: compiled $(PAGE) ## Install, build the page, start everything
	@exec $(BIN)/refdesk serve

# DEMO="--data FOLDER" keeps it; DEMO="--model-url URL --model-name NAME" has a language model answer.
demo: compiled $(PAGE) ## Open a shop to try: handbook, order system, intents; offline, nothing is left behind
	@exec $(BIN)/python examples/demo/demo.py $(DEMO)

page: $(PAGE) ## Build the page (needs Node 20.19 or newer)

$(PAGE): $(NODE_STAMP) $(PAGE_SOURCES)
	@scripts/find_node.sh
	cd frontend && npm run --silent build -- --logLevel warn
	@touch $@

$(NODE_STAMP): frontend/package-lock.json
	@scripts/find_node.sh
	@echo "Installing what the page is built with, this takes a minute"
	cd frontend && npm ci --no-audit --no-fund --loglevel=error
	@touch $@

lint: $(VENV)/.developing ## Style of Python code
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.developing ## Types of Python code
	$(BIN)/pyright

checks: $(VENV)/.developing ## Import contract, registry addresses, generated documents
	$(BIN)/lint-imports
	@for check in scripts/checks/*.sh; do echo "$$check"; $$check || exit 1; done
	$(BIN)/python scripts/export_openapi.py --check
	@for check in scripts/checks/*.py; do \
	    [ -e "$$check" ] || continue; echo "$$check"; $(BIN)/python $$check || exit 1; \
	done

# The tests start dozens of processes.
test test-unit test-service test-http test-e2e test-browser: export PYTHONDONTWRITEBYTECODE =

test: lint types checks test-page test-browser ## Everything: lint, types, checks, all tests
	$(PYTEST) tests $(PARALLEL)

test-unit: $(VENV)/.developing ## Tests without input or output
	$(PYTEST) tests/unit

test-service: $(VENV)/.developing ## Tests on a real PostgreSQL
	$(PYTEST) tests/service

test-http: $(VENV)/.developing ## Tests of the HTTP surface
	$(PYTEST) tests/http

test-e2e: $(VENV)/.developing $(PAGE) ## Real processes: start, stop, kill, recover
	$(PYTEST) tests/e2e

test-browser: $(VENV)/.installed $(PAGE) ## The page in a real browser
	@chromium=$$(scripts/find_chromium.sh) || exit 1; cd frontend && CHROMIUM="$$chromium" npm run --silent e2e

test-page: $(NODE_STAMP) ## Lint, types and unit tests of the page
	cd frontend && npm run --silent lint && npm run --silent typecheck && npm run --silent check-i18n && npm run --silent check-client && npm test --silent

docs: $(VENV)/.developing ## Renew the generated reference pages
	$(BIN)/python scripts/generate_reference.py

client: $(VENV)/.installed $(NODE_STAMP) ## Renew the page's API client from the server's routes
	$(BIN)/python scripts/export_openapi.py
	cd frontend && npm run --silent generate

wheel: $(VENV)/.created $(PAGE) ## Build a wheel that holds the page into dist/
	@rm -rf dist
	$(PIP) wheel --quiet --no-deps --wheel-dir dist .
	@ls -l dist

bench: $(VENV)/.developing $(PAGE) ## Measure the start; benchmarks/ has the others
	$(BIN)/python -m benchmarks.startup

lock: $(VENV)/.developing ## Renew requirements.txt and requirements-dev.txt
	$(BIN)/uv pip compile pyproject.toml $(LOCK_OPTIONS) --output-file requirements.txt
	$(BIN)/uv pip compile pyproject.toml --group dev --constraints requirements.txt $(LOCK_OPTIONS) --output-file requirements-dev.txt

LOCK_OPTIONS = --quiet --universal --python-version 3.12 --generate-hashes --no-emit-index-url --no-annotate --custom-compile-command "make lock"

clean: ## Remove what was built, not what was installed
	rm -rf dist build src/refdesk/server/static/assets $(PAGE) .pytest_cache .ruff_cache
