"""Who is who in a conversation: clusters with several people, people in several clusters, and forms of address."""

import pytest
from quotations_cases import find_spans

from coref_tf.documents.document import Document
from coref_tf.documents.text import document_from_text
from coref_tf.quotations.addressing import forms_of_address
from coref_tf.quotations.attribution import find_all_quotations, find_speakers
from coref_tf.quotations.characters import find_characters
from coref_tf.quotations.finding import find_quotations
from coref_tf.quotations.layout import Layout
from coref_tf.quotations.surface import phrase_gender


def speakers(text, clusters):
    document = document_from_text(text, "x")
    attribution = find_speakers(document, find_spans(document, clusters))
    return [attribution.speaker_name(each.entity) for each in attribution.quotations]


def test_adjacent_quotations_with_different_tags_split_a_cluster():
    text = 'Anna met a boy. "Who are you?" said Anna. "I am lost," said the boy. "Come in," said Anna.'
    assert speakers(text, [["Anna", "a boy", "Anna", "the boy", "Anna"]]) == ["Anna", "a boy", "Anna"]


def test_mother_is_not_the_daughter_whose_name_is_in_another_tag():
    text = '"Where is he?" said her mother. "I do not know," said Lizzy. "Ask him," said her mother.'
    assert speakers(text, [["her mother", "Lizzy", "her mother"]]) == ["her mother", "Lizzy", "her mother"]


@pytest.mark.parametrize(
    ("phrase", "gender"),
    [("she", "f"), ("mr. lind", "m"), ("poor miss lind", "f"), ("mr. lind 's wife", "f"), ("ivo", "")],
)
def test_gender_of_phrases(phrase, gender):
    assert phrase_gender(phrase.split()) == gender


def test_narrator_is_split_from_another_person():
    text = '"Sit down," said Ivo. I sat down. He smiled at me. "Well?" I asked.'
    assert speakers(text, [["Ivo", "I", "He", "me"]]) == ["Ivo", "I"]


def test_narrator_has_the_name_that_others_use():
    text = '"You are late, Ben," said Ana.\n\n"I know," I said.\n\n"Sit down, Ben," she said.'
    assert speakers(text, [["I", "I"], ["Ben", "Ben"], ["Ana", "she"]]) == ["Ana", "Ben", "Ana"]


def test_narrator_does_not_have_the_name_of_somebody_in_the_narration():
    text = '"You are late, Ben," said Ana.\n\n"I know," I said. Ben sat down.\n\n"Go, Ben," said Ana.'
    assert speakers(text, [["I", "I"], ["Ben", "Ben", "Ben"]]) == ["Ana", "I", "Ana"]


def test_narrator_does_not_have_a_name_that_the_narrator_uses():
    text = '"You are late, Ben," I said.\n\n"I know," said the boy.\n\n"Sit down, Ben," I said.'
    assert speakers(text, [["I", "I"], ["Ben", "Ben"]]) == ["I", "the boy", "I"]


def test_a_name_after_an_adjective_splits_a_cluster():
    text = 'Amy and Meg sat down. "It is dreadful," said Meg. "It is not fair," added little Amy.'
    assert speakers(text, [["Meg", "Meg", "little Amy"]]) == ["Meg", "little Amy"]


def test_the_next_speaker_is_addressed_in_any_piece_of_a_speech():
    text = 'Ana, Cy and Ben came in.\n\n"Ben," said Ana, "sit down."\n\n"Thank you."'
    assert speakers(text, []) == ["Ana", "Ana", "Ben"]


def test_relative_is_split_from_the_owner():
    document = document_from_text('Ivo called. "I am here," said his son.', "x")
    his = list(document.words).index("his")
    (quotation,) = find_all_quotations(document, [[(0, 0), (his, his), (his, his + 1)]])
    assert quotation.speaker == "his son"


def test_short_and_full_name_are_one_character():
    document = document_from_text("Cal Emmett rode home. He slept. Cal woke early. He sang.", "x")
    words = list(document.words)
    he = [place for place, word in enumerate(words) if word == "He"]
    cal = words.index("Cal", 1)
    clusters = [[(0, 1), (he[0], he[0])], [(cal, cal), (he[1], he[1])]]
    (character,) = find_characters(document, clusters)
    assert (character.mentions, character.clusters) == (4, (0, 1))


def test_titles_keep_husband_and_wife_apart():
    document = document_from_text("Mr. Lind rode home. He slept. Mrs. Lind woke early. She sang.", "x")
    words = list(document.words)
    he, she, wife = words.index("He"), words.index("She"), words.index("Mrs.")
    clusters = [[(0, 1), (he, he)], [(wife, wife + 1), (she, she)]]
    assert len(find_characters(document, clusters)) == 2


def test_forms_of_address_are_set_off_by_punctuation():
    layout = Layout(document_from_text('"Yes, sir, my father is ill," said Ana. "Come, papa!"', "x"))
    assert [forms_of_address(layout, span) for span in find_quotations(layout)] == [{"sir"}, {"papa"}]


def test_things_are_no_characters():
    document = document_from_text("The gears slipped. They were worn. Ana oiled them, and she sang.", "x")
    words = list(document.words)
    places = {word: words.index(word) for word in ("They", "them", "Ana", "she")}
    gears = [(0, 1), (places["They"], places["They"]), (places["them"], places["them"])]
    ana = [(places["Ana"], places["Ana"]), (places["she"], places["she"])]
    assert [character.name for character in find_characters(document, [gears, ana])] == ["Ana"]


def test_a_speaker_of_the_document_is_called_by_name():
    document = Document(
        "x", [["My", "bike", "broke", "."], ["I", "walked", "."]], [["LaurenFinch"] * 4, ["LaurenFinch"] * 3]
    )
    assert [one.name for one in find_characters(document, [[(0, 0), (4, 4)]])] == ["Lauren Finch"]
