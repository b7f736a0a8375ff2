"""Random documents with unusual words, names and texts, and checks that a written file is read back unchanged."""

import random
import warnings
from pathlib import Path

from coref_tf.documents import Document, open_writer, read_documents
from coref_tf.documents.text import document_from_text
from coref_tf.support.errors import CorefError

WORDS = [
    "Ana", "she", "ran", ".", ",", "'s", "n't", "-", "#", "#begin", "(0)", "0)", "(0", "|", "_", "*", "=", "1)", "e1",
    "[1/2]", "(e1-x-1-)", "Entity=(e1-", "-LRB-", "``", "''", '"', "...", "/.", "\\", "<b>", "&", "%", "@Ana:", "Ana:",
    "\u00e9", "e\u0301", "\u5317", "\u4eac", "\U0001f642", "\u200b", "\ufeff", "\u00a0", "a\u00a0b", "\u0085",
    "\u2028", "\u2029", "\x0b", "\x0c", "\x1c", "\x1f", "\x7f", "a b", " ", "a\tb", "\r", "\n", "x" * 300,
]  # fmt: skip
KEYS = [
    "nw/x", "x", "#x", "#begin document (x)", "a b", " x ", "x_7", "x_0000000007", "x); part 005", "(", ")", ".", "..",
    "a/../b", "a//b/", "/x", "=", "id = x", "\u2028", "\u0085", "\ufeffx", "\U0001f642", "x" * 300, "x.ann", "\tx",
]  # fmt: skip
TAGS = ["NN", "PRON", "PROPN", "-", "_", "*", "(NP*", "", " ", "a b", "#"]
TEXTS = [
    "Ana ran. She won!",
    "\ufeffAna ran.",
    "Ana\r\n\r\nran.\rShe\u2028won. ",
    "\U0001f642 Ana: hi\n<b> ok",
    "  \n",
    "",
]


def odd_document(source: random.Random) -> Document:
    """Makes a random document, of words or of a text."""
    key = source.choice(KEYS)
    if source.random() < 0.3:
        text = "".join(source.choices([*TEXTS, *WORDS, " ", " "], k=source.randint(1, 8)))
        document = document_from_text(text, key)
        return document.with_clusters(_clusters(document, source))
    sentences = [source.choices(WORDS, k=source.randint(0, 6)) for _ in range(source.randint(0, 4))]
    layers = {}
    if source.random() < 0.3:
        layers["pos"] = [source.choices(TAGS, k=len(sentence)) for sentence in sentences]
    if source.random() < 0.5:
        layers["speakers"] = [
            [source.choice(["Ana", "a b", "-", "#"])] * len(sentence) for sentence in sentences
        ]
    extra = source.choice(
        [{}, {"more": [1.5, None]}, {"pos": "x"} if "pos" not in layers else {}, {"text": "x"}]
    )
    part = source.choice([0, 0, 7, 10**9])
    document = Document(key, sentences, part=part, extra=extra, **layers)
    return document.with_clusters(_clusters(document, source))


def _clusters(document: Document, source: random.Random) -> list[list[tuple[int, int]]]:
    """Makes random clusters, without those that a document can't have."""
    clusters, first = [], 0
    spans = []
    for sentence in document.sentences:
        ends = [(first + a, first + b) for a in range(len(sentence)) for b in range(a, len(sentence))]
        spans += source.sample(ends, min(len(ends), 2))
        first += len(sentence)
    source.shuffle(spans)
    while spans:
        size = source.randint(1, 3)
        cluster, spans = sorted(spans[:size]), spans[size:]
        try:
            document.with_clusters([cluster])
        except CorefError:
            continue
        clusters.append(cluster)
    return clusters


def check_round_trip(document: Document, name: str, folder: Path) -> bool:
    """Writes a document and reads it back; returns False if it was refused in one line and no file was written."""
    path = folder / name
    for leftover in folder.iterdir():
        leftover.unlink()
    try:
        with open_writer(path) as write:
            write(document)
    except CorefError as error:
        assert "\n" not in str(error) and not list(folder.iterdir())
        return False
    with warnings.catch_warnings():
        [again] = read_documents(path, allow_empty=True)
    {
        ".jsonl": _check_jsonlines,
        ".conll": _check_conll,
        ".conllu": _check_conllu,
    }.get(path.suffix, _check_text)(document, again)
    return True


def _check_jsonlines(document: Document, again: Document) -> None:
    assert again.key == document.key
    for name in ("sentences", "speakers", "clusters", "text", "offsets", "parse", "named_entities"):
        assert getattr(again, name) == getattr(document, name), name
    assert again.pos == document.pos or not any(document.pos or ())
    assert dict(again.extra) == dict(document.extra) or not any(document.pos or ())


def _check_conll(document: Document, again: Document) -> None:
    filled = [sentence for sentence in document.sentences if sentence]
    assert (again.doc_key, again.part) == (document.doc_key, document.part)
    assert list(again.sentences) == filled and _sorted(again) == _sorted(document)
    assert [name for row in again.speakers for name in row] == [
        "_".join(name.split()) for row in document.speakers for name in row
    ]


def _check_conllu(document: Document, again: Document) -> None:
    assert again.key == (document.key.strip() or "x")
    assert list(again.sentences) == [sentence for sentence in document.sentences if sentence]
    assert _sorted(again) == _sorted(document)


def _check_text(document: Document, again: Document) -> None:
    """Checks that mentions have the same characters, except for words that are tokenised differently."""
    from coref_tf.documents.running_text import RunningText

    running = RunningText.from_document(document)
    assert again.text == running.text
    read = {again.text[again.offsets[s][0] : again.offsets[e][1]] for c in again.clusters for s, e in c}
    for start, end in (span for cluster in document.clusters for span in cluster):
        assert any(running.span_text(start, end).strip() in mention for mention in read)
    if document.text is not None and document.doc_key == again.doc_key:
        assert again.words == document.words
    assert len(again.clusters) == len(document.clusters)


def _sorted(document: Document) -> list[list[tuple[int, int]]]:
    return sorted(sorted(cluster) for cluster in document.clusters)
