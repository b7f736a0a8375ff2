"""The speed of a contextual encoder, compared with one large matrix product."""

from collections.abc import Callable

import tensorflow as tf

from benchmarks.documents import document_of
from benchmarks.work import MATRIX_SIZE, random_model
from coref_tf.config import Experiment
from coref_tf.encoder.context_words import context_windows
from coref_tf.encoder.encoder_config import EncoderConfig


def encoder_speed(experiment: Experiment, num_words: int, shortest: Callable[[Callable], float]) -> dict:
    """Measures the encoder's time for a document, and the speed of its matrix products and of one large product.

    Args:
        experiment: An experiment with context.
        num_words: The number of words of the document.
        shortest: Returns the shortest time of several runs, in seconds.
    """
    model, tensorizer = random_model(experiment)
    words = model.context_words
    inputs = tensorizer.tensorize(document_of(num_words))
    pieces, lengths = tf.nest.map_structure(tf.constant, (inputs.context, inputs.sentence_lengths))
    matrix = tf.random.stateless_normal([MATRIX_SIZE, MATRIX_SIZE], seed=[0, 0])
    read = tf.function(lambda pieces: words.read(pieces, lengths), autograph=False)
    multiply = tf.function(lambda matrix: tf.matmul(matrix, matrix))
    for warm_up in (lambda: read(pieces), lambda: multiply(matrix)):
        warm_up()
    seconds = shortest(lambda: read(pieces).numpy())
    peak = 2 * MATRIX_SIZE**3 / shortest(lambda: multiply(matrix).numpy()) / 1e9
    # [windows]: the number of pieces of each window, including the two special ones
    ragged = tf.RaggedTensor.from_row_lengths(pieces.counts, context_windows(pieces.counts, lengths))
    windows = (tf.reduce_sum(ragged, axis=1) + 2).numpy().tolist()
    speed = sum(operations(words.encoder.config, words.encoder.num_layers, count) for count in windows)
    speed = speed / seconds / 1e9
    return {"seconds": seconds, "gflops": speed, "matrix_product_gflops": peak, "share": speed / peak}


def operations(config: EncoderConfig, num_layers: int, num_pieces: int) -> int:
    """Counts the operations in a window's products: those with kernels, for attention scores and for weighted sums."""
    hidden = config.hidden_size
    kernels = 4 * hidden * hidden + 2 * hidden * config.intermediate_size
    return 2 * num_layers * num_pieces * (kernels + 2 * num_pieces * hidden)
