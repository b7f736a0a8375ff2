"""The domains suite: a model's scores on corpora of other domains, with a row for each file and each genre."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from coref_tf.documents import Document, read_documents
from coref_tf.documents.stats import count
from coref_tf.evaluation.evaluate import mostly_singletons
from coref_tf.evaluation.suites.suite import Answer, ModelFacts, Suite, SuiteResult
from coref_tf.inference.unknown_words import mostly_unknown, unknown_share
from coref_tf.scoring import Scorer
from coref_tf.scoring.intervals import Interval, sampled_f1
from coref_tf.support.errors import CorefError
from coref_tf.support.remarks import SHOWN
from coref_tf.support.table import Table

COLUMNS = (
    "", "documents", "words", "F1", "95%", "F1 without singletons", "95%", "mention recall",
    "without singletons", "singletons", "unknown words", "wider than L",
)  # fmt: skip
_SHOWN = (
    "documents", "words", "average_f1", "interval", "average_f1_without_singletons",
    "interval_without_singletons", "mention_recall",
    "mention_recall_without_singletons", "singletons", "unknown_words", "wide_mentions",
)  # fmt: skip


# With fewer documents, an interval means little.
_ENOUGH = 10


class DomainsSuite(Suite):
    """Files of documents with gold clusters, in any readable format."""

    name = "conll"
    title = "Domains"
    argument = "FILE[,FILE...]"
    summary = "corpora of other domains, by file and by genre"

    def __init__(self, argument: str):
        self.source = argument
        self.files: dict[str, list[Document]] = {}
        for path in argument.split(","):
            if path in self.files:
                raise CorefError(f"--suite conll={argument}: lists {path} twice; expected each file once")
            self.files[path] = list(read_documents(path))
        self.documents = [document for documents in self.files.values() for document in documents]

    def score(self, answers: Sequence[Answer], facts: ModelFacts) -> SuiteResult:
        """Computes all scores for each file and, if it has several genres, for each genre."""
        rest = iter(answers)
        figures, rows, warnings = {}, [], []
        names = short_names(list(self.files))
        for path, documents in self.files.items():
            own = [next(rest) for _ in documents]
            figures[path] = domain_figures(own, facts)
            genres = {genre: domain_figures(of_genre, facts) for genre, of_genre in _by_genre(own)}
            rows.append(_row(names[path], figures[path]))
            rows += [_row(f"  {genre}", values) for genre, values in genres.items() if len(genres) > 1]
            figures[path]["genres"] = genres
            warnings += _warnings(path, documents, facts)
        note = (
            "CoNLL average F1; all figures except the first two are percentages. 95%: bootstrap interval over"
            f" documents, if there are at least {_ENOUGH}. mention recall: gold mentions among the"
            f" {facts.mention_ratio:g} spans kept per word (λ). singletons: of the gold clusters. wider than L:"
            f" gold mentions of more than {facts.max_mention_width} words, which the model cannot find."
        )
        return SuiteResult(
            self.name,
            f"{self.title}: {self.summary}",
            self.source,
            figures,
            [Table("", COLUMNS, rows)],
            [note],
            warnings,
        )


def short_names(paths: Sequence[str]) -> dict[str, str]:
    """Maps each path to the shortest suffix of whole components that is unique.

    Example:
        short_names(["a/dev.conll", "b/dev.conll"])     # {"a/dev.conll": "a/dev.conll", ...}
    """
    names = {}
    for path in paths:
        parts = Path(path).parts
        shortened = (str(Path(*parts[-length:])) for length in range(1, len(parts) + 1))
        others = [Path(other).parts for other in paths if other != path]
        names[path] = next(
            (
                name
                for name in shortened
                if all(o[-len(Path(name).parts) :] != Path(name).parts for o in others)
            ),
            path,
        )
    return names


def domain_figures(answers: Sequence[Answer], facts: ModelFacts) -> dict[str, Any]:
    """Returns the scores of some documents as JSON values; fractions are between 0 and 1."""
    documents = [answer.document for answer in answers]
    stats = count(documents)
    wide = sum(times for width, times in stats.widths.items() if width > facts.max_mention_width)
    figures: dict[str, Any] = {"documents": stats.documents, "words": stats.words, "mentions": stats.mentions}
    for ending, remove in (("", False), ("_without_singletons", True)):
        scorer = Scorer(remove_singletons=remove)
        scorer.add_all((a.document.key, a.document.clusters, a.clusters) for a in answers)
        figures[f"average_f1{ending}"] = scorer.result().average_f1
        figures[f"interval{ending}"] = (
            Interval.from_values(sampled_f1(scorer))._asdict() if len(answers) >= _ENOUGH else None
        )
        figures[f"scores{ending}"] = scorer.result().as_dict()
        figures[f"mention_recall{ending}"] = mention_recall(answers, remove)
    return figures | {
        "singletons": stats.singletons / max(stats.clusters, 1),
        "unknown_words": unknown_share(documents, facts.known),
        "wide_mentions": wide / max(stats.mentions, 1),
    }


def mention_recall(answers: Iterable[Answer], remove_singletons: bool = False) -> float:
    """Returns the fraction of gold mentions that pruning kept."""
    kept = total = 0
    for answer in answers:
        clusters = [c for c in answer.document.clusters if len(c) > 1 or not remove_singletons]
        gold = {mention for cluster in clusters for mention in cluster}
        total += len(gold)
        kept += len(gold & set(answer.top_spans))
    return kept / max(total, 1)


def _by_genre(answers: Iterable[Answer]) -> Iterator[tuple[str, list[Answer]]]:
    genres: dict[str, list[Answer]] = {}
    for answer in answers:
        genres.setdefault(answer.document.genre, []).append(answer)
    for genre in sorted(genres):
        yield genre or "no genre", genres[genre]


def _row(name: str, figures: dict[str, Any]) -> list[Any]:
    return [name, *(_figure(figures[key]) for key in _SHOWN)]


def _figure(value: Any) -> Any:
    if isinstance(value, dict):
        return Interval(**value).as_text()
    return 100 * value if isinstance(value, float) else value


def _warnings(path: str, documents: Sequence[Document], facts: ModelFacts) -> list[str]:
    found = list(filter(None, (mostly_unknown(document, facts.known) for document in documents)))
    if len(found) > SHOWN:
        found[SHOWN:] = [f"most words of {len(found) - SHOWN:,} more documents are unknown to the model"]
    singletons = mostly_singletons(documents)
    return [f"{path}: {warning}" for warning in [*([singletons] if singletons else []), *found]]


SUITE = DomainsSuite
