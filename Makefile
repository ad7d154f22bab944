# zerograd: one command each. `make help` lists them.
# Needs Python 3.11, pip and make; everything else is installed into .venv from constraints.txt.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUNNABLE := $(VENV)/runnable
INSTALLED := $(VENV)/installed
PEERS := $(VENV)/peers-installed
LINTERS := $(VENV)/linters
FILE_LINTERS := $(VENV)/file-linters
BROWSER := $(VENV)/browser-looked-for
NEOVIM := $(VENV)/neovim-looked-for
VSCODE := editors/vscode
# Run thousands of random programs and real trainings: too slow to trace, and they add no branch.
UNTRACED := tests/lifecycle/test_ledger_against_oracle.py tests/rules/test_page_programs.py
# What `make coverage` runs; `make test` runs it once, so.
TRACED := $(filter-out $(UNTRACED),$(wildcard tests/lifecycle/test_*.py tests/rules/test_*.py))
# Every test that starts processes which meet.
RANK_TESTS := tests/ranks tests/engine/ranks tests/rules/test_rank_programs.py \
	tests/testing/test_same_over_ranks.py $(foreach one,rank_agreement rank_processes \
	classic_rank_bugs fast_path_over_ranks torchrun multi_process_run processes,tests/watch/test_$(one).py)
# What tries more where ZEROGRAD_ROBUSTNESS is set.
FUZZ := tests/lint_shell/test_standard_library.py tests/lint_proofs/test_fuzz.py \
	tests/lint_shell/test_gitignore.py tests/lifecycle/test_ledger_against_oracle.py tests/attacks/test_fuzz_inputs.py tests/attacks/test_fuzz_journals.py \
	tests/attacks/test_checkpoints.py tests/attacks/test_lint_budgets.py tests/engine/test_engine_fuzz.py \
	tests/engine/ranks/test_rank_fuzz.py \
	tests/compat/test_artificial_torch.py tests/lint/test_shortcuts_lose_nothing.py tests/watch/test_unseen_programs.py \
	tests/watch/test_late_faults.py tests/watch/test_rank_processes.py
# Containers set it; each of the tests' thousand processes would compile all of zerograd again.
export PYTHONDONTWRITEBYTECODE :=
ROUNDS ?= 30
BENCHMARKS := startup engine generator memory hints watch ranks ranks_watch lint server report
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.DEFAULT_GOAL := help
.PHONY: help install demo test quick arithmetic repeat-ranks robustness ecosystem suites mutants gold screenshots docs format style lint types contracts coverage compiled bench bench-quick linters compat vscode vscode-window package release-files release changelog clean

help:  ## list the commands
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## */\t/' | \
		awk -F '\t' '{ printf "  make %-14s %s\n", $$1, $$2 }'

# torch comes first: with 2.13.0 installed no later package pulls another build. Without numpy
# it warns at every start.
$(RUNNABLE): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "zerograd: needs Python 3.11 or newer; try make PYTHON=python3.11"; exit 1; }
	@test -x $(BIN)/python || { echo "zerograd: creating $(VENV) (once)"; $(PYTHON) -m venv $(VENV); }
	@$(PIP) install --constraint constraints.txt --upgrade pip
	@echo "zerograd: installing torch, the largest part"
	@$(PIP) install --constraint constraints.txt torch numpy
	@echo "zerograd: installing zerograd"
	@$(PIP) install --constraint constraints.txt --editable '.[all]'
	@touch $@

# pip compiles one file after the other; 15,000 of them are compiled on all cores, at the end. Tests
# of packages are not, and what is no Python of this version is passed over.
$(INSTALLED): $(RUNNABLE)
	@echo "zerograd: installing the development tools"
	@$(PIP) install --no-compile --constraint constraints.txt --group dev
	@echo "zerograd: installing the training libraries that scripts are tried with"
	@$(PIP) install --no-compile --constraint constraints.txt --group frameworks || \
		echo "zerograd: the training libraries cannot be installed here: their scripts are skipped"
	@$(PIP) install --no-compile --constraint constraints.txt --group trackers --group notebooks || \
		echo "zerograd: trackers and notebook kernels cannot be installed here: their tests are skipped"
	@$(PIP) install --no-compile --constraint constraints.txt --group docs || \
		echo "zerograd: sphinx cannot be installed here: the site is not built"
	@$(BIN)/python -W ignore -m compileall -qq -j 0 -x /tests/ $(VENV)/lib || true
	@touch $@

install: $(INSTALLED)  ## create .venv and install everything (once)

demo: $(RUNNABLE)  ## a broken loop linted, watched, repaired and watched again, then the engine
	@$(BIN)/python demo/story.py

# The HTML report is opened in a real browser; where there is none, those tests say so and are skipped.
$(BROWSER): $(INSTALLED)
	@command -v chromium > /dev/null || command -v google-chrome > /dev/null || { \
		echo "zerograd: installing Chromium, to open the HTML report in (once)"; \
		test "$$(id -u)" = 0 && { timeout 120 apt-get update; \
		timeout 300 apt-get install --yes --no-install-recommends chromium; } > /dev/null 2>&1; } || \
		echo "zerograd: Chromium cannot be installed here: the tests that open the report are skipped"
	@touch $@

# The language server is tried with a real editor; where there is none, its test says so.
$(NEOVIM): $(INSTALLED)
	@command -v nvim > /dev/null || { \
		echo "zerograd: installing Neovim, to try the language server with (once)"; \
		test "$$(id -u)" = 0 && { timeout 120 apt-get update; \
		timeout 300 apt-get install --yes --no-install-recommends neovim; } > /dev/null 2>&1; } || \
		echo "zerograd: Neovim cannot be installed here: the test that uses it is skipped"
	@touch $@

# The checks two at a time. Then four workers for two cores: ranks and browsers wait more than they
# compute; each begins with a stretch of its own, so that what a file's tests share is made once.
# What was run with coverage is not run again.
test: $(BROWSER) $(NEOVIM)  ## everything that CI runs
	@$(MAKE) --no-print-directory --jobs 2 --output-sync=target types coverage style contracts compiled
	@$(BIN)/python -m pytest --numprocesses 4 --dist worksteal $(addprefix --ignore ,$(TRACED))

# Each of the four would compile all tests, at the same time as the others. What fails here fails there.
compiled: $(INSTALLED)  ## compile the tests, by collecting them
	@$(BIN)/python -m pytest --collect-only --quiet $(addprefix --ignore ,$(TRACED)) > /dev/null 2>&1 || true

quick: $(INSTALLED)  ## the tests of what you changed, or a core, and ruff: under two minutes; not the whole
	@$(BIN)/python tests/quick.py

# How torch can be made to compute as it does on other machines, one variable each; the last one
# gives it two threads. `make arithmetic ARITHMETIC=OMP_NUM_THREADS=2` runs one of them, and a comma
# joins those of one machine: `ARITHMETIC=ATEN_CPU_CAPABILITY=avx2,ONEDNN_MAX_CPU_ISA=AVX2`.
ARITHMETIC ?= ATEN_CPU_CAPABILITY=default ATEN_CPU_CAPABILITY=avx2 ONEDNN_MAX_CPU_ISA=SSE41 \
	ONEDNN_MAX_CPU_ISA=AVX2 MKL_CBWR=COMPATIBLE OMP_NUM_THREADS=1 OMP_NUM_THREADS=2
ARITHMETIC_TESTS ?= tests

# Threads that wait passively: spinning, two workers' four would take each other's two cores.
arithmetic: export OMP_WAIT_POLICY := passive
arithmetic: $(BROWSER)  ## the whole suite with the arithmetic of other CPUs, once each (hours); CONTRIBUTING says more
	@red=""; for one in $(ARITHMETIC); do \
		echo "zerograd: with $$one"; \
		env $$(echo "$$one" | tr , ' ') $(BIN)/python -m pytest --quiet --numprocesses 2 $(ARITHMETIC_TESTS) || red="$$red $$one"; \
	done; \
	test -z "$$red" || { echo "zerograd: red with$$red"; exit 1; }; \
	echo "zerograd: green with $(ARITHMETIC)"

repeat-ranks: $(INSTALLED)  ## all tests of several ranks, again and again; stops at the first red round
	@for round in $$(seq $(ROUNDS)); do \
		$(BIN)/python -m pytest --quiet --numprocesses 2 $(RANK_TESTS) || exit 1; \
		echo "zerograd: round $$round of $(ROUNDS) is green"; \
	done

robustness: $(INSTALLED)  ## lint all installed packages, and read settings, sources, journals and checkpoints of any content, to survive it; fuzz the engine
	@ZEROGRAD_ROBUSTNESS=1 $(BIN)/python -m pytest --numprocesses 2 --hypothesis-seed=$$(date +%s) $(FUZZ)

ecosystem: $(INSTALLED)  ## lint pinned packages from PyPI and compare with what was read (network; minutes)
	@$(BIN)/python ecosystem/check.py $(PACKAGES)

suites: $(INSTALLED)  ## run other libraries' training tests, bare and under pytest --zerograd, and compare (network; an hour)
	@$(BIN)/python ecosystem/suites.py $(SUITES)

mutants: $(INSTALLED)  ## count which machine-made faults lint finds; writes docs/mutation-rates.md (minutes)
	@$(BIN)/python tests/lint_proofs/rates.py

gold: $(INSTALLED)  ## rewrite the reports' gold files; then read the diff
	@ZEROGRAD_UPDATE_GOLD=1 $(BIN)/python -m pytest --quiet tests/reports/test_gold.py

screenshots: $(BROWSER)  ## draw the pictures of README and docs from real runs
	@PYTHONPATH=tests/reports $(BIN)/python docs/screenshots.py

docs: $(INSTALLED)  ## build the documentation into docs/_build/html; a warning is an error
	@$(BIN)/python -m sphinx -W --keep-going --quiet --fresh-env --write-all --builder html docs docs/_build/html
	@echo "zerograd: open docs/_build/html/index.html"

format: $(INSTALLED)  ## rewrite the sources in the project's format
	@$(BIN)/ruff format
	@$(BIN)/ruff check --fix

style: $(INSTALLED)  ## check format and style
	@$(BIN)/ruff format --check
	@$(BIN)/ruff check

lint: style  ## the same, and our own loops with our own linter, as tests/release/test_own_lint.py does
	@$(BIN)/zerograd lint --quiet

types: $(INSTALLED)  ## check types, strictly
	@$(BIN)/mypy

contracts: $(INSTALLED)  ## check that every import points down
	@$(BIN)/lint-imports --no-logo

coverage: $(INSTALLED)  ## check that every branch of lifecycle and rules is tested
	@$(BIN)/coverage erase
	@$(BIN)/coverage run -m pytest --quiet $(TRACED)
	@$(BIN)/coverage report

# The libraries that the engine is measured beside; nothing else needs them.
$(PEERS): $(INSTALLED)
	@echo "zerograd: installing the training libraries to compare with (once)"
	@$(PIP) install --constraint constraints.txt --group bench
	@touch $@

# The report's benchmark opens the pages that its tests open, the server's is their editor.
bench bench-quick: export PYTHONPATH := tests/reports:tests/server

bench: $(PEERS)  ## measure everything; writes benchmarks/RESULTS.md and README's table from it (an hour)
	@$(BIN)/python benchmarks/results.py
	@set -e; for one in $(BENCHMARKS); do $(BIN)/python benchmarks/$$one.py; done
	@$(BIN)/python benchmarks/readme.py

bench-quick: $(PEERS)  ## the same with fewer rounds, in under five minutes on two quiet cores
	@$(BIN)/python benchmarks/results.py
	@set -e; for one in $(BENCHMARKS); do $(BIN)/python benchmarks/$$one.py --quick; done
	@$(BIN)/python benchmarks/readme.py

# Outside of the clone, and removed after each: `make compat TORCH="2.5.1 2.8.0" PYTHON=python3.12`.
TORCH ?= 2.13.0
COMPAT_TESTS ?= whole
compat: export COMPAT_TESTS := $(COMPAT_TESTS)
compat:  ## run tests with another torch (TORCH=2.8.0) or Python; writes docs/compatibility.md (GB, minutes)
	@$(PYTHON) tests/compat/matrix.py --torch $(TORCH) --python $(PYTHON)

# TorchFix and the tests want different versions of one library.
linters: $(INSTALLED)  ## run TorchFix and ruff on the broken programs; writes the comparison page's table
	@test -d $(LINTERS) || $(BIN)/python -m venv --without-pip $(LINTERS)
	@$(PIP) --python $(LINTERS)/bin/python install --group linters
	@$(BIN)/python benchmarks/linters.py

vscode: $(RUNNABLE)  ## build the extension for Visual Studio Code, try it with the server (npm, network)
	@cd $(VSCODE) && npm ci --silent --no-audit --no-fund
	@cd $(VSCODE) && npm run --silent check
	@cd $(VSCODE) && ZEROGRAD_COMMAND='["$(abspath $(BIN))/zerograd", "server"]' npm test --silent
	@cd $(VSCODE) && npm run --silent package

# Without the scripts of its packages, one of which asks GitHub for ripgrep; what is compiled here is what
# the window needs. A terminal in it (node-pty) is not.
WINDOW := $(VENV)/code-server
INSIDE := $(WINDOW)/node_modules/code-server
vscode-window: vscode $(BROWSER)  ## open a broken loop in a real Visual Studio Code (code-server), repair it, and draw the picture
	@npm install --prefix $(WINDOW) --silent --no-save --ignore-scripts code-server@4.100.3
	@cd $(WINDOW) && npm rebuild --silent argon2
	@cd $(INSIDE)/lib/vscode && npm install --silent --omit=dev --ignore-scripts
	@cd $(INSIDE)/lib/vscode && npm rebuild --silent @vscode/spdlog native-watchdog @parcel/watcher
	@cd $(INSIDE)/lib/vscode && { npm rebuild --silent node-pty || true; }
	@cd $(INSIDE)/lib/vscode/extensions && npm install --silent --omit=dev --ignore-scripts
	@PYTHONPATH=tests/reports $(BIN)/python $(VSCODE)/window.py $(abspath $(INSIDE))/out/node/entry.js

# Each gets the wheel and what it requires, and nothing else: `make package PYTHONS="python3.12 python3.13"`.
PYTHONS ?= $(PYTHON)
package: $(INSTALLED)  ## build the wheel and the sdist into dist/, inspect both, install into an empty environment
	@$(PIP) install --constraint constraints.txt --group package
	@rm -rf dist
	@$(BIN)/python -m build --no-isolation --outdir dist
	@$(BIN)/check-wheel-contents dist/*.whl
	@$(BIN)/twine check --strict dist/*
	@set -e; for python in $(PYTHONS); do \
		rm -rf $(VENV)/empty; $$python -m venv --without-pip $(VENV)/empty; \
		$(PIP) --python $(VENV)/empty/bin/python install dist/*.whl; \
		$(VENV)/empty/bin/python --version; $(VENV)/empty/bin/zerograd --version; \
		$(VENV)/empty/bin/zerograd lint --isolated docs/forgotten.py > /dev/null || test $$? = 1; \
	done
	@rm -rf $(VENV)/empty

# In an environment of their own: nothing else needs them. Only GitHub has actionlint.
release-files: $(INSTALLED)  ## check workflows, action, issue forms, citation and Dockerfile with their own linters
	@test -d $(FILE_LINTERS) || $(BIN)/python -m venv --without-pip $(FILE_LINTERS)
	@$(PIP) --python $(FILE_LINTERS)/bin/python install --group release-files
	@set -e; check="$(FILE_LINTERS)/bin/check-jsonschema --quiet --builtin-schema"; \
		$$check vendor.github-workflows .github/workflows/*.yml; \
		$$check vendor.github-actions action.yml; \
		$$check vendor.github-issue-forms $(filter-out %/config.yml,$(wildcard .github/ISSUE_TEMPLATE/*.yml)); \
		$$check vendor.github-issue-config .github/ISSUE_TEMPLATE/config.yml; \
		$$check vendor.citation-file-format CITATION.cff
	@$(FILE_LINTERS)/bin/hadolint Dockerfile
	@command -v actionlint > /dev/null && actionlint || echo "zerograd: actionlint is not installed: the scripts in workflows were not read"

# What a release is made of; a tag `v0.1.0` on the commit then publishes it (.github/workflows).
VERSION ?= 0.1.0
release: $(INSTALLED)  ## write version and changelog of VERSION=0.1.0, build and inspect both packages; publishes nothing
	@$(BIN)/python tests/release/prepare.py $(VERSION)
	@$(PIP) install --no-deps --editable .
	@$(MAKE) --no-print-directory release-files package
	@echo "zerograd: read CHANGELOG.md, commit, and tag the commit v$(VERSION)"

changelog: $(INSTALLED)  ## show what the next release notes say
	@$(BIN)/towncrier build --draft --version next

clean:  ## remove the environment and what the tools leave behind
	@rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage* .import_linter_cache docs/_build docs/rules docs/questions
