PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

# The tests of what uses models: no training, no experiments.
USE    := $(addprefix tests/memsum/,document languages text features query model summary summarizer batch server)

ALL    := .[train,serve,mcp,plots,hub,cluster,ocr,languages,integrations,docs,dev]

.DEFAULT_GOAL := help
.PHONY: help demo test test-fast lowest newest check format docs package bench bench-compare clean

help: ## list what one can do here
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 20

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

# What using memsum needs: no PyTorch.
$(VENV)/.use: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) -e .
	@touch $@

# Everything: training, plots, Hugging Face, Ray, tests.
$(VENV)/.dev: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) -e '$(ALL)'
	@touch $@ $(VENV)/.use

demo: $(VENV)/.use ## set up, summarize house rules and a meeting, and ask a report a question
	$(BIN)/memsum src/memsum/server/static/sample.md
	$(BIN)/memsum docs/demo/harbour-meeting.txt
	$(BIN)/memsum docs/demo/night-buses.md --about "How many drivers were trained?"

test: $(VENV)/.dev ## set up and run all tests
	$(BIN)/python -m pytest -n auto --dist loadgroup -q

test-fast: $(VENV)/.dev ## run the tests that need neither Ray nor a browser nor much time
	$(BIN)/python -m pytest -n auto --dist loadgroup --hypothesis-profile quick -q -m "not slow"

# Schemathesis 4, which one file of slow tests uses, needs later versions.
lowest: ## test the use of models with the lowest versions that are allowed, in an environment of its own
	$(PYTHON) -m venv $(VENV)-lowest
	$(VENV)-lowest/bin/python -m pip install --quiet --disable-pip-version-check \
	  -e '.[train,serve,mcp,ocr,languages,dev]' -c constraints.txt -c constraints-lowest.txt
	$(VENV)-lowest/bin/python -m pytest -n auto -q -m "not slow" --ignore tests/memsum/server/test_openapi.py $(USE)

newest: ## test with the newest versions of everything that are allowed, in an environment of its own
	$(PYTHON) -m venv $(VENV)-newest
	$(VENV)-newest/bin/python -m pip install --quiet --disable-pip-version-check --upgrade --upgrade-strategy eager \
	  -e '$(ALL)' -c constraints.txt
	$(VENV)-newest/bin/python -m pytest -n auto --dist loadgroup -q -m "not slow"

check: $(VENV)/.dev ## lint, format check, types and imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.dev ## format the code
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: $(VENV)/.dev ## write the generated pages and outputs, and build the site into site/; broken links fail
	$(BIN)/python docs/commands.py
	$(BIN)/python docs/http_api.py
	$(BIN)/python docs/gallery.py
	$(BIN)/python docs/outputs.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

package: $(VENV)/.dev ## build wheel and source archive into dist/, check them, and use the wheel in a clean environment
	rm -rf dist $(VENV)-package
	$(BIN)/python -m build --quiet
	$(BIN)/twine check --strict dist/*
	$(PYTHON) -m venv $(VENV)-package
	$(VENV)-package/bin/python -m pip install --quiet --disable-pip-version-check dist/*.whl
	$(VENV)-package/bin/memsum --version
	$(VENV)-package/bin/memsum docs/demo/night-buses.md

bench: $(VENV)/.dev ## measure this machine (takes minutes; wants a quiet machine)
	$(BIN)/python benchmarks/run.py

bench-compare: $(VENV)/.dev ## compare the working tree with the commit BASE=5da95df73d, or another one, in one run
	$(BIN)/python benchmarks/compare.py $(BASE) $(ARGUMENTS)

clean: ## remove the environment and caches
	rm -rf $(VENV) $(VENV)-lowest $(VENV)-newest $(VENV)-package $(VENV)-compare dist site .pytest_cache .mypy_cache .ruff_cache .hypothesis
