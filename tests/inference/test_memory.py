"""--max-memory: parsing of sizes, documents that don't fit, and predictions that don't depend on the limit."""

import argparse
import dataclasses
import itertools
import subprocess
import sys

import numpy as np
import pytest
from random_documents import REFERENCE, small_experiment

from coref_tf.commands import options
from coref_tf.config import load_experiment
from coref_tf.documents import Document, read_documents
from coref_tf.features.characters import CharacterVocabulary
from coref_tf.features.tensorize import Tensorizer
from coref_tf.inference import memory
from coref_tf.inference.predictor import Predictor
from coref_tf.model import CorefModel
from coref_tf.support.environment import ROOT
from coref_tf.support.errors import CorefError


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("2GB", 2**31),
        ("2 gib", 2**31),
        ("800MB", 800 * 2**20),
        ("1.5g", 3 * 2**29),
        ("4096", 4096),
        ("7kB", 7168),
    ],
)
def test_sizes_are_parsed(text, size):
    assert memory.parse_size(text) == size


def test_sizes_below_a_megabyte_are_not_shown_as_0_mb():
    sizes = [0, 2, 4096, 2**20, 3 * 2**29]
    assert list(map(memory.format_size, sizes)) == ["0 MB", "2 bytes", "4 KB", "1 MB", "1.5 GB"]


@pytest.mark.parametrize("text", ["", "GB", "2XB", "-1GB", "0", "0GB", "2 G B", "1e9"])
def test_an_invalid_size_is_a_one_line_error(text, capsys):
    with pytest.raises(CorefError, match="expected an amount of memory such as 2GB"):
        memory.parse_size(text)
    parser = argparse.ArgumentParser()
    options.add_max_memory(parser)
    with pytest.raises(SystemExit):
        parser.parse_args([f"--max-memory={text}"])
    assert "expected an amount of memory such as 2GB or 800MB" in capsys.readouterr().err


def predictor_within(max_memory=None):
    experiment = small_experiment()
    characters = CharacterVocabulary.read(experiment.char_vocab_path)
    model = CorefModel(experiment, len(characters))
    return Predictor(model, Tensorizer.from_experiment(experiment, characters), max_memory)


def best_model(**changes):
    experiment = load_experiment("best", ROOT / "experiments.conf")
    return CorefModel(dataclasses.replace(experiment, **changes), num_characters=100)


def test_more_words_and_larger_blocks_need_more_memory():
    model = best_model()
    sizes = [memory.document_bytes(model, words, 4096) for words in (0, 500, 2000, 20_000, 100_000)]
    assert sizes == sorted(set(sizes)) and (sizes[-1] - sizes[2]) / 98_000 < 20_000
    blocks = [memory.document_bytes(model, 100_000, block) for block in memory.BLOCKS]
    assert blocks == sorted(set(blocks), reverse=True)
    assert memory.document_bytes(best_model(antecedents="coarse"), 100_000, 4096) > blocks[0]


def test_the_plan_includes_the_working_size_of_the_sentence_encoder(monkeypatch):
    model = best_model()
    needed = memory.document_bytes(model, 1000, 4096)
    larger = model.sentence_encoder.working_size + 100
    monkeypatch.setattr(type(model.sentence_encoder), "working_size", larger)
    assert memory.document_bytes(model, 1000, 4096) == needed + 4 * 1000 * 100


def test_a_book_of_100_000_words_fits_into_2_gb():
    with_libraries_and_weights = 520 * 2**20
    needed = memory.document_bytes(best_model(), 100_000, 4096)
    assert with_libraries_and_weights + memory.GRAPH_BYTES + needed < 2 * 2**30


def test_smaller_blocks_are_tried_before_a_document_is_refused():
    predictor = predictor_within()
    document = Document("nw/book", [["she", "said", "it"]] * 20_000)
    needs = [memory.document_bytes(predictor.model, 60_000, block) for block in memory.BLOCKS]
    for place, block in enumerate(memory.BLOCKS):
        predictor.max_memory = predictor._own_bytes + needs[place]
        assert predictor._plan(document) == (block, needs[place])
    predictor.max_memory -= 1
    with pytest.raises(
        CorefError, match=r"^document nw/book_0: its 60,000 words may need .* of memory, more than the"
    ):
        predictor.predict(document)
    with pytest.raises(CorefError, match="nw/book"):
        list(predictor.predict_all([document]))


def test_predict_all_keeps_the_order_and_equals_predict():
    predictor = predictor_within()
    source = list(read_documents(REFERENCE / "docs.jsonlines"))
    long = Document("nw/long", [["she", "said", "it", "left"]] * 1500)
    documents = [*itertools.islice(itertools.cycle(source), 30), long, *source]
    together = list(predictor.predict_all(documents))
    assert [prediction.document for prediction in together] == documents
    alone = {document.key: predictor.predict(document) for document in documents}
    for prediction in together:
        expected = alone[prediction.document.key]
        assert (prediction.clusters, prediction.top_spans) == (expected.clusters, expected.top_spans)
        for name in ("mention_scores", "antecedents", "antecedent_scores", "place_probabilities"):
            np.testing.assert_array_equal(getattr(prediction, name), getattr(expected, name), name)
    assert all(prediction.output is None for prediction in together)
    assert next(iter(predictor.predict_all(source, details=True))).details()["top_spans"]


def test_details_without_details_true_is_an_error():
    document = next(iter(read_documents(REFERENCE / "docs.jsonlines")))
    with pytest.raises(ValueError, match="details=True"):
        predictor_within().predict(document).details()


SCRIPT = """
import sys
sys.path.insert(0, {root!r})
from coref_tf.inference import memory
from coref_tf.config import load_experiment
from coref_tf.documents import Document, read_documents
from coref_tf.features.characters import CharacterVocabulary
from coref_tf.features.tensorize import Tensorizer
from coref_tf.model import CorefModel
from coref_tf.inference.predictor import Predictor

experiment = load_experiment("best", {conf!r})
sentences = [s for d in read_documents({corpus!r}) for s in d.sentences]
characters = CharacterVocabulary.read(experiment.char_vocab_path)
limit = memory.parse_size("1GB")
tensorizer = Tensorizer.from_experiment(experiment, characters)
predictor = Predictor(CorefModel(experiment, len(characters)), tensorizer, limit)
predictor.predict(Document("nw/long", sentences[:1200]))
print(memory.peak_bytes() / limit)
"""


@pytest.mark.slow
def test_a_long_document_stays_within_the_limit():
    corpus, conf = ROOT / "data" / "sample" / "train.jsonlines", ROOT / "experiments.conf"
    script = SCRIPT.format(root=str(ROOT), corpus=str(corpus), conf=str(conf))
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < 1
