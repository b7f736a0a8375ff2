"""What is known of a pair of spans besides their vectors (section 7.1, "Feature encoding")."""

import tensorflow as tf

from coref_tf.layers.dropout import keyed_dropout

# The first distance of each bin after 0: 1, 2, 3, 4, 5-7, 8-15, 16-31, 32-63, 64+.
DISTANCE_BINS = (1, 2, 3, 4, 5, 8, 16, 32, 64)


class PairFeatures(tf.keras.layers.Layer):
    """phi(i, j) = [same speaker, genre, distance], each a learned embedding.

    The distance counts kept spans: the next one is at distance 1. In one document there are only as many
    different phi as there are distances, for either case of same speaker: a small table.

    Args:
        feature_size: of each embedding.
        num_genres: genres that have an embedding.
        use_metadata: whether speaker and genre are part of phi.
        use_distance: whether the distance is.
        dropout_rate: of phi.

    Example:
        phi = PairFeatures(20, num_genres=7)
        phi(targets, antecedents, span_speakers, phi.table(genre))   # [spans, antecedents, 60]
    """

    kinds_of_distance = len(DISTANCE_BINS) + 1

    def __init__(
        self, feature_size, num_genres, use_metadata=True, use_distance=True, dropout_rate=0.0, **kwargs
    ):
        super().__init__(**kwargs)
        self.feature_size = feature_size
        self.num_genres = num_genres
        self.use_metadata = use_metadata
        self.use_distance = use_distance
        self.dropout_rate = dropout_rate
        with tf.name_scope(self.name):
            if use_metadata:
                self.speaker_embeddings = self.add_weight("speaker_embeddings", [2, feature_size])
                self.genre_embeddings = self.add_weight("genre_embeddings", [num_genres, feature_size])
            if use_distance:
                bins = self.kinds_of_distance
                self.distance_embeddings = self.add_weight("distance_embeddings", [bins, feature_size])

    @property
    def size(self):
        """Size of phi."""
        return self.feature_size * (2 * self.use_metadata + self.use_distance)

    def table(self, genre):
        """phi of every kind of pair in a document of this genre, float32 [kinds, size]; see `kinds`."""
        bins = self.kinds_of_distance
        features = []
        if self.use_metadata:
            features.append(tf.repeat(self.speaker_embeddings, bins, axis=0))
            features.append(tf.tile(tf.gather(self.genre_embeddings, [genre]), [2 * bins, 1]))
        if self.use_distance:
            features.append(tf.tile(self.distance_embeddings, [2, 1]))
        return tf.concat(features, axis=1)

    def kinds(self, distances, same_speaker):
        """Which row of the table describes each pair.

        Args:
            distances: int32 [...], of the two spans.
            same_speaker: bool [...].

        Returns:
            int32 [...].
        """
        return distance_bins(distances) + self.kinds_of_distance * tf.cast(same_speaker, tf.int32)

    def call(self, targets, antecedents, speakers, table, seed=None):
        """Describes pairs of spans.

        Args:
            targets: int32 that broadcasts to [.., ..], the later span of each pair.
            antecedents: int32 that broadcasts to [.., ..], the earlier one.
            speakers: int32 [spans].
            table: float32 [kinds, size], of `table` or made from it.
            seed: of dropout; None in prediction.

        Returns:
            float32 [.., .., size].
        """
        same_speaker = tf.equal(tf.gather(speakers, targets), tf.gather(speakers, antecedents))
        features = tf.gather(table, self.kinds(targets - antecedents, same_speaker))
        return keyed_dropout(features, self.dropout_rate, seed, 0, targets, antecedents)

    def get_config(self):
        """The arguments that make this layer again."""
        names = ["feature_size", "num_genres", "use_metadata", "use_distance", "dropout_rate"]
        return super().get_config() | {name: getattr(self, name) for name in names}


def distance_bins(distances):
    """The bin, 0 to 9, of each distance (int32, any shape)."""
    return tf.raw_ops.Bucketize(input=distances, boundaries=list(DISTANCE_BINS))
