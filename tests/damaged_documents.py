"""Mutations of document files, and the check that a damaged file is either read correctly or refused."""

import copy
import json
import random
import re

from oracles_documents import read_conll_slowly, read_jsonlines_slowly

from coref_tf.documents import open_writer, read_documents
from coref_tf.documents.formats import lint
from coref_tf.support.errors import InputError

BITS = [
    b"\n",
    b"\n\n",
    b"\r\n",
    b"\r",
    b"\t",
    b" ",
    b"\0",
    b"\xff",
    b"\xc3",
    b"\xef\xbb\xbf",
    b"\xc2\xa0",
    b"\x0c",
]
BITS += [
    b"(0",
    b"0)",
    b"(0)",
    b"|",
    b"(",
    b")",
    b"-",
    b"#",
    b"#begin document",
    b"#end document\n",
    b"9" * 30,
]
BITS += [
    b"[",
    b"]",
    b"{",
    b"}",
    b'"',
    b",",
    b":",
    b"null",
    b"true",
    b"-1",
    b"1e999",
    b"\\ud800",
    b"\\u0000",
    b"[]",
]


ODD_VALUES = [None, True, -1, 0, 3, 2.5, "", "x", [], {}, [[]], [0, 0], [[0, 1]], "a b", 10**30]


def mutate(content: bytes, source: random.Random) -> bytes:
    """Applies one to three small mutations at random places."""
    for _ in range(source.randint(1, 3)):
        begin = source.randrange(len(content) + 1)
        end = min(len(content), begin + source.choice([0, 1, 1, 2, 5, 40]))
        lines = content.split(b"\n")
        line = source.randrange(len(lines))
        action = source.randrange(7)
        if action == 0:  # insert something
            content = content[:begin] + source.choice(BITS) + content[begin:]
        elif action == 1:  # delete a few bytes
            content = content[:begin] + content[end:]
        elif action == 2:  # repeat a few bytes
            content = content[:end] + content[begin:end] + content[end:]
        elif action == 3:  # replace a byte
            content = content[:begin] + bytes([source.randrange(256)]) + content[begin + 1 :]
        elif action == 4:  # truncate
            content = content[:begin] if source.random() < 0.3 else content
        elif action == 5:  # delete or repeat a line
            lines[line : line + 1] = [lines[line]] * source.choice([0, 2])
            content = b"\n".join(lines)
        else:  # replace the last column
            label = source.choice([b"(0", b"0)", b"(1)", b"-", b"(7|(0", b"0)|(0)", b"12)|7)", b"x"])
            lines[line] = lines[line].rpartition(b" ")[0] + b" " + label
            content = b"\n".join(lines)
    return content


def mutate_value(value, source: random.Random, values=ODD_VALUES):
    """Returns a JSON value in which one part is replaced, repeated or removed."""
    if isinstance(value, (list, dict)) and value and source.random() < 0.85:
        key = source.choice(list(value) if isinstance(value, dict) else range(len(value)))
        action = source.random()
        if action < 0.15:
            del value[key]
        elif action < 0.25 and isinstance(value, list):
            value.append(value[key])
        else:
            value[key] = mutate_value(value[key], source, values)
        return value
    return copy.deepcopy(source.choice(values))


def outcome(path) -> list | InputError:
    """Returns the documents, or the error, which must be one line that lint reports as well."""
    problems = lint(path)
    try:
        documents = list(read_documents(path))
    except InputError as error:
        count = path.read_bytes().count(b"\n") + 1
        place = re.match(re.escape(str(path)) + r":(\d+): \S", str(error))
        assert place and 1 <= int(place[1]) <= count and "\n" not in str(error)
        assert str(error) in map(str, problems)
        return error
    assert all("is in clusters" in str(problem) or "crosses" in str(problem) for problem in problems)
    return documents


def check_conll(path) -> bool:
    documents = outcome(path)
    if isinstance(documents, InputError):
        return False
    for document, expected in zip(documents, read_conll_slowly(path.read_bytes()), strict=True):
        assert (document.doc_key, document.part) == (expected["doc_key"], expected["part"])
        assert [list(sentence) for sentence in document.sentences] == expected["sentences"]
        assert [list(sentence) for sentence in document.speakers] == expected["speakers"]
        named = {}
        for cluster, start, end in expected["mentions"]:
            named.setdefault(cluster, []).append((start, end))
        assert sorted(document.clusters) == sorted(map(tuple, map(sorted, named.values())))
    with open_writer(path.with_name("copy.conll")) as write:
        for document in documents:
            write(document)
    assert path.with_name("copy.conll").read_bytes() == path.read_bytes()
    return True


def check_jsonlines(path) -> bool:
    documents = outcome(path)
    if isinstance(documents, InputError):
        return False
    with open_writer(path.with_name("copy.jsonl")) as write:
        for document in documents:
            write(document)
    expected = read_jsonlines_slowly(path.read_bytes())
    # Compared as text, since NaN isn't equal to itself.
    same = [json.dumps(record, sort_keys=True) for record in expected]
    copied = [json.loads(line) for line in path.with_name("copy.jsonl").read_bytes().splitlines()]
    assert [json.dumps(record, sort_keys=True) for record in copied] == same
    return True
