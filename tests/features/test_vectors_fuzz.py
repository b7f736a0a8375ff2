"""Mutated vector files are either read correctly or refused with a one-line error that has a line number."""

import gzip
import io
import random
import re
import zipfile

import numpy as np
import pytest

from coref_tf.features.embeddings import VectorSet
from coref_tf.features.text_vectors import read_text_vectors
from coref_tf.features.vector_store import write_vectors
from coref_tf.support.errors import CorefError, InputError

SIZE = 3
WORDS = ["the", ",", "of", "1911", "Ana", "é", "New York", "World War 2", ". . .", "日本", "-LRB-", "a_b"]
NUMBER = rb"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
PIECES = [
    b" ", b"\n", b"\r", b"\t", b"\0", b"_", b"-", b".", b"e5", b"nan", b"inf", b"1e999", b"\xff", b"\xc2\x85",
    b"\xe2\x80\xa8", b" 0.5", b" 0.12345", b"0", b"\n\n", b"12 3\n", b"3 3\n", b"\xef\xbb\xbf",
]  # fmt: skip


def original(rng: random.Random) -> bytes:
    lines = [f"{word} {' '.join(f'{rng.gauss(0, 1):.5f}' for _ in range(SIZE))}" for word in WORDS]
    header = [f"{len(WORDS)} {SIZE}"] if rng.random() < 0.4 else []
    return "\n".join([*header, *lines, ""]).encode()


def mutated(data: bytes, rng: random.Random) -> bytes:
    data = bytearray(data)
    for _ in range(rng.choice([1, 1, 1, 2, 5])):
        place, other = rng.randrange(len(data) + 1), rng.randrange(len(data) + 1)
        kind = rng.randrange(7)
        if kind == 0:
            data[place : place + 1] = rng.randbytes(1)
        elif kind == 1:
            del data[place : place + rng.choice([1, 1, 4, 30])]
        elif kind == 2:
            data[place:place] = rng.choice(PIECES)
        elif kind == 3:
            del data[place:]
        elif kind == 4:
            data[place:place] = data[other : other + rng.randrange(20)]
        else:
            lines = data.split(b"\n")
            line = rng.randrange(len(lines))
            lines[line:line] = [rng.choice(lines)] if kind == 5 else []
            rng.shuffle(lines) if kind == 6 else None
            data = bytearray(b"\n".join(lines))
    return bytes(data)


def number_fields(line: bytes) -> int:
    found = 0
    for field in reversed(line.split()[1:]):
        if not re.fullmatch(NUMBER, field) or abs(float(field)) > 3.4e38:
            break
        found += 1
    return found


def slow_read(data: bytes) -> list[tuple[str, list[float]]] | int:
    """Reads each line with a regular expression, and returns the entries or the number of the first invalid line."""
    lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    lines = [line.rstrip() for line in (lines if lines[-1] else lines[:-1])]
    header = re.fullmatch(rb"(\d+) (\d+)", lines[0]) if lines else None
    if not lines or (int(header[2]) if header else number_fields(lines[0])) != SIZE:
        return 1
    entries = []
    for number, line in enumerate(lines[1:] if header else lines, start=2 if header else 1):
        parts = re.fullmatch(rb"(\s*\S.*?)" + rb"\s+(%b)" % NUMBER * SIZE, line, re.DOTALL)
        numbers = [float(part) for part in parts.groups()[1:]] if parts else [float("inf")]
        if sum(map(abs, numbers)) > 3.4e38:
            return number
        if re.search(rb"\s[-+]?(\d*\.\d{3,}|\d+(\.\d*)?[eE][-+]?\d+)$", parts[1]) and b"\n" not in parts[1]:
            return number
        try:
            entries.append((parts[1].decode(), numbers))
        except UnicodeDecodeError:
            return number
    return entries if not header or int(header[1]) == len(entries) else len(lines)


def fast_read(path) -> list[tuple[str, list[float]]] | int:
    try:
        return list(read_text_vectors(path, SIZE))
    except InputError as error:
        assert str(error).startswith(f"{path}:{error.line}: ") and "\n" not in str(error)
        assert "expected" in str(error)
        return error.line


def test_mutated_texts_are_read_correctly_or_refused_at_the_correct_line(tmp_path):
    rng = random.Random(0)
    path = tmp_path / "vectors.txt"
    read = 0
    for _ in range(3000):
        data = mutated(original(rng), rng)
        path.write_bytes(data)
        result = fast_read(path)
        assert result == slow_read(data), data
        read += isinstance(result, list)
    assert 300 < read < 2700  # both outcomes occur


def packed(data: bytes, kind: str) -> bytes:
    if kind == "gzip":
        return gzip.compress(data, mtime=0)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("vectors.3d.txt", data)
    return buffer.getvalue()


@pytest.mark.parametrize("kind", ["gzip", "zip"])
def test_damaged_archives_are_read_correctly_or_refused(tmp_path, kind):
    rng = random.Random(1)
    path = tmp_path / "vectors"
    refused = 0
    for _ in range(500):
        data = original(rng)
        path.write_bytes(mutated(packed(data, kind), rng))
        result = fast_read(path)
        assert isinstance(result, int) or result == slow_read(data)
        refused += isinstance(result, int)
    assert refused > 250


def test_damaged_stores_are_read_correctly_or_refused(tmp_path):
    rng = random.Random(2)
    words = [f"word{number}" for number in range(200)]
    path = tmp_path / "vectors.h5"
    write_vectors(path, zip(words, np.random.default_rng(2).normal(size=(200, SIZE)), strict=True), SIZE)
    data, expected = path.read_bytes(), VectorSet.open(path, SIZE).lookup(words)
    refused = 0
    for _ in range(500):
        path.write_bytes(mutated(data, rng))
        try:
            np.testing.assert_array_equal(VectorSet.open(path, SIZE).lookup(words), expected)
        except CorefError as error:
            assert str(error).startswith(str(path)) and "\n" not in str(error)
            refused += 1
    assert refused > 100
