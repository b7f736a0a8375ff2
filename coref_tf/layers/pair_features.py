"""What is known of a pair of spans besides their vectors (section 7.1, "Feature encoding")."""

import tensorflow as tf

from coref_tf.layers.dropout import dropout

# The first distance of each bin after 0: 1, 2, 3, 4, 5-7, 8-15, 16-31, 32-63, 64+.
DISTANCE_BINS = (1, 2, 3, 4, 5, 8, 16, 32, 64)


class PairFeatures(tf.keras.layers.Layer):
    """phi(i, j) = [same speaker, genre, distance], each a learned embedding.

    The distance counts kept spans: the next one is at distance 1.

    Args:
        feature_size: of each embedding.
        num_genres: genres that have an embedding.
        use_metadata: whether speaker and genre are part of phi.
        use_distance: whether the distance is.
        dropout_rate: of phi.

    Example:
        phi = PairFeatures(20, num_genres=7)
        phi(antecedents, span_speakers, genre)   # [spans, antecedents, 60]
    """

    def __init__(self, feature_size, num_genres, use_metadata=True, use_distance=True, dropout_rate=0.0, **kwargs):
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
                bins = len(DISTANCE_BINS) + 1
                self.distance_embeddings = self.add_weight("distance_embeddings", [bins, feature_size])

    @property
    def size(self):
        """Size of phi."""
        return self.feature_size * (2 * self.use_metadata + self.use_distance)

    def call(self, antecedents, span_speakers, genre, seed=None):
        """Describes each span's pairs with its antecedents.

        Args:
            antecedents: int32 [spans, antecedents].
            span_speakers: int32 [spans].
            genre: int32 [].
            seed: of dropout; None in prediction.

        Returns:
            float32 [spans, antecedents, size].
        """
        features = []
        if self.use_metadata:
            same_speaker = tf.equal(span_speakers[:, tf.newaxis], tf.gather(span_speakers, antecedents))
            features.append(tf.gather(self.speaker_embeddings, tf.cast(same_speaker, tf.int32)))
            features.append(tf.broadcast_to(tf.gather(self.genre_embeddings, genre), tf.shape(features[0])))
        if self.use_distance:
            # [spans, antecedents]
            distances = tf.range(tf.shape(antecedents)[0])[:, tf.newaxis] - antecedents
            features.append(tf.gather(self.distance_embeddings, distance_bins(distances)))
        return dropout(tf.concat(features, axis=-1), self.dropout_rate, seed)

    def get_config(self):
        """The arguments that make this layer again."""
        names = ["feature_size", "num_genres", "use_metadata", "use_distance", "dropout_rate"]
        return super().get_config() | {name: getattr(self, name) for name in names}


def distance_bins(distances):
    """The bin, 0 to 9, of each distance (int32, any shape)."""
    return tf.raw_ops.Bucketize(input=distances, boundaries=list(DISTANCE_BINS))
