"""Sessions, which resolve the messages of a dialogue one at a time."""

import json
import random
import re
from pathlib import Path

import pytest
from fake_model import FakeModel

import coref_tf
from coref_tf.api.resolver import Resolver
from coref_tf.support.errors import CorefError

CHAT = [
    ("Ana", "I saw Zoe."),
    ("Ben", "Did you talk to her?"),
    ("Ana", "No, I was late. she left."),
    ("Ben", "my fault. I called Zoe and her."),
    ("-", ""),
    ("Ana", "I think Zoe knows."),
]


@pytest.fixture(scope="module")
def resolver(folder: Path) -> Resolver:
    return coref_tf.load("small", conf=folder / "experiments.conf")


@pytest.fixture
def fake_resolver() -> Resolver:
    return Resolver(FakeModel())


def in_dialogue_form(messages):
    return "".join(f"{speaker}: {text}\n" for speaker, text in messages if text)


def spans_of(clusters):
    return {frozenset((mention.start, mention.end) for mention in cluster) for cluster in clusters}


def random_chat(count: int, seed: int) -> list[tuple[str, str]]:
    source = random.Random(seed)
    words = ["Ana", "Ben", "Zoe", "she", "her", "I", "my", "saw", "left", "the council", "it", "."]
    return [
        (source.choice(["Ana", "Ben", "Zoe"]), " ".join(source.choices(words, k=source.randint(1, 9))))
        for _ in range(count)
    ]


@pytest.mark.parametrize("kind", ["fake_resolver", "resolver"])
def test_within_the_window_a_session_equals_the_whole_dialogue(kind, request):
    resolver = request.getfixturevalue(kind)
    session, messages = resolver.session(), []
    for speaker, text in [*CHAT, *random_chat(8, seed=1)]:
        messages.append((speaker, text))
        result = session.add(text, speaker=speaker)
        whole = resolver(in_dialogue_form(messages), dialogue=True)
        assert result.document.sentences == whole.document.sentences
        assert result.document.speakers == whole.document.speakers
        assert result.spans == whole.spans
        ours = [[(m.text, m.antecedent, m.antecedent_score) for m in cluster] for cluster in result]
        assert ours == [[(m.text, m.antecedent, m.antecedent_score) for m in cluster] for cluster in whole]


def test_mentions_have_correct_offsets(fake_resolver):
    session = fake_resolver.session()
    results = [session.add(text, speaker=speaker) for speaker, text in CHAT]
    result = results[-1]
    assert result.document.text == "\n".join(text for _, text in CHAT)
    for entity in result:
        for mention in entity:
            assert result.document.text[mention.begin_char : mention.end_char] == mention.text
            message = result.message_of(mention)
            begin = mention.begin_char - message.begin_char
            assert message.text[begin : begin + len(mention.text)] == mention.text
            if mention.text in ("I", "my"):
                assert message.speaker == CHAT[message.number][0]
    assert [entity.number for entity in result] == [2, 1, 3]
    assert [entity.label for entity in result] == ["I", "Zoe", "my"]
    assert "[2 I] think [1 Zoe] knows." in result.annotated()
    assert results[1].changes.started == (1,)
    assert results[2].changes.started == (2,) and [m.text for m in results[2].changes.moved] == ["I"]
    assert json.loads(json.dumps(result.to_dict()))["entities"][1] == {
        "number": 1,
        "label": "Zoe",
        "forgotten": 0,
    }


def test_beyond_the_window_an_entity_keeps_its_number(fake_resolver):
    session = fake_resolver.session(max_words=12)
    for text in ("Zoe left.", "she was late.", "her car broke.", "we waited."):
        result = session.add(text)
    assert [message.number for message in result.messages] == [1, 2, 3]
    (entity,) = result
    assert (entity.number, entity.label, entity.forgotten) == (1, "Zoe", 1)
    assert [mention.text for mention in entity] == ["she", "her"]
    assert entity[0].antecedent is None and entity[0].antecedent_score > 0 and entity[1].antecedent == 0
    assert [tuple(m) for m in result.changes.settled] == [(0, 0, 0, "Zoe", 1, 1)]
    assert str(result) == "session: message 4, 11 words in the window\n  1  (Zoe, 1 before) she · her"
    for _ in range(3):
        result = session.add("we waited and waited.")
    assert len(result) == 0
    session.add("Zoe came.")
    assert session.add("she came.").changes.started == (2,)


def test_a_long_message_is_read_whole_and_alone(fake_resolver):
    session = fake_resolver.session(max_words=5)
    session.add("Zoe left.")
    result = session.add("Zoe came, and she sat, and Ben saw her.")
    assert len(result.messages) == 1 and [m.text for m in result[0]] == ["Zoe", "she", "her"]


def test_words_may_be_given(fake_resolver):
    session = fake_resolver.session()
    session.add([["Zoe", "left", "."]], speaker="Ana")
    result = session.add([["Did", "she", "?"]], speaker="Ben")
    assert result.document.text is None and result[0][1].begin_char is None
    assert result.document.speakers == (("Ana",) * 3, ("Ben",) * 3)
    assert result.message_of(result[0][1]).number == 1


@pytest.mark.parametrize("kind", ["fake_resolver", "resolver"])
def test_entity_numbers_are_consistent_and_memory_is_bounded(kind, request):
    session = request.getfixturevalue(kind).session(max_words=40)
    known: dict[tuple[int, int, int], int] = {}
    for number, (speaker, text) in enumerate(random_chat(60, seed=2)):
        result = session.add(text, speaker=speaker)
        assert result.messages[-1].number == number
        assert result.document.num_words <= 40 and len(result.messages) <= 40
        now = {}
        for entity in result:
            for mention in entity:
                message = result.message_of(mention)
                now[message.number, mention.start - message.start, mention.end - message.start] = (
                    entity.number
                )
        changes = result.changes
        for mention in changes.settled:
            assert known.pop(tuple(mention[:3])) == mention.entity
        moved = {tuple(mention[:3]): (mention.before, mention.entity) for mention in changes.moved}
        for key in {*known, *now}:
            before, after = known.get(key), now.get(key)
            if key[0] < number and changes.merged.get(before, before) != after:
                assert moved[key] == (before, after)
        assert set(now.values()) - set(known.values()) >= set(changes.started)
        known = now
    for kept in (session._records, session._mentions, session._numbers.numbers, session._numbers._ended):
        assert len(kept) <= 200


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda r: r.session(max_words=0), "max_words must be a positive integer. Received: 0"),
        (lambda r: r.session(max_words="5"), "max_words must be a positive integer. Received: '5'"),
        (lambda r: r.session().add("Hi.", speaker=""), "speaker must be a name"),
        (lambda r: r.session().add("Hi.", speaker=5), "speaker must be a name"),
        (lambda r: r.session().add(5), "expected a text, lists of the words"),
    ],
)
def test_invalid_messages_are_refused(fake_resolver, call, message):
    with pytest.raises(CorefError, match=re.escape(message)):
        call(fake_resolver)


def test_a_refused_message_leaves_the_session_unchanged():
    class Model(FakeModel):
        def predict(self, document, details=False):
            if "refuse" in document.words:
                raise CorefError("too long")
            return super().predict(document, details)

    session = Resolver(Model()).session(max_words=7)
    session.add("Zoe left.")
    for text in ("a \ud800", "refuse this one, which is longer."):
        with pytest.raises(CorefError):
            session.add(text)
    result = session.add("she ran.")
    assert [message.number for message in result.messages] == [0, 1] and len(result) == 1
