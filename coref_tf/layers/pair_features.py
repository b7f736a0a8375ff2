"""Features of a pair of spans (section 7.1, "Feature encoding").

FEATURES declares each feature, in one place, by a number for each span and bins for the difference between the numbers
of two spans. `pair_features` in experiments.conf lists the features of a model.
"""

import bisect
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import tensorflow as tf

from coref_tf.layers.dropout import keyed_dropout
from coref_tf.support.errors import CorefError

# The first distance in each bin after 0: 1, 2, 3, 4, 5-7, 8-15, 16-31, 32-63, 64+.
DISTANCE_BINS = (1, 2, 3, 4, 5, 8, 16, 32, 64)
# Each combination of bins is a row of a table; with more rows, summing them takes longer than scoring the pairs.
MAX_KINDS = 4096
# A feature of the document rather than of a pair: it has no bins, but it has an embedding like the others.
GENRE = "genre"


class SpanFacts(NamedTuple):
    """The attributes of the kept spans and their document that features can use."""

    starts: tf.Tensor  # int32 [spans], the first word of each span
    ends: tf.Tensor  # int32 [spans], the last word of each span
    speaker_ids: tf.Tensor  # int32 [words]
    sentence_lengths: tf.Tensor  # int32 [sentences]
    genre: tf.Tensor  # int32 []


class PairFeature(NamedTuple):
    """A feature that bins the difference between a number of one span and the same number of another."""

    number: Callable[[SpanFacts], tf.Tensor]  # int32 [spans]
    bins: tuple[int, ...]  # the bins of the absolute differences 0, 1, 2, ...; larger ones use the last bin
    switch: str  # the setting that disables it: use_features, or use_metadata if it depends on more than the words

    @property
    def size(self) -> int:
        """The number of bins."""
        return 1 + max(self.bins)


def equality(number: Callable[[SpanFacts], tf.Tensor], switch: str) -> PairFeature:
    """A feature with the value 1 if the two numbers are equal, and 0 otherwise."""
    return PairFeature(number, (1, 0), switch)


def difference(
    number: Callable[[SpanFacts], tf.Tensor], switch: str, bins: tuple[int, ...] = DISTANCE_BINS
) -> PairFeature:
    """A feature that bins the absolute difference of the two numbers; `bins` lists where each bin after 0 begins."""
    return PairFeature(number, tuple(bisect.bisect(bins, n) for n in range(bins[-1] + 1)), switch)


def _speaker(spans: SpanFacts) -> tf.Tensor:
    return tf.gather(spans.speaker_ids, spans.starts)


def _place(spans: SpanFacts) -> tf.Tensor:
    """The index among the kept spans, so that neighbours are at distance 1."""
    return tf.range(tf.size(spans.starts))


def _sentence(spans: SpanFacts) -> tf.Tensor:
    return tf.searchsorted(tf.cumsum(spans.sentence_lengths), spans.starts, side="right")


FEATURES = {
    "speaker": equality(_speaker, "use_metadata"),
    "distance": difference(_place, "use_features"),
    "sentence_distance": difference(_sentence, "use_features"),
}
# The setting that disables each of the names that `pair_features` may contain.
_SWITCHES = {GENRE: "use_metadata"} | {name: feature.switch for name, feature in FEATURES.items()}


def features_in_use(names: Iterable[str], **switches: bool) -> tuple[str, ...]:
    """Returns those of `names` that no switch disables.

    Example:
        features_in_use(["speaker", "distance"], use_features=False, use_metadata=True)   # ("speaker",)
    """
    return tuple(name for name in _checked(names) if switches[_SWITCHES[name]])


class PairFeatures(tf.keras.layers.Layer):
    """phi(i, j): the concatenated embeddings of some features; [same speaker, genre, distance] in the paper.

    Within a document, phi depends only on the combination of bins, the kind of the pair, so that all its values fit in
    a small table.

    Args:
        names: The names of the features, in the order of their embeddings, from FEATURES and GENRE.
        feature_size: The size of each embedding.
        num_genres: The number of genre embeddings.
        dropout_rate: The dropout rate of phi.

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
                f" expected at most {MAX_KINDS}; use fewer features"
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
        """The size of phi."""
        return self.feature_size * len(self.names)

    def numbers(self, spans: SpanFacts) -> list[tf.Tensor]:
        """Returns the number of each span for each feature, int32 [spans] each; kinds of pairs depend on them."""
        return [feature.number(spans) for feature in self.features]

    def difference_kinds(self) -> list[tf.Tensor]:
        """For each feature, returns what the differences 0, 1, 2, ... add to the kind of a pair, int32 each."""
        kinds, after = [], self.num_kinds
        for feature in self.features:
            after //= feature.size
            kinds.append(tf.constant([after * place for place in feature.bins], tf.int32))
        return kinds

    def table(self, spans: SpanFacts) -> tf.Tensor:
        """Returns phi of every kind of pair in a document, float32 [kinds, size]."""
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
        """Returns the row of the table for each pair, int32 [.., ..]; takes the arguments of `call`."""
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
        """Computes phi of pairs of spans.

        Args:
            targets: int32, broadcastable to [.., ..], the later span of each pair.
            antecedents: int32, broadcastable to [.., ..], the earlier span of each pair.
            numbers: The result of `numbers`.
            table: float32 [kinds, size], the result of `table`, or a function of it.
            seed: The dropout seed, or None in prediction.

        Returns:
            float32 [.., .., size].
        """
        features = tf.gather(table, self.kinds(targets, antecedents, numbers))
        return keyed_dropout(features, self.dropout_rate, seed, 0, targets, antecedents)

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments of the constructor."""
        names = ["names", "feature_size", "num_genres", "dropout_rate"]
        return super().get_config() | {name: getattr(self, name) for name in names}


def _checked(names: Iterable[str]) -> tuple[str, ...]:
    """Checks that each feature is known and named only once."""
    names = tuple(names)
    for place, name in enumerate(names):
        if name not in _SWITCHES or name in names[:place]:
            raise CorefError(
                f"pair_features must be distinct names from {', '.join(_SWITCHES)}. Received: {', '.join(names)}"
            )
    return names
