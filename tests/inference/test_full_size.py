"""A model of the paper's size trains on and predicts a long, real document within 8 GB of memory."""

import subprocess
import sys

import pytest

from coref_tf.support.environment import ROOT

SCRIPT = """
import dataclasses, sys
sys.path.insert(0, {root!r})
import tensorflow as tf
from coref_tf.config import load_experiment
from coref_tf.documents import read_documents
from coref_tf.features.characters import CharacterVocabulary, build_character_vocabulary
from coref_tf.features.dataset import TrainingDocuments
from coref_tf.features.tensorize import Tensorizer
from coref_tf.inference.memory import peak_bytes
from coref_tf.model import CorefModel
from coref_tf.inference.predictor import Predictor

documents = list(read_documents({corpus!r}))
longest = max(documents, key=lambda document: document.num_words)
assert longest.num_words == 1878
experiment = dataclasses.replace(load_experiment("best", {conf!r}), genres=("news",), default_genre="news")
characters = CharacterVocabulary(build_character_vocabulary(documents))
tensorizer = Tensorizer.from_experiment(experiment, characters)
model = CorefModel(experiment, len(characters))
model.compile(optimizer=tf.keras.optimizers.Adam())
losses = model.fit(TrainingDocuments([longest], tensorizer, 50, 0).dataset().take(1), verbose=0).history["loss"]
prediction = Predictor(model, tensorizer).predict(longest)
assert losses[0] > 0 and len(prediction.top_spans) == 751
print(peak_bytes())
"""


@pytest.mark.slow
def test_the_longest_document_of_ontogum_fits_into_8_gigabytes(shared):
    corpus = str(shared / "data" / "ontogum" / "train.english.v4_gold_conll")
    script = SCRIPT.format(root=str(ROOT), corpus=corpus, conf=str(ROOT / "experiments.conf"))
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 8 * 2**30
