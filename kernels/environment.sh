#!/bin/sh
# Creates and checks the environment that make uses.
#
#     environment.sh make FOLDER [PYTHON]     creates it if it does not exist, with this Python or the best one found
#     environment.sh active FOLDER [PYTHON]   checks an environment that the user has activated
#     environment.sh find VERSION...          prints the first Python found that has one of these versions

# In order of preference; coref_tf/support/lanes.py defines what each provides.
versions="3.11 3.13 3.12 3.10"
choice="3.11, 3.13, 3.12 or 3.10"

fail() { echo "error: $1" >&2; exit 1; }
not_one() { fail "PYTHON=$1 is not Python $choice with a venv module"; }

# Tests whether a Python has one of the given versions.
is_one_of() { "$1" -c 'import sys; sys.exit("%d.%d" % sys.version_info[:2] not in sys.argv[1:])' $2 2> /dev/null; }

# Debian's Python cannot create environments without an additional package.
can_make() { is_one_of "$1" "$2" && "$1" -c 'import ensurepip, venv' 2> /dev/null; }

# Finds those of pyenv and uv even if they are not on the PATH.
find_python() {
  for version in $1; do
    for python in "python$version" "${PYENV_ROOT:-$HOME/.pyenv}/versions/$version".*"/bin/python$version" \
        "$HOME/.local/share/uv/python/cpython-$version".*"/bin/python$version" python3 python; do
      if can_make "$python" "$version"; then echo "$python"; return; fi
    done
  done
}

# Finds the requested Python; a name such as python3.12 need not be on the PATH, either.
asked_for() {
  case $1 in
  python3.[0-9]*) "$1" --version > /dev/null 2>&1 || { found=$(find_python "${1#python}"); echo "${found:-$1}"; return; } ;;
  esac
  echo "$1"
}

no_python() {
  bring= command="venv --seed --python ${versions%% *} $1"
  if command -v uv > /dev/null; then bring=", or run \`uv $command\`"
  elif python3 -m pip --version > /dev/null 2>&1; then
    bring=", or run \`python3 -m pip install uv && python3 -m uv $command\`"
  fi
  fail "no Python $choice was found; install one with its venv module$bring, and run make again"
}

make_environment() {
  python=$2
  if [ -z "$python" ]; then
    python=$(find_python "$versions")
    [ -n "$python" ] || no_python "$1"
  elif ! can_make "$python" "$versions"; then
    not_one "$python"
  fi
  echo "$python -m venv $1"
  "$python" -m venv --clear "$1" || exit 1
}

check_environment() {
  python=$1/bin/python
  [ -x "$python" ] || fail "the active environment $1 has no bin/python; activate another or none"
  found=$("$python" --version 2>&1)
  is_one_of "$python" "$versions" || fail "$1 has $found where $choice is needed; activate another or none"
  [ -z "$2" ] && return
  asked=$("$2" --version 2> /dev/null) || not_one "$2"
  [ "${found%.*}" = "${asked%.*}" ] || fail "$1 has $found, and PYTHON=$2 is $asked; $3"
}

case $1 in
find) shift; find_python "$*" ;;
make)
  asked=$(asked_for "$3")
  [ -x "$2/bin/pip" ] || make_environment "$2" "$asked"
  check_environment "$2" "$asked" "remove it, or keep both: \`make PYTHON=$3 ENVIRONMENT=.venv-2\`"
  ;;
active) check_environment "$2" "$(asked_for "$3")" "deactivate it, or omit PYTHON" ;;
esac
