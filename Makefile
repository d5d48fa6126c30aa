.DEFAULT_GOAL := help
PYTHON ?= python3
BIN := .venv/bin
T ?= tests

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 14

setup: .venv/.done ## make .venv with everything

.venv/.done: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[dev]'
	touch $@

run: setup ## the whole service with samples; INPUT=path loads that instead
	$(BIN)/edgar-search run $(INPUT)

check: setup ## format, lint, types, import rules
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Debian's redis-server, without starting it as a service; who is not root installs it by hand.
redis: ## what the tests of Redis need, where this is root on Debian
	@command -v redis-server > /dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null \
	  && { apt-get update -qq; RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get install -qq -y \
	  --no-install-recommends redis-server > /dev/null; }; } \
	  || echo "redis-server is missing: the tests that need it will be skipped"

# Debian's Chromium, which the tests of the pages drive.
browser: ## what the tests of the pages need, where this is root on Debian
	@command -v chromium > /dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null \
	  && { apt-get update -qq; DEBIAN_FRONTEND=noninteractive apt-get install -qq -y \
	  --no-install-recommends chromium > /dev/null; }; } \
	  || echo "chromium is missing: the tests that need it will be skipped"

test: setup $(if $(CI),redis browser) ## all tests; T=path for some
	$(BIN)/python -m tests.run $(T)

test-long: setup ## the long suites too
	$(BIN)/python -m tests.run --long $(T)

torture: setup ## attacks, hostile values, kills; about 15 minutes
	$(BIN)/python -m pytest -s tests/torture tests/web/test_raw_http.py tests/web/test_slow_clients.py

tables: setup ## the tables of parameters and the OpenAPI document in docs/, from what is declared
	$(BIN)/python -m tests.support.parameter_tables

screens: setup ## pictures of all pages, of the samples, into .edgar/screens; of the search page into docs/
	$(BIN)/python -m tests.browser.screens

.venv/.bench: .venv/.done
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[dev,bench]'
	touch $@

# All sizes, kept for the documents: python -m bench.peers --copies 1 4 10
bench: .venv/.bench ## the benchmark; prints ratios of one run, and the table of peers at a small size
	$(BIN)/python -m bench
	$(BIN)/python -m bench.walks
	$(BIN)/python -m bench.peers --documents 200 --generated 40 --rounds 3 --out .edgar/peers.json --fresh

bench-docs: .venv/.bench ## docs/performance.md with its plots, and docs/sizing.md, of the runs that are kept
	$(BIN)/python -m bench.peers.page
	$(BIN)/python -m bench.sizing_page

.PHONY: help setup run check test test-long torture tables bench bench-docs redis browser screens
