"""Documents as tensors, and the stream of training inputs."""

import numpy as np
import pytest
import tensorflow as tf
from random_documents import small_experiment

from coref_tf.documents import Document, read_documents
from coref_tf.documents.selection import window
from coref_tf.features.characters import CharacterVocabulary, build_character_vocabulary
from coref_tf.features.dataset import TrainingDocuments
from coref_tf.features.embeddings import VectorSet
from coref_tf.features.tensorize import Tensorizer, input_specs
from coref_tf.support.environment import ROOT

SENTENCES = [["The", "council", "met", "."], ["It", "met", "the", "council", "."]]
SPEAKERS = [["a"] * 4, ["b", "b", "a", "a", "b"]]


@pytest.fixture(scope="module")
def tensorizer():
    experiment = small_experiment()
    return Tensorizer.from_experiment(experiment, CharacterVocabulary.read(experiment.char_vocab_path))


def test_every_field(tensorizer):
    inputs = tensorizer.tensorize(Document("bc/x", SENTENCES, SPEAKERS, [[(4, 4), (0, 1)], [(6, 7)]]))
    # distinct words in first-seen order: The council met . It the
    assert inputs.word_ids.tolist() == [0, 1, 2, 3, 4, 2, 5, 1, 3]
    assert inputs.word_lengths.tolist() == [3, 7, 3, 1, 2, 3]
    assert inputs.word_vectors.shape == (6, 18)
    np.testing.assert_allclose(np.linalg.norm(inputs.word_vectors[1, :12]), 1, rtol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(inputs.word_vectors[1, 12:]), 1, rtol=1e-5)
    letters = ["?", *tensorizer.characters.characters]
    assert "".join(letters[i] for i in inputs.characters) == "Thecounc?lmet.Itthe", "the vocabulary has no i"
    assert inputs.sentence_lengths.tolist() == [4, 5]
    assert inputs.speaker_ids.tolist() == [0, 0, 0, 0, 1, 1, 0, 0, 1]
    assert inputs.genre == 0
    assert inputs.gold_starts.tolist() == [0, 4, 6]
    assert inputs.gold_ends.tolist() == [1, 4, 7]
    assert inputs.cluster_ids.tolist() == [1, 1, 2]


def test_speakers_of_quotations():
    experiment = small_experiment(quotation_speakers=True)
    tensorizer = Tensorizer.from_experiment(experiment, CharacterVocabulary.read(experiment.char_vocab_path))
    sentences = [["“", "I", "left", ".", "”"], ["“", "I", "did", ",", "”", "said", "Ana", "."]]
    whole = Document("bc/x", [*sentences, ["“", "I", "ran", ",", "”", "said", "Ivo", "."]])
    assert tensorizer.tensorize(whole).speaker_ids.tolist()[-8:] == [0, 0, 0, 0, 0, 2, 2, 2]
    part = Document("bc/x", sentences[1:])
    assert tensorizer.tensorize(part, whole, 5).speaker_ids.tolist() == [0, 0, 0, 0, 0, 1, 1, 1]


def test_input_specs_fit_every_document(tensorizer):
    specs = input_specs(18)
    for document in [Document("x", []), Document("nw/x", [["a"]]), Document("nw/x", SENTENCES, SPEAKERS)]:
        inputs = tensorizer.tensorize(document)
        tf.nest.assert_same_structure(inputs, specs)
        for value, spec in zip(tf.nest.flatten(inputs), tf.nest.flatten(specs), strict=True):
            assert spec.is_compatible_with(tf.convert_to_tensor(value))


def test_unknown_shares(tensorizer):
    document = Document("nw/x", [["The", "qqqq", "council", "qqqq"]])
    assert tensorizer.unknown_shares([document]) == [0.5, 0.5]
    assert tensorizer.unknown_shares([]) == [0.0, 0.0]


def test_a_window_keeps_its_gold_spans_and_speakers():
    sentences = [["a", "b"], ["c", "d", "e"], ["f"], ["g", "h"]]
    speakers = [[word.upper() for word in sentence] for sentence in sentences]
    clusters = [[(0, 1), (2, 3)], [(4, 4), (5, 5), (7, 7)], [(0, 0), (6, 6)]]
    cut = window(Document("nw/x", sentences, speakers, clusters, part=3), 1, 2)
    assert cut.sentences == (("c", "d", "e"), ("f",))
    assert cut.speakers == (("C", "D", "E"), ("F",))
    assert cut.clusters == (((0, 1),), ((2, 2), (3, 3)))
    assert (cut.doc_key, cut.part) == ("nw/x", 3)


def documents(count=7, sentences=9):
    return [
        Document(f"nw/{n}", [["met", "abcdefg"[n], "klmnopqrst"[s]] for s in range(sentences)])
        for n in range(count)
    ]


def keys(inputs):
    return [(tuple(each.word_ids), tuple(each.characters), tuple(each.seed)) for each in inputs]


def take(stream, count):
    return [next(stream) for _ in range(count)]


def test_the_stream_is_reproducible_and_can_start_at_any_step(tensorizer):
    training = TrainingDocuments(documents(), tensorizer, 5, seed=3)
    whole = keys(take(training.stream(), 30))
    assert whole == keys(take(training.stream(), 30))
    for step in (1, 6, 7, 13, 20):
        assert keys(take(training.stream(step), 30 - step)) == whole[step:]
    other = TrainingDocuments(documents(), tensorizer, 5, seed=4)
    assert keys(take(other.stream(), 30)) != whole


def test_each_epoch_has_each_document_once_in_a_new_order_and_window(tensorizer):
    training = TrainingDocuments(documents(), tensorizer, 5, seed=0)
    inputs = take(training.stream(), 14)
    assert all(len(each.sentence_lengths) == 5 for each in inputs)
    numbers = ["".join(map(str, each.characters)) for each in inputs]
    assert len(set(numbers)) > 7, "windows must differ between epochs"
    assert len({tuple(each.seed) for each in inputs}) == 14, "dropout must differ in every step"
    whole = TrainingDocuments(documents(sentences=3), tensorizer, 5, seed=0)
    first, second = ([tuple(each.characters) for each in take(whole.stream(step), 7)] for step in (0, 7))
    assert sorted(first) == sorted(second) and len(set(first)) == 7
    assert first != second


def test_windows_reach_the_first_and_the_last_sentence(tensorizer):
    one = TrainingDocuments(documents(count=1, sentences=6), tensorizer, 4, seed=0)
    letters = [tensorizer.characters.encode(letter)[0] for letter in "klm"]  # after "met" and "a"
    firsts = {one._inputs(0, epoch).characters[4] for epoch in range(60)}
    assert firsts == set(letters)


def test_replicas_share_a_step(tensorizer):
    single = TrainingDocuments(documents(), tensorizer, 50, seed=0)
    double = TrainingDocuments(documents(), tensorizer, 50, seed=0, replicas=2)
    assert double.steps_per_epoch == 3
    assert keys(take(double.stream(), 6)) == keys(take(single.stream(), 6))
    assert keys(take(double.stream(3), 6)) == keys(take(single.stream(7), 6)), "the odd document is left out"
    assert keys(take(double.stream(1), 2)) == keys(take(single.stream(2), 2))


def test_the_dataset_has_unknown_dimensions(tensorizer):
    dataset = TrainingDocuments(documents(), tensorizer, 5, seed=0).dataset()
    assert dataset.element_spec == input_specs(18)
    iterator = iter(dataset)
    traces = []

    @tf.function
    def next_words(iterator):
        traces.append(1)
        return tf.size(next(iterator).word_ids)

    assert [int(next_words(iterator)) for _ in range(9)] == [15] * 9
    assert len(traces) == 1, "documents of all lengths must share one graph, as in Keras"


def test_tensorising_ontogum_keeps_every_word(shared):
    corpus = list(read_documents(shared / "data" / "ontogum" / "train.english.v4_gold_conll"))
    vectors = ROOT / "data" / "vectors"
    sets = [
        VectorSet.open(vectors / "cased_300d.h5", 300),
        VectorSet.open(vectors / "glove_6B_50d.h5", 50, True),
    ]
    characters = CharacterVocabulary(build_character_vocabulary(corpus))
    tensorizer = Tensorizer(sets, characters, sorted({d.genre for d in corpus}), "news")
    inputs = [tensorizer.tensorize(document) for document in corpus]
    assert sum(len(each.word_ids) for each in inputs) == 177_410
    assert sum(len(each.gold_starts) for each in inputs) == 23_320
    assert all((each.characters > 0).all() for each in inputs)
