"""ConsistentClusters: no cluster contains pronouns that contradict each other."""

import dataclasses

import numpy as np
import pytest
import tensorflow as tf

from coref_tf.config import load_experiment
from coref_tf.decoding import best_antecedents, first_of_cluster
from coref_tf.documents.document import Document
from coref_tf.documents.pronouns import (
    COMMA,
    HE,
    ME,
    NAMED,
    SHARED,
    SHE,
    STOP,
    YOU,
    pronoun_classes,
    reference_classes,
    speaker_names,
)
from coref_tf.layers.addressees import WordReferences, resolve_addressees
from coref_tf.layers.antecedent_scorer import Antecedents
from coref_tf.layers.consistent_clusters import SAME_SPEAKER, ConsistentClusters
from coref_tf.layers.span_representation import Spans
from coref_tf.support.errors import CorefError

NOBODY = -1


def decide_one_by_one(indices, scores, classes, speakers) -> np.ndarray:
    """The oracle: gives each span, in order, the best antecedent whose cluster it doesn't contradict."""
    members: dict[int, list[int]] = {}
    cluster_of, best = {}, []
    for span in range(len(scores)):
        for column in np.argsort(-scores[span], kind="stable"):
            antecedent = -1 if column == 0 else indices[span, column - 1]
            cluster = span if antecedent < 0 else cluster_of[antecedent]
            if not any(contradict(classes, speakers, span, other) for other in members.get(cluster, ())):
                break
        best.append(antecedent)
        cluster_of[span] = cluster
        members.setdefault(cluster, []).append(span)
    return np.array(best)


def contradict(classes, speakers, one: int, other: int) -> bool:
    both = {classes[one], classes[other]}
    same = speakers[one] == speakers[other]
    return both == {HE, SHE} or (both == {ME} and not same) or (both == {ME, YOU} and same)


def find_references(starts, ends, pronouns, speaker_ids) -> tuple[np.ndarray, np.ndarray]:
    """The oracle for the class and the speaker of each span."""
    classes, speakers = [], []
    for start, end in zip(starts, ends, strict=True):
        before, *inside, after = [0, *pronouns, 0][start : end + 3]
        ends = {inside[0], inside[-1]} - {SHARED}
        if len(ends) == 1 and min(ends) >= NAMED and not {before, after} & {*ends, SHARED}:
            classes.append(ME)
            speakers.append(min(ends) - NAMED)
        else:
            classes.append(inside[0] if len(inside) == 1 and inside[0] <= YOU else 0)
            speakers.append(speaker_ids[start])
    return np.array(classes), np.array(speakers)


def find_addressees(classes, speakers, lengths) -> list[int]:
    """The oracle for `resolve_addressees`, which works sentence by sentence."""
    found, start = list(classes), 0
    for length in lengths:
        words = list(classes[start : start + length])
        body = words[:-1] if words[-1] == STOP else words
        addressees = set()
        for place, word in enumerate(body):
            for name in (body[:place], body[place + 1 :]):
                one = max(name[0], name[-1]) if word == COMMA and name and min(name) >= SHARED else 0
                if one >= NAMED and one - NAMED != speakers[start]:
                    addressees.add(one)
        if len(addressees) == 1:
            found[start : start + length] = [min(addressees) if word == YOU else word for word in words]
        start += length
    return found


def link_speakers(antecedents, classes, speakers) -> np.ndarray:
    """The scores, raised where a span and its antecedent refer to the same speaker."""
    scores = antecedents.scores.numpy().copy()
    for span, row in enumerate(antecedents.indices.numpy()):
        for column, other in enumerate(row):
            if classes[span] == classes[other] == ME and speakers[span] == speakers[other]:
                scores[span, 1 + column] += np.float32(SAME_SPEAKER)
    return scores


def random_antecedents(generator, spans: int, most: int) -> Antecedents:
    indices = np.zeros([spans, most], np.int32)
    scores = np.full([spans, 1 + most], -np.inf, np.float32)
    scores[:, 0] = 0
    lengths = np.minimum(np.arange(spans), most).astype(np.int32)
    for span, length in enumerate(lengths):
        indices[span, :length] = np.arange(span - length, span)
        scores[span, 1 : 1 + length] = generator.normal(0.5, 1, length)
    return Antecedents(tf.constant(indices), tf.constant(lengths), tf.constant(scores))


@pytest.mark.parametrize("as_graph", [False, True])
@pytest.mark.parametrize("seed", range(12))
def test_equals_deciding_one_span_after_the_other(seed, as_graph):
    generator = np.random.default_rng(seed)
    spans, words = 60, 70
    antecedents = random_antecedents(generator, spans, most=int(generator.integers(1, 40)))
    starts = np.sort(generator.choice(words - 1, spans, replace=False)).astype(np.int32)
    ends = starts + (generator.random(spans) < 0.3).astype(np.int32)
    values = [0, 0, 0, HE, SHE, ME, ME, YOU, SHARED, NAMED, NAMED + 1]
    pronouns = generator.choice(values, words).astype(np.int32)
    speakers = generator.integers(3, size=words).astype(np.int32)
    layer = ConsistentClusters()
    run = tf.function(layer) if as_graph else layer
    found = run(
        antecedents, Spans(tf.constant(starts), tf.constant(ends)), references_of(pronouns, speakers, [words])
    )
    classes, speakers = find_references(starts, ends, pronouns, speakers)
    linked = link_speakers(antecedents, classes, speakers)
    expected = decide_one_by_one(antecedents.indices.numpy(), linked, classes, speakers)
    np.testing.assert_array_equal(found.best()[1], expected)
    np.testing.assert_array_equal(best_antecedents(found.indices.numpy(), found.scores.numpy()), expected)
    # Some antecedents were ruled out, and no other score has changed.
    same = found.scores.numpy() == linked
    assert not same.all() and np.isneginf(found.scores.numpy()[~same]).all()
    clusters = first_of_cluster(expected)
    for one in range(spans):
        for other in range(one):
            if clusters[one] == clusters[other]:
                assert not contradict(classes, speakers, one, other)


def references_of(*values) -> WordReferences:
    """The classes of the words, their speakers and the lengths of the sentences, as tensors."""
    return WordReferences(*(tf.constant(value, tf.int32) for value in values))


@pytest.mark.parametrize("seed", range(20))
def test_addressees_equal_those_of_the_oracle(seed):
    generator = np.random.default_rng(seed)
    lengths = generator.integers(1, 7, 300)
    values = [0, YOU, YOU, COMMA, COMMA, STOP, SHARED, NAMED, NAMED, NAMED + 1]
    classes = generator.choice(values, lengths.sum()).astype(np.int32)
    speakers = np.repeat(generator.integers(3, size=len(lengths)), lengths).astype(np.int32)
    found = resolve_addressees(references_of(classes, speakers, lengths)).numpy()
    assert found.tolist() == find_addressees(classes, speakers, lengths)
    assert (found != classes).any()


@pytest.mark.parametrize(
    ("words", "addressee"),
    [
        ("Ana , can you hear me ?", "Ana"),
        ("I can see you , Ms. Ito .", "Ms. Ito"),
        ("Ana , you are right , Ms. Ito !", None),
        ("Thank you , Ana", "Ana"),
        ("My sister , Ana , knows you .", None),
        ("Ana knows you , too .", None),
        ("You are late .", None),
        ("Bo , you , said Ana , are late .", None),
    ],
)
def test_a_sentence_addresses_a_speaker_by_name(words, addressee):
    speakers = ["Bo", "Ana", "Ms. Ito", "Ms. Vogel"]
    sentences = [words.split(), *([speaker] for speaker in speakers[1:])]
    document = Document("x", sentences, [[who] * len(s) for who, s in zip(speakers, sentences, strict=True)])
    classes = reference_classes(document)
    ids = [number for number, sentence in enumerate(sentences) for _ in sentence]
    found = resolve_addressees(references_of(classes, ids, [len(sentence) for sentence in sentences]))
    places = [place for place, name in enumerate(classes) if name == YOU]
    expected = NAMED + speakers.index(addressee) if addressee else YOU
    assert places and {int(found[place]) for place in places} == {expected}


def test_addressees_without_words():
    assert resolve_addressees(references_of([], [], [])).shape == [0]


def test_no_spans():
    nothing = tf.zeros([0], tf.int32)
    antecedents = Antecedents(tf.zeros([0, 0], tf.int32), nothing, tf.zeros([0, 1]))
    found = ConsistentClusters()(antecedents, Spans(nothing, nothing), references_of([], [], []))
    assert found.scores.shape == [0, 1]


def test_i_and_you_have_a_class_only_if_the_speaker_is_known():
    document = Document(
        "nw/x",
        sentences=[["I", "saw", "HER", "."], ["He", "likes", "you", "."]],
        speakers=[["-"] * 4, ["Ana"] * 4],
        clusters=[],
    )
    assert pronoun_classes(document) == [0, 0, SHE, 0, HE, 0, YOU, 0]


def test_consistent_clusters_are_off_by_default_and_need_english():
    experiment = load_experiment("best")
    assert not experiment.consistent_clusters
    with pytest.raises(CorefError, match="consistent_clusters must be false unless the language is en"):
        dataclasses.replace(experiment, consistent_clusters=True, language="de")


def test_speaker_names_identify_their_speaker():
    speakers = ["Dr. Ana Roy", "-", "Bo Roy", "Dr. Ana Roy", "You", "X", "the host", "Ms_Lee", "Éva"]
    expected = {
        "Dr.": NAMED,
        "Ana": NAMED,
        "Roy": SHARED,
        "Bo": NAMED + 2,
        "Ms": NAMED + 6,
        "Lee": NAMED + 6,
        "Éva": NAMED + 7,
    }
    assert speaker_names(speakers) == expected
    document = Document("x", [["I", "met", "Bo"], ["He", "calls", "me", "Ana"]], [["Ana"] * 3, ["Bo"] * 4])
    assert reference_classes(document) == [ME, 0, NAMED + 1, HE, 0, ME, NAMED]


def test_a_name_of_a_speaker_is_linked_to_the_i_of_that_speaker():
    # The dialogue is "Bo Roy: I like her. Ana: Bo Roy likes you."
    document = Document(
        "x", [["I", "like", "her", "."], ["Bo", "Roy", "likes", "you", "."]], [["Bo Roy"] * 4, ["Ana"] * 5]
    )
    spans = Spans(tf.constant([0, 2, 4, 7]), tf.constant([0, 2, 5, 7]))
    indices = [[0, 0, 0], [0, 0, 0], [0, 1, 0], [0, 1, 2]]
    none = -np.inf
    # By these scores alone, "Bo Roy" would be linked to "her", and "you" to "Bo Roy".
    scores = [[0, none, none, none], [0, -5, none, none], [0, -4, 3, none], [0, -1, 1, 2]]
    antecedents = Antecedents(
        tf.constant(indices), tf.constant([0, 1, 2, 3]), tf.constant(scores, tf.float32)
    )
    references = references_of(reference_classes(document), [0] * 4 + [1] * 5, [4, 5])
    found = ConsistentClusters()(antecedents, spans, references)
    assert found.best()[1].numpy().tolist() == [-1, -1, 0, 2]
