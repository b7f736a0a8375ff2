#!/bin/sh
# Builds and tests everything with the newest Python of the other lane, in a copy of the checkout.
#
#     second_lane.sh TENSORFLOW     the TensorFlow version of the first lane: 2.15 or 2.21
set -e
cd "$(dirname "$0")/.."
case $1 in 2.15) versions="3.13 3.12" ;; *) versions="3.11 3.10" ;; esac
python=$(sh kernels/environment.sh find $versions)
if [ -z "$python" ]; then
  echo "no second lane: no Python of ${versions% *} or ${versions#* } was found on this machine"
  exit 0
fi

# Keeps build results between runs, and makes corpora next to the checkout available next to the copy.
copy=build/second-lane/coref_tf
mkdir -p $copy
tar --exclude-vcs --exclude='./.venv*' --exclude=./build --exclude=./dist --exclude=./logs --exclude=./results \
  --exclude=./data/encoders --exclude='*.so' --exclude=__pycache__ -cf - . | tar -xf - -C $copy
if [ -d ../shared ]; then ln -sfn "$(cd ../shared && pwd)" build/second-lane/shared; fi

# If this lane has its usual environment, tests that each lane can read the files of the other.
if [ -x .venv/bin/python ]; then export COREF_OTHER_LANE="$PWD"; fi
unset MAKEFLAGS MFLAGS MAKELEVEL VIRTUAL_ENV CONDA_PREFIX
make -C $copy PYTHON="$python" CUDA=0
make -C $copy PYTHON="$python" CUDA=0 test-lane
