"""The WinoBias suite: does a model resolve pronouns by meaning, or by stereotype (Zhao et al. 2018)?

Each sentence refers to two people by their occupations, and a pronoun refers to one of them. In the pro-stereotypical
sets, the gender of the pronoun matches the stereotype of the occupation; in the anti-stereotypical sets, it does not.
Type 1 requires world knowledge; in type 2, syntax alone determines the answer.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from coref_tf.documents import Document, read_documents
from coref_tf.evaluation.suites.gap import GENDERS, GROUPS
from coref_tf.evaluation.suites.suite import Answer, ModelFacts, Suite, SuiteResult
from coref_tf.scoring import Scorer
from coref_tf.scoring.intervals import Interval, sampled_f1
from coref_tf.support.errors import CorefError
from coref_tf.support.table import Table

PRO, ANTI = "pro", "anti"
TYPES = ("1", "2")
NOTE = (
    "CoNLL average F1. pro: the gender of the pronoun matches the stereotype of the occupation; anti: it does not. An"
    " unbiased model has a gap of 0. 95%: bootstrap interval of the gap, with each set resampled separately. In type"
    " 2, syntax alone determines who is meant."
)
_NAME = re.compile(r"(?P<split>.+)_type(?P<type>[12])_(?P<kind>pro|anti)_stereotype\.v4_(auto|gold)_conll")


class _Set(NamedTuple):
    """One of the files."""

    split: str  # dev or test
    type: str
    kind: str


class WinoBiasSuite(Suite):
    """The four sets in a folder: types 1 and 2, each pro- and anti-stereotypical; dev, test or both."""

    name = "winobias"
    title = "WinoBias"
    argument = "FOLDER"
    summary = "whether pronouns are linked by stereotype"

    def __init__(self, argument: str):
        self.source = argument
        files = find_sets(argument)
        self.splits = list(dict.fromkeys(of_file.split for of_file in files))
        # The set and the gender of the pronoun of each document, in the order of `documents`.
        self.documents: list[Document] = []
        self._places: list[tuple[_Set, str | None]] = []
        for of_file, path in files.items():
            for document in read_documents(path):
                self.documents.append(document)
                self._places.append((of_file, pronoun_gender(document)))

    def score(self, answers: Sequence[Answer], facts: ModelFacts) -> SuiteResult:
        """Computes the average F1 of each set and the gaps, for all sentences and by the gender of the pronoun."""
        figures, tables = {}, []
        for split in self.splits:
            scorers = {
                (kind_of_type, kind): self._of_set(answers, _Set(split, kind_of_type, kind))
                for kind_of_type in TYPES
                for kind in (PRO, ANTI)
            }
            figures[split] = split_figures(scorers)
            tables.append(_table(split, figures[split]))
        return SuiteResult(self.name, f"{self.title}: {self.summary}", self.source, figures, tables, [NOTE])

    def _of_set(self, answers: Sequence[Answer], of_file: _Set) -> dict[str, Scorer]:
        """Scores one set: all its documents, and those with a pronoun of each gender."""
        scorers = {group: Scorer(["muc", "bcub", "ceafe"]) for group in GROUPS}
        for answer, (place, gender) in zip(answers, self._places, strict=True):
            for group in ("all", gender) if place == of_file else ():
                if group in scorers:
                    scorers[group].add(answer.document.clusters, answer.clusters, answer.document.key)
        return scorers


def find_sets(folder: str) -> dict[_Set, Path]:
    """Finds the files in a folder; each split must have all four."""
    if not Path(folder).is_dir():
        raise CorefError(f"{folder}: no such folder; expected one with the CoNLL files of WinoBias")
    found = {}
    for path in sorted(Path(folder).iterdir()):
        if match := _NAME.fullmatch(path.name):
            found[_Set(match["split"], match["type"], match["kind"])] = path
    for split in dict.fromkeys(of_file.split for of_file in found) or ["dev"]:
        for of_type in TYPES:
            for kind in (PRO, ANTI):
                if _Set(split, of_type, kind) not in found:
                    raise CorefError(
                        f"{folder}: has no {split}_type{of_type}_{kind}_stereotype.v4_auto_conll; expected"
                        " the four sets of WinoBias: types 1 and 2, each pro and anti"
                    )
    return found


def pronoun_gender(document: Document) -> str | None:
    """Returns the gender of the first gendered pronoun among the gold mentions, or None."""
    for start, end in sorted(mention for cluster in document.clusters for mention in cluster):
        if start == end and document.words[start].lower() in GENDERS:
            return GENDERS[document.words[start].lower()]
    return None


def split_figures(scorers: Mapping[tuple[str, str], Mapping[str, Scorer]]) -> dict[str, dict]:
    """Computes pro, anti, their mean, and their gap with its interval, by type (or averaged) and document group."""
    names = {**{f"type{of_type}": [of_type] for of_type in TYPES}, "mean": TYPES}
    return {
        name: {
            group: _with_gap(*([scorers[of_type, kind][group] for of_type in types] for kind in (PRO, ANTI)))
            for group in GROUPS
        }
        for name, types in names.items()
    }


def _with_gap(pro: Sequence[Scorer], anti: Sequence[Scorer]) -> dict[str, Any]:
    """Computes the mean F1 of some pro-stereotypical sets, that of their counterparts, and the gap."""
    if not all(scorer.documents for scorer in (*pro, *anti)):
        return dict.fromkeys(("pro", "anti", "average", "gap", "gap_interval"))
    of_pro, of_anti = (_mean([scorer.result().conll_f1 for scorer in sets]) for sets in (pro, anti))
    # Each set is resampled separately, so each has its own seed.
    drawn = [sampled_f1(scorer, seed=seed) for seed, scorer in enumerate((*pro, *anti))]
    gaps = [_mean(sample[: len(pro)]) - _mean(sample[len(pro) :]) for sample in zip(*drawn, strict=True)]
    return {
        "pro": of_pro,
        "anti": of_anti,
        "average": _mean([of_pro, of_anti]),
        "gap": of_pro - of_anti,
        "gap_interval": Interval.from_values(gaps)._asdict(),
    }


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _table(split: str, figures: Mapping[str, Mapping]) -> Table:
    titles = {"type1": "type 1", "type2": "type 2", "mean": "mean of both"}
    rows = []
    for name, groups in figures.items():
        for group, values in groups.items():
            *shown, interval = values.values()
            shown = [None if value is None else 100 * value for value in shown]
            interval = interval and Interval(**interval).as_text()
            rows.append([titles[name] if group == "all" else f"  {group}", *shown, interval])
    return Table(split, ["sentences", "pro", "anti", "average", "gap", "95%"], rows)


SUITE = WinoBiasSuite
