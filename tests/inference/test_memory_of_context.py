"""--max-memory with a contextual encoder: its memory is planned, and 100,000 words stay within the plan."""

import dataclasses
import subprocess
import sys

import pytest
from random_documents import small_experiment
from small_encoder import small_encoder

from coref_tf.features.characters import CharacterVocabulary
from coref_tf.inference import memory
from coref_tf.models.building import build_model
from coref_tf.support.environment import ROOT

WORDS = 100_000


def model_of(experiment):
    return build_model(experiment, len(CharacterVocabulary.read(experiment.char_vocab_path)))


def test_the_plan_includes_the_encoder(tmp_path):
    experiment = small_experiment(context=small_encoder(tmp_path / "small.h5"))
    model, without = model_of(experiment), model_of(dataclasses.replace(experiment, context=None))
    window = 4 * model.context_words.encoder.working_size
    scores = 4 * 2 * 2 * 512 * 512  # attention scores of two heads, before and after the softmax
    portable = build_model(experiment, len(CharacterVocabulary.read(experiment.char_vocab_path)), "portable")
    assert 4 * portable.context_words.encoder.working_size > scores > window, (
        "the op stores no attention scores"
    )
    for words in (1000, WORDS):
        more = memory.document_bytes(model, words, 4096) - memory.document_bytes(without, words, 4096)
        assert more > window + 4 * words * 6, "the plan needs room for a window and for a vector per word"
    refined = model_of(dataclasses.replace(experiment, coref_depth=2))
    assert memory.document_bytes(refined, WORDS, 4096) > memory.document_bytes(model, WORDS, 4096)


SCRIPT = """
import sys
sys.path[:0] = {paths!r}
import numpy as np
from pathlib import Path
from random_documents import small_experiment
from small_encoder import small_encoder
from coref_tf.documents import Document
from coref_tf.features.characters import CharacterVocabulary
from coref_tf.features.tensorize import Tensorizer
from coref_tf.inference import memory
from coref_tf.inference.predictor import Predictor
from coref_tf.models.building import build_model

sizes = dict(hidden_size=48, num_heads=12, intermediate_size=192)
experiment = small_experiment(context=small_encoder(Path({folder!r}) / "encoder.h5", **sizes))
characters = CharacterVocabulary.read(experiment.char_vocab_path)
model, tensorizer = build_model(experiment, len(characters)), Tensorizer.from_experiment(experiment, characters)
predictor = Predictor(model, tensorizer)
words = np.random.default_rng(0).choice(["the", "she", "said", "boat", "it", "left"], {words}).tolist()
sentences = [words[first : first + 20] for first in range(0, {words}, 20)]
needed = memory.document_bytes(model, {words}, 4096)
before = memory.resident_bytes()
prediction = predictor.predict(Document("nw/book", sentences))
assert len(prediction.top_spans) == int({words} * experiment.mention_ratio)
print(memory.peak_bytes() - before, needed, memory.GRAPH_BYTES)
"""


@pytest.mark.slow
def test_a_book_stays_within_the_planned_memory(tmp_path):
    paths = [str(ROOT), str(ROOT / "tests")]
    script = SCRIPT.format(paths=paths, folder=str(tmp_path), words=WORDS)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    taken, needed, graph = map(int, done.stdout.split())
    assert taken < needed + graph < 700 * 2**20
