# make            dependencies and kernels
# make test       the whole suite        make test-slow   what takes minutes
# make lint       ruff and clang-format  make clean       removes what was built
# make ontonotes CONLL2012=DIR [ONTONOTES=DIR] [GLOVE=FILE] [TURIAN=FILE] [LANGUAGE=english]
#                 the paper's corpus, from its releases   EXPECT=TRAIN,DEV,TEST  if they have other numbers of documents

# An active virtual or conda environment is used; otherwise one is made in .venv.
ENVIRONMENT := $(or $(VIRTUAL_ENV),$(CONDA_PREFIX),$(CURDIR)/.venv)
PYTHON      := $(ENVIRONMENT)/bin/python
INSTALLED   := $(ENVIRONMENT)/.coref_tf-requirements

OPS     := coref_tf/_coref_ops.so
NATIVE  := coref_tf/_native.so
HEADERS := $(wildcard kernels/*.h)

CXXFLAGS += -std=c++17 -O3 -fPIC -pthread -Wall -Wextra

.PHONY: all test test-slow lint clean ontonotes
all: $(OPS) $(NATIVE)

$(PYTHON):
	python3.11 -m venv $(ENVIRONMENT)

$(INSTALLED): requirements.txt requirements-dev.txt | $(PYTHON)
	$(PYTHON) -m pip install --quiet -r requirements-dev.txt
	touch $@

# The compiler flags that this TensorFlow and pybind11 ask for, written once per installation.
build/flags.mk: $(INSTALLED) kernels/flags.py
	mkdir -p build
	$(PYTHON) kernels/flags.py > $@.tmp && mv $@.tmp $@

ifeq ($(filter clean,$(MAKECMDGOALS)),)
-include build/flags.mk
endif

$(OPS): $(wildcard kernels/*_op.cc kernels/*_kernel.cc) $(HEADERS) build/flags.mk
	$(CXX) $(CXXFLAGS) -shared $(TF_CFLAGS) -o $@.tmp $(filter %.cc,$^) $(TF_LFLAGS)
	mv $@.tmp $@

$(NATIVE): $(wildcard kernels/*bindings.cc) $(HEADERS) build/flags.mk
	$(CXX) $(CXXFLAGS) -shared -fvisibility=hidden $(PYBIND_CFLAGS) -o $@.tmp $(filter %.cc,$^)
	mv $@.tmp $@

test: all
	$(PYTHON) -m pytest -m "not slow"

test-slow: all
	$(PYTHON) -m pytest -m slow

lint: $(INSTALLED)
	$(ENVIRONMENT)/bin/ruff check .
	$(ENVIRONMENT)/bin/ruff format --check .
	$(ENVIRONMENT)/bin/clang-format --dry-run --Werror kernels/*.h kernels/*.cc

clean:
	rm -rf build dist *.egg-info $(OPS) $(NATIVE)

# Many systems set a LANGUAGE of their own; only one given to make counts.
ontonotes: $(INSTALLED)
	@$(PYTHON) -m coref_tf.ontonotes "$(CONLL2012)" \
	  $(if $(ONTONOTES),--ontonotes "$(ONTONOTES)") $(if $(GLOVE),--glove "$(GLOVE)") \
	  $(if $(TURIAN),--turian "$(TURIAN)") $(if $(EXPECT),--expect "$(EXPECT)") \
	  $(if $(filter command,$(origin LANGUAGE)),--language "$(LANGUAGE)")
