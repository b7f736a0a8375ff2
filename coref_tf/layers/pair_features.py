"""What is known of a pair of spans besides their vectors (section 7.1, "Feature encoding").

A feature is declared in FEATURES and nowhere else: by a number that each span has, and the bins of how far apart
those of two spans are. `pair_features` of experiments.conf names those that a model has.
"""

import bisect
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import tensorflow as tf

from coref_tf.layers.dropout import keyed_dropout
from coref_tf.support.errors import CorefError

# The first distance of each bin after 0: 1, 2, 3, 4, 5-7, 8-15, 16-31, 32-63, 64+.
DISTANCE_BINS = (1, 2, 3, 4, 5, 8, 16, 32, 64)
# Every combination of bins is a row of a table: more take longer to add up than the pairs to score.
MAX_KINDS = 4096
# Of the document rather than of a pair: it has no bins, but an embedding beside the others.
GENRE = "genre"


class SpanFacts(NamedTuple):
    """What features may ask about the kept spans and their document."""

    starts: tf.Tensor  # int32 [spans], the first word of each
    ends: tf.Tensor  # int32 [spans], the last word of each
    speaker_ids: tf.Tensor  # int32 [words]
    sentence_lengths: tf.Tensor  # int32 [sentences]
    genre: tf.Tensor  # int32 []


class PairFeature(NamedTuple):
    """How far apart two spans are in a number that each span has."""

    number: Callable[[SpanFacts], tf.Tensor]  # int32 [spans]
    bins: tuple[int, ...]  # of the differences 0, 1, 2, ..., either way; larger ones are in the last one's
    switch: str  # the setting that leaves it out: use_features, or use_metadata for what isn't in the words

    @property
    def size(self) -> int:
        """How many bins there are."""
        return 1 + max(self.bins)


def equality(number: Callable[[SpanFacts], tf.Tensor], switch: str) -> PairFeature:
    """Whether the two numbers are the same (1) or not (0)."""
    return PairFeature(number, (1, 0), switch)


def difference(
    number: Callable[[SpanFacts], tf.Tensor], switch: str, bins: tuple[int, ...] = DISTANCE_BINS
) -> PairFeature:
    """In which bin their difference is; `bins` are the first difference of each bin after that of 0."""
    return PairFeature(number, tuple(bisect.bisect(bins, n) for n in range(bins[-1] + 1)), switch)


def _speaker(spans: SpanFacts) -> tf.Tensor:
    return tf.gather(spans.speaker_ids, spans.starts)


def _place(spans: SpanFacts) -> tf.Tensor:
    """Among the kept spans: the next one is at distance 1."""
    return tf.range(tf.size(spans.starts))


def _sentence(spans: SpanFacts) -> tf.Tensor:
    return tf.searchsorted(tf.cumsum(spans.sentence_lengths), spans.starts, side="right")


FEATURES = {
    "speaker": equality(_speaker, "use_metadata"),
    "distance": difference(_place, "use_features"),
    "sentence_distance": difference(_sentence, "use_features"),
}
# What leaves each of the names out that `pair_features` may have.
_SWITCHES = {GENRE: "use_metadata"} | {name: feature.switch for name, feature in FEATURES.items()}


def features_in_use(names: Iterable[str], **switches: bool) -> tuple[str, ...]:
    """Those of `names` that no switch leaves out.

    Example:
        features_in_use(["speaker", "distance"], use_features=False, use_metadata=True)   # ("speaker",)
    """
    return tuple(name for name in _checked(names) if switches[_SWITCHES[name]])


class PairFeatures(tf.keras.layers.Layer):
    """phi(i, j): an embedding of each of some features, concatenated; [same speaker, genre, distance] in the paper.

    In one document there are only as many different phi as there are combinations of bins, the kinds of pairs: a
    small table.

    Args:
        names: of the features, in the order of their embeddings; some of FEATURES, and GENRE.
        feature_size: of each embedding.
        num_genres: genres that have an embedding.
        dropout_rate: of phi.

    Example:
        phi = PairFeatures(["speaker", "genre", "distance"], 20, num_genres=7)
        phi(targets, antecedents, phi.numbers(spans), phi.table(spans))   # [spans, antecedents, 60]
    """

    def __init__(
        self,
        names: Sequence[str],
        feature_size: int,
        num_genres: int,
        dropout_rate: float = 0.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.names = _checked(names)
        self.feature_size = feature_size
        self.num_genres = num_genres
        self.dropout_rate = dropout_rate
        self.features = [FEATURES[name] for name in self.names if name != GENRE]
        self.num_kinds = math.prod(feature.size for feature in self.features)
        if self.num_kinds > MAX_KINDS:
            raise CorefError(
                f"pair_features {', '.join(self.names)} make {self.num_kinds} kinds of pairs;"
                f" expected at most {MAX_KINDS}: name fewer of them"
            )
        with tf.name_scope(self.name):
            self.embeddings = {
                name: self.add_weight(
                    f"{name}_embeddings",
                    [num_genres if name == GENRE else FEATURES[name].size, feature_size],
                )
                for name in self.names
            }

    @property
    def size(self) -> int:
        """Size of phi."""
        return self.feature_size * len(self.names)

    def numbers(self, spans: SpanFacts) -> list[tf.Tensor]:
        """What the kinds of these spans' pairs come from: for each feature, int32 [spans]."""
        return [feature.number(spans) for feature in self.features]

    def difference_kinds(self) -> list[tf.Tensor]:
        """What the differences 0, 1, 2, ... of each feature's numbers add to the kind of a pair, int32 each."""
        kinds, after = [], self.num_kinds
        for feature in self.features:
            after //= feature.size
            kinds.append(tf.constant([after * place for place in feature.bins], tf.int32))
        return kinds

    def table(self, spans: SpanFacts) -> tf.Tensor:
        """phi of every kind of pair in a document, float32 [kinds, size]."""
        columns, before, after = [], 1, self.num_kinds
        for name, embeddings in self.embeddings.items():
            if name == GENRE:
                columns.append(tf.tile(tf.gather(embeddings, [spans.genre]), [self.num_kinds, 1]))
            else:
                after //= FEATURES[name].size
                columns.append(tf.tile(tf.repeat(embeddings, after, axis=0), [before, 1]))
                before *= FEATURES[name].size
        return tf.concat(columns, axis=1)

    def kinds(self, targets: tf.Tensor, antecedents: tf.Tensor, numbers: Sequence[tf.Tensor]) -> tf.Tensor:
        """Which row of the table describes each pair, int32 [.., ..]; the arguments are those of `call`."""
        kinds = tf.zeros_like(targets - antecedents)
        for number, added in zip(numbers, self.difference_kinds(), strict=True):
            differences = tf.abs(tf.gather(number, targets) - tf.gather(number, antecedents))
            kinds += tf.gather(added, tf.minimum(differences, tf.size(added) - 1))
        return kinds

    def call(
        self,
        targets: tf.Tensor,
        antecedents: tf.Tensor,
        numbers: Sequence[tf.Tensor],
        table: tf.Tensor,
        seed: tf.Tensor | None = None,
    ) -> tf.Tensor:
        """Describes pairs of spans.

        Args:
            targets: int32 that broadcasts to [.., ..], the later span of each pair.
            antecedents: int32 that broadcasts to [.., ..], the earlier one.
            numbers: of `numbers`.
            table: float32 [kinds, size], of `table` or made from it.
            seed: of dropout; None in prediction.

        Returns:
            float32 [.., .., size].
        """
        features = tf.gather(table, self.kinds(targets, antecedents, numbers))
        return keyed_dropout(features, self.dropout_rate, seed, 0, targets, antecedents)

    def get_config(self) -> dict[str, Any]:
        """The arguments that make this layer again."""
        names = ["names", "feature_size", "num_genres", "dropout_rate"]
        return super().get_config() | {name: getattr(self, name) for name in names}


def _checked(names: Iterable[str]) -> tuple[str, ...]:
    """The names of features, each known and named once."""
    names = tuple(names)
    for place, name in enumerate(names):
        if name not in _SWITCHES or name in names[:place]:
            raise CorefError(
                f"pair_features must be different ones of {', '.join(_SWITCHES)}. Received: {', '.join(names)}"
            )
    return names
