"""The data of one document on a page, as compact JSON values.

Scores have two decimals; large arrays of scores contain hundredths as 16-bit integers. `ABSENT` marks a pair or span
that the model did not consider.
"""

import base64
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from coref_tf.config import Experiment
from coref_tf.decoding import best_antecedents, places_of
from coref_tf.documents.document import NO_SPEAKER, Document
from coref_tf.documents.format import ClusterPrediction
from coref_tf.documents.running_text import words_and_gaps
from coref_tf.documents.tokenizer import ENGLISH
from coref_tf.quotations import find_all_quotations

BEST = 5  # the number of antecedents shown for each span
ABSENT = -32768  # in arrays of hundredths


class PageSettings(NamedTuple):
    """The settings of a model that explanations on the page refer to."""

    max_mention_width: int  # L
    mention_ratio: float  # lambda
    max_antecedents: int  # K
    nearest: bool  # whether they are the K nearest
    mentions: str  # how spans are proposed
    heads: bool  # whether there is head attention
    language: str = ENGLISH  # quotations are found in English only

    @classmethod
    def from_experiments(cls, experiments: Sequence[Experiment]) -> "PageSettings":
        """Returns the settings of an experiment, or of the experiments of an ensemble."""
        first = experiments[0]
        return cls(
            first.max_mention_width,
            first.mention_ratio,
            first.max_antecedents,
            first.antecedents == "nearest",
            first.mentions,
            any(experiment.model_heads for experiment in experiments),
            first.language,
        )


class DetailedPrediction(ClusterPrediction, Protocol):
    """The part of a `coref_tf.inference.prediction.Prediction` with details that the page uses."""

    @property
    def top_spans(self) -> list[tuple[int, int]]:
        """The spans that pruning kept."""
        ...

    @property
    def output(self) -> Any:
        """Everything that the model computed, as NumPy arrays."""
        ...

    @property
    def calibration(self) -> Any:
        """Converts scores to probabilities."""
        ...

    @property
    def min_probability(self) -> float:
        """The minimum place probability of links; links below it were removed."""
        ...

    @property
    def singleton_score(self) -> float | None:
        """The minimum s_m of a span that forms a cluster on its own, if singletons were requested."""
        ...


def page_data(prediction: DetailedPrediction, settings: PageSettings) -> dict[str, Any]:
    """Returns everything that the page shows about a document, as JSON values.

    The keys: raw (whether the gaps come from the text), words, gaps, sentences (their lengths), speakers (of each
    sentence), heads (alpha of each word, or null), candidates (see `candidate_scores`), spans (the kept spans), scores
    (their s_m), chosen (the best antecedent of each, -1 for none, before any links are removed), places (the place
    probability of that link), least (links with a lower place probability are removed), alone (the minimum score of
    a span outside all clusters to be a singleton, or null), none (the probability of no antecedent), best (see
    `best_of_each`), pairs (see `pair_scores`), clusters (of span indices), gold (clusters of [start, end]) and
    quotations (see `quotations_on_page`).
    """
    if prediction.output is None:
        raise ValueError("a page requires details; call predict(document, details=True)")
    document, output = prediction.document, prediction.output
    words, gaps = words_and_gaps(document)
    # [spans], [spans, 1 + antecedents]
    best = best_antecedents(output.antecedents.indices, output.antecedents.scores)
    shares = prediction.calibration.probabilities(output.antecedents.scores)
    number_of = {span: number for number, span in enumerate(prediction.top_spans)}
    clusters = [[number_of[span] for span in cluster] for cluster in prediction.clusters]
    gold_spans = {span for cluster in document.clusters for span in cluster}
    mentions = {number for cluster in clusters for number in cluster}
    mentions |= set(np.flatnonzero(best >= 0).tolist()) | set(best[best >= 0].tolist())
    mentions |= {number for span, number in number_of.items() if span in gold_spans}
    return {
        "raw": document.text is not None,
        "words": words,
        "gaps": gaps,
        "sentences": [len(sentence) for sentence in document.sentences],
        "speakers": _speakers(document),
        "heads": _rounded(output.head_scores, 3) if settings.heads else None,
        "candidates": _packed(candidate_scores(document, output, settings.max_mention_width)),
        "spans": [list(span) for span in prediction.top_spans],
        "scores": _rounded(output.top_span_mention_scores, 3),
        "chosen": best.tolist(),
        "places": _rounded(places_of(best, output.antecedents.indices, shares), 5),
        "least": prediction.min_probability,
        "alone": prediction.singleton_score,
        "none": _rounded(shares[:, 0], 5),
        "best": best_of_each(output, shares),
        "pairs": pair_scores(output, sorted(mentions)),
        "clusters": clusters,
        "gold": [[list(span) for span in cluster] for cluster in document.clusters],
        "quotations": quotations_on_page(prediction, number_of) if settings.language == ENGLISH else [],
    }


def quotations_on_page(
    prediction: ClusterPrediction, number_of: Mapping[tuple[int, int], int]
) -> list[dict[str, Any]]:
    """Returns the quotations and their speakers in the order of the text.

    The keys: start, end (words, both inclusive), depth (0 unless the quotation is inside another one), speaker (a name,
    or null) and span (the number of a kept span in the speaker's cluster, or null). The slider changes the numbers of
    clusters, but not those of spans.

    Args:
        prediction: the prediction for the document.
        number_of: the number of each kept span.
    """
    clusters = [sorted(cluster) for cluster in prediction.clusters]
    found = []
    for quotation in find_all_quotations(prediction.document, clusters):
        span = None
        if quotation.cluster is not None:
            cluster = clusters[quotation.cluster]
            span = quotation.mention if quotation.mention in cluster else cluster[0]
        found.append(
            {
                "start": quotation.start,
                "end": quotation.end,
                "depth": quotation.depth,
                "speaker": quotation.speaker,
                "span": None if span is None else number_of[span],
            }
        )
    return found


def candidate_scores(document: Document, output: Any, max_width: int) -> np.ndarray:
    """Returns s_m of all candidates in hundredths, int16 [words * max_width].

    The span of w words that starts at word t is at index t * max_width + w - 1.
    Given mentions that are wider are not included here; their scores are with the kept spans.
    """
    table = np.full([document.num_words, max_width], ABSENT, np.int16)
    widths = output.candidate_ends - output.candidate_starts
    inside = widths < max_width
    scores = _hundredths(output.candidate_mention_scores)
    table[output.candidate_starts[inside], widths[inside]] = scores[inside]
    return table.reshape(-1)


def best_of_each(output: Any, shares: np.ndarray) -> list[list[list[float]]]:
    """Returns the best antecedents of each span, best first: [j, s_a, probability]; a tie goes to the nearer.

    Args:
        output: the output of the model.
        shares: float [spans, 1 + antecedents], the probability of each antecedent, the dummy first.
    """
    indices, scores = output.antecedents.indices, output.antecedents.scores.astype(np.float64)
    mention_scores = output.top_span_mention_scores.astype(np.float64)
    rows = []
    for i, length in enumerate(output.antecedents.lengths):
        row, own = scores[i, 1 : length + 1], indices[i, :length]
        order = np.lexsort([-own, -row])[:BEST]
        pair = row[order] - mention_scores[i] - mention_scores[own[order]]
        probabilities = _rounded(shares[i, 1 + order], 5)
        triples = zip(own[order].tolist(), _rounded(pair, 3), probabilities, strict=True)
        rows.append([list(triple) for triple in triples])
    return rows


def pair_scores(output: Any, mentions: list[int]) -> dict[str, Any]:
    """Returns s_a of all pairs among some of the kept spans, those that users may ask about.

    `mentions` are their indices; rows[n] packs the hundredths of s_a of mentions[n] with each mention before it, the
    nearest last; mentions before the first one that was considered are left out.
    """
    place = np.full(len(output.top_span_starts), -1)
    place[mentions] = np.arange(len(mentions))
    mention_scores = output.top_span_mention_scores.astype(np.float64)
    rows = []
    for n, i in enumerate(mentions):
        length = output.antecedents.lengths[i]
        j = output.antecedents.indices[i, :length]
        s = output.antecedents.scores[i, 1 : length + 1]
        among = place[j] >= 0
        j, s = j[among], s[among]
        row = np.full(n, ABSENT, np.int16)
        row[place[j]] = _hundredths(s - mention_scores[i] - mention_scores[j])
        considered = np.flatnonzero(row != ABSENT)
        rows.append(_packed(row[considered[0] :] if len(considered) else row[:0]))
    return {"mentions": mentions, "rows": rows}


def _speakers(document: Document) -> list[str | None]:
    """Returns the speaker of each sentence, which is that of its first word; None if there is none."""
    first = [sentence[0] if sentence else NO_SPEAKER for sentence in document.speakers]
    return [None if speaker == NO_SPEAKER else speaker for speaker in first]


def _hundredths(scores: np.ndarray) -> np.ndarray:
    return np.clip(np.rint(scores * 100.0), ABSENT + 1, -ABSENT - 1).astype(np.int16)


def _packed(values: np.ndarray) -> str:
    """Returns little-endian 16-bit integers in Base64."""
    return base64.b64encode(values.astype("<i2").tobytes()).decode("ascii")


def _rounded(values: np.ndarray, digits: int) -> list[float]:
    return [round(value, digits) for value in np.asarray(values, np.float64).tolist()]
