"""Word pieces in their context: a transformer encoder of the BERT family (Devlin et al. 2019; Sanh et al. 2019; Song et
al. 2020), as published weights define it."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import tensorflow as tf

from coref_tf.encoder.encoder_config import EncoderConfig
from coref_tf.encoder.encoder_file import EncoderFile
from coref_tf.encoder.stored_tensor import StoredTensor, scale_shape
from coref_tf.ops import checks as check
from coref_tf.ops.int8 import PackedKernel, int8_dense, pack_kernel, packed_shapes, unpack_kernel

WORDS = "embeddings/words"

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
        kept: what matrices are kept as: "float32", or "float16" or "int8" where nothing is trained; see `numbers`.
        kept_words: the same of the words' table alone, of which rows are looked up: fewer bits cost no time there, and
            of a small encoder it is a third of the weights. None keeps it as the others.
        products: what h is multiplied with kernels in. "bfloat16", for processors that have it, rounds what is
            multiplied and the result. "int8" keeps the kernels in int8 alone and quantizes each row of h; it needs the
            op library and a frozen encoder. All else, attention included, stays float32.

    Example:
        encoder = ContextEncoder(file.config, num_layers=5)
        encoder.load(file)
        states = encoder(piece_ids, lengths)     # 6 of [windows, pieces, hidden]; states[0] are the embeddings
    """

    def __init__(
        self,
        config: EncoderConfig | Mapping[str, Any],
        num_layers: int | None = None,
        tuned_layers: int | None = None,
        kept: str = "float32",
        kept_words: str | None = None,
        products: str = "float32",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.config = config if isinstance(config, EncoderConfig) else EncoderConfig.from_json(config)
        self.num_layers = self.config.num_layers if num_layers is None else num_layers
        if not 0 <= self.num_layers <= self.config.num_layers:
            raise ValueError(
                f"num_layers must be 0 to {self.config.num_layers}, what the encoder has. Received: {num_layers}"
            )
        self.tuned_layers = self.num_layers + 1 if tuned_layers is None else tuned_layers
        self.kept = kept
        self.kept_words = kept if kept_words is None else kept_words
        self.products = products
        if self.tuned_layers and ({self.kept, self.kept_words} != {"float32"} or products == "int8"):
            raise ValueError(
                "kept and kept_words must be float32, and products not int8, where layers are tuned. Received: "
                f"{kept}, {kept_words}, {products}, {tuned_layers}"
            )
        self.identity: str | None = None  # of the file that the weights were loaded from
        # By the names that an encoder file has them under.
        self.tensors: dict[str, Any] = {}
        self.scales: dict[str, tf.Variable] = {}
        with tf.name_scope(self.name):
            for name, shape in self.config.tensor_shapes(self.num_layers).items():
                kind = self._kind(name)
                if self._is_packed(name):
                    self.tensors[name] = self._add_packed(name, *shape)
                elif kind == "float32" or len(shape) < 2:
                    self.tensors[name] = self._add(name, shape)
                else:
                    self.tensors[name] = self.add_weight(name, shape, kind, "zeros", trainable=False)
                    if kind == "int8":
                        shape = scale_shape(name, shape)
                        self.scales[name] = self.add_weight(
                            f"{name}_scale", shape, None, "ones", trainable=False
                        )

    def _is_packed(self, name: str) -> bool:
        """Whether a matrix is a kernel that is multiplied with in int8."""
        return self.products == "int8" and name.endswith("kernel")

    def _add_packed(self, name: str, depth: int, units: int) -> PackedKernel:
        """The variables of a kernel in int8."""
        shapes, kinds = packed_shapes(depth, units), PackedKernel(tf.int8, tf.float32, tf.int32)
        parts = zip(PackedKernel._fields, shapes, kinds, strict=True)
        return PackedKernel(
            *(
                self.add_weight(f"{name}_{part}", shape, kind, "zeros", trainable=False)
                for part, shape, kind in parts
            )
        )

    def _kind(self, name: str) -> str:
        """What a matrix is kept as."""
        return self.kept_words if name == WORDS else self.kept

    def _add(self, name: str, shape: tuple[int, ...]) -> tf.Variable:
        """A variable in float32."""
        kind = "zeros" if name.endswith(("bias", "offset")) else "ones"
        initializer = tf.keras.initializers.TruncatedNormal(stddev=0.02) if len(shape) == 2 else kind
        part = name.split("/")[0].removeprefix("block_")
        block = int(part) if part.isdecimal() else 0
        tuned = block > self.num_layers - self.tuned_layers
        return self.add_weight(name, shape, initializer=initializer, trainable=tuned)

    @property
    def working_size(self) -> int:
        """How many numbers a window takes while it is encoded, besides what comes out; memory is planned with it."""
        c = self.config
        of_piece = 8 * c.hidden_size + 2 * c.intermediate_size
        of_pair = (3 if c.relative_buckets else 2) * c.num_heads
        return c.max_positions * (of_piece + of_pair * c.max_positions)

    def assign(self, tensors: Mapping[str, np.ndarray]) -> None:
        """Takes the weights from a mapping of names to arrays; all of its tensors must be there."""
        for name, shape in self.config.tensor_shapes(self.num_layers).items():
            if name not in tensors:
                raise ValueError(f"tensors must have {name}. Received: {sorted(tensors)[:5]} ...")
            if np.shape(tensors[name]) != tuple(shape):
                raise ValueError(
                    f"{name} must have shape {tuple(shape)}. Received: {np.shape(tensors[name])}"
                )
            self._assign(name, tensors[name])

    def load(self, file: EncoderFile) -> None:
        """Takes the weights of an EncoderFile, a tensor at a time."""
        if file.config != self.config:
            raise ValueError(f"the file must have the config {self.config}. Received: {file.config}")
        for name, variable in self.tensors.items():
            stored = file.stored(name)
            kind = tf.int8 if self._is_packed(name) else variable.dtype
            if stored.values.dtype.name == kind.name:
                self._take(name, stored)
            else:
                self._assign(name, stored.numbers())
        self.identity = file.identity

    def _assign(self, name: str, numbers: np.ndarray) -> None:
        kind = "int8" if self._is_packed(name) else self._kind(name)
        self._take(name, StoredTensor.of(name, np.asarray(numbers, np.float32), kind))

    def _take(self, name: str, stored: StoredTensor) -> None:
        if self._is_packed(name):
            if stored.scale is None:
                raise ValueError(f"{name} must be stored as int8. Received: {stored.values.dtype}")
            packed = pack_kernel(stored.values, stored.scale)
            for variable, value in zip(self.tensors[name], packed, strict=True):
                variable.assign(value)
            return
        self.tensors[name].assign(stored.values)
        if name in self.scales:
            self.scales[name].assign(stored.scale)

    def kept_as(self, kept: str) -> "ContextEncoder":
        """This encoder with its matrices kept as "float16" or "int8", no longer to be trained."""
        other = ContextEncoder(self.config, self.num_layers, 0, kept, products=self.products, name=self.name)
        other.assign({name: self._decode(name).numpy() for name in self.tensors})
        other.identity = self.identity
        return other

    def _decode(self, name: str) -> tf.Tensor:
        """A tensor in float32, whatever it is kept as."""
        variable = self.tensors[name]
        if self._is_packed(name):
            depth, units = self.config.tensor_shapes(self.num_layers)[name]
            return _decoded(unpack_kernel(variable.panels, depth, units), variable.scales)
        return _decoded(variable, self.scales.get(name))

    def numbers(self) -> dict[str, Any]:
        """Name -> weights as `call` computes with them, made from what is kept; it would make them for every window.

        The words' table is left as it is: of that, rows are looked up first.
        """
        if self.kept == "float32" and self.products in ("float32", "int8"):
            return self.tensors
        return {name: self._number(name, variable) for name, variable in self.tensors.items()}

    def _number(self, name: str, variable: tf.Variable) -> Any:
        if name == WORDS or self._is_packed(name):
            return variable
        number = _decoded(variable, self.scales.get(name))
        return tf.cast(number, self.products) if name.endswith("kernel") else number

    def call(
        self, piece_ids: tf.Tensor, lengths: tf.Tensor | None = None, numbers: Mapping[str, Any] | None = None
    ) -> list[tf.Tensor]:
        """Encodes windows, each by itself.

        Args:
            piece_ids: int32 [windows, pieces], special pieces included, padded with anything.
            lengths: int32 [windows], how many pieces of each window are no padding; None where there is none.
            numbers: what `numbers` gives, where there are more windows than these.

        Returns:
            A list of float32 [windows, pieces, hidden]: the embeddings, then what each block gives.
        """
        numbers = self.numbers() if numbers is None else numbers
        most, shape = self.config.max_positions, tf.shape(piece_ids)
        message = f"a window must have at most {most} pieces. Received: {{}}"
        piece_ids = check.require(shape[1] <= most, piece_ids, message, shape[1])
        bias = self._bias(numbers, lengths, shape[1])
        # [windows * pieces, hidden]: flat, as matrix products want it
        hidden = self._embed(_part(numbers, "embeddings/"), piece_ids, shape[1])
        states = [hidden]
        for block in range(1, self.num_layers + 1):
            hidden = self._attend(_part(numbers, f"block_{block}/attention/"), hidden, bias, shape)
            hidden = self._feed_forward(_part(numbers, f"block_{block}/feed_forward/"), hidden)
            states.append(hidden)
        return [tf.reshape(state, [shape[0], shape[1], self.config.hidden_size]) for state in states]

    def _bias(
        self, numbers: Mapping[str, Any], lengths: tf.Tensor | None, num_pieces: tf.Tensor
    ) -> tf.Tensor | None:
        """What is added to the scores of attention in every block, made once; None if that is nothing."""
        bias = None
        if lengths is not None:
            # [windows, 1, 1, pieces]: one row for all heads and all queries of a window
            bias = tf.where(tf.sequence_mask(lengths, num_pieces), 0.0, _MASKED)[:, None, None, :]
        if self.config.relative_buckets:
            # [1 or windows, heads, pieces, pieces]
            relative = self._relative_bias(numbers["relative_positions"], num_pieces)
            bias = relative if bias is None else bias + relative
        return bias

    def _embed(self, weights: Mapping[str, Any], piece_ids: tf.Tensor, num_pieces: tf.Tensor) -> tf.Tensor:
        """h_0, [windows * pieces, hidden]."""
        places = weights["positions"][:num_pieces]
        if "segment" in weights:
            places += weights["segment"]
        words = tf.gather(weights["words"], piece_ids)
        if self.kept_words != "float32":
            scales = self.scales.get(WORDS)
            words = _decoded(words, None if scales is None else tf.gather(scales, piece_ids))
        return self._normalise(weights, tf.reshape(words + places, [-1, self.config.hidden_size]))

    def _attend(
        self, weights: Mapping[str, Any], hidden: tf.Tensor, bias: tf.Tensor | None, shape: tf.Tensor
    ) -> tf.Tensor:
        """u of h, [windows * pieces, hidden]."""
        heads, size = self.config.num_heads, self.config.hidden_size // self.config.num_heads
        # [3, windows, heads, pieces, head size]
        projected = _product(hidden, weights["kernel"], weights["bias"])
        projected = tf.reshape(projected, [shape[0], shape[1], 3, heads, size])
        query, key, value = tf.unstack(tf.transpose(projected, [2, 0, 3, 1, 4]))
        # [windows, heads, pieces, pieces]; the queries are scaled, since they are fewer than the scores
        scores = tf.matmul(query * size**-0.5, key, transpose_b=True)
        scores = scores if bias is None else scores + bias
        # [windows, heads, pieces, head size]
        context = tf.matmul(tf.nn.softmax(scores), value)
        context = tf.reshape(tf.transpose(context, [0, 2, 1, 3]), [-1, heads * size])
        context = _product(context, weights["output_kernel"], weights["output_bias"])
        return self._normalise(weights, hidden + context)

    def _feed_forward(self, weights: Mapping[str, Any], hidden: tf.Tensor) -> tf.Tensor:
        """The next h of u, [windows * pieces, hidden]."""
        inner = _product(hidden, weights["kernel"], weights["bias"], gelu=True)
        outer = _product(inner, weights["output_kernel"], weights["output_bias"])
        return self._normalise(weights, hidden + outer)

    def _normalise(self, weights: Mapping[str, Any], values: tf.Tensor) -> tf.Tensor:
        """LayerNorm over the last dimension."""
        mean, variance = tf.nn.moments(values, axes=[-1], keepdims=True)
        spread = tf.math.rsqrt(variance + self.config.layer_norm_epsilon)
        return (values - mean) * (spread * weights["norm_scale"]) + weights["norm_offset"]

    def _relative_bias(self, table: tf.Tensor, num_pieces: tf.Tensor) -> tf.Tensor:
        """What a score gains by how far its key is from its query, [1, heads, pieces, pieces]."""
        places = tf.range(num_pieces)
        # [pieces, pieces]
        buckets = relative_buckets(
            places[None, :] - places[:, None], self.config.relative_buckets, self.config.relative_distance
        )
        return tf.transpose(tf.gather(table, buckets), [2, 0, 1])[None]

    def get_config(self) -> dict[str, Any]:
        """The arguments that make this layer again."""
        return super().get_config() | {
            "config": self.config.to_json(),
            "num_layers": self.num_layers,
            "tuned_layers": self.tuned_layers,
            "kept": self.kept,
            "kept_words": self.kept_words,
            "products": self.products,
        }


def _part(numbers: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    """The weights whose names begin so, by the rest of their names."""
    return {name.removeprefix(prefix): value for name, value in numbers.items() if name.startswith(prefix)}


def _decoded(values: tf.Tensor, scale: tf.Tensor | None) -> tf.Tensor:
    """What StoredTensor.numbers gives, in a graph."""
    values = tf.cast(values, tf.float32)
    return values if scale is None else values * scale


def _product(values: tf.Tensor, kernel: Any, bias: tf.Tensor, gelu: bool = False) -> tf.Tensor:
    """values W + b, through GELU if asked to, [windows * pieces, outputs]."""
    if isinstance(kernel, PackedKernel):
        return int8_dense(values, kernel, bias, gelu)
    product = tf.matmul(tf.cast(values, kernel.dtype), kernel)
    product = tf.nn.bias_add(tf.cast(product, bias.dtype), bias)
    return tf.nn.gelu(product, approximate=False) if gelu else product


def relative_buckets(distances: tf.Tensor, num_buckets: int, max_distance: int) -> tf.Tensor:
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
