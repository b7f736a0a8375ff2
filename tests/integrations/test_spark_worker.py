"""How a Spark worker resolves rows, tested in this process, without Java."""

import pytest
from command import import_reference
from random_documents import REFERENCE

import coref_tf
from coref_tf.documents import Document, read_documents
from coref_tf.support.errors import CorefError

pa = pytest.importorskip("pyarrow", reason="needs the extra spark: pyspark, pandas and pyarrow")
worker = pytest.importorskip("coref_tf.integrations.spark_worker", exc_type=ImportError)

TEXT = "The harbour council met. It voted, and the council's treasurer said she agreed. Ana said it met."
SETTINGS = {
    "version": coref_tf.__version__,
    "model": "/small",
    "threshold": 0.0,
    "columns": {"text": "text", "key": "key"},
    "genre": None,
    "resolved": False,
    "max_words": None,
    "max_memory": None,
    "drop": [],
    "counters": [],
}


@pytest.fixture(scope="module")
def resolver(tmp_path_factory):
    folder = tmp_path_factory.mktemp("spark")
    import_reference(folder)
    return coref_tf.load("small", conf=folder / "experiments.conf")


@pytest.fixture
def run(resolver, monkeypatch):
    """A function that resolves the rows of a dictionary of columns and returns the resulting rows."""
    monkeypatch.setattr(worker, "loaded", lambda *_: resolver)

    def run(rows: dict, /, **settings) -> list[dict]:
        batch = pa.RecordBatch.from_pydict(rows)
        found = list(worker.resolve_batches(SETTINGS | settings, [batch.slice(0, 0), batch]))
        return [row for part in found for row in part.to_pylist()]

    return run


def structs(result) -> list[list[dict]]:
    """The clusters of a result as a row contains them, with character offsets or, without a text, word indices."""
    return [
        [
            {
                "text": mention.text,
                "begin": mention.start if mention.begin_char is None else mention.begin_char,
                "end": mention.end if mention.end_char is None else mention.end_char,
                "probability": pytest.approx(mention.probability, abs=1e-5),
            }
            for mention in cluster
        ]
        for cluster in result
    ]


def test_texts_have_the_same_clusters_as_with_the_resolver(run, resolver):
    texts = [TEXT, "", "Ana left.", TEXT * 3]
    rows = run({"key": [1, 2, 3, None], "text": texts, "year": [None, 2**60 + 1, 3, 4]}, resolved=True)
    assert [row["clusters"] for row in rows] == [structs(resolver(text)) for text in texts]
    assert [row["resolved"] for row in rows] == [resolver(text).resolved() for text in texts]
    assert rows[0]["clusters"] and not rows[2]["clusters"] and not any(row["error"] for row in rows)
    # Other columns are unchanged: integers in a column with a null don't become floats.
    assert [(row["key"], row["year"]) for row in rows] == [(1, None), (2, 2**60 + 1), (3, 3), (None, 4)]
    mention = rows[3]["clusters"][0][0]
    assert texts[3][mention["begin"] : mention["end"]] == mention["text"]
    assert run({"key": [1], "text": [TEXT]}, drop=["text"])[0].keys() == {"key", "clusters", "error"}


def test_tokens_speakers_and_genres_are_read(run, resolver):
    documents = list(read_documents(REFERENCE / "docs.jsonlines"))
    columns = {"tokens": "tokens", "speakers": "speakers", "genre": "genre", "text": "text"}
    rows = run(
        {
            "tokens": [document.sentences for document in documents] + [None],
            "speakers": [document.speakers for document in documents] + [None],
            "genre": [document.genre for document in documents] + [None],
            "text": [None for _ in documents] + [TEXT],
        },
        columns=columns,
    )
    expected = [resolver(document) for document in documents] + [resolver(TEXT)]
    assert [row["clusters"] for row in rows] == [structs(result) for result in expected]
    assert any(row["clusters"] for row in rows[:-1])


def test_jsonlines_records_are_read_as_by_predict(run, resolver):
    documents = list(read_documents(REFERENCE / "docs.jsonlines"))
    lines = (REFERENCE / "docs.jsonlines").read_text(encoding="utf-8").splitlines()
    rows = run({"record": [*lines, '{"doc_key": "nw/x", "text": "Ana left."}']}, columns={"record": "record"})
    assert [row["clusters"] for row in rows] == [structs(resolver(document)) for document in documents] + [[]]


def test_bad_rows_have_errors_and_the_others_are_resolved(run, resolver):
    rows = run(
        {
            "text": [
                TEXT.encode(),
                None,
                b"caf\xe9",
                b"a\0b",
                b"one two three four " * 12,
                TEXT.encode(),
                None,
            ],
            "tokens": [None, None, None, None, None, None, [["a"], None]],
        },
        columns={"text": "text", "tokens": "tokens"},
        max_words=40,
    )
    assert [row["error"] for row in rows] == [
        None,
        "the row has neither text nor tokens; expected one of them",
        "byte 4, b'\\xe9', is not UTF-8; expected UTF-8 text",
        "document nw/text: sentence 0 must consist of nonempty strings without NUL characters",
        "48 words; expected at most 40, or a larger max_words",
        None,
        "tokens of sentence 1 are null; expected a list of strings",
    ]
    assert [row["clusters"] for row in rows[1:5]] == [[], [], [], []]
    assert rows[0]["clusters"] == rows[5]["clusters"] == structs(resolver(TEXT))
    lines = [
        "{",
        '{"doc_key": "a"}',
        '{"doc_key": "a", "sentences": [["a"]], "clusters": [[[0, 5]]]}',
        b"\xff",
    ]
    lines = [line if isinstance(line, bytes) else line.encode() for line in lines]
    errors = [row["error"] for row in run({"record": lines}, columns={"record": "record"})]
    for error, expected in zip(
        errors, ["bad JSON", "sentences are missing", "expected", "not UTF-8"], strict=True
    ):
        assert expected in error


def test_a_document_that_the_model_refuses_does_not_affect_others(run, resolver, monkeypatch):
    def plan(document, plan=resolver._model._plan):
        if document.num_words > 30:
            raise CorefError(f"document {document.key}: too much memory")
        return plan(document)

    monkeypatch.setattr(resolver._model, "_plan", plan)
    rows = run({"key": ["a", "b", "c"], "text": [TEXT, TEXT * 3, TEXT]})
    assert [row["error"] for row in rows] == [None, "document b: too much memory", None]
    assert rows[0]["clusters"] == rows[2]["clusters"] == structs(resolver(TEXT))


def test_documents_are_grouped_by_words(run):
    sizes = [3, 4, 20, 1, 9, 1]
    documents = [Document("nw/x", [["a"] * size]) for size in sizes]
    groups = list(worker.group_by_words([*documents, CorefError("no")], most=10))
    assert [first for first, _ in groups] == [0, 2, 3, 5]
    assert [[getattr(d, "num_words", 0) for d in group] for _, group in groups] == [
        [3, 4],
        [20],
        [1, 9],
        [1, 0],
    ]


def test_a_version_mismatch_is_a_one_line_error(run):
    with pytest.raises(
        CorefError, match=rf"has coref_tf {coref_tf.__version__}, but the driver has 9.9; install the same"
    ):
        run({"text": [TEXT]}, version="9.9")
