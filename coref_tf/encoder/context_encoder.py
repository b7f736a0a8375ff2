"""Encodes word pieces in context with a transformer encoder of the BERT family, as published weights define it.

See Devlin et al. 2019, Sanh et al. 2019 and Song et al. 2020.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import tensorflow as tf

from coref_tf.encoder.encoder_weights import WORDS, EncoderWeights, decoded
from coref_tf.ops import checks as check
from coref_tf.ops.attention import portable_self_attention, self_attention
from coref_tf.ops.int8 import PackedKernel, int8_dense

# Added to the scores of padding before the softmax, which makes their weight zero in float32.
_MASKED = -1e9


class ContextEncoder(EncoderWeights):
    """The lowest blocks of a transformer, over windows of word pieces.

    With h_0 = LayerNorm(word + position [+ segment]), block i computes

        q, k, v = h W + b                                   one product for all three
        a       = softmax(q k' / sqrt(head size) [+ bias of relative positions])
        u       = LayerNorm(h + a v W_o + b_o)
        h       = LayerNorm(u + GELU(u W_1 + b_1) W_2 + b_2)

    Attention ignores padding, whose outputs are undefined. The arguments are those of EncoderWeights.

    Example:
        encoder = ContextEncoder(file.config, num_layers=5)
        encoder.load(file)
        states = encoder(piece_ids, lengths)     # 6 of [windows, pieces, hidden]; states[0] are the embeddings
    """

    @property
    def working_size(self) -> int:
        """How many values a window takes during encoding, in addition to its output; used to plan memory."""
        c = self.config
        of_piece = 8 * c.hidden_size + 2 * c.intermediate_size
        # The fused op holds the scores of only a few queries.
        of_pair = 0 if self.fused else (3 if c.relative_buckets else 2) * c.num_heads
        return c.max_positions * (of_piece + of_pair * c.max_positions)

    def kept_as(self, kept: str) -> "ContextEncoder":
        """Returns this encoder with its matrices stored as "float16" or "int8", and frozen."""
        other = ContextEncoder(
            self.config, self.num_layers, 0, kept, products=self.products, fused=self.fused, name=self.name
        )
        other.assign({name: self._decode(name).numpy() for name in self.tensors})
        other.identity = self.identity
        return other

    def call(
        self, piece_ids: tf.Tensor, lengths: tf.Tensor | None = None, weights: Mapping[str, Any] | None = None
    ) -> list[tf.Tensor]:
        """Encodes windows independently.

        Args:
            piece_ids: int32 [windows, pieces], including special pieces, padded with anything.
            lengths: int32 [windows], the number of pieces of each window without padding; None without padding.
            weights: The result of `decoded_weights`, to share it between calls.

        Returns:
            A list of float32 [windows, pieces, hidden]: the embeddings, then the output of each block.
        """
        weights = self.decoded_weights() if weights is None else weights
        most, shape = self.config.max_positions, tf.shape(piece_ids)
        message = f"a window must have at most {most} pieces. Received: {{}}"
        piece_ids = check.require(shape[1] <= most, piece_ids, message, shape[1])
        fused = self.fused and lengths is None
        bias = self._relative(weights, shape[1]) if fused else self._bias(weights, lengths, shape[1])
        # [windows * pieces, hidden]: flat, as required for matrix products
        hidden = self._embed(_part(weights, "embeddings/"), piece_ids, shape[1])
        states = [hidden]
        for block in range(1, self.num_layers + 1):
            attention = _part(weights, f"block_{block}/attention/")
            hidden = self._attend(attention, hidden, bias, shape, fused)
            hidden = self._feed_forward(_part(weights, f"block_{block}/feed_forward/"), hidden)
            states.append(hidden)
        return [tf.reshape(state, [shape[0], shape[1], self.config.hidden_size]) for state in states]

    def _relative(self, weights: Mapping[str, Any], num_pieces: tf.Tensor) -> tf.Tensor:
        """Computes the bias by the distance from query to key, [heads, 2 * pieces - 1]; [heads, 0] if there is none."""
        if not self.config.relative_buckets:
            return tf.zeros([self.config.num_heads, 0])
        return tf.transpose(self._by_distance(weights, tf.range(1 - num_pieces, num_pieces)))

    def _bias(
        self, weights: Mapping[str, Any], lengths: tf.Tensor | None, num_pieces: tf.Tensor
    ) -> tf.Tensor | None:
        """Computes the bias of the attention scores, shared by all blocks; None if there is none."""
        bias = None
        if lengths is not None:
            # [windows, 1, 1, pieces]: one row for all heads and all queries of a window
            bias = tf.where(tf.sequence_mask(lengths, num_pieces), 0.0, _MASKED)[:, None, None, :]
        if self.config.relative_buckets:
            # [1 or windows, heads, pieces, pieces]
            places = tf.range(num_pieces)
            relative = self._by_distance(weights, places[None, :] - places[:, None])
            relative = tf.transpose(relative, [2, 0, 1])[None]
            bias = relative if bias is None else bias + relative
        return bias

    def _embed(self, weights: Mapping[str, Any], piece_ids: tf.Tensor, num_pieces: tf.Tensor) -> tf.Tensor:
        """Computes h_0, [windows * pieces, hidden]."""
        places = weights["positions"][:num_pieces]
        if "segment" in weights:
            places += weights["segment"]
        words = tf.gather(weights["words"], piece_ids)
        if self.kept_words != "float32":
            scales = self.scales.get(WORDS)
            words = decoded(words, None if scales is None else tf.gather(scales, piece_ids))
        return self._normalise(weights, tf.reshape(words + places, [-1, self.config.hidden_size]))

    def _attend(
        self,
        weights: Mapping[str, Any],
        hidden: tf.Tensor,
        bias: tf.Tensor | None,
        shape: tf.Tensor,
        fused: bool,
    ) -> tf.Tensor:
        """Computes u from h, [windows * pieces, hidden]."""
        size = self.config.hidden_size
        # [windows, pieces, 3 * hidden]: q, k and v
        projected = _product(hidden, weights["kernel"], weights["bias"])
        projected = tf.reshape(projected, [shape[0], shape[1], 3 * size])
        context = (
            self_attention(projected, bias)
            if fused
            else portable_self_attention(projected, self.config.num_heads, bias)
        )
        context = _product(tf.reshape(context, [-1, size]), weights["output_kernel"], weights["output_bias"])
        return self._normalise(weights, hidden + context)

    def _feed_forward(self, weights: Mapping[str, Any], hidden: tf.Tensor) -> tf.Tensor:
        """Computes the next h from u, [windows * pieces, hidden]."""
        inner = _product(hidden, weights["kernel"], weights["bias"], gelu=True)
        outer = _product(inner, weights["output_kernel"], weights["output_bias"])
        return self._normalise(weights, hidden + outer)

    def _normalise(self, weights: Mapping[str, Any], values: tf.Tensor) -> tf.Tensor:
        """Applies LayerNorm over the last dimension."""
        mean, variance = tf.nn.moments(values, axes=[-1], keepdims=True)
        spread = tf.math.rsqrt(variance + self.config.layer_norm_epsilon)
        return (values - mean) * (spread * weights["norm_scale"]) + weights["norm_offset"]

    def _by_distance(self, weights: Mapping[str, Any], distances: tf.Tensor) -> tf.Tensor:
        """Looks up the score bias of keys at these distances from the query, [..., heads]."""
        buckets = relative_buckets(distances, self.config.relative_buckets, self.config.relative_distance)
        return tf.gather(weights["relative_positions"], buckets)


def _part(weights: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    """Returns the weights whose names begin with a prefix; the keys are the rest of their names."""
    return {name.removeprefix(prefix): value for name, value in weights.items() if name.startswith(prefix)}


def _product(values: tf.Tensor, kernel: Any, bias: tf.Tensor, gelu: bool = False) -> tf.Tensor:
    """Computes values W + b, optionally followed by GELU, [windows * pieces, outputs]."""
    if isinstance(kernel, PackedKernel):
        return int8_dense(values, kernel, bias, gelu)
    product = tf.matmul(tf.cast(values, kernel.dtype), kernel)
    product = tf.nn.bias_add(tf.cast(product, bias.dtype), bias)
    return tf.nn.gelu(product, approximate=False) if gelu else product


def relative_buckets(distances: tf.Tensor, num_buckets: int, max_distance: int) -> tf.Tensor:
    """Returns the bucket of each distance, int32: half of the buckets are for keys to the left, half to the right.

    In each half, the first half of the buckets hold one distance each; the others widen with the distance, up to
    `max_distance`, beyond which all distances share the last bucket.
    """
    half = num_buckets // 2
    exact = half // 2
    # The table is computed by NumPy and looked up in the graph, so that the result is the same on any device.
    far = np.arange(max_distance + 1)
    with np.errstate(divide="ignore"):
        wide = exact + np.log(far.astype(np.float32) / exact) / np.log(max_distance / exact) * (half - exact)
    table = np.where(far < exact, far, np.minimum(np.maximum(wide, 0).astype(np.int32), half - 1))
    lengths = tf.minimum(tf.abs(distances), max_distance)
    return tf.gather(tf.constant(table, tf.int32), lengths) + tf.where(distances > 0, half, 0)
