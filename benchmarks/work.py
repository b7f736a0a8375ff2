"""The work that the model's benchmark times."""

import dataclasses
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

from benchmarks.documents import document_of
from benchmarks.straightforward_model import StraightforwardModel
from coref_tf import ops
from coref_tf.config import Experiment
from coref_tf.encoder.context_inputs import KeptContext
from coref_tf.features.characters import CharacterVocabulary
from coref_tf.features.tensorize import CorefInputs, Tensorizer
from coref_tf.inference.predictor import Predictor
from coref_tf.layers.pair_features import SpanFacts
from coref_tf.layers.span_representation import SpanPart
from coref_tf.model import CorefModel, CorefOutput
from coref_tf.models.building import build_model
from coref_tf.training.context import prepare_context
from coref_tf.training.optimizers import compile_model

# The size of the square matrices whose product is compared with the speed of pair scores.
MATRIX_SIZE = 2048

# The length of each document in a collection.
SHORT_WORDS = 400

# Takes a number of words; returns a function that does the work once on a document of that length.
Work = Callable[[int], Callable[[], Any]]


def prediction(experiment: Experiment, implementation: str) -> Work:
    """Predicts the clusters of a document."""
    model, tensorizer = random_model(experiment)
    predictor = Predictor(_Whole(model) if implementation == "straightforward" else model, tensorizer)

    def on_words(num_words: int) -> Callable[[], Any]:
        document = document_of(num_words)
        return lambda: predictor.predict(document)

    return on_words


def predictions(experiment: Experiment, implementation: str) -> Work:
    """Predicts the clusters of short documents, as many at a time as the Predictor allows."""
    model, tensorizer = random_model(experiment)
    predictor = Predictor(model, tensorizer)

    def on_words(num_words: int) -> Callable[[], Any]:
        document = document_of(SHORT_WORDS)
        documents = [
            dataclasses.replace(document, key=str(number)) for number in range(num_words // SHORT_WORDS)
        ]
        return lambda: list(predictor.predict_all(documents))

    return on_words


def training_step(experiment: Experiment, implementation: str) -> Work:
    """Runs one step on a whole document, starting from its words; contextual vectors are cached, as in training."""
    model, tensorizer = random_model(experiment)
    compile_model(model, last_step=1000)
    folder = tempfile.TemporaryDirectory()
    cached = dataclasses.replace(experiment, log_root=Path(folder.name))
    prepare_context(cached, model, tensorizer, train=[], dev=[], new=False)
    chosen = StraightforwardModel(model) if implementation == "straightforward" else model
    step = tf.function(chosen.train_step, input_signature=[tensorizer.specs])

    def on_words(num_words: int) -> Callable[[], Any]:
        document = document_of(num_words)
        if isinstance(tensorizer.context, KeptContext):
            tensorizer.context.cache.fill([document])
        # The temporary folder exists as long as the function that reads it.
        return lambda kept=folder: step(tensorizer.tensorize(document))["loss"].numpy()

    return on_words


def pair_speed(experiment: Experiment, num_words: int, shortest: Callable[[Callable], float]) -> dict:
    """Measures the speed of pair scores and of one large matrix product, with the same threads.

    Only the work per pair counts: (g_i * g_j) W and the later layers. No two spans share a word, so that none of it
    can be shared.
    """
    model, _ = random_model(experiment)
    scorer, generator = model.antecedent_scorer, np.random.default_rng(0)
    num_spans, most = int(num_words * experiment.mention_ratio), experiment.max_antecedents

    def random(*shape: int) -> tf.Tensor:
        return tf.constant(generator.normal(size=shape), tf.float32)

    own = model.span_representation.size - 2 * model.sentence_encoder.size
    values = [random(num_spans, size) for size in (*[model.sentence_encoder.size] * 2, own)]
    matrix = random(MATRIX_SIZE, MATRIX_SIZE)
    words = tf.range(num_spans)
    spans = SpanFacts(words, words, tf.zeros_like(words), tf.constant([num_spans]), tf.constant(0))

    @tf.function(autograph=False)
    def score(values: list[tf.Tensor]) -> tf.Tensor:
        g = [SpanPart(part, tf.range(num_spans)) for part in values]
        indices, _ = ops.nearest_antecedents(num_spans, most)
        return scorer.pairs.nearest(g, indices, spans)

    multiply = tf.function(lambda matrix: tf.matmul(matrix, matrix))
    num_pairs = sum(min(span, most) for span in range(num_spans))
    of_pair = sum(int(tf.size(kernel)) for kernel in scorer.ffnn.kernels[1:])
    of_pair += model.span_representation.size * scorer.ffnn.units
    work = {
        "gflops": (2 * num_pairs * of_pair, lambda: score(values).numpy()),
        "matrix_product_gflops": (2 * MATRIX_SIZE**3, lambda: multiply(matrix).numpy()),
    }
    for _, run in work.values():
        run()
    speeds = {name: operations / shortest(run) / 1e9 for name, (operations, run) in work.items()}
    return speeds | {"share": speeds["gflops"] / speeds["matrix_product_gflops"]}


class _Whole:
    """The straightforward formulation as a replacement for a CorefModel in prediction."""

    def __init__(self, model: CorefModel):
        self.experiment, self.models = model.experiment, [model]
        self._call = StraightforwardModel(model)

    def __call__(self, inputs: CorefInputs, words_per_block: int) -> CorefOutput:
        return self._call(inputs)


def random_model(experiment: Experiment) -> tuple[CorefModel, Tensorizer]:
    """Creates an untrained model, and its tensorizer."""
    tf.keras.utils.set_random_seed(0)
    characters = CharacterVocabulary.read(experiment.char_vocab_path)
    return build_model(experiment, len(characters)), Tensorizer.from_experiment(experiment, characters)
