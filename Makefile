# Verbs only; what they do is in harness/. `make` alone explains them.
SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help setup test lint race lab up site compose-test clean

UV_VERSION := 0.13.8
UV := .samewire/uv/bin/uv
VENV := .samewire/venv
SAMEWIRE := $(VENV)/bin/samewire
export PATH := $(CURDIR)/$(VENV)/bin:$(PATH)

help: ## explain the verbs
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo "More: $(SAMEWIRE) --help (after make setup). make test, race, up and compose-test pass ARGS='…' on; EXPERIMENT=… is another race."

setup: $(SAMEWIRE) ## install what is missing (packages, Python, Node.js, PostgreSQL) and build all servers
	@harness/toolchains/install-packages
	@$(SAMEWIRE) setup

test: setup ## prove it all: linters, unit tests, the contract suite on every server, every race in small
	@$(SAMEWIRE) test $(ARGS)

lint: setup ## formatters and linters of every language
	@$(SAMEWIRE) lint

EXPERIMENT ?= shortener
# Of the shortener's variants none is the question; those of other experiments are.
SHORT = $(if $(filter shortener,$(EXPERIMENT)),--short)
race: setup ## the main job: prove the shortener servers identical where that is not done yet, race them, open the report
	@test -e bench/experiments/$(EXPERIMENT).toml || $(SAMEWIRE) race $(EXPERIMENT) # says which there are
	@$(SAMEWIRE) verify --stale "$$(sed -n 's/^service = "\(.*\)"/\1/p' bench/experiments/$(EXPERIMENT).toml)"
	@$(SAMEWIRE) race $(EXPERIMENT) $(SHORT) --open $(ARGS)

lab: setup ## labs on concurrency, as pages on loopback: predict, run, see why
	@$(SAMEWIRE) lab --serve --open $(ARGS)

site: $(SAMEWIRE) ## all pages as a site with a search, in docs/site; ARGS=--serve shows it
	@$(SAMEWIRE) site $(ARGS)

up: setup ## databases and servers, until Ctrl-C
	@$(SAMEWIRE) up $(ARGS)

compose-test: $(SAMEWIRE) ## prove docker-compose.yml: an engine, images, databases, data, the suite on servers of each language
	@harness/toolchains/install-packages
	@docker info >/dev/null 2>&1 || harness/toolchains/install-packages harness/containers/apt.txt
	@$(SAMEWIRE) compose-test $(ARGS)

clean: ## delete all that was made: toolchains, builds, data, records (not bench/results)
	@if [ -x $(SAMEWIRE) ]; then $(SAMEWIRE) clean; fi
	@rm -rf .samewire

# The distribution's Python first: it is built with profile-guided optimisation, which those of pyenv are not.
$(UV):
	@harness/toolchains/install-packages
	@for python in $(PYTHON) /usr/bin/python3 python3; do \
	  $$python -c 'import ensurepip, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && exec $$python -m venv .samewire/uv; \
	done; echo "Python 3.11 or newer, with venv, is needed: apt-get install python3-venv, or make PYTHON=/path/to/python3" >&2; exit 3
	@.samewire/uv/bin/pip install -q --disable-pip-version-check uv==$(UV_VERSION)

# The lock is a requirements file with hashes and not uv.lock, because uv.lock writes a registry's address beside every package.
$(SAMEWIRE): harness/requirements.lock harness/pyproject.toml | $(UV)
	@$(UV) venv -q --allow-existing --python "$$(.samewire/uv/bin/python -c 'import sys; print(sys.executable)')" $(VENV)
	@$(UV) pip sync -q --compile-bytecode --python $(VENV) --require-hashes harness/requirements.lock
	@$(UV) pip install -q --python $(VENV) --no-deps --editable harness
	@touch $@
