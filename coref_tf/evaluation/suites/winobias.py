"""WinoBias: does a model link pronouns by what people do, or by stereotype (Zhao et al. 2018)?

In each sentence two people are named by their occupations, and a pronoun means one of them. In the pro-stereotypical
sets the pronoun's gender is the one that is expected of that occupation, in the anti-stereotypical sets it is the
other. Type 1 needs knowledge of the world; in type 2 the syntax alone tells.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from coref_tf.documents import Document, read_documents
from coref_tf.evaluation.suites.gap_case import FEMININE, GENDERS, MASCULINE
from coref_tf.evaluation.suites.suite import Answer, ModelFacts, Suite, SuiteResult
from coref_tf.scoring import Scorer
from coref_tf.support.errors import CorefError
from coref_tf.support.table import Table

PRO, ANTI = "pro", "anti"
TYPES = ("1", "2")
GROUPS = ("all", MASCULINE, FEMININE)
NOTE = (
    "CoNLL average F1. pro: the pronoun's gender is the one expected of the occupation; anti: the other one."
    " A model without bias has a gap of 0. In type 2 the syntax alone tells who is meant."
)
_NAME = re.compile(r"(?P<split>.+)_type(?P<type>[12])_(?P<kind>pro|anti)_stereotype\.v4_(auto|gold)_conll")


class _Set(NamedTuple):
    """One of the files."""

    split: str  # dev or test
    type: str
    kind: str


class WinoBiasSuite(Suite):
    """The four sets of a folder: types 1 and 2, each pro- and anti-stereotypical; of dev, test or both."""

    name = "winobias"
    title = "WinoBias"
    argument = "FOLDER"
    summary = "whether pronouns are linked by stereotype"

    def __init__(self, argument: str):
        self.source = argument
        files = find_sets(argument)
        self.splits = list(dict.fromkeys(of_file.split for of_file in files))
        # The set and the pronoun's gender of each document, in the order of `documents`.
        self.documents: list[Document] = []
        self._places: list[tuple[_Set, str | None]] = []
        for of_file, path in files.items():
            for document in read_documents(path):
                self.documents.append(document)
                self._places.append((of_file, pronoun_gender(document)))

    def score(self, answers: Sequence[Answer], facts: ModelFacts) -> SuiteResult:
        """The average F1 of each set and the gaps, over all sentences and by the pronoun's gender."""
        figures, tables = {}, []
        for split in self.splits:
            scores = {
                (kind_of_type, kind): self._of_set(answers, _Set(split, kind_of_type, kind))
                for kind_of_type in TYPES
                for kind in (PRO, ANTI)
            }
            figures[split] = split_figures(scores)
            tables.append(_table(split, figures[split]))
        return SuiteResult(self.name, f"{self.title}: {self.summary}", self.source, figures, tables, [NOTE])

    def _of_set(self, answers: Sequence[Answer], of_file: _Set) -> dict[str, float | None]:
        """The average F1 of one set: of all its documents, and of those with a pronoun of each gender."""
        own = [
            (answer, gender)
            for answer, (place, gender) in zip(answers, self._places, strict=True)
            if place == of_file
        ]
        return {group: _average_f1(a for a, gender in own if group in ("all", gender)) for group in GROUPS}


def find_sets(folder: str) -> dict[_Set, Path]:
    """The files of a folder; each split has to have all four."""
    if not Path(folder).is_dir():
        raise CorefError(f"{folder}: no such folder; expected one with WinoBias's CoNLL files")
    found = {}
    for path in sorted(Path(folder).iterdir()):
        if match := _NAME.fullmatch(path.name):
            found[_Set(match["split"], match["type"], match["kind"])] = path
    for split in dict.fromkeys(of_file.split for of_file in found) or ["dev"]:
        for of_type in TYPES:
            for kind in (PRO, ANTI):
                if _Set(split, of_type, kind) not in found:
                    raise CorefError(
                        f"{folder}: holds no {split}_type{of_type}_{kind}_stereotype.v4_auto_conll; expected"
                        " WinoBias's four sets, types 1 and 2, each pro and anti"
                    )
    return found


def pronoun_gender(document: Document) -> str | None:
    """The gender of the first gendered pronoun among the gold mentions; None where there is none."""
    for start, end in sorted(mention for cluster in document.clusters for mention in cluster):
        if start == end and document.words[start].lower() in GENDERS:
            return GENDERS[document.words[start].lower()]
    return None


def split_figures(scores: Mapping[tuple[str, str], Mapping[str, float | None]]) -> dict[str, dict]:
    """For each type and for their mean: pro, anti, their mean and their gap, by group of documents."""
    figures = {}
    for of_type in TYPES:
        pro, anti = scores[of_type, PRO], scores[of_type, ANTI]
        figures[f"type{of_type}"] = {group: _with_gap(pro[group], anti[group]) for group in GROUPS}
    figures["mean"] = {
        group: _with_gap(*(_mean(scores[of_type, kind][group] for of_type in TYPES) for kind in (PRO, ANTI)))
        for group in GROUPS
    }
    return figures


def _with_gap(pro: float | None, anti: float | None) -> dict[str, float | None]:
    gap = None if pro is None or anti is None else pro - anti
    return {"pro": pro, "anti": anti, "average": _mean([pro, anti]), "gap": gap}


def _mean(values: Iterable[float | None]) -> float | None:
    values = list(values)
    return None if None in values else sum(values) / len(values)


def _average_f1(answers: Iterable[Answer]) -> float | None:
    scorer = Scorer(["muc", "bcub", "ceafe"])
    scorer.add_all((a.document.key, a.document.clusters, a.clusters) for a in answers)
    return scorer.result().average_f1 if scorer.documents else None


def _table(split: str, figures: Mapping[str, Mapping]) -> Table:
    titles = {"type1": "type 1", "type2": "type 2", "mean": "mean of both"}
    rows = []
    for name, groups in figures.items():
        for group, values in groups.items():
            shown = [None if value is None else 100 * value for value in values.values()]
            rows.append([titles[name] if group == "all" else f"  {group}", *shown])
    return Table(split, ["sentences", "pro", "anti", "average", "gap"], rows)


SUITE = WinoBiasSuite
