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

test: setup ## all tests; T=path for some
	$(BIN)/python -m tests.run $(T)

test-long: setup ## the long suites too
	$(BIN)/python -m tests.run --long $(T)

bench: setup ## the benchmark; prints ratios of one run
	$(BIN)/python -m bench

.PHONY: help setup run check test test-long bench
