"""Small key and response files, with figures computed by hand according to the official scorer's rules.

A case's documents are given by their coreference columns, with one label per word.
"""

from typing import NamedTuple


class Case(NamedTuple):
    """Documents by name and part, and the expected figures of muc, bcub, ceafm and ceafe."""

    key: dict[str, str]
    response: dict[str, str]
    muc: list[float]
    bcub: list[float]
    ceafm: list[float]
    ceafe: list[float]


def conll(documents: dict[str, str]) -> str:
    """The text of a CoNLL file with few columns; documents are named like "nw/x 0"."""
    lines = []
    for name, labels in documents.items():
        doc_key, part = name.split()
        lines.append(f"#begin document ({doc_key}); part {int(part):03d}")
        lines += [f"{doc_key}\t{part}\t{i}\tword{i}\t{label}" for i, label in enumerate(labels.split())]
        lines += ["", "#end document"]
    return "\n".join(lines) + "\n"


def _one(key: str, response: str, *figures: list[float]) -> Case:
    return Case({"nw/x 0": key}, {"nw/x 0": response}, *figures)


CASES = {
    "equal": _one("(0) - (0) (1) (1)", "(7) - (7) (3) (3)", [2, 2, 2, 2], [4] * 4, [4] * 4, [2] * 4),
    "a missing mention": _one(
        "(0) (0) (0) (1) (1)",
        "(0) (0) - (1) (1)",
        [2, 3, 2, 2],
        [2 * 2 / 3 + 2, 5, 4, 4],
        [4, 5, 4, 4],
        [4 / 5 + 1, 2, 4 / 5 + 1, 2],
    ),
    "a spurious mention": _one(
        "(0) (0) - (1) (1)",
        "(0) (0) (0) (1) (1)",
        [2, 2, 2, 3],
        [4, 4, 2 * 2 / 3 + 2, 5],
        [4, 4, 4, 5],
        [4 / 5 + 1, 2, 4 / 5 + 1, 2],
    ),
    "two entities as one": _one(
        "(0) (0) (1) (1)", "(0) (0) (0) (0)", [2, 2, 2, 3], [4, 4, 2, 4], [2, 4, 2, 4], [2 / 3, 2, 2 / 3, 1]
    ),
    "one entity as two": _one(
        "(0) (0) (0) (0)", "(0) (0) (1) (1)", [2, 3, 2, 2], [2, 4, 4, 4], [2, 4, 2, 4], [2 / 3, 1, 2 / 3, 2]
    ),
    "singletons": _one("(0) (1) (2)", "(2) (1) (0)", [0, 0, 0, 0], [3] * 4, [3] * 4, [3] * 4),
    "one entity as singletons": _one(
        "(0) (0) (0)", "(0) (1) (2)", [0, 2, 0, 0], [1, 3, 3, 3], [1, 3, 1, 3], [1 / 2, 1, 1 / 2, 3]
    ),
    "spurious singletons": _one(
        "(0) (0) - -", "(0) (0) (1) (2)", [1, 1, 1, 1], [2, 2, 2, 4], [2, 2, 2, 4], [1, 1, 1, 3]
    ),
    "an empty response": _one("(0) (0)", "- -", [0, 1, 0, 0], [0, 2, 0, 0], [0, 2, 0, 0], [0, 1, 0, 0]),
    "an empty key": _one("- -", "(0) (0)", [0, 0, 0, 1], [0, 0, 0, 2], [0, 0, 0, 2], [0, 0, 0, 1]),
    "a mention twice in its cluster": _one("(0) (0)", "(0)|(0) (0)", [1, 1, 1, 1], [2] * 4, [2] * 4, [1] * 4),
    "a mention in two clusters, in the notation of the official cases": _one(
        "(0) (0 - 0) (1) (1)", "(5)(6) (5 - 5) (6) (6)", [2] * 4, [4] * 4, [4] * 4, [2] * 4
    ),
    "a spurious mention twice in its cluster": _one(
        "(0) (0) -", "(0) (0) (0)|(0)", [1, 1, 1, 3], [2, 2, 1, 4], [2, 2, 2, 4], [2 / 3, 1, 2 / 3, 1]
    ),
    "a mention in two clusters of the key": _one(
        "(0) (0)|(1) (1)", "(0) (0) -", [0, 2, 0, 1], [1 + 1 / 2, 4, 1 + 1 / 2, 2], [2, 4, 2, 2], [1, 2, 1, 1]
    ),
    "nested mentions of one cluster": _one(
        "(0 (0) 0)", "(0 0)|(0) -", [0, 1, 0, 1], [1 / 2, 2, 1 / 2, 2], [1, 2, 1, 2], [1 / 2, 1, 1 / 2, 1]
    ),
    "mentions of one cluster that share a word are read as nested": _one(
        "(0 (0) 0)", "(0 0)|(0 0)", [1] * 4, [2] * 4, [2] * 4, [1] * 4
    ),
    "several documents and parts, in another order": Case(
        {"nw/x 0": "(0) (0) (0) (1) (1)", "nw/x 1": "(0) (0) (1) (1)", "bc/y 0": "(0) (0) (0)"},
        {"bc/y 0": "(0) (1) (2)", "nw/x 1": "(0) (0) (0) (0)", "nw/x 0": "(0) (0) - (1) (1)"},
        [2 + 2 + 0, 3 + 2 + 2, 2 + 2 + 0, 2 + 3 + 0],
        [10 / 3 + 4 + 1, 5 + 4 + 3, 4 + 2 + 3, 4 + 4 + 3],
        [4 + 2 + 1, 5 + 4 + 3, 4 + 2 + 1, 4 + 4 + 3],
        [9 / 5 + 2 / 3 + 1 / 2, 2 + 2 + 1, 9 / 5 + 2 / 3 + 1 / 2, 2 + 1 + 3],
    ),
}
