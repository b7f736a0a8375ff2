"""Limits on unpacked sizes and line lengths, and one-line errors for malformed values."""

import gzip
import json
import zipfile

import pytest

from coref_tf.documents import Document, open_writer, read_documents, sources
from coref_tf.documents.formats import lint
from coref_tf.evaluation.suites.gap import COLUMNS, read_gap
from coref_tf.support.errors import CorefError, InputError


@pytest.fixture
def small_limits(monkeypatch):
    """Small limits, which a test can exceed quickly."""
    monkeypatch.setattr(sources, "MOST_LINE_BYTES", 1000)
    monkeypatch.setattr(sources, "MOST_UNPACKED_BYTES", 5000)


def refusal(path):
    with pytest.raises(CorefError) as error:
        list(read_documents(path))
    assert "\n" not in str(error.value)
    return str(error.value)


@pytest.mark.parametrize("name", ["x.jsonl", "x.conll", "x.conllu", "x.txt", "x.jsonl.gz", "x.txt.gz"])
def test_a_line_has_a_limit(tmp_path, small_limits, name):
    path = tmp_path / name
    content = b"#\n" + b"x" * 2000
    path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    if "jsonl" in name:
        path.write_bytes(gzip.compress(b"\n" + content[2:]) if name.endswith(".gz") else b"\n" + content[2:])
    assert f"{name}:2: a line of more than 1,000 bytes" in refusal(path)


def archive(path, text):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as written:
        written.writestr("a.ann", "")
        written.writestr("a.txt", text)


@pytest.mark.parametrize("name", ["x.txt.gz", "x.labelstudio.json.gz", "x.brat.zip"])
def test_the_unpacked_size_has_a_limit(tmp_path, small_limits, monkeypatch, name):
    path, text = tmp_path / name, "Ana ran.\n" * 800
    if name.endswith(".zip"):
        archive(path, text)
    else:
        task = json.dumps([{"data": {"text": text}}])
        path.write_bytes(gzip.compress((task if "label" in name else text).encode()))
    expected = f"{name}: unpacks to more than 5,000 bytes; if this is intended, increase COREF_MAX_UNPACKED"
    assert expected in refusal(path)
    monkeypatch.setenv("COREF_MAX_UNPACKED", "10000")
    assert len(list(read_documents(path))) == 1
    monkeypatch.setenv("COREF_MAX_UNPACKED", "1 GB")
    assert refusal(path) == "COREF_MAX_UNPACKED is '1 GB'; expected a number of bytes"


def test_many_parts_of_a_long_text_take_little_memory(tmp_path):
    import tracemalloc

    (tmp_path / "x.txt").write_text("Ana ran. " * 10_000)
    parts = ";".join(["0 90000"] * 8_000)
    (tmp_path / "x.ann").write_text(f"T1\tMention {parts}\tAna\n")
    tracemalloc.start()
    try:
        assert "x.ann:1: T1 has overlapping parts; expected parts in text order" in refusal(
            tmp_path / "x.ann"
        )
        assert tracemalloc.get_traced_memory()[1] < 100 * 2**20
    finally:
        tracemalloc.stop()


def relation(**changes):
    return {"type": "relation", "from_id": "a", "to_id": "b", "labels": ["coref"], **changes}


def region(**changes):
    return {"id": "a", "type": "labels", "value": {"start": 0, "end": 3, **changes}}


@pytest.mark.parametrize(
    ("result", "message"),
    [
        (relation(labels=5), "labels is 5; expected a list of labels"),
        (relation(labels="coref"), "labels is 'coref'; expected a list of labels"),
        (relation(from_id=["a"]), "from_id of a relation is ['a']; expected the id of a region"),
        (relation(from_id={"a": 1}), "from_id of a relation is {'a': 1}; expected the id of a region"),
        (relation(to_id=None), "to_id of a relation is None; expected the id of a region"),
        (region(labels=5), "labels is 5; expected a list of labels"),
        (region(hypertextlabels=True), "hypertextlabels is True; expected a list of labels"),
        (region(start=10**4000), "region 'a' has start 1000"),
    ],
)
def test_label_studio_values_of_the_wrong_type(tmp_path, result, message):
    path = tmp_path / "x.labelstudio.json"
    results = [region(), {**region(), "id": "b"}, result]
    path.write_text(json.dumps([{"data": {"text": "Ana ran."}, "annotations": [{"result": results}]}]))
    assert f":1: {message}" in refusal(path)
    assert message in str(lint(path)[0])


def test_numbers_of_many_digits(tmp_path):
    digits = "9" * 5000
    row = "1\tAna" + "\t_" * 7 + f"\tEntity=(e1-x-{digits}-)\n\n"
    (tmp_path / "x.conllu").write_text(row)
    [document] = read_documents(tmp_path / "x.conllu")
    assert document.clusters == (((0, 0),),)
    case = dict.fromkeys(COLUMNS, "x") | {"Text": "She ran.", "Pronoun": "She", "Pronoun-offset": digits}
    (tmp_path / "gap.tsv").write_text("\t".join(COLUMNS) + "\n" + "\t".join(case.values()) + "\n")
    with pytest.raises(InputError, match=r"gap\.tsv:2: Pronoun is 'She' at '999"):
        read_gap(tmp_path / "gap.tsv")


@pytest.mark.parametrize("method", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2, zipfile.ZIP_DEFLATED])
def test_a_damaged_archive_is_one_line(tmp_path, method):
    path = tmp_path / "x.brat.zip"
    with zipfile.ZipFile(path, "w", method) as written:
        written.writestr("a.ann", "T1\tMention 0 3\n" * 50)
        written.writestr("a.txt", "Ana ran. " * 50)
    content, refused = path.read_bytes(), 0
    for place in range(0, len(content), 3):
        path.write_bytes(content[:place] + bytes([content[place] ^ 0x5A]) + content[place + 1 :])
        try:
            list(read_documents(path))
        except CorefError as error:
            assert "\n" not in str(error)
            refused += 1
    assert refused > 10


def test_names_in_an_archive_that_are_not_utf_8(tmp_path):
    path = tmp_path / "x.brat.zip"
    with zipfile.ZipFile(path, "w") as written:
        written.writestr("é.ann", "")
        written.writestr("é.txt", "Ana ran.")
    path.write_bytes(path.read_bytes().replace("é".encode(), b"\xff\xfe"))
    assert "x.brat.zip: cannot be unpacked: " in refusal(path)


def test_layers_without_sentences_are_refused(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text('{"doc_key": "x", "text": "Ana ran.", "pos": [["NN"]]}\n')
    assert ":1: pos without sentences; expected sentences with the words that they belong to" in refusal(path)
    error = pytest.raises(CorefError, match="document x_0: pos in extra would be read as annotations")
    with error, open_writer(tmp_path / "y.jsonl") as write:
        write(Document("x", [["Ana"]], extra={"pos": [["NN", "VB"]]}))


@pytest.mark.parametrize("number", ["1e999", "-1e999", "NaN", "Infinity"])
def test_infinite_numbers_and_nan_are_refused(tmp_path, number):
    path = tmp_path / "x.jsonl"
    path.write_text(f'{{"doc_key": "x", "sentences": [["Ana"]], "score": {number}}}\n')
    assert ":1: bad JSON: " in refusal(path)
    error = pytest.raises(CorefError, match="document x_0: an infinite number or NaN among score")
    with error, open_writer(tmp_path / "y.jsonl") as write:
        write(Document("x", [["Ana"]], extra={"score": float(number)}))
