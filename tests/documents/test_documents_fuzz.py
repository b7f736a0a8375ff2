"""Damaged files are either read correctly or refused with a one-line error that has a line number."""

import json
import random

import pytest
from damaged_documents import check_conll, check_jsonlines, mutate, mutate_value, outcome

from coref_tf.documents import open_writer, read_documents

CASES = 1500


def test_damaged_conll_files(tmp_path, ferry):
    source, path = random.Random(7), tmp_path / "x.conll"
    original = ferry.read_bytes()
    few = b"#begin document (a/b); part 000\n" + b"".join(
        b"a/b\t0\t%d\tw\t%s\n" % (i, label)
        for i, label in enumerate([b"(0", b"(1)", b"0)|(1)", b"-", b"(0)"])
    )
    accepted = 0
    for number in range(CASES):
        path.write_bytes(mutate(original if number % 3 else few + b"\n#end document\n", source))
        accepted += check_conll(path)
    assert CASES / 20 < accepted < CASES * 19 / 20  # both outcomes occur


def test_damaged_jsonlines_files(tmp_path, ferry):
    source, path = random.Random(8), tmp_path / "x.jsonl"
    with open_writer(path) as write:
        for document in read_documents(ferry):
            write(document)
    original = path.read_bytes()
    accepted = 0
    for number in range(CASES):
        if number % 2:
            damaged = mutate(original, source)
        else:
            record = mutate_value(json.loads(source.choice(original.splitlines())), source)
            damaged = json.dumps(record).encode() + b"\n" + original
        path.write_bytes(damaged)
        accepted += check_jsonlines(path)
    assert CASES / 20 < accepted < CASES * 19 / 20


@pytest.mark.parametrize("ending", ["conll", "jsonl", "txt"])
def test_noise(tmp_path, ending):
    source, path = random.Random(9), tmp_path / f"x.{ending}"
    for _ in range(100):
        path.write_bytes(source.randbytes(source.randrange(200)))
        outcome(path)
