# Everything that is done with Graft on one machine. `make help` lists it.

PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
READY := $(VENV)/.ready
REQUIREMENTS := requirements.txt requirements-local.txt requirements-dev.txt

# What is typed reaches the commands through the environment: no shell reads it.
export NAME CAP WINDOW AGENT TOOL AT PLAN STAGE EMAIL LOG_DAYS DELETE_DATA

# What runs beside `make run`, or with a STAGE beside what is deployed to it.
COMMANDS := $(PY) -m $(if $(STAGE),infra.deploy.commands,infra.local.commands)

.PHONY: help setup run agent approve sign-in person sweep reconcile stage infra package deploy destroy test test-clients \
	test-deployed conformance harness test-browser screens lint check format bench

help: ## what can be made
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 20

setup: $(READY) ## the virtual environment in .venv, and nothing else

$(READY): $(REQUIREMENTS)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo 'Graft needs Python 3.11 or newer; name one with: make PYTHON=python3.13 …'; exit 1; }
	@echo 'Setting up $(VENV), which takes about a minute …'
	@test -x $(PY) || $(PYTHON) -m venv $(VENV)
	@$(PY) -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	@touch $(READY)

run: $(READY) ## Graft on this machine: PORT=8765, GRAFT_HOME=.graft
	@exec $(PY) -m infra.local.run

agent: $(READY) ## another agent: NAME=laptop, CAP=20, WINDOW=21 (days)
	@$(COMMANDS) agent --name="$$NAME" --cap="$$CAP" --window="$$WINDOW"

approve: $(READY) ## allow a tool that writes: AGENT=demo TOOL=demo__create-note
	@$(COMMANDS) approve --agent="$$AGENT" --tool="$$TOOL"

sign-in: $(READY) ## a link that signs you in to the console once
	@$(COMMANDS) sign-in

person: $(READY) ## the link with which the first person of a STAGE makes their account
	@$(COMMANDS) person

sweep: $(READY) ## apply the rule now: AT=+30d (or an instant) moves its clock, PLAN=1 only prints
	@$(COMMANDS) sweep --at="$$AT" --plan="$$PLAN"

reconcile: $(READY) ## recompute the due index for every agent and report drift
	@$(COMMANDS) reconcile

stage: $(READY) ## a further stage in .chalice/config.json: STAGE=staging
	@$(PY) -m infra.deploy stage --stage="$$STAGE"

infra: $(READY) ## table, key, logs and alarms on AWS: STAGE=dev, EMAIL=me@example.com for alarms, LOG_DAYS=30
	@$(PY) -m infra.deploy infra --stage="$$STAGE" --email="$$EMAIL" --log-days="$$LOG_DAYS"

package: $(READY) ## what is deployed, in build/<stage>, without AWS: STAGE=dev
	@$(PY) -m infra.deploy package --stage="$$STAGE"

deploy: $(READY) ## infra and package, then functions and API by Chalice: STAGE=dev
	@$(PY) -m infra.deploy deploy --stage="$$STAGE" --email="$$EMAIL" --log-days="$$LOG_DAYS"

destroy: $(READY) ## functions and API away, data stays: STAGE=dev (DELETE_DATA=yes: table and key, too)
	@$(PY) -m infra.deploy destroy --stage="$$STAGE" --delete-data="$$DELETE_DATA"

test: $(READY) ## the tests, with nothing but PyPI
	@$(PY) -m pytest -n auto --dist loadfile

test-clients: $(READY) ## the tests with other clients; fetches them from PyPI and npm into .lab
	@$(PY) -m tests.clients.fetch
	@$(PY) -m pytest tests/clients

test-deployed: $(READY) ## `make deploy` onto an AWS emulator, and what it deployed, driven by MCP clients
	@$(PY) -m tests.clients.fetch
	@$(PY) -m tests.deployed.fetch
	@$(PY) -m pytest tests/deployed

conformance: $(READY) ## the official MCP conformance suite, both revisions; fetches it from npm into .lab
	@$(PY) -m tests.conformance.run

harness: $(READY) ## Graft with the real Hermes and OpenClaw and a scripted model; fetches them into .lab
	@$(PY) -m tests.harness.fetch
	@$(PY) -m pytest tests/harness

test-browser: $(READY) ## the console in headless Chromium; fetches Playwright into .lab, and Debian's chromium
	@$(PY) -m tests.browser.fetch
	@$(PY) -m pytest -n 2 tests/browser

screens: $(READY) ## pictures of every page in every state, light and dark, phone and desk, in build/screens
	@$(PY) -m tests.browser.fetch
	@$(PY) -m tests.browser.screens

lint: $(READY) ## format, lint and types, without changing a file
	@$(PY) -m ruff format --check .
	@$(PY) -m ruff check .
	@$(PY) -m mypy

check: lint test ## lint, then the tests

format: $(READY) ## format the code
	@$(PY) -m ruff format .
	@$(PY) -m ruff check --fix .

bench: $(READY) ## the budgets, each measured now and beside its peers, which it fetches into .lab; 3 to 6 minutes
	@$(PY) -m benchmarks.budgets
