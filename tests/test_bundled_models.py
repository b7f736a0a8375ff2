"""The bundled models: their size and metadata, and their quality on texts that they were not trained on."""

from pathlib import Path

import pytest

import coref_tf
from coref_tf.documents.inline import read_inline_folder
from coref_tf.models.checkpoint import read_checkpoint
from coref_tf.models.packing import ABOUT
from coref_tf.scoring import Scorer
from coref_tf.support.resources import DEFAULT_MODEL, bundled_models

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "docs" / "story.txt").read_text(encoding="utf-8")
MEGABYTES = {"english": 70, "english-fast": 15}


def test_the_bundled_models():
    assert set(bundled_models()) == set(MEGABYTES) and DEFAULT_MODEL in MEGABYTES


@pytest.mark.parametrize(("name", "megabytes"), MEGABYTES.items())
def test_size_and_metadata(name, megabytes):
    path = bundled_models()[name]
    assert path.stat().st_size < megabytes * 10**6
    checkpoint = read_checkpoint(path)  # verifies the checksum
    about = checkpoint.state[ABOUT]
    assert about["licence"] == "CC BY-SA 4.0" and "LitBank" in about["trained_on"]
    assert checkpoint.settings["max_antecedents"] == 250
    assert checkpoint.settings["mention_ratio"] == 0.3
    assert checkpoint.settings["name"] == name and (checkpoint.encoder is not None) == (name == "english")
    assert {"temperature", "offset"} <= checkpoint.state["calibration"].keys() and checkpoint.state["dial"]
    assert not [value for value in map(str, checkpoint.settings.values()) if value.startswith("/")]


@pytest.mark.parametrize(
    ("name", "recall", "precision"), [("english", 0.8, 0.85), ("english-fast", 0.6, 0.7)]
)
def test_links_in_unseen_texts(name, recall, precision):
    """The bounds are well below the model card's figures; this tests the whole pipeline from text to clusters."""
    resolver = coref_tf.load(name)
    scorer = Scorer()
    for document in read_inline_folder(ROOT / "data" / "texts"):
        found = resolver(document.sentences, speakers=document.speakers)
        scorer.add(document.clusters, found.spans)
    muc = scorer.result().muc
    assert muc.recall > recall and muc.precision > precision


def find_clusters(text: str) -> list[list[str]]:
    return [[mention.text for mention in cluster] for cluster in coref_tf.load()(text)]


def test_the_story_of_the_readme():
    clusters = find_clusters(TEXT)
    assert ["My sister Ines", "She", "her"] in clusters and ["her husband, Pavel,", "he"] in clusters


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Tom met Mary. She likes him.", [["Tom", "him"], ["Mary", "She"]]),
        ("Mary called John because she needed his help.", [["Mary", "she"], ["John", "his"]]),
        (
            "Marie Curie (7 November 1867 – 4 July 1934) was a Polish physicist. She won two Nobel Prizes.",
            [["Marie Curie (7 November 1867 – 4 July 1934)", "She"]],
        ),
        (
            '"I am tired," said Anna. Peter looked at her. "I am not," he said.',
            [["I", "Anna", "her"], ["Peter", "I", "he"]],
        ),
        ("The surgeon thanked the nurse because she had found the missing file.", [["the nurse", "she"]]),
        # The examples of the page, in coref_tf/page/examples.js.
        (
            "Marta Oduya runs the bakery on Canal Street. She opened it in 2011 with her brother, Tomas. He told her"
            " that its oven was old.",
            [
                ["Marta Oduya", "She", "her", "her"],
                ["the bakery on Canal Street", "it", "its"],
                ["her brother, Tomas", "He"],
            ],
        ),
        (
            "The harbour council met on Monday to vote on a new ferry. Its chairman, Peter Lund, said the boat would"
            " cost eleven million euros. “We can't afford it,” he told reporters. Lund left early.",
            [
                ["The harbour council", "Its", "We"],
                ["a new ferry", "the boat", "it"],
                ["Its chairman, Peter Lund,", "he", "Lund"],
            ],
        ),
        (
            "The surgeon told her assistant that he could go home early. He thanked her and left.",
            [["The surgeon", "her", "her"], ["her assistant", "he", "He"]],
        ),
        (
            "The surgeon told his assistant that she could go home early. She thanked him and left.",
            [["The surgeon", "his", "him"], ["his assistant", "she", "She"]],
        ),
    ],
)
def test_easy_sentences(text, expected):
    assert find_clusters(text) == expected


def test_the_conversation_on_the_page():
    text = (
        "Ana: I saw your sister at the station.\nBen: Really? She told me she was in Lisbon.\n"
        "Ana: She said she would call you.\nBen: Then I'll wait for her. Did you give her my number?"
    )
    clusters = [[mention.text for mention in cluster] for cluster in coref_tf.load()(text, dialogue=True)]
    assert clusters == [
        ["I", "you"],
        ["your", "me", "you", "I", "my"],
        ["your sister", "She", "she", "She", "she", "her", "her"],
    ]
