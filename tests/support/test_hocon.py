"""Settings in HOCON are read as by pyhocon, and every mistake is a one-line error with file and line."""

import os
import re
from pathlib import Path

import pyhocon
import pytest

from coref_tf.config import load_experiment
from coref_tf.support.errors import CorefError
from coref_tf.support.hocon import parse_hocon, read_hocon

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent

SNIPPETS = {
    "values": 'a = 1\nb = -2.5e-3\nc = true\nd = "x # y"\ne = no quotes # comment\nf: [1, 2,\n 3\n4,]\ng = x/y-z.h5',
    "objects": "a { b = 1, c { d = 2 } }\na.c.e = 3\na = { f = 5 }\nb = { x = 1 } { y = 2 }",
    "substitutions": "a = 1\nb = ${a}\nc = { d = ${b} }\ne = ${c} { f = 2 }\ng = [${a}, ${c.d}]\nh = x${a}y\ni = ${?j}",
    "later": "e = ${d} { k = 2 }\nd = { k = 1, l = 3 }\nd.m = 4",
    "inside": "data { a = 1, b = ${data.a} }",
    "itself": "a = [1]\na = ${a} [2]\np = x\np = ${p}/y",
    "braces": "{ a = 1, b { c = 2 } }",
    "json": '{"a": {"b": [1, 2.5, true, "x\\ny"]}, "c": {}, "d": []}',
    "empty": 'a = ""',
    "nothing": "",
    "comments": "# a\n// b\na = 1 // c\n\n b = 2 # d",
}


@pytest.mark.parametrize("name", SNIPPETS)
def test_settings_are_read_as_by_pyhocon(name):
    theirs = pyhocon.ConfigFactory.parse_string(SNIPPETS[name]).as_plain_ordered_dict()
    assert parse_hocon(SNIPPETS[name], name, HERE) == theirs


def test_hocon_is_followed_where_pyhocon_differs():
    text = '"a"."b.c" = "\\u00e9"\nb = [1]\nb += 2\nc += 3\nd = "true"\ne = "1" x\nf = null'
    expected = {"a": {"b.c": "é"}, "b": [1, 2], "c": [3], "d": "true", "e": "1 x", "f": None}
    assert parse_hocon(text, "x", HERE) == expected


def test_our_experiments_are_read_as_by_pyhocon():
    for folder in (".", "recipes/english", "benchmarks", "tests/fixtures/reference"):
        path = ROOT / folder / "experiments.conf"
        assert read_hocon(path) == pyhocon.ConfigFactory.parse_file(str(path)).as_plain_ordered_dict()


def test_substitutions_can_be_environment_variables(monkeypatch):
    monkeypatch.setenv("COREF_FOLDER", "/corpora")
    assert parse_hocon("a = ${COREF_FOLDER}/x", "x", HERE) == {"a": "/corpora/x"}


HOSTILE = {
    "a list at the top": ("[1, 2]", "x:1: expected a key. Received: '[1, 2]'"),
    "deep objects": ("a = " + "{ b = " * 5000, "nested too deeply"),
    "deep lists": ("a = " + "[" * 100_000, "nested too deeply"),
    "a package": ('include package("os:x.conf")', "expected = and a value for include. Received: ' package"),
    "a page": ('include url("http://localhost/x")', "expected = and a value for include. Received: ' url"),
    "required": ('include required("none.conf")', "none.conf is included, but is not a file"),
    "itself": ("a = ${b}\nb = ${a}", "is not set, or refers to itself"),
    "inside itself": ("a { b = ${a} }", "x:1: the substitution refers to itself"),
    "unknown": ("a = ${none}", "x:1: ${none} is not set"),
    "a long chain": ("\n".join(f"a{n} = ${{a{n + 1}}}" for n in range(500)), "nested too deeply"),
    "no closing": ("a = [1, 2", "x:1: expected a value for a list. Received: 'end of line'"),
    "no closing quote": (
        'a = "x', "x:1: expected a value; quote unusual characters. Received: '\"x'"),
    "a bracket too many": ("a { } }", "x:1: expected a key. Received: '}'"),
    "no value": ("a =", "x:1: expected a value for a."),
    "a mixture": ("a = { } [1]", "x:1: an object or list is next to a value of another type"),
    "half an escape": ('a = "\\ud800"', "x:1: "),
    "NUL": ("a = x\0y", "x:1: expected a value"),
    "NUL, escaped": ('a = "\\u0000"', "x:1: "),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_settings_are_one_line_errors(name, tmp_path, monkeypatch):
    text, message = HOSTILE[name]
    monkeypatch.chdir(tmp_path)
    Path("x").write_text(text)
    with pytest.raises(CorefError, match=re.escape(message)) as error:
        read_hocon("x")
    assert "\n" not in str(error.value) and str(error.value).startswith("x:")
    assert len(str(error.value)) < 300


def test_circular_includes_are_an_error(tmp_path):
    (tmp_path / "a.conf").write_text('include "b.conf"\n')
    (tmp_path / "b.conf").write_text('x = 1\ninclude "a.conf"\n')
    with pytest.raises(CorefError, match=r"b.conf:2: a.conf includes itself"):
        read_hocon(tmp_path / "a.conf")


def test_paths_are_relative_to_the_file_that_contains_them(tmp_path):
    """A user's file that includes the project's finds the project's vectors, and its own corpus beside itself."""
    own = tmp_path / "mine.conf"
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "eval.conf").write_text("eval_path = dev.conll\nlog_root = logs\n")
    own.write_text(
        f'include "{os.path.relpath(ROOT / "experiments.conf", tmp_path)}"\n'
        'mine = ${best} { train_path = [a.conll, "b.conll"], include "more/eval.conf" }\n'
    )
    mine = load_experiment("mine", own)
    assert mine.embeddings[0].path == ROOT / "data" / "vectors" / "cased_300d.h5"
    assert mine.train_path == (tmp_path / "a.conll", tmp_path / "b.conll")
    assert mine.eval_path == tmp_path / "more" / "dev.conll"
    assert load_experiment("best", own).log_root == ROOT / "logs"
