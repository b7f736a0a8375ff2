# Build and test
#   make              install the dependencies, build the kernels, compile the sample corpus
#   make test         run the tests, with the C++ under sanitizers and the CUDA kernels compiled
#   make test-slow    run the tests that take minutes
#   make second-lane  build and test a copy with a Python of the other lane, where it runs `make test-lane`
#   make fuzz         feed more than 20,000 damaged inputs to readers, models, ops and settings
#   make lint         check style
#   make docs         build the documentation as a site in site/
#   make wheel        build a wheel in dist/; `make wheels` builds and tests one for every supported Python that it finds
#   make clean        remove everything that was built
# Measure, reproduce, train
#   make bench        run benchmarks/          BENCH="--only ops" passes options
#   make reproduce    create the tables and figures of the paper          REPRODUCE=--quick
#                     CORPUS=ontogum trains on OntoGUM (paper/ontogum.conf) and writes docs/ontogum
#   make ontonotes    prepare the paper's corpus from its releases
#                     CONLL2012=DIR [ONTONOTES=DIR] [GLOVE=FILE] [TURIAN=FILE] [LANGUAGE=english] [EXPECT=TRAIN,DEV,TEST]
#   make model        train the bundled models with recipes/english
#   make encoder      download a pretrained encoder to data/encoders          ENCODER=minilm|e5|distilbert|mpnet|mpnet6
#   make spark        install PySpark, for `coref spark` and its tests
# Settings
#   PYTHON=python3.13         use this Python. By default, make uses the active environment or .venv, which it creates with
#                             Python 3.11 (TensorFlow 2.15), or else the newest of 3.13, 3.12 (2.21) and 3.10 (2.15).
#   ENVIRONMENT=.venv-3.13    use another environment; the built libraries are those of the last make.
#   INSTALLED=PATH            use this Python as it is, without installing anything.
#   CUDA=0|1                  omit the GPU kernels, or require them; by default, they are built if nvcc works.

# Build in parallel.
MAKEFLAGS += --jobs=$(shell nproc)

# PYTHON counts only on the command line; in the environment, it is meant for other programs.
ASKED       := $(if $(filter command,$(firstword $(origin PYTHON))),$(PYTHON))
ENVIRONMENT := $(or $(VIRTUAL_ENV),$(CONDA_PREFIX),.venv)
ACTIVE      := $(if $(filter file,$(origin ENVIRONMENT)),$(or $(VIRTUAL_ENV),$(CONDA_PREFIX)))
python      := $(or $(INSTALLED),$(ENVIRONMENT)/bin/python)

OPS    := coref_tf/_coref_ops.so
NATIVE := coref_tf/_native.so

# TensorFlow 2.21 deprecates names without a replacement in 2.15: tensorflow::Status, OkStatus, InvalidArgument.
CXXFLAGS  += -std=c++17 -O3 -Ikernels -fPIC -fvisibility=hidden -pthread -Wall -Wextra -Wno-deprecated-declarations
NVCCFLAGS += -std=c++17 -O3 -Ikernels -x cu --expt-relaxed-constexpr --extended-lambda -DGOOGLE_CUDA=1 -w -Xcompiler -fPIC,-fvisibility=hidden
CUDA      := auto
NVCC      := $(if $(filter-out 0,$(CUDA)),$(shell command -v nvcc))

.PHONY: all kernels sample test test-lane test-slow asan-test cuda-check fuzz browser lint docs wheel wheels second-lane clean
.PHONY: bench reproduce ontonotes model encoder spark FORCE
.DELETE_ON_ERROR:
all: kernels sample
kernels: $(OPS) $(NATIVE)

# --- Dependencies -----------------------------------------------------------------------------------------

# Replaces a file only if its content changes, so that its dependents are not rebuilt unnecessarily.
write_if_changed = cmp -s $@.new $@ && rm $@.new || mv $@.new $@
of_its_lane = "$(python)" -c 'from coref_tf.support.lanes import this_lane; print(this_lane()$(1))'

# Records which Python this is, when it was installed, and its additional module paths.
build/environment: FORCE
	@mkdir -p build
ifndef INSTALLED
	@sh kernels/environment.sh $(if $(ACTIVE),active,make) "$(ENVIRONMENT)" $(ASKED)
endif
	@stat -c '%d %i %y' "$(python)" > $@.new && echo "$$PYTHONPATH" >> $@.new; \
	  cmp -s $@.new $@ || echo "$(python) is $$("$(python)" --version), the lane of $$($(call of_its_lane))"; \
	  $(write_if_changed)

build/dependencies: build/environment requirements.txt requirements-dev.txt $(wildcard constraints*.txt)
ifndef INSTALLED
	"$(python)" -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt \
	  -c "$$($(call of_its_lane,.constraints))"
	"$(python)" -m coref_tf.support.environment
endif
	@touch $@

spark: build/dependencies
	"$(python)" -m pip install --quiet --disable-pip-version-check pyspark pandas pyarrow \
	  -c "$$($(call of_its_lane,.constraints))"

# --- Kernels ----------------------------------------------------------------------------------------------

OPS_OBJECTS    := $(patsubst kernels/%.cc,build/ops/%.o,$(wildcard kernels/*/*_op.cc kernels/*/*_kernel.cc))
GPU_OBJECTS    := $(if $(NVCC),$(patsubst kernels/%.cu.cc,build/cuda/%.o,$(wildcard kernels/*/*.cu.cc)))
NO_GPU_OBJECTS := build/ops/device/gpu_host_memory.o
NATIVE_OBJECTS := $(patsubst kernels/%.cc,build/native/%.o,$(wildcard kernels/bindings/*.cc))
-include $(wildcard build/*/*/*.d)

build/flags: build/dependencies kernels/flags.py
	"$(python)" kernels/flags.py
	@touch $@

compile = $(CXX) $(CXXFLAGS) @build/$(1).flags -MMD -MP -MT $@ -MF $(@:.o=.d) -c -o $@.new $< && mv $@.new $@

build/ops/%.o: kernels/%.cc build/flags
	@mkdir -p $(@D)
	$(call compile,ops)

build/native/%.o: kernels/%.cc build/flags
	@mkdir -p $(@D)
	$(call compile,native)

# If nvcc fails, the object is empty, and the log contains the reason.
build/cuda/%.o: kernels/%.cu.cc build/flags build/cuda-setting
	@mkdir -p $(@D)
	"$(NVCC)" $(NVCCFLAGS) --options-file build/ops.flags -MMD -MP -MT $@ -MF $(@:.o=.d) -c -o $@.new $< \
	  > $(@:.o=.log) 2>&1 && mv $@.new $@ || : > $@

build/cuda-setting: FORCE
	@mkdir -p build && echo "$(CUDA) $(NVCC)" > $@.new; $(write_if_changed)

link = CXX="$(CXX)" CUDA="$(CUDA)" NVCC="$(NVCC)" "$(python)" kernels/link.py $@

$(OPS): $(OPS_OBJECTS) $(GPU_OBJECTS) $(NO_GPU_OBJECTS) build/cuda-setting kernels/link.py
	$(link) build/ops-link.flags $(OPS_OBJECTS) --gpu $(GPU_OBJECTS) --else $(NO_GPU_OBJECTS)

$(NATIVE): $(NATIVE_OBJECTS) kernels/link.py
	$(link) build/native-link.flags $(NATIVE_OBJECTS)

# --- Checks -----------------------------------------------------------------------------------------------

# Some tests call make themselves; unsetting these variables makes those calls independent of this one.
pytest = env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL "$(python)" -m pytest --numprocesses auto --maxprocesses 4 --dist loadfile \
  --no-loadscope-reorder

test: all asan-test cuda-check build/resolve browser
	$(pytest) -m "not slow"

# tests/second_lane.txt lists the tests that the second lane need not repeat, with reasons.
test-lane: all build/resolve
	$(pytest) -m "not slow" $$(sed -n 's/^\(tests[^ ]*\).*/--deselect=\1/p' tests/second_lane.txt)

test-slow: all build/resolve
	$(pytest) -m slow

# The tests include short runs of these, except for `growth`, which compares times.
fuzz: all
	"$(python)" tests/fuzz/run.py $(FUZZ)

asan-test: build/sanitizer_test build/pair_test build/lstm_test build/int8_test build/attention_test
	build/sanitizer_test 10000
	build/pair_test 60
	build/lstm_test 60
	build/int8_test 300
	build/attention_test 100

build/sanitizer_test build/pair_test build/lstm_test build/int8_test build/attention_test: build/%: tests/kernels/%.cc $(wildcard kernels/*/*.h tests/kernels/*.h)
	@mkdir -p build
	$(CXX) -std=c++17 -O1 -g -Wall -Wextra -fsanitize=address,undefined -fno-sanitize-recover=all -pthread -Ikernels \
	  -o $@.new $< && mv $@.new $@

# A C program that runs an exported model with the library of the installed TensorFlow.
build/resolve: tests/export/resolve.c build/flags
	$(CC) -std=c11 -O2 -Wall -Wextra @build/ops.flags -o $@.new $< @build/ops-link.flags -l:libtensorflow_cc.so.2 \
	  -Wl,-rpath,"$$(sed -n 's/^"-L\(.*\)"$$/\1/p' build/ops-link.flags)" && mv $@.new $@

# Compiles the CUDA kernels against TensorFlow's headers if there is an nvcc.
cuda-check: $(GPU_OBJECTS)
	@for object in $^; do \
	  [ -s $$object ] || { cat $${object%.o}.log >&2; echo "error: nvcc failed to compile $$object" >&2; exit 1; }; \
	done; echo "cuda-check: $(if $^,nvcc compiled $(words $^) files,nvcc not found)"

# The tests of the HTML page need Chromium; if it cannot be installed, they are skipped with a reason.
browser:
	@mkdir -p build
	@command -v chromium > /dev/null || command -v google-chrome > /dev/null || { \
	  echo "installing Chromium for the tests of the HTML page"; export DEBIAN_FRONTEND=noninteractive; \
	  install="apt-get install -qq -y --no-install-recommends chromium"; \
	  { $$install || { apt-get update -qq && $$install; }; } > build/browser.log 2>&1; } || \
	  echo "Chromium not found, and its installation failed (build/browser.log); skipping the tests of the HTML page"

wheel: build/dependencies
	rm -rf build/lib* build/bdist*  # setuptools would include files of earlier builds
	"$(python)" -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation -w dist .

# Builds the wheels one after another from the same sources, and tests each in an empty environment.
wheels: build/dependencies sample
	rm -rf build/wheels build/lib* build/bdist*
	"$(python)" setup.py --quiet sdist --dist-dir build/wheels
	for version in 3.10 3.11 3.12 3.13; do \
	  found=$$(sh kernels/environment.sh find $$version); \
	  if [ -z "$$found" ]; then echo "Python $$version not found; skipping its wheel"; \
	  else "$(python)" kernels/wheels.py "$$found" || exit 1; fi; \
	done

# Uses the newest Python of the other lane, in a copy, because a checkout holds the libraries of only one lane.
second-lane: build/environment
	sh kernels/second_lane.sh "$$($(call of_its_lane,.tensorflow))"

lint: build/dependencies
	"$(python)" -m ruff check .
	"$(python)" -m ruff format --check .
	"$(python)" -m mypy
	"$$(dirname "$(python)")/clang-format" --dry-run --Werror kernels/*/*.h kernels/*/*.cc tests/*/*.h tests/*/*.cc tests/*/*.c

# The variable disables an announcement by the theme's authors, which would be printed on every build.
docs: build/dependencies
	NO_MKDOCS_2_WARNING=1 "$(python)" -m mkdocs build --quiet

clean:
	rm -rf build dist site *.egg-info coref_tf/*.new $(OPS) $(NATIVE) $(SAMPLE)

# --- The sample corpus ------------------------------------------------------------------------------------

# Converts the sample corpus from its inline form to jsonlines and CoNLL-2012.
SPLITS := train dev test
SAMPLE := $(foreach split,$(SPLITS),data/sample/$(split).jsonlines data/sample/$(split).conll) data/sample/char_vocab.txt

sample: $(SAMPLE)

# An INSTALLED Python may lack packages that only other commands need.
coref = "$(python)" $(if $(INSTALLED),-c 'from coref_tf.commands.main import run; run()',-m coref_tf)

data/sample/%.jsonlines data/sample/%.conll: build/dependencies data/sample/% $(wildcard data/sample/*/* data/sample/*/*/*.txt)
	$(coref) documents compile data/sample/$* data/sample/$*.jsonlines data/sample/$*.conll
	$(coref) documents lint data/sample/$*.jsonlines data/sample/$*.conll

data/sample/char_vocab.txt: data/sample/train.jsonlines
	$(coref) features characters $@ $<

# --- Beside the package -----------------------------------------------------------------------------------

bench: all
	"$(python)" -m benchmarks $(BENCH)

# CORPUS names a file paper/CORPUS.conf and the folder of its documents, data/CORPUS.
of_corpus = $(if $(CORPUS),--conf paper/$(CORPUS).conf --out $(if $(findstring --quick,$(REPRODUCE)),results/quick,docs)/$(CORPUS))
reproduce: all $(if $(CORPUS),data/$(CORPUS)/char_vocab.txt)
	"$(python)" -m paper reproduce $(of_corpus) $(REPRODUCE)

data/ontogum/char_vocab.txt: data/ontogum/train.english.v4_gold_conll
	$(coref) features characters $@ $<

data/ontogum/%.english.v4_gold_conll:
	@echo "error: $@ is missing; docs/paper.md explains how to get OntoGUM" >&2; exit 1

ENCODER := minilm
encoder: data/encoders/$(ENCODER).h5
data/encoders/%.h5: | build/dependencies
	mkdir -p $(@D)
	"$(python)" -m coref_tf features encoder $* $@

# docs/models/english.md explains how to get the corpora.
model: all data/encoders/mpnet6.h5
	"$(MAKE)" -f recipes/english/Makefile python="$(python)"

# Many systems set LANGUAGE in the environment; it counts only on the command line.
ontonotes: build/dependencies
	@"$(python)" -m paper ontonotes "$(CONLL2012)" \
	  $(if $(ONTONOTES),--ontonotes "$(ONTONOTES)") $(if $(GLOVE),--glove "$(GLOVE)") \
	  $(if $(TURIAN),--turian "$(TURIAN)") $(if $(EXPECT),--expect "$(EXPECT)") \
	  $(if $(filter command,$(origin LANGUAGE)),--language "$(LANGUAGE)")
