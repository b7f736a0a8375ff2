"""Word pieces in their context: a transformer encoder of the BERT family (Devlin et al. 2019; Sanh et al. 2019; Song et
al. 2020), as pretrained weights are had of it."""

import numpy as np
import tensorflow as tf

from coref_tf.layers.encoder_config import EncoderConfig
from coref_tf.ops import checks as check

# Added to the scores of padding before the softmax: its weight is then zero in float32.
_MASKED = -1e9


class ContextEncoder(tf.keras.layers.Layer):
    """The lowest blocks of a transformer, over windows of word pieces.

    With h_0 = LayerNorm(word + position [+ segment]), block i computes

        q, k, v = h W + b                                   a product for all three
        a       = softmax(q k' / sqrt(head size) [+ bias of relative positions])
        u       = LayerNorm(h + a v W_o + b_o)
        h       = LayerNorm(u + GELU(u W_1 + b_1) W_2 + b_2)

    Padding gets no attention; what comes out at its places means nothing.

    Args:
        config: an EncoderConfig, or its settings as a dict.
        num_layers: how many of its blocks are built and computed, counted from the lowest; None takes all.
        tuned_layers: how many of those, counted from the highest, are trained; None trains all, and the embeddings.

    Example:
        encoder = ContextEncoder(file.config, num_layers=5)
        encoder.load(file)
        states = encoder(piece_ids, lengths)     # 6 of [windows, pieces, hidden]; states[0] are the embeddings
    """

    def __init__(self, config, num_layers=None, tuned_layers=None, **kwargs):
        super().__init__(**kwargs)
        self.config = config if isinstance(config, EncoderConfig) else EncoderConfig.from_json(config)
        self.num_layers = self.config.num_layers if num_layers is None else num_layers
        if not 0 <= self.num_layers <= self.config.num_layers:
            raise ValueError(
                f"num_layers must be 0 to {self.config.num_layers}, what the encoder has. Received: {num_layers}"
            )
        self.tuned_layers = self.num_layers + 1 if tuned_layers is None else tuned_layers
        self.identity = None  # of the file that the weights were loaded from
        # By the names that an encoder file has them under.
        self.tensors = {}
        with tf.name_scope(self.name):
            for name, shape in self.config.tensor_shapes(self.num_layers).items():
                kind = "zeros" if name.endswith(("bias", "offset")) else "ones"
                initializer = tf.keras.initializers.TruncatedNormal(stddev=0.02) if len(shape) == 2 else kind
                self.tensors[name] = self.add_weight(
                    name, shape, initializer=initializer, trainable=self._is_tuned(name)
                )

    def _is_tuned(self, name):
        """Whether a tensor is trained."""
        part = name.split("/")[0].removeprefix("block_")
        return (int(part) if part.isdecimal() else 0) > self.num_layers - self.tuned_layers

    @property
    def working_size(self):
        """How many numbers a window takes while it is encoded, besides what comes out; memory is planned with it."""
        c = self.config
        of_piece = 8 * c.hidden_size + 2 * c.intermediate_size
        return c.max_positions * (of_piece + 2 * c.num_heads * c.max_positions)

    def assign(self, tensors):
        """Takes the weights from a mapping of names to arrays; all of its tensors must be there."""
        for name, variable in self.tensors.items():
            if name not in tensors:
                raise ValueError(f"tensors must have {name}. Received: {sorted(tensors)[:5]} ...")
            if np.shape(tensors[name]) != tuple(variable.shape):
                raise ValueError(
                    f"{name} must have shape {tuple(variable.shape)}. Received: {np.shape(tensors[name])}"
                )
            variable.assign(tensors[name])

    def load(self, file):
        """Takes the weights of an EncoderFile, a tensor at a time."""
        if file.config != self.config:
            raise ValueError(f"the file must have the config {self.config}. Received: {file.config}")
        for name, variable in self.tensors.items():
            variable.assign(file.tensor(name))
        self.identity = file.identity

    def call(self, piece_ids, lengths):
        """Encodes windows, each by itself.

        Args:
            piece_ids: int32 [windows, pieces], special pieces included, padded with anything.
            lengths: int32 [windows], how many pieces of each window are no padding.

        Returns:
            A list of float32 [windows, pieces, hidden]: the embeddings, then what each block gives.
        """
        most, num_pieces = self.config.max_positions, tf.shape(piece_ids)[1]
        message = f"a window must have at most {most} pieces. Received: {{}}"
        piece_ids = check.require(num_pieces <= most, piece_ids, message, num_pieces)
        # [windows, 1, 1, pieces]: one row for all heads and all queries of a window
        mask = tf.where(tf.sequence_mask(lengths, num_pieces), 0.0, _MASKED)[:, None, None, :]
        if self.config.relative_buckets:
            # [windows, heads, pieces, pieces]: the same in every block, so it is made once
            mask += self._relative_bias(num_pieces)
        hidden = self._embed(piece_ids, num_pieces)
        states = [hidden]
        for block in range(1, self.num_layers + 1):
            hidden = self._attend(f"block_{block}/attention/", hidden, mask)
            hidden = self._feed_forward(f"block_{block}/feed_forward/", hidden)
            states.append(hidden)
        return states

    def _embed(self, piece_ids, num_pieces):
        """h_0, [windows, pieces, hidden]."""
        places = self.tensors["embeddings/positions"][:num_pieces]
        if "embeddings/segment" in self.tensors:
            places += self.tensors["embeddings/segment"]
        words = tf.gather(self.tensors["embeddings/words"], piece_ids)
        return self._normalise("embeddings/", words + places)

    def _attend(self, part, hidden, mask):
        """u of h, [windows, pieces, hidden]."""
        heads, size = self.config.num_heads, self.config.hidden_size // self.config.num_heads
        windows, pieces = tf.shape(hidden)[0], tf.shape(hidden)[1]
        # [3, windows, heads, pieces, head size]
        projected = self._product(part, "", hidden)
        projected = tf.reshape(projected, [windows, pieces, 3, heads, size])
        query, key, value = tf.unstack(tf.transpose(projected, [2, 0, 3, 1, 4]))
        # [windows, heads, pieces, pieces]; the queries are scaled, since they are fewer than the scores
        scores = tf.matmul(query * size**-0.5, key, transpose_b=True) + mask
        # [windows, heads, pieces, head size]
        context = tf.matmul(tf.nn.softmax(scores), value)
        context = tf.reshape(tf.transpose(context, [0, 2, 1, 3]), [windows, pieces, heads * size])
        return self._normalise(part, hidden + self._product(part, "output_", context))

    def _feed_forward(self, part, hidden):
        """The next h of u, [windows, pieces, hidden]."""
        inner = tf.nn.gelu(self._product(part, "", hidden), approximate=False)
        return self._normalise(part, hidden + self._product(part, "output_", inner))

    def _product(self, part, name, values):
        """values W + b, [windows, pieces, outputs], as one matrix product."""
        kernel, bias = self.tensors[f"{part}{name}kernel"], self.tensors[f"{part}{name}bias"]
        flat = tf.reshape(values, [-1, kernel.shape[0]])
        product = tf.nn.bias_add(tf.matmul(flat, kernel), bias)
        return tf.reshape(product, [tf.shape(values)[0], tf.shape(values)[1], kernel.shape[1]])

    def _normalise(self, part, values):
        """LayerNorm over the last dimension."""
        mean, variance = tf.nn.moments(values, axes=[-1], keepdims=True)
        scale, offset = self.tensors[f"{part}norm_scale"], self.tensors[f"{part}norm_offset"]
        return (values - mean) * (tf.math.rsqrt(variance + self.config.layer_norm_epsilon) * scale) + offset

    def _relative_bias(self, num_pieces):
        """What a score gains by how far its key is from its query, [1, heads, pieces, pieces]."""
        places = tf.range(num_pieces)
        # [pieces, pieces]
        buckets = relative_buckets(
            places[None, :] - places[:, None], self.config.relative_buckets, self.config.relative_distance
        )
        return tf.transpose(tf.gather(self.tensors["relative_positions"], buckets), [2, 0, 1])[None]

    def get_config(self):
        """The arguments that make this layer again."""
        return super().get_config() | {
            "config": self.config.to_json(),
            "num_layers": self.num_layers,
            "tuned_layers": self.tuned_layers,
        }


def relative_buckets(distances, num_buckets, max_distance):
    """The bucket of each distance, int32: half of them for keys to the left, half for keys to the right.

    Of each half, the first half are a distance each; the others get wider with the distance, up to `max_distance`, from
    which on all share the last.
    """
    half = num_buckets // 2
    exact = half // 2
    # By NumPy, for as many distances as are told apart: a graph then looks them up, on any device the same.
    far = np.arange(max_distance + 1)
    with np.errstate(divide="ignore"):
        wide = exact + np.log(far.astype(np.float32) / exact) / np.log(max_distance / exact) * (half - exact)
    table = np.where(far < exact, far, np.minimum(np.maximum(wide, 0).astype(np.int32), half - 1))
    lengths = tf.minimum(tf.abs(distances), max_distance)
    return tf.gather(tf.constant(table, tf.int32), lengths) + tf.where(distances > 0, half, 0)
