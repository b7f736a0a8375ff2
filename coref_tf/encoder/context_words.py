"""Computes contextual word vectors c_t with a pretrained encoder."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from coref_tf import ops
from coref_tf.config import ContextConfig
from coref_tf.deprecated import TensorLike
from coref_tf.encoder.context_encoder import ContextEncoder
from coref_tf.encoder.encoder_file import EncoderFile
from coref_tf.encoder.word_pieces import MOST_PIECES
from coref_tf.layers.blocks import owners
from coref_tf.layers.working_sizes import WorkingSizes
from coref_tf.support.errors import CorefError

# The factor for standardised vectors, which brings them to the order of magnitude of fixed unit-length vectors.
SPREAD = 0.3


class Pieces(NamedTuple):
    """The word pieces of a document."""

    ids: tf.Tensor  # int32 [pieces], those of all words, concatenated
    counts: tf.Tensor  # int32 [words], at least one for each word


class ContextWords(tf.keras.layers.Layer):
    """Computes c_t of every word from some layers of an encoder: their mean, or a learned mix.

    A document is split into windows that are encoded separately, one at a time: the values of a block then still fit
    into the processor's cache, and there is no padding. The vector of a word is the mean over its pieces; each
    dimension is standardised to mean 0 and a standard deviation of 0.3, with the statistics from `fit`.

    Args:
        encoder: The ContextEncoder.
        layers: The layers of the encoder, where 0 is its embeddings.
        mix: How layers are combined: "mean", or "learned": gamma * sum of softmax(s)_l h_l, as in Lee et al. 2018.
        pieces: How the pieces of a word are combined: "mean" or "first".

    Example:
        words = ContextWords(encoder, layers=[8, 9, 10, 11])
        words(Pieces(ids, counts), sentence_lengths=[12, 7])   # [19 words, 768]
    """

    def __init__(
        self,
        encoder: ContextEncoder,
        layers: Sequence[int],
        mix: str = "mean",
        pieces: str = "mean",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.encoder = encoder
        self.layers = list(layers)
        self.mix = mix
        self.pieces = pieces
        self.size = encoder.config.hidden_size
        with tf.name_scope(self.name):
            shape = [self.num_kept, self.size]
            self.mean = self.add_weight("mean", shape, initializer="zeros", trainable=False)
            self.deviation = self.add_weight("deviation", shape, initializer="ones", trainable=False)
            if mix == "learned":
                self.layer_scores = self.add_weight("layer_scores", [len(self.layers)], initializer="zeros")
                self.gamma = self.add_weight("gamma", [], initializer="ones")

    @property
    def num_kept(self) -> int:
        """The number of vectors per word that are stored before they are mixed."""
        return len(self.layers) if self.mix == "learned" else 1

    @property
    def is_frozen(self) -> bool:
        """Whether the encoder is frozen, so that its output can be cached."""
        return not self.encoder.tuned_layers

    def working_sizes(self) -> WorkingSizes:
        """Returns the memory that contextual vectors need during the computation."""
        # The encoder's output for words, in half precision, in windows and joined; then standardised and mixed.
        per_word = (2 * self.num_kept + 1) * self.size
        return WorkingSizes(per_word=per_word, fixed=self.encoder.working_size)

    def keep_encoder_as(self, kept: str) -> None:
        """Converts the encoder's matrices to "float16" or "int8", which freezes it."""
        self.encoder = self.encoder.kept_as(kept)

    def call(self, context: Pieces | tf.Tensor, sentence_lengths: TensorLike) -> tf.Tensor:
        """Computes c_t of each word.

        Args:
            context: Pieces, or the result of `read` for them, [words, num_kept * size].
            sentence_lengths: int32 [sentences].

        Returns:
            float32 [words, size].
        """
        if isinstance(context, Pieces):
            context = self.read(context, sentence_lengths)
        # [words, num_kept, size]
        kept = tf.reshape(tf.cast(context, tf.float32), [-1, self.num_kept, self.size])
        kept = (kept - self.mean) * (SPREAD / self.deviation)
        if self.mix == "mean":
            return kept[:, 0]
        weights = self.gamma * tf.nn.softmax(self.layer_scores)
        return tf.einsum("wls,l->ws", kept, weights)

    def read(self, pieces: Pieces, sentence_lengths: TensorLike) -> tf.Tensor:
        """Computes the encoder's vectors of each word, before they are mixed.

        Args:
            pieces: The word pieces.
            sentence_lengths: int32 [sentences].

        Returns:
            [words, num_kept * size]; float16, as in the cache, if the encoder is frozen.
        """
        # [windows], in words; a document without words gets one empty window, so that there is something to join
        window_words = context_windows(pieces.counts, sentence_lengths)
        window_words = tf.pad(window_words, [[0, tf.cast(tf.equal(tf.size(window_words), 0), tf.int32)]])
        # [windows + 1]: the first word and the first piece of each window
        words = tf.concat([[0], tf.cumsum(window_words)], axis=0)
        places = tf.gather(tf.concat([[0], tf.cumsum(pieces.counts)], axis=0), words)
        num_windows = tf.size(window_words)
        kind = tf.float16 if self.is_frozen else tf.float32
        shape = [None, self.num_kept * self.size]
        encoded = tf.TensorArray(kind, num_windows, infer_shape=False, element_shape=shape)
        weights = self.encoder.decoded_weights()

        def step(window: tf.Tensor, encoded: tf.TensorArray) -> tuple[tf.Tensor, tf.TensorArray]:
            ids = pieces.ids[places[window] : places[window + 1]]
            counts = pieces.counts[words[window] : words[window + 1]]
            found = self._encode(ids, counts, weights)
            return window + 1, encoded.write(window, tf.cast(found, kind))

        _, encoded = tf.while_loop(
            lambda window, _: window < num_windows, step, (0, encoded), parallel_iterations=1
        )
        return encoded.concat()

    def _encode(self, ids: tf.Tensor, counts: tf.Tensor, weights: Mapping[str, Any]) -> tf.Tensor:
        """Encodes one window: [words, num_kept * size]."""
        config = self.encoder.config
        # [1, 1 + pieces + 1]
        whole = tf.concat([[config.cls_id], ids, [config.sep_id]], axis=0)[tf.newaxis]
        states = self.encoder(whole, weights=weights)
        kept = [states[layer] for layer in self.layers]
        if self.mix == "mean":
            kept = [tf.add_n(kept) / len(kept)]
        # [pieces, num_kept * size]: without the special pieces
        of_pieces = tf.concat(kept, axis=-1)[0, 1:-1]
        if self.pieces == "first":
            return tf.gather(of_pieces, tf.cumsum(counts, exclusive=True))
        return tf.math.segment_mean(of_pieces, owners(counts))

    def fit(self, kept: Iterable[np.ndarray]) -> None:
        """Computes the statistics that standardise an encoder's vectors, before training.

        Args:
            kept: The results of `read` for many documents, float16 [words, num_kept * size] each.
        """
        count, total, squares = 0, 0.0, 0.0
        for values in kept:
            values = tf.cast(values, tf.float64)
            count += values.shape[0]
            total += tf.reduce_sum(values, axis=0)
            squares += tf.reduce_sum(values**2, axis=0)
        mean = total / count
        deviation = tf.sqrt(tf.maximum(squares / count - mean**2, 1e-12))
        for variable, value in ((self.mean, mean), (self.deviation, deviation)):
            variable.assign(tf.reshape(tf.cast(value, tf.float32), variable.shape))


def context_windows(
    counts: TensorLike, sentence_lengths: TensorLike, most_pieces: tf.Tensor | int = MOST_PIECES
) -> tf.Tensor:
    """Splits a document into windows, greedily from its first word.

    A window ends with the last sentence that still fits or, if not even one does, with the last word that fits. So the
    windows depend only on the document, not on how much of it is processed at a time.

    Args:
        counts: int32 [words], the number of pieces of each word, 1 to most_pieces.
        sentence_lengths: int32 [sentences], in words.
        most_pieces: The maximum number of pieces of a window.

    Returns:
        int32 [windows], the number of words of each window.

    Example:
        context_windows([200, 200, 200, 200], sentence_lengths=[1, 2, 1])   # [1, 2, 1]
    """
    counts = tf.convert_to_tensor(counts, tf.int32)
    num_words = tf.size(counts)
    # [words + 1]: the number of pieces before each word; [sentences]: the end of each sentence
    before = tf.concat([[0], tf.cumsum(counts)], axis=0)
    ends = tf.cumsum(sentence_lengths)
    # [words]: where a window that begins at each word would end
    fitting = tf.searchsorted(before, before[:-1] + most_pieces, side="right") - 1
    last_ends = tf.gather(tf.concat([[0], ends], axis=0), tf.searchsorted(ends, fitting, side="right"))
    begins = tf.range(num_words)
    window_ends = tf.where(last_ends > begins, last_ends, fitting)

    windows = tf.TensorArray(tf.int32, 0, dynamic_size=True, element_shape=[])

    def step(begin: tf.Tensor, windows: tf.TensorArray) -> tuple[tf.Tensor, tf.TensorArray]:
        end = window_ends[begin]
        return end, windows.write(windows.size(), end - begin)

    _, windows = tf.while_loop(lambda begin, _: begin < num_words, step, (0, windows))
    return windows.stack()


def load_context_words(config: ContextConfig, file: EncoderFile, backend: str = "custom") -> ContextWords:
    """Builds the layer that computes contextual vectors, with the weights of an encoder file.

    Args:
        config: The settings.
        file: The encoder.
        backend: The backend of the ops, "custom" or "portable".
    """
    highest = max(config.layers)
    if highest > file.config.num_layers:
        raise CorefError(
            f"{file.path}: has {file.config.num_layers} layers; expected context.layers up to that number."
            f" Received: {highest}"
        )
    encoder = ContextEncoder(
        file.config,
        highest,
        config.tuned_layers,
        kept_words=None if config.tuned_layers else file.dtype,
        products=choose_products(config, file, backend),
        fused=not config.tuned_layers and ops.is_fused(backend),
        name="context_encoder",
    )
    encoder.load(file)
    return ContextWords(encoder, config.layers, config.mix, config.pieces, name="context_words")


def choose_products(config: ContextConfig, file: EncoderFile, backend: str) -> str:
    """Returns the type of the encoder's matrix products; "auto" uses int8 if the weights are stored in int8 anyway.

    Products in int8 require a frozen encoder and the C++ op, which runs on CPUs; TensorFlow's built-in ops have none.
    """
    if backend == "portable" and config.products == "int8":
        return "float32"
    if config.products != "auto":
        return config.products
    can_be_int8 = not config.tuned_layers and file.dtype == "int8" and ops.is_fused(backend)
    return "int8" if can_be_int8 else "float32"
