"""The cases in data/behaviour are numerous, unique, balanced between genders and absent from the training data."""

import re
from collections import Counter
from pathlib import Path

import pytest

from coref_tf.documents.tokenizer import split_sentences
from coref_tf.evaluation.suites.behaviour import BehaviourSuite
from coref_tf.evaluation.suites.behaviour_case import FUNCTIONALITY, NOTHING, TYPES, BehaviourCase
from coref_tf.evaluation.suites.gap import FEMININE, MASCULINE

DATA = Path(__file__).resolve().parents[2] / "data"
GENDERS = dict.fromkeys(["he", "him", "his", "himself"], MASCULINE)
GENDERS |= dict.fromkeys(["she", "her", "hers", "herself"], FEMININE)
CLASSES = GENDERS | dict.fromkeys(["it", "its", "itself"], "neuter")
CLASSES |= dict.fromkeys(["they", "them", "their", "themself", "themselves"], "plural")


@pytest.fixture(scope="module")
def halves() -> dict[str, list[BehaviourCase]]:
    return {half: BehaviourSuite(half).cases for half in ("dev", "test")}


def sentences(text: str) -> list[str]:
    """Returns the sentences of a text that are long enough to be distinctive."""
    found = [" ".join(text[begin:end] for begin, end in sentence) for sentence in split_sentences(text)]
    return [sentence for sentence in found if len(sentence.split()) > 5]


def test_there_are_enough_cases_of_each_kind(halves):
    kinds = {half: Counter(case.kind for case in cases) for half, cases in halves.items()}
    assert set(kinds["dev"]) == set(kinds["test"]) and len(kinds["dev"]) >= 25
    assert min(count for counts in kinds.values() for count in counts.values()) >= 8
    sizes = [len(cases) for cases in halves.values()]
    assert sum(sizes) >= 800 and max(sizes) / min(sizes) < 1.1
    for cases in halves.values():
        types = Counter(case.type for case in cases)
        assert set(types) == set(TYPES) and types[FUNCTIONALITY] > 2 / 3 * len(cases)


def test_the_readme_counts_the_cases(halves):
    kinds = {case.kind for cases in halves.values() for case in cases}
    counted = f"{sum(map(len, halves.values())):,} cases of {len(kinds)} kinds"
    assert counted in (DATA / "behaviour" / "README.md").read_text(encoding="utf-8")


def test_no_text_occurs_twice(halves):
    texts = [case.document.text for cases in halves.values() for case in cases]
    assert [text for text, times in Counter(texts).items() if times > 1] == []


def test_the_halves_share_no_sentence(halves):
    dev, test = (
        {sentence for case in cases for sentence in sentences(case.document.text)}
        for cases in halves.values()
    )
    assert dev & test == set()


def test_no_sentence_is_in_the_training_data(halves):
    trained = set()
    for path in [*DATA.glob("*/train/**/*.txt"), *DATA.glob("short/**/*.txt")]:
        marks = re.sub(r"\[[a-z0-9_]+\||\]", "", path.read_text(encoding="utf-8"))
        trained |= {sentence for line in marks.splitlines() for sentence in sentences(line)}
    assert trained
    written = {
        sentence for cases in halves.values() for case in cases for sentence in sentences(case.document.text)
    }
    assert written & trained == set(), "change the training text, not the case"


@pytest.mark.parametrize("half", ["dev", "test"])
def test_women_and_men_are_about_equally_frequent(halves, half):
    words = [word.lower() for case in halves[half] for word in case.document.words]
    counts = Counter(GENDERS[word] for word in words if word in GENDERS)
    assert 0.45 <= counts[FEMININE] / counts.total() <= 0.55


def test_an_entity_has_pronouns_of_one_class(halves):
    for case in (case for cases in halves.values() for case in cases):
        classes: dict[str, set[str]] = {}
        for mention in case.mentions:
            start, end = mention.span
            word = case.document.words[start].lower()
            if start == end and word in CLASSES and mention.entity != NOTHING:
                classes.setdefault(mention.entity, set()).add(CLASSES[word])
        assert all(len(found) == 1 for found in classes.values()), case.id
