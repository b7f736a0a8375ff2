"""Speakers of the words in quotations, links from "I" to its speaker, and the characters of a text."""

import numpy as np

from coref_tf.documents.document import NO_SPEAKER, Document
from coref_tf.documents.text import document_from_text
from coref_tf.inference.prediction import Prediction
from coref_tf.quotations import find_characters
from coref_tf.quotations.linking import link_first_person
from coref_tf.quotations.speakers import with_quotation_speakers

TALK = '"I lost my key," said Anna.\n\n"I have mine," said Ivo.\n\n"I know," I said.\n\n"Then look."'


def speakers_by_word(document):
    speakers = [speaker for row in document.speakers for speaker in row]
    return list(zip(document.words, speakers, strict=True))


def test_words_in_quotations_get_their_speaker():
    found = speakers_by_word(with_quotation_speakers(document_from_text(TALK, "x")))
    assert [speaker for word, speaker in found if word in ("I", "my", "mine")] == [
        "Anna",
        "Anna",
        "Ivo",
        "Ivo",
        NO_SPEAKER,
        NO_SPEAKER,
    ]
    assert dict(found)["said"] == NO_SPEAKER


def test_each_quotation_of_an_unknown_speaker_gets_its_own_speaker():
    found = with_quotation_speakers(document_from_text('"Hello."\n\nIt rained.\n\n"Goodbye."', "x"))
    names = dict(speakers_by_word(found))
    assert names["Hello"] != names["Goodbye"] != NO_SPEAKER


def test_a_narrator_with_a_name_has_no_speaker():
    text = '"You are late, Ben," said Ana.\n\n"I know," I said.\n\n"Sit down, Ben," said Ana.'
    found = speakers_by_word(with_quotation_speakers(document_from_text(text, "x")))
    assert [speaker for word, speaker in found if word == "I"] == [NO_SPEAKER, NO_SPEAKER]


def test_given_speakers_are_kept():
    words = ["“", "I", "am", "late", ",", "”", "said", "Anna", "."]
    document = Document("x", [words], [["Ben"] * len(words)])
    assert with_quotation_speakers(document) == document


def test_a_part_of_a_document_has_the_speakers_of_the_whole():
    whole = document_from_text('"I am late. I am tired," said Anna.', "x")
    part = Document("x", whole.sentences[1:])
    changed = with_quotation_speakers(part, whole, len(whole.sentences[0]))
    assert dict(speakers_by_word(changed))["I"] == "Anna"


def test_the_first_person_is_linked_to_its_speaker():
    document = document_from_text(TALK, "x")
    places = [place for place, word in enumerate(document.words) if word in ("I", "my", "mine")]
    anna, ivo = document.words.index("Anna"), document.words.index("Ivo")
    one = [(place, place) for place in (*places[:4], anna)]  # "I" of two people in one cluster
    spans = {(place, place) for place in (*places, anna, ivo)}
    linked = link_first_person(document, [sorted(one)], spans)
    assert sorted([(places[0],) * 2, (places[1],) * 2, (anna, anna)]) in linked
    assert sorted([(places[2],) * 2, (places[3],) * 2, (ivo, ivo)]) in linked


def test_pruned_spans_are_not_linked():
    document = document_from_text(TALK, "x")
    assert link_first_person(document, [], []) == []


def test_with_clusters_moves_antecedents_into_the_new_clusters():
    spans = [(0, 0), (1, 1), (2, 2), (3, 3)]
    prediction = Prediction(
        document=document_from_text("a b c d", "x"),
        clusters=[spans],
        top_spans=spans,
        mention_scores=np.ones(4, np.float32),
        antecedents=np.array([-1, 0, 1, 2]),
        antecedent_scores=np.array([0, 1, 2, 3], np.float32),
        output=None,
    )
    changed = prediction.with_clusters([[(0, 0), (2, 2)], [(1, 1), (3, 3)]])
    assert changed.antecedents.tolist() == [-1, -1, 0, 1]
    assert changed.antecedent_scores.tolist() == [0, 0, 0, 0]
    assert prediction.with_clusters(prediction.clusters).antecedents.tolist() == [-1, 0, 1, 2]


def test_characters():
    document = document_from_text('Anna Lind sat down. "I am late," said Anna. Ivo nodded. She slept.', "x")
    words = list(document.words)
    i, she = words.index("I"), words.index("She")
    anna, *_ = find_characters(document, [[(0, 1), (i, i), (words.index("Anna", 2),) * 2, (she, she)]])
    assert (anna.name, anna.mentions) == ("Anna Lind", 4)
    assert anna.names == {"Anna Lind": 1, "Anna": 1}
    assert anna.pronouns == {"I": 1, "she": 1}
    assert [quotation.text for quotation in anna.quotations] == ['"I am late,"']
    assert anna.clusters == (0,)


def test_clusters_of_one_name_are_one_character_and_things_are_left_out():
    document = document_from_text("Ivo ran. He fell. The ship sank. It burned. Ivo slept. He woke.", "x")
    words = list(document.words)
    first, second = words.index("He"), words.index("He", words.index("He") + 1)
    ship, it, again = words.index("The"), words.index("It"), words.index("Ivo", 2)
    clusters = [[(0, 0), (first, first)], [(ship, ship + 1), (it, it)], [(again, again), (second, second)]]
    (ivo,) = find_characters(document, clusters)
    assert (ivo.name, ivo.mentions, ivo.clusters) == ("Ivo", 4, (0, 2))
