"""Reading and writing the jsonlines format of earlier coreference systems."""

import json

import pytest

from coref_tf.documents import Document, open_writer, read_documents
from coref_tf.support.errors import InputError

RECORD = {
    "doc_key": "nw/harbour_0",
    "sentences": [["Ana", "saw", "the", "lighthouse", "."], ["She", "liked", "it", "."]],
    "speakers": [["-"] * 5, ["-"] * 4],
    "clusters": [[[0, 0], [5, 5]], [[2, 3], [7, 7]]],
}


def lines(*records) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def read(tmp_path, content: str | bytes, **options) -> list[Document]:
    path = tmp_path / "in.jsonlines"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return list(read_documents(path, **options))


def rewrite(tmp_path, content: str | bytes) -> list[dict]:
    """Reads and writes documents, and returns the written records."""
    with open_writer(tmp_path / "out.jsonl") as write:
        for document in read(tmp_path, content):
            write(document)
    return [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]


def test_a_line_is_a_document(tmp_path):
    (document,) = read(tmp_path, lines(RECORD))
    assert (document.doc_key, document.part, document.key) == ("nw/harbour", 0, "nw/harbour_0")
    assert document.clusters == (((0, 0), (5, 5)), ((2, 3), (7, 7)))
    assert document.sentences[1] == ("She", "liked", "it", ".")


@pytest.mark.parametrize(
    ("key", "doc_key", "part"),
    [
        ("nw/wsj_0020_3", "nw/wsj_0020", 3),
        ("nw/wsj_0020", "nw/wsj_0020", 0),
        ("harbour", "harbour", 0),
        ("a_1_", "a_1_", 0),
        ("_7", "_7", 0),
    ],
)
def test_the_key_is_kept_and_its_part_is_parsed(tmp_path, key, doc_key, part):
    content = lines(RECORD | {"doc_key": key})
    (document,) = read(tmp_path, content)
    assert (document.doc_key, document.part) == (doc_key, part)
    assert rewrite(tmp_path, content)[0]["doc_key"] == key


def test_unknown_keys_are_kept(tmp_path):
    record = RECORD | {
        "note": {"a": [1, None, 2.5, "ü😀"]},
        "predicted_clusters": [[[0, 0]]],
        "text": "alone",
    }
    record |= {"pos": "unknown form", "offsets": 3}
    assert rewrite(tmp_path, lines(record, RECORD)) == [record, RECORD]


def test_annotation_layers_round_trip(tmp_path):
    record = RECORD | {"pos": [["A"] * 5, ["B"] * 4], "parse": [["*"] * 5, ["*"] * 4], "text": "Ana saw ..."}
    record["offsets"] = [[0, 3], [4, 7]] + [[8, 9]] + [[10, 10]] * 6
    (document,) = read(tmp_path, lines(record))
    assert document.pos[0][0] == "A" and document.offsets[1] == (4, 7) and not document.extra
    assert rewrite(tmp_path, lines(record)) == [record]


def test_defaults_of_missing_speakers_and_clusters(tmp_path):
    (document,) = read(tmp_path, lines({"doc_key": "x", "sentences": [["a", "b"]]}))
    assert document.speakers == (("-", "-"),) and document.clusters == ()


def test_blank_lines_line_endings_and_byte_order_mark(tmp_path):
    content = "\ufeff" + lines(RECORD).strip() + "\r\n\n  \n" + lines(RECORD).strip()
    assert rewrite(tmp_path, content) == [RECORD, RECORD]


def test_conll_to_jsonlines_and_back(tmp_path, ferry):
    with open_writer(tmp_path / "ferry.jsonlines") as write:
        for document in read_documents(ferry):
            write(document)
    with open_writer(tmp_path / "ferry.conll") as write:
        for document in read_documents(tmp_path / "ferry.jsonlines"):
            write(document)
    back = list(read_documents(tmp_path / "ferry.conll"))
    assert back == list(read_documents(ferry))
    assert [document.source.lines[0] for document in back] == [
        document.source.lines[0] for document in read_documents(ferry)
    ]


BAD = [
    ("[1]\n", "[1]; expected a JSON object"),
    ("{\n", "bad JSON: Expecting property name enclosed in double quotes"),
    (lines(RECORD)[:-3], "bad JSON"),
    ("[" * 100_000, "bad JSON"),
    ('{"doc_key": "x", "sentences": [["a"]], "n": ' + "9" * 5000 + "}", "bad JSON"),
    ('{"doc_key": "x", "doc_key": "y", "sentences": [["a"]]}', "the key 'doc_key' occurs twice"),
    (r'{"doc_key": "x", "sentences": [["\ud800"]]}', "a lone surrogate"),
    (r'{"doc_key": "x", "sentences": [["a\u0000"]]}', "NUL"),
    (r'{"doc_key": "x", "sentences": [["a"]], "speakers": [["b\u0000"]]}', "NUL"),
    (lines({"sentences": [["a"]]}), "doc_key is null; expected a string"),
    (lines(RECORD | {"doc_key": ""}), "doc_key must be a nonempty string of one line"),
    (lines(RECORD | {"doc_key": "a\nb"}), "doc_key must be a nonempty string of one line"),
    (lines({"doc_key": "x"}), "sentences are missing"),
    (lines({"doc_key": "x", "sentences": []}), "document x is empty"),
    (lines({"doc_key": "x", "sentences": [["a"], []]}), "sentence 1 is empty"),
    (lines({"doc_key": "x", "sentences": [["a"], "b"]}), 'sentences, sentence 1: "b"; expected a list'),
    (lines({"doc_key": "x", "sentences": [["a", 1]]}), 'sentences, sentence 0: ["a", 1]; expected a list'),
    (lines({"doc_key": "x", "sentences": [[""]]}), "nonempty strings"),
    (lines({"doc_key": "x", "sentences": {"a": 1}}), 'sentences is {"a": 1}; expected a list'),
    (lines(RECORD | {"speakers": [["-"] * 5, ["-"] * 3]}), "3 speakers in sentence 1; expected one per word"),
    (lines(RECORD | {"speakers": [["-"] * 5]}), "speakers for 1 sentences; expected 2"),
    (lines(RECORD | {"speakers": None}), "speakers is null; expected a list of lists of strings"),
    (lines(RECORD | {"pos": [["NN"]]}), "pos for 1 sentences; expected 2"),
    (lines(RECORD | {"text": "", "offsets": []}), "0 offsets; expected one per word, 9"),
    (lines(RECORD | {"text": "", "offsets": [3] * 9}), "an offset must be two integers"),
    (lines(RECORD | {"clusters": {}}), "clusters is {}; expected a list of clusters"),
    (lines(RECORD | {"clusters": [[]]}), "cluster 0 is []; expected a list of [start, end] pairs"),
    (lines(RECORD | {"clusters": [[[0]]]}), "cluster 0: mention [0]; expected [start, end], two"),
    (lines(RECORD | {"clusters": [[[0, True]]]}), "mention [0, true]; expected [start, end]"),
    (lines(RECORD | {"clusters": [[[0, 0.0]]]}), "mention [0, 0.0]; expected [start, end]"),
    (lines(RECORD | {"clusters": [[[1, 0]]]}), "mention (1, 0) ends before it starts"),
    (lines(RECORD | {"clusters": [[[0, 9]]]}), "mention (0, 9) lies outside the document; expected words"),
    (lines(RECORD | {"clusters": [[[4, 5]]]}), 'mention (4, 5) ". She" runs across a sentence end'),
    (lines(RECORD | {"clusters": [[[0, 0], [0, 0]]]}), 'mention (0, 0) "Ana" occurs twice in cluster 0'),
    (lines(RECORD | {"clusters": [[[0, 1], [1, 2]]]}), "crosses"),
    (b'{"doc_key": "\xff"}', "byte 14, b'\\xff', is not UTF-8"),
    (b'{"doc_key": "\0"}', "a NUL byte"),
]  # fmt: skip


@pytest.mark.parametrize(("content", "message"), BAD)
def test_errors_have_line_numbers(tmp_path, content, message):
    good = lines(RECORD)
    with pytest.raises(InputError) as caught:
        read(tmp_path, good.encode() + (content.encode() if isinstance(content, str) else content))
    assert str(caught.value).startswith(f"{tmp_path}/in.jsonlines:2: ")
    assert message in str(caught.value)


def test_an_empty_file_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"in\.jsonlines:1: the file contains no document"):
        read(tmp_path, "\n\n")


def test_empty_documents_and_sentences_are_read_when_allowed(tmp_path):
    content = lines({"doc_key": "x", "sentences": []}, {"doc_key": "y", "sentences": [[], ["a"]]})
    empty, gap = read(tmp_path, content, allow_empty=True)
    assert empty.num_words == 0 and gap.sentences == ((), ("a",))
