# Everything is done from here; `make help` lists it. Needs python3 (3.11 or later, with venv and pip) and make.

PYTHON ?= python3
PORT ?= 8000
ARGS ?=

BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
RUN := .venv/run.stamp
DEV := .venv/dev.stamp
# A key and a host as a deployment would have them, for `check --deploy` only.
DEPLOY := CCWEB_SECURE=1 CCWEB_ALLOWED_HOSTS=ccweb.example \
	CCWEB_SECRET_KEY=$$($(BIN)/python -c 'import secrets; print(secrets.token_urlsafe(50))')

.DEFAULT_GOAL := help
.PHONY: help setup run test check bench coverage format lock

help: ## List what can be done
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(RUN) ## Prepare .venv, and nothing else

run: $(RUN) ## Import this machine's agent logs and serve the site (PORT=8000)
	@exec $(BIN)/python -m ccweb run --port $(PORT) $(ARGS)

test: $(DEV) ## Run all tests: on SQLite, PostgreSQL, Redis and in a browser (ARGS= for pytest)
	$(BIN)/python -m tests $(ARGS)

check: export CCWEB_DATA_DIR := $(CURDIR)/.venv/check
check: $(DEV) ## Format, lint, imports, types, sizes, migrations, deployment settings, compose file
	$(BIN)/ruff format --check --quiet . || { echo "Run make format."; exit 1; }
	$(BIN)/ruff check --quiet .
	$(BIN)/lint-imports --no-logo
	$(BIN)/mypy
	$(BIN)/python -m tests.sizes
	$(BIN)/check-jsonschema --builtin-schema vendor.compose-spec docker-compose.yml
	$(BIN)/python manage.py makemigrations --check --dry-run
	@$(DEPLOY) $(BIN)/python manage.py check --deploy --fail-level WARNING

bench: $(DEV) ## Measure import speed, refresh, memory and pages (minutes)
	$(BIN)/python -m benchmarks $(ARGS)

coverage: $(DEV) ## Say which lines and branches no test runs
	$(BIN)/coverage run -m pytest -q $(ARGS)
	$(BIN)/coverage report

format: $(DEV) ## Format the code and mend what the linter can mend
	$(BIN)/ruff check --fix-only --quiet .
	$(BIN)/ruff format .

lock: $(DEV) ## Write requirements/*.txt anew from requirements/*.in (ARGS=--upgrade for the newest)
	$(BIN)/uv pip compile --quiet --no-annotate --generate-hashes --python-version 3.11 $(ARGS) requirements/run.in -o requirements/run.txt
	$(BIN)/uv pip compile --quiet --no-annotate --generate-hashes --python-version 3.11 $(ARGS) -c requirements/run.txt requirements/dev.in -o requirements/dev.txt

$(BIN)/python:
	@command -v $(PYTHON) >/dev/null || { echo "ccweb needs Python 3.11 or later, and there is no $(PYTHON) here."; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "ccweb needs Python 3.11 or later; $(PYTHON) is $$($(PYTHON) -V). Name a newer one: make setup PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
		echo "$(PYTHON) has no venv module. On Debian and Ubuntu: apt install python3-venv"; exit 1; }
	@$(PYTHON) -m venv .venv

$(RUN): requirements/run.txt | $(BIN)/python
	@echo "Installing what ccweb needs to run …"
	@$(PIP) install --require-hashes -r requirements/run.txt
	@touch $@

$(DEV): requirements/dev.txt $(RUN)
	@echo "Installing what checks and tests need …"
	@$(PIP) install --require-hashes -r requirements/dev.txt
	@touch $@
