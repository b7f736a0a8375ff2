"""Fuzzes the readers of documents, word vectors and scores with damaged files; `cases.py` explains how to run it."""

import functools
import gzip
import json
import random
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cases import ROOT, Case, Fuzzer

TEXT = """Ana: The harbour council's chair said she was late. "Why?" asked Dr. Roy; it rained (a lot).[12]
Ben: I don't know... You tell me, Ana!

- 1. Stir the soup. See No. 5, e.g. https://a.org/b?c=d or a.b@c.org.
[10:02] ana: hi <ben> and J. K. Lee-Roy, etc.
"""
INLINE = """[mayor|The old [town|town's] mayor] said [mayor|she] was late.
@Ana Lee: [mayor|She] left [town|it], I think.

@Ben: [town|The town] waits.
"""
SIGNS = ["!" * 300, "'s" * 400, "\u00e9", "\u2028", "\U0001f600", "``", "[7]", "\r", "(" * 150]


@functools.cache
def originals() -> dict[str, bytes]:
    """Returns a valid file of every kind."""
    import chat_samples

    from coref_tf.documents import open_writer, read_documents

    fixtures = ROOT / "tests" / "fixtures"
    conll = fixtures / "ferry.v4_gold_conll"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "x.jsonl")
        with open_writer(path) as write:
            for document in read_documents(conll):
                write(document)
        jsonlines = path.read_bytes()
    texts = [{"doc_key": "nw/a", "text": TEXT}, {"doc_key": "b", "text": "Ana left. She ran.", "more": [1]}]
    rows = enumerate(["(0", "(1)", "0)|(1)", "-", "(0)"])
    few = "".join(f"a/b\t0\t{number}\tw\t{label}\n" for number, label in rows)
    chats = ("WHATSAPP_ANDROID", "WHATSAPP_IOS", "IRSSI", "WEECHAT", "OTTER", "TEAMS", "WEBVTT", "SRT")
    return {
        "conll": conll.read_bytes(),
        "few": f"#begin document (a/b); part 000\n{few}\n#end document\n".encode(),
        "conllu": (fixtures / "corefud.conllu").read_bytes(),
        "jsonl": jsonlines,
        "texts": "".join(json.dumps(record) + "\n" for record in texts).encode(),
        "txt": TEXT.encode(),
        "inline": INLINE.encode(),
        "vectors": (fixtures / "reference" / "glove.txt").read_bytes(),
        **{name.lower(): getattr(chat_samples, name).encode() for name in chats},
        "slack": chat_samples.slack_json().encode(),
    }


def damaged(kind: str, source: random.Random) -> bytes:
    """Returns a file of that kind with invalid or unusual content."""
    from damaged_documents import mutate, mutate_value

    content = originals()[kind]
    chance = source.random()
    if kind == "slack" and chance < 0.6:
        return json.dumps(mutate_value(json.loads(content), source), indent=1).encode()
    if kind in ("jsonl", "texts") and chance < 0.4:
        line = source.choice(content.splitlines())
        return json.dumps(mutate_value(json.loads(line), source)).encode() + b"\n" + content
    if kind in ("txt", "texts", "inline") and chance > 0.6:
        place = source.randrange(len(content) + 1)
        return content[:place] + source.choice(SIGNS).encode() + content[place:]
    if chance < 0.03:
        return source.randbytes(source.randrange(300))
    return mutate(content, source)


def read_and_write(path: Path, dialogue: bool = False) -> list[Any]:
    """Returns the documents of a file, after checking that they round-trip through jsonlines."""
    from coref_tf.documents import open_writer, read_documents
    from coref_tf.documents.formats import lint

    problems = [str(problem) for problem in lint(path)]
    documents = []
    try:
        documents += read_documents(path, dialogue=dialogue)
    except Exception as error:
        assert type(error).__name__ != "InputError" or str(error) in problems, f"lint does not report {error}"
        raise
    copies = path.with_name("copy.jsonl")
    with open_writer(copies) as write:
        for document in documents:
            write(document)
    same = [(d.key, d.sentences, d.speakers, d.clusters, d.text) for d in documents]
    assert same == [
        (d.key, d.sentences, d.speakers, d.clusters, d.text) for d in read_documents(copies, allow_empty=True)
    ]
    return documents


def check_documents(documents: list[Any]) -> None:
    """Checks that the file has documents with words."""
    assert documents and all(document.num_words for document in documents)


def check_texts(documents: list[Any]) -> None:
    """Checks that the offsets locate the words in the text."""
    for document in documents:
        assert [document.text[begin:end] for begin, end in document.offsets] == list(document.words)


def read_file(name: str, dialogue: bool, content: bytes, folder: Path) -> list[Any]:
    """Reads a file of that name."""
    path = folder / name
    path.write_bytes(content)
    return read_and_write(path, dialogue)


def read_packed(content: bytes, source: random.Random, folder: Path) -> list[Any]:
    """Reads a compressed file; in 30% of the cases, the compressed bytes are damaged as well."""
    from damaged_documents import mutate

    packed = gzip.compress(content)
    return read_file("x.jsonl.gz", False, mutate(packed, source) if source.random() < 0.3 else packed, folder)


def read_inline_file(content: bytes, folder: Path) -> list[Any]:
    """Reads a file in the inline format."""
    from coref_tf.documents.inline import read_inline

    (folder / "x.txt").write_bytes(content)
    return [read_inline(folder / "x.txt", "nw/x")]


def score_file(content: bytes, folder: Path) -> dict[str, Any]:
    """Scores a damaged response."""
    from coref_tf.scoring import Scorer
    from coref_tf.scoring.conll_pairs import read_pairs

    key, response = folder / "x.key", folder / "x.response"
    key.write_bytes(originals()["conll"])
    response.write_bytes(content)
    scorer = Scorer()
    scorer.add_all(read_pairs(key, response))
    return scorer.result().as_dict()


def check_scores(figures: dict[str, Any]) -> None:
    """Checks that all scores are finite, and that none is above 100."""
    text = json.dumps(figures, allow_nan=False)
    assert all(float(number) <= 100 for number in re.findall(r"(?<=: )-?[0-9.]+", text) if "." in number)


def read_vectors(content: bytes, folder: Path) -> list[Any]:
    """Reads word vectors."""
    from coref_tf.features.text_vectors import read_text_vectors

    (folder / "x.txt").write_bytes(content)
    return list(read_text_vectors(folder / "x.txt"))


def check_vectors(entries: list[Any]) -> None:
    """Checks that all vectors have the same size."""
    assert len({len(vector) for _, vector in entries}) == 1


# The description, the kind of file, the function that reads it, and the check of the result.
Reader = Callable[[bytes, random.Random, Path], Any]
KINDS: list[tuple[str, str, Reader, Callable[[Any], None]]] = [
    ("a CoNLL file", "conll", lambda c, s, f: read_file("x.conll", False, c, f), check_documents),
    ("five columns", "few", lambda c, s, f: read_file("x_conll", False, c, f), check_documents),
    ("CoNLL-U", "conllu", lambda c, s, f: read_file("x.conllu", False, c, f), check_documents),
    ("jsonlines", "jsonl", lambda c, s, f: read_file("x.jsonl", False, c, f), check_documents),
    ("texts in jsonlines", "texts", lambda c, s, f: read_file("x.jsonlines", True, c, f), check_documents),
    ("a text", "txt", lambda c, s, f: read_file("x.txt", False, c, f), check_texts),
    ("a dialogue", "txt", lambda c, s, f: read_file("x.txt", True, c, f), check_texts),
    ("a compressed file", "jsonl", read_packed, check_documents),
    *[
        (f"a chat, {kind}", kind, lambda c, s, f: read_file("x.txt", True, c, f), check_texts)
        for kind in ("whatsapp_android", "whatsapp_ios", "weechat", "otter", "teams")
    ],
    ("an IRC log", "irssi", lambda c, s, f: read_file("x.log", False, c, f), check_texts),
    ("WebVTT", "webvtt", lambda c, s, f: read_file("x.vtt", False, c, f), check_texts),
    ("SubRip", "srt", lambda c, s, f: read_file("x.srt", False, c, f), check_texts),
    ("a Slack export", "slack", lambda c, s, f: read_file("x.json", False, c, f), check_texts),
    ("the inline form", "inline", lambda c, s, f: read_inline_file(c, f), check_documents),
    ("a response", "conll", lambda c, s, f: score_file(c, f), check_scores),
    ("word vectors", "vectors", lambda c, s, f: read_vectors(c, f), check_vectors),
]


def damaged_file(number: int, seed: int) -> Case:
    """Returns a case with a damaged file for one reader."""
    source = random.Random(f"{seed}/{number}")
    what, kind, read, check = KINDS[number % len(KINDS)]
    content = damaged(kind, source)

    def run() -> Any:
        with tempfile.TemporaryDirectory() as folder:
            return one_line(lambda: read(content, source, Path(folder)))

    return Case(f"{what}: {content[:300]!r}", run, check)


def one_line(function: Callable[[], Any]) -> Any:
    """Returns the result of a function, whose errors must have messages of one line."""
    from coref_tf.support.errors import CorefError

    try:
        return function()
    except CorefError as error:
        assert str(error).strip() and "\n" not in str(error), f"a message of several lines: {error}"
        raise


FUZZER = Fuzzer(__file__, damaged_file, refusals=("CorefError", "InputError"), per_process=3000)

if __name__ == "__main__":
    FUZZER.main()
