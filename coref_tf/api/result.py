"""The result of one text: clusters of mentions, as plain values that do not depend on TensorFlow."""

import dataclasses
import functools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from coref_tf.decoding import probable_clusters
from coref_tf.documents.document import Document
from coref_tf.documents.listing import listing, mention_text
from coref_tf.documents.tokenizer import ENGLISH
from coref_tf.inference.prediction import Prediction
from coref_tf.models.calibration import check_probability
from coref_tf.models.dial import CAUTIOUS_PROBABILITY
from coref_tf.page.notebook import notebook_html
from coref_tf.quotations import Character, Quotation, find_all_quotations, find_characters
from coref_tf.resolving import Edit, ResolvedText, annotate, resolve_text
from coref_tf.support.errors import CorefError


@dataclasses.dataclass(frozen=True)
class Mention:
    """A mention: words that refer to a person or thing.

    Args:
        text: the mention as in the text, or its words joined with spaces if the input was words.
        start: the index of its first word in the document.
        end: the index of its last word, inclusive.
        begin_char: the offset of its first character in the text; None if the input was words.
        end_char: the offset after its last character. `text` is `document.text[begin_char:end_char]`, without parts
            of the text that are not words, such as the times of subtitles.
        score: the mention score, s_m.
        antecedent: the index of its antecedent in the cluster; None for the first mention of a chain.
        antecedent_score: the score s(i, j) of the link, where the dummy scores 0; None without an antecedent.
        antecedent_probability: the probability of the link; None without an antecedent.
        probability: its place probability, the sum of the probabilities of its antecedents in the cluster; for the
            first mention of a chain, the highest of those linked to it. Both probabilities are None if the model
            does not compute them.
    """

    text: str
    start: int
    end: int
    begin_char: int | None
    end_char: int | None
    score: float
    antecedent: int | None
    antecedent_score: float | None
    antecedent_probability: float | None = None
    probability: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Returns the mention as a JSON value."""
        return dataclasses.asdict(self)


@dataclasses.dataclass(frozen=True)
class Cluster:
    """The mentions of one person or thing, in text order. Supports iteration and indexing.

    Example:
        [mention.text for mention in cluster]          # ["Ana", "she"]
        cluster[cluster[1].antecedent].text            # "Ana"
    """

    mentions: tuple[Mention, ...]

    def __iter__(self) -> Iterator[Mention]:
        return iter(self.mentions)

    def __len__(self) -> int:
        return len(self.mentions)

    def __getitem__(self, number: int) -> Mention:
        return self.mentions[number]

    def __str__(self) -> str:
        return " · ".join(mention.text for mention in self.mentions)


@dataclasses.dataclass(frozen=True, repr=False)
class Result:
    """The result of a document. Iterates over the clusters, and prints in a readable form.

    Args:
        document: the words, sentences, speakers and offsets that the model read.
        clusters: the clusters, ordered by their first mentions.
        language: the language of the model, as in experiments.conf.
        cautious_probability: the default `min_probability` of `resolved`.

    Example:
        result = resolver("Ana said she was late.")
        print(result)                                  # text: 6 words, 1 cluster, and a line for it
        for cluster in result:
            print([mention.text for mention in cluster])
        print(result.resolved())                       # Ana said Ana was late.
        json.dumps(result.to_dict())
    """

    document: Document
    clusters: tuple[Cluster, ...]
    language: str = ENGLISH
    cautious_probability: float = CAUTIOUS_PROBABILITY

    def __iter__(self) -> Iterator[Cluster]:
        return iter(self.clusters)

    def __len__(self) -> int:
        return len(self.clusters)

    def __getitem__(self, number: int) -> Cluster:
        return self.clusters[number]

    def __bool__(self) -> bool:
        """Returns True, even if there are no clusters."""
        return True

    def __str__(self) -> str:
        return listing(self.document, self.spans)

    __repr__ = __str__

    @property
    def spans(self) -> list[list[tuple[int, int]]]:
        """The clusters as inclusive (start, end) pairs of word indices, as in documents and files."""
        return [[(mention.start, mention.end) for mention in cluster] for cluster in self.clusters]

    def resolved(self, min_probability: float | None = None, keep: Sequence[str] = ()) -> str:
        """Returns the text with pronouns replaced by what they refer to, where this is probable and reads well.

        English only.

        Args:
            min_probability: the minimum place probability of a replaced mention. By default, the probability at and
                above which at least 95% of the links are correct; inconsistent clusters are then left
                unchanged, too. 0 replaces everything.
            keep: phrases to leave unchanged wherever they occur, such as ["the Tenant"].
        """
        return self.resolve_text(min_probability, keep).text

    def edits(self, min_probability: float | None = None, keep: Sequence[str] = ()) -> list[Edit]:
        """Returns the edits that `resolved` makes: (begin, end, replacement), with character offsets into the text."""
        return self.resolve_text(min_probability, keep).edits

    def resolve_text(self, min_probability: float | None = None, keep: Sequence[str] = ()) -> ResolvedText:
        """Returns the resolved text and its edits, and how many places were left unchanged, by reason."""
        self._require_english("resolving text is", ", or annotated()")
        threshold = (
            self.cautious_probability if min_probability is None else check_probability(min_probability)
        )
        antecedents = [[mention.antecedent for mention in cluster] for cluster in self.clusters]
        places = [[mention.probability for mention in cluster] for cluster in self.clusters]
        sure = probable_clusters(self.spans, antecedents, places, threshold) if threshold else None
        return resolve_text(self.document, self.spans, sure, keep)

    @functools.cached_property
    def quotations(self) -> tuple[Quotation, ...]:
        """Returns the quotations in text order, with their speakers; English only."""
        self._require_english("finding quotations is")
        return find_all_quotations(self.document, self.spans)

    @functools.cached_property
    def characters(self) -> tuple[Character, ...]:
        """Returns the characters, people who speak or are referred to as people, by frequency; English only."""
        self._require_english("finding characters is")
        return find_characters(self.document, self.spans)

    def annotated(self) -> str:
        """Returns the text with mentions in brackets, numbered by cluster: "[1 Ana] said [1 she] was late."."""
        return annotate(self.document, self.spans)

    def _repr_html_(self) -> str:
        """Returns the HTML that notebooks display."""
        return notebook_html(self.document, self.spans)

    def _require_english(self, what: str, instead: str = "") -> None:
        if self.language != ENGLISH:
            raise CorefError(
                f"the model's language is {self.language}, but {what} supported only in English;"
                f" use an English model{instead}"
            )

    def to_dict(self) -> dict[str, Any]:
        """Returns a JSON value: doc_key, text (if there is one), sentences, and clusters as lists of mentions."""
        text = {} if self.document.text is None else {"text": self.document.text}
        return {
            "doc_key": self.document.key,
            **text,
            "sentences": [list(sentence) for sentence in self.document.sentences],
            "clusters": [[mention.to_dict() for mention in cluster] for cluster in self.clusters],
        }


def result_of(
    prediction: Prediction, language: str = ENGLISH, cautious_probability: float = CAUTIOUS_PROBABILITY
) -> Result:
    """Converts a prediction to a Result."""
    place = {span: number for number, span in enumerate(prediction.top_spans)}
    return Result(
        prediction.document,
        tuple(_cluster(prediction, [place[span] for span in sorted(spans)]) for spans in prediction.clusters),
        language,
        cautious_probability,
    )


def _cluster(prediction: Prediction, numbers: list[int]) -> Cluster:
    """Returns the cluster that consists of the given kept spans."""
    place = {number: place for place, number in enumerate(numbers)}
    antecedents = [place.get(int(prediction.antecedents[number])) for number in numbers]
    return Cluster(tuple(map(functools.partial(mention_of, prediction), numbers, antecedents)))


def mention_of(prediction: Prediction, number: int, antecedent: int | None) -> Mention:
    """Returns a kept span as a mention, given the index of its antecedent in the cluster."""
    document, linked = prediction.document, antecedent is not None
    start, end = prediction.top_spans[number]
    offsets = document.offsets
    return Mention(
        mention_text(document, start, end),
        start,
        end,
        offsets[start][0] if offsets is not None else None,
        offsets[end][1] if offsets is not None else None,
        float(prediction.mention_scores[number]),
        antecedent,
        float(prediction.antecedent_scores[number]) if linked else None,
        _number(prediction.link_probabilities, number) if linked else None,
        _number(prediction.place_probabilities, number),
    )


def _number(values: np.ndarray | None, number: int) -> float | None:
    return None if values is None else float(values[number])
