"""Files of any size for every reader, and a measure of how the processor time of reading them grows.

A reader must take time proportional to the size of its input, whatever the input contains. Each of `FILES` consists
mostly of one construct of its format; `growth` measures how much longer a file of twice the size takes.
"""

import gc
import io
import json
import tempfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from coref_tf.documents import read_documents
from coref_tf.documents.inline import read_inline
from coref_tf.support.errors import CorefError

MOST_GROWTH = 2.3
SECONDS = 0.06  # the minimum time of reading the smaller file


class GrowingFile(NamedTuple):
    """A file of any size, with a companion file if the format needs two.

    Args:
        name: The name of the file, whose extension determines the format.
        make: Returns the content for a size.
        beside: The name of the companion file and a function that returns its content.
        dialogue: Whether lines may name a speaker.
    """

    name: str
    make: Callable[[int], str | bytes]
    beside: tuple[str, Callable[[int], str]] | None = None
    dialogue: bool = False


def conll(rows: Callable[[int], list[str]]) -> Callable[[int], str]:
    """Makes CoNLL-2012 of five columns from the coreference column, in which "" ends a sentence."""

    def make(size: int) -> str:
        lines = [f"a/b 0 0 w {label}" if label else "" for label in rows(size)]
        return "\n".join(["#begin document (a/b); part 000", *lines, "", "#end document", ""])

    return make


def conllu(labels: Callable[[int], list[str]], comments: str = "") -> Callable[[int], str]:
    """Makes a CoNLL-U file of one sentence from the entity brackets of its words."""

    def make(size: int) -> str:
        rows = [
            f"{number}\tw{'	_' * 7}\t{f'Entity={label}' if label else '_'}\n"
            for number, label in enumerate(labels(size), start=1)
        ]
        return f"# newdoc id = x\n{comments}{''.join(rows)}\n"

    return make


def jsonlines(record: Callable[[int], dict]) -> Callable[[int], str]:
    """Makes one line of jsonlines."""
    return lambda size: json.dumps({"doc_key": "x", **record(size)}) + "\n"


def brat(lines: Callable[[int], list[str]], text: Callable[[int], str]) -> GrowingFile:
    """Makes a .ann file and its .txt file."""
    return GrowingFile("x.ann", lambda size: "\n".join(lines(size)) + "\n", ("x.txt", text))


def label_studio(results: Callable[[int], list[dict]], text: Callable[[int], str]) -> GrowingFile:
    """Makes a Label Studio export of one task."""

    def make(size: int) -> str:
        task = {"data": {"text": text(size)}, "annotations": [{"result": results(size)}]}
        return json.dumps([task], ensure_ascii=False)

    return GrowingFile("x.labelstudio.json", make)


def region(number: int, begin: int, end: int, **value: str) -> dict:
    """Returns a region of Label Studio."""
    return {
        "id": str(number),
        "type": "labels",
        "value": {"start": begin, "end": end, "labels": ["Mention"], **value},
    }


def relation(first: int, second: int) -> dict:
    """Returns a relation of Label Studio."""
    return {"type": "relation", "from_id": str(first), "to_id": str(second), "labels": ["coref"]}


def archive(size: int) -> bytes:
    """Makes a zip archive of BRAT documents."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as written:
        for number in range(size):
            written.writestr(f"{number}.txt", "Ana ran. She won.")
            written.writestr(f"{number}.ann", "T1\tMention 0 3\tAna\nT2\tMention 9 12\tShe\n*\tEquiv T1 T2\n")
    return file.getvalue()


def mentions(size: int, step: int = 4) -> list[str]:
    """Returns BRAT lines with one mention for each three-letter word."""
    return [f"T{number}\tMention {number * step} {number * step + 3}\tAna" for number in range(size)]


def words(size: int) -> str:
    """Returns a text of three-letter words, one hundred on each line."""
    return "".join("Ana\n" if number % 100 == 99 else "Ana " for number in range(size))


def sentences(size: int) -> str:
    """Returns a text of short sentences."""
    return "Ana ran. " * size


def parts(size: int, count: int) -> list[str]:
    """Returns CorefUD mentions of one entity, each split into `count` parts."""
    return [f"(e1[{number % count + 1}/{count}]-x-1-)" for number in range(size * count)]


def parts_at_last(size: int) -> list[str]:
    """Returns CorefUD mentions in two parts, with all first parts before all second parts."""
    return ["(e1[1/2]-x-1-)"] * size + ["(e1[2/2]-x-1-)"] * size


def nested(size: int) -> list[list[int]]:
    """Returns nested spans, all of which begin at the first word."""
    return [[0, end] for end in range(size)]


def crossing(size: int) -> list[list[list[int]]]:
    """Returns clusters of one mention each, in which every mention crosses many others."""
    return [[[start, start + size // 2]] for start in range(size // 2)]


FILES = {
    "conll rows": GrowingFile("x.conll", conll(lambda n: ["(0)"] * n)),
    "conll sentences": GrowingFile("x.conll", conll(lambda n: ["(0)", "(1)", ""] * n)),
    "conll clusters": GrowingFile("x.conll", conll(lambda n: [f"({k})" for k in range(n)])),
    "conll brackets of a word": GrowingFile("x.conll", conll(lambda n: ["|".join(f"({k})" for k in range(n))])),
    "conll nested": GrowingFile("x.conll", conll(lambda n: ["(0"] * n + ["0)"] * n)),
    "conll key": GrowingFile("x.conll", lambda n: conll(lambda _: ["-"])(1).replace("a/b)", "a) " * n + ")")),
    "conll documents": GrowingFile("x.conll", lambda n: conll(lambda _: ["(0)", "(0)"])(1) * n),
    "conllu rows": GrowingFile("x.conllu", conllu(lambda n: ["(e1-x-1-)"] * n)),
    "conllu sentences": GrowingFile("x.conllu", lambda n: conllu(lambda _: ["(e1-x-1-)"])(1) * n),
    "conllu brackets of a word": GrowingFile(
        "x.conllu", conllu(lambda n: ["".join(f"(e{k}-x-1-)" for k in range(n))])
    ),
    "conllu nested": GrowingFile("x.conllu", conllu(lambda n: ["(e1-x-1-"] * n + ["e1)"] * n)),
    "conllu two parts": GrowingFile("x.conllu", conllu(lambda n: parts(n, 2))),
    "conllu three parts": GrowingFile("x.conllu", conllu(lambda n: parts(n, 3))),
    "conllu parts apart": GrowingFile("x.conllu", conllu(parts_at_last)),
    "conllu comment": GrowingFile("x.conllu", lambda n: conllu(lambda _: [""], f"# newdoc{' ' * n}x\n")(1)),
    "conllu fields": GrowingFile(
        "x.conllu", conllu(lambda n: ["(e1-x-1-)"] * n, f"# global.Entity = eid{'-x' * 99}\n")
    ),
    "conllu blanks in a column": GrowingFile(
        "x.conllu", lambda n: conllu(lambda _: [""])(1).replace("\tw\t", f"\tw{' ' * n}w\t")
    ),
    "jsonlines words": GrowingFile("x.jsonl", jsonlines(lambda n: {"sentences": [["w"] * n]})),
    "jsonlines sentences": GrowingFile("x.jsonl", jsonlines(lambda n: {"sentences": [["w"]] * n})),
    "jsonlines nested": GrowingFile(
        "x.jsonl", jsonlines(lambda n: {"sentences": [["w"] * n], "clusters": [nested(n)]})
    ),
    "jsonlines crossing": GrowingFile(
        "x.jsonl", jsonlines(lambda n: {"sentences": [["w"] * n], "clusters": crossing(n)})
    ),
    "jsonlines crossing around a long word": GrowingFile(
        "x.jsonl", jsonlines(lambda n: {"sentences": [["w" * n, *["w"] * n]], "clusters": crossing(n)})
    ),
    "jsonlines other keys": GrowingFile(
        "x.jsonl", jsonlines(lambda n: {"sentences": [["w"]], "more": {str(k): [k] for k in range(n)}})
    ),
    "jsonlines documents": GrowingFile("x.jsonl", lambda n: jsonlines(lambda _: {"sentences": [["w"]]})(1) * n),
    "jsonlines text": GrowingFile("x.jsonl", jsonlines(lambda n: {"text": sentences(n)})),
    "text sentences": GrowingFile("x.txt", sentences),
    "text lines": GrowingFile("x.txt", lambda n: "Ana ran\n\n" * n),
    "text blanks": GrowingFile("x.txt", lambda n: "Ana" + " " * n + "ran."),
    "text nothing but blanks": GrowingFile("x.txt", lambda n: " " * n),
    "text empty lines": GrowingFile("x.txt", lambda n: "Ana" + "\n" * n + "ran."),
    "text returns": GrowingFile("x.txt", lambda n: "Ana" + "\r" * n + "ran."),
    "text signs": GrowingFile("x.txt", lambda n: "Ana" + "!" * n + " ran."),
    "text closing": GrowingFile("x.txt", lambda n: "Ana ran." + ".)" * n),
    "text citations": GrowingFile("x.txt", lambda n: "Ana ran." + "[1]" * n),
    "text long word": GrowingFile("x.txt", lambda n: "a" * n),
    "text dialogue": GrowingFile("x.txt", lambda n: "Ana: I ran.\nBen: So?\n" * n, dialogue=True),
    "text colons": GrowingFile("x.txt", lambda n: "Ana Lee:" * n, dialogue=True),
    "text tags": GrowingFile("x.txt", lambda n: "</Ana Lee" * n, dialogue=True),
    "whatsapp": GrowingFile("x.txt", lambda n: "12/05/2023, 10:04 - Ana: I ran.\n" * n, dialogue=True),
    "whatsapp notices": GrowingFile(
        "x.txt", lambda n: "1/5/23, 10:04 - Ana: Hi.\n" * 2 + "1/5/23, 10:04 - Ana left\n" * n, dialogue=True
    ),
    "whatsapp marks": GrowingFile(
        "x.txt", lambda n: "1/5/23, 10:04 - Ana: Hi.\n" * 2 + ": a <attached: " * n, dialogue=True
    ),
    "irc": GrowingFile("x.log", lambda n: "10:02 <ana> I ran.\n10:03 * ana waves\n10:03 -!- ana left\n" * n),
    "irc blanks": GrowingFile("x.log", lambda n: "10:02 <ana> I ran.\n" * 2 + "10:02" + " " * n + "x"),
    "meeting": GrowingFile("x.txt", lambda n: "Ana Lee  0:04\nI ran.\n\n" * n, dialogue=True),
    "meeting words": GrowingFile("x.txt", lambda n: "Ana Lee " * n + "\n" + "a-" * n, dialogue=True),
    "meeting blanks": GrowingFile(
        "x.txt", lambda n: "Ana" + " " * n + "x\n0:04" + " " * n + "x\n0:04 From" + " " * n, dialogue=True
    ),
    "webvtt": GrowingFile("x.vtt", lambda n: "WEBVTT\n\n" + "00:01.000 --> 00:02.000\n<v Ana>I ran.\n\n" * n),
    "webvtt voices": GrowingFile("x.vtt", lambda n: "WEBVTT\n\n00:01.000 --> 00:02.000\n" + "<v Ana>I <v Ben>" * n),
    "webvtt tags": GrowingFile("x.vtt", lambda n: "WEBVTT\n\n00:01.000 --> 00:02.000\n" + "<v" * n + "<i>" * n),
    "webvtt notes": GrowingFile("x.vtt", lambda n: "WEBVTT\n\n" + "NOTE x\n\n" * n + "00:01.000 --> 00:02.000\nHi."),
    "subrip": GrowingFile("x.srt", lambda n: "1\n00:00:01,000 --> 00:00:02,000\nANA: I ran.\n- So?\n\n" * n),
    "subrip one cue": GrowingFile("x.srt", lambda n: "1\n00:00:01,000 --> 00:00:02,000\n" + "(a" * n + "I ran\n" * n),
    "slack": GrowingFile("x.json", lambda n: json.dumps([{"user": "U1", "text": "I ran."}] * n, indent=1)),
    "slack marks": GrowingFile("x.json", lambda n: json.dumps([{"user": "U1", "text": "<@U1> <a|" * n}])),
    "brat mentions": brat(mentions, words),
    "brat mentions without their text": brat(
        lambda n: [f"T{k}\tMention 0 {n * 4 - 1}" if k == 0 else f"T{k}\tMention 0 {k * 4 + 3}" for k in range(n)],
        words,
    ),
    "brat mentions in blanks": brat(
        lambda n: [f"T{k}\tMention 0 {3 + k}\tAna" for k in range(n)], lambda n: "Ana" + " " * n + "ran."
    ),
    "brat mentions that cut words": brat(
        lambda n: [f"T{k}\tMention 1 {k * 4 + 2}" for k in range(n)], words
    ),
    "brat mentions over sentences": brat(
        lambda n: [f"T{k}\tMention 0 {k * 9 + 3}" for k in range(n)], sentences
    ),
    "brat parts": brat(
        lambda n: ["T1\tMention " + ";".join(f"{k * 4} {k * 4 + 3}" for k in range(n))], words
    ),
    "brat equivalent": brat(lambda n: [*mentions(n), "*\tEquiv " + " ".join(f"T{k}" for k in range(n))], words),
    "brat relations": brat(
        lambda n: [*mentions(n), *(f"R{k}\tCoreference a:T{k} b:T{k - 1}" for k in range(1, n))], words
    ),
    "brat relations in reverse": brat(
        lambda n: [*mentions(n), *(f"R{k}\tCoreference a:T{k} b:T{k - 1}" for k in range(n - 1, 0, -1))], words
    ),
    "brat colons": brat(lambda n: ["R1\tCoreference " + ":" * n], words),
    "brat colons twice": brat(lambda n: [f"R1\tCoreference {':' * n} {':' * n}"], words),
    "brat notes": brat(lambda n: ["#1\tNotes T1\tx"] * n, words),
    "brat archive": GrowingFile("x.brat.zip", archive),
    "label studio regions": label_studio(lambda n: [region(k, k * 4, k * 4 + 3, text="Ana") for k in range(n)], words),
    "label studio regions after an emoji": label_studio(
        lambda n: [region(k, k * 4 + 3, k * 4 + 6, text="Ana") for k in range(n)], lambda n: "🙂 " + words(n)
    ),
    "label studio regions among emojis": label_studio(
        lambda n: [region(k, k * 6, k * 6 + 3, text="Ana") for k in range(n)], lambda n: "Ana🙂 " * n
    ),
    "label studio wide regions": label_studio(lambda n: [region(k, 0, k * 4 + 3) for k in range(n)], words),
    "label studio relations": label_studio(
        lambda n: [
            *(region(k, k * 4, k * 4 + 3) for k in range(n)),
            *(relation(k, k - 1) for k in range(n - 1, 0, -1)),
        ],
        words,
    ),
    "label studio tasks": GrowingFile(
        "x.labelstudio.json", lambda n: json.dumps([{"data": {"text": "Ana ran."}}] * n, indent=1)
    ),
    "inline": GrowingFile("x.inline", lambda n: "[a|Ana] ran and [a|she] won.\n" * n),
    "inline mentions of a line": GrowingFile("x.inline", lambda n: "[a|Ana] " * n),
}  # fmt: skip


def seconds_to_read(path: Path, dialogue: bool = False) -> float:
    """Returns the processor time of reading a file, whether the reader accepts or refuses it."""
    gc.collect()
    gc.disable()  # its frequency depends on all objects of the process
    begun = time.process_time()
    try:
        if path.suffix == ".inline":
            read_inline(path, "nw/x")
        else:
            list(read_documents(path, lambda error, fatal: None, dialogue=dialogue))
    except CorefError:
        pass
    finally:
        gc.enable()
    return time.process_time() - begun


def growth(growing: GrowingFile, size: int = 500, attempts: int = 6) -> float:
    """Returns the ratio of the reading times of two files, one twice as large, at a size that can be measured."""
    with tempfile.TemporaryDirectory() as folder:
        _seconds(Path(folder), growing, size)  # warms up imports and caches
        while (seconds := _seconds(Path(folder), growing, size)) < SECONDS and size < 10_000_000:
            size *= max(2, min(8, int(SECONDS / max(seconds, 1e-4))))
        best = float("inf")
        for _ in range(attempts):
            smaller = min(_seconds(Path(folder), growing, size) for _ in range(2))
            larger = min(_seconds(Path(folder), growing, 2 * size) for _ in range(2))
            best = min(best, larger / smaller)
            if best <= MOST_GROWTH:
                break
    return best


def _seconds(folder: Path, growing: GrowingFile, size: int) -> float:
    for name, make in [(growing.name, growing.make), *([growing.beside] if growing.beside else [])]:
        content = make(size)
        (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)
    return seconds_to_read(folder / growing.name, growing.dialogue)
