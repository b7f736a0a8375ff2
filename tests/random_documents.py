"""Small experiments, models and random documents for the tests of the model."""

import dataclasses
from pathlib import Path

import numpy as np

from coref_tf.config import Experiment, load_experiment
from coref_tf.features.tensorize import CorefInputs
from coref_tf.model import CorefModel
from coref_tf.models.building import build_model

REFERENCE = Path(__file__).parent / "fixtures" / "reference"
NUM_CHARACTERS = 12


def small_experiment(**changes) -> Experiment:
    """The reference experiment, whose sizes are small, with some keys changed."""
    return dataclasses.replace(load_experiment("small", REFERENCE / "experiments.conf"), **changes)


def small_model(seed=0, backend="custom", **changes) -> CorefModel:
    """A small model with random weights and biases."""
    model = build_model(small_experiment(**changes), NUM_CHARACTERS, backend)
    generator = np.random.default_rng(seed)
    for variable in model.variables:
        variable.assign(generator.normal(scale=0.5, size=variable.shape))
    return model


def random_inputs(
    generator: np.random.Generator, sentence_lengths, vector_size=18, num_genres=7
) -> CorefInputs:
    """A random document, in which some words are repeated or have no vector, with speakers and gold clusters."""
    num_words = sum(sentence_lengths)
    num_distinct = max(1, num_words * 2 // 3) if num_words else 0
    word_ids = generator.integers(num_distinct, size=num_words) if num_words else np.zeros(0)
    vectors = generator.normal(size=[num_distinct, vector_size]) * generator.integers(
        2, size=[num_distinct, 1]
    )
    word_lengths = generator.integers(1, 12, size=num_distinct)
    spans = []
    first = 0
    for length in sentence_lengths:
        spans += [(s, e) for s in range(first, first + length) for e in range(s, min(s + 4, first + length))]
        first += length
    chosen = [span for span in spans if generator.random() < 0.4]
    gold = np.array(chosen, np.int32).reshape(-1, 2)
    return CorefInputs(
        word_ids=word_ids.astype(np.int32),
        word_vectors=vectors.astype(np.float32),
        characters=generator.integers(NUM_CHARACTERS, size=word_lengths.sum()).astype(np.int32),
        word_lengths=word_lengths.astype(np.int32),
        sentence_lengths=np.array(sentence_lengths, np.int32),
        speaker_ids=generator.integers(3, size=num_words).astype(np.int32),
        genre=np.int32(generator.integers(num_genres)),
        gold_starts=gold[:, 0],
        gold_ends=gold[:, 1],
        cluster_ids=generator.integers(1, 4, size=len(gold)).astype(np.int32),
        given_starts=np.zeros([0], np.int32),
        given_ends=np.zeros([0], np.int32),
        seed=generator.integers(1000, size=2).astype(np.int32),
    )
