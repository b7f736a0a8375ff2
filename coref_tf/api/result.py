"""What a model found in one text: clusters of mentions. Plain values, which need nothing of TensorFlow."""

import dataclasses
import functools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from coref_tf.decoding import sure_clusters
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
    """Words that refer to somebody or something.

    Args:
        text: how it reads: as in the text, or its words with spaces where only words were given.
        start: its first word, counted from 0 over the document.
        end: its last word, inclusive.
        begin_char: where it begins in the text; None where only words were given.
        end_char: where it ends there, exclusive. `text` is `document.text[begin_char:end_char]`, without what nobody
            says in the middle of it, such as the times of subtitles.
        score: s_m, how much it looks like a mention.
        antecedent: which mention of the same cluster it refers back to; None for the first of a chain.
        antecedent_score: s(i, j) of the two, where that of no antecedent is 0; None where there is none.
        antecedent_probability: of the antecedent alone, among all and none; None where there is none.
        probability: of its place in the cluster: that of all its antecedents there together; of the first of a chain,
            that of the surest place that is linked to it. None, as the other, from a model that doesn't say.
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
        """The same in JSON's terms."""
        return dataclasses.asdict(self)


@dataclasses.dataclass(frozen=True)
class Cluster:
    """The mentions of one person or thing, in the order of the text. Iterates over them, and can be indexed.

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
    """What a model found in a document. Iterates over the clusters, and prints as people read them.

    Args:
        document: the words, sentences, speakers and offsets that the model read.
        clusters: in the order of their first mentions.
        language: of the model, as experiments.conf has it.
        cautious_probability: the least probability of the links that `resolved` goes by, unless it is told another.

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
        """True, even where nothing was found."""
        return True

    def __str__(self) -> str:
        return listing(self.document, self.spans)

    __repr__ = __str__

    @property
    def spans(self) -> list[list[tuple[int, int]]]:
        """The clusters as inclusive (start, end) of words, as documents and files have them."""
        return [[(mention.start, mention.end) for mention in cluster] for cluster in self.clusters]

    def resolved(self, min_probability: float | None = None, keep: Sequence[str] = ()) -> str:
        """The text with its pronouns replaced by what they refer to, where that is probable and reads well; English
        only.

        Args:
            min_probability: how probable a mention's place must be. The default is the probability from which on 95 %
                of the links were right on the dev set. Clusters that contradict themselves stay, too. 0 replaces
                everything.
            keep: phrases that stay wherever they occur, such as ["the Tenant"].
        """
        return self.resolve_text(min_probability, keep).text

    def edits(self, min_probability: float | None = None, keep: Sequence[str] = ()) -> list[Edit]:
        """The changes that `resolved` makes: (begin, end, replacement), of characters of the text."""
        return self.resolve_text(min_probability, keep).edits

    def resolve_text(self, min_probability: float | None = None, keep: Sequence[str] = ()) -> ResolvedText:
        """The text and its edits together, and how many places were left as they stood, by reason."""
        self._require_english("text can be resolved", ", or annotated()")
        least = self.cautious_probability if min_probability is None else check_probability(min_probability)
        antecedents = [[mention.antecedent for mention in cluster] for cluster in self.clusters]
        places = [[mention.probability for mention in cluster] for cluster in self.clusters]
        sure = sure_clusters(self.spans, antecedents, places, least) if least else None
        return resolve_text(self.document, self.spans, sure, keep)

    @functools.cached_property
    def quotations(self) -> tuple[Quotation, ...]:
        """The quotations in the order of the text, with their speakers; English only."""
        self._require_english("quotations can be found")
        return find_all_quotations(self.document, self.spans)

    @functools.cached_property
    def characters(self) -> tuple[Character, ...]:
        """The people of the text, who speak or are referred to as people are, by frequency; English only."""
        self._require_english("characters can be found")
        return find_characters(self.document, self.spans)

    def annotated(self) -> str:
        """The text with its mentions in brackets, numbered by cluster: "[1 Ana] said [1 she] was late."."""
        return annotate(self.document, self.spans)

    def _repr_html_(self) -> str:
        """How a notebook shows it."""
        return notebook_html(self.document, self.spans)

    def _require_english(self, what: str, instead: str = "") -> None:
        if self.language != ENGLISH:
            raise CorefError(
                f"the model's language is {self.language}; {what} in English only: expected an English model{instead}"
            )

    def to_dict(self) -> dict[str, Any]:
        """The same in JSON's terms: doc_key, text where there is one, sentences, and clusters as lists of mentions."""
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
    """A prediction, as users of the package see it."""
    place = {span: number for number, span in enumerate(prediction.top_spans)}
    return Result(
        prediction.document,
        tuple(_cluster(prediction, [place[span] for span in sorted(spans)]) for spans in prediction.clusters),
        language,
        cautious_probability,
    )


def _cluster(prediction: Prediction, numbers: list[int]) -> Cluster:
    """Returns the cluster of some of the kept spans."""
    place = {number: place for place, number in enumerate(numbers)}
    antecedents = [place.get(int(prediction.antecedents[number])) for number in numbers]
    return Cluster(tuple(map(functools.partial(mention_of, prediction), numbers, antecedents)))


def mention_of(prediction: Prediction, number: int, antecedent: int | None) -> Mention:
    """Returns a kept span as a mention, given the place of its antecedent in their cluster."""
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
