"""Text splitting inside the graph: as the Python tokenizer does it, to the character."""

import re
from pathlib import Path

import pytest
import tensorflow as tf
from export_cases import check_result

from coref_tf.documents import read_documents
from coref_tf.documents.text import document_from_text
from coref_tf.export.sentences import split_sentences
from coref_tf.export.text import TextSplitter

SAMPLE = Path(__file__).resolve().parents[2] / "data" / "sample"


@pytest.fixture(scope="module")
def split():
    """text -> (offsets, words of each sentence), by the graph."""
    splitter = TextSplitter()

    @tf.function(input_signature=[tf.TensorSpec([], tf.string)], autograph=False)
    def run(text):
        return split_sentences(splitter(text))

    def split(text):
        tokens, lengths = run(text)
        offsets = list(zip(tokens.begins.numpy().tolist(), tokens.ends.numpy().tolist(), strict=True))
        words = [word.decode() for word in tokens.words.numpy()]
        assert words == [re.sub("[\ufdd0-\ufdd2]", "\ue000", text[begin:end]) for begin, end in offsets]
        assert sum(lengths.numpy()) == len(words)
        ends = tf.cumsum(lengths).numpy().tolist()
        begins = [0, *ends[:-1]][: len(ends)]
        return offsets, [tuple(words[b:e]) for b, e in zip(begins, ends, strict=True)]

    return split


TEXTS = [
    "",
    " \n\t ",
    "Hello",
    "Dr. Roy isn't in. Call.",
    'He said "Stop." Then he left. (She did too.) "Why?" he asked.',
    "Plan B. It failed. So did I. Ana F. Roy and J. K. Rowling left. It was I. Nobody knew.",
    "I. The beginning\n\n1. First. 2. Second.\n- one\n* two\n10) three",
    "See No. 5, Figs. 3 and 4, p. 12 and vol. 3. No. That's all.",
    "It grew.[12] Then it shrank [3]. And [4] again.[5][6] It `` ended ''.",
    "e.g. this, i.e. that; the U.S. He went to the U.K. in May. The U.N. agreed. Smith vs. Jones.",
    "all in small letters. as people write. who cares? nobody... really!",
    "Wait... what?! No!!! Yes… And then…",
    "a-b-c x--y 3-4 rock’n’roll don’t can't 'em 'Cause $5m £3.50 10% 5km. 20°C. C++ +5 =)",
    "http://example.org/a?b=c. Write to ana@example.org, or see www.example.com.",
    "Ünïcödé «guillemets» „quotes“ 漢字。한국어! 😀 👩‍👩‍👧 ok.",
    "seat 31B. Next. vitamin C. Good.",
    "one\r\rtwo\fthree\u2029four\x1cfive\u00a0six\u3000seven",
    "((([[[{{{nested}}}]]]))) ,,, ;;; ''two'' (40):",
    "word,word word/word word:word 1990s-2000s end.Next x.y.z",
]


@pytest.mark.parametrize("text", TEXTS)
def test_as_the_python_tokenizer(split, text):
    document = document_from_text(text, "x")
    offsets, sentences = split(text)
    assert tuple(offsets) == document.offsets
    assert tuple(sentences) == document.sentences


def test_a_text_with_the_marks_themselves(split):
    text = "private \ufdd0\ufdd1\ufdd2use\ufdd2."
    assert tuple(split(text)[0]) == document_from_text(text, "x").offsets


def test_agreement_on_the_bundled_corpus(split):
    """More than 99.9 % of tokens and of sentences are the same."""
    equal, total = [0, 0], [0, 0]
    for name in ("dev", "test"):
        for document in read_documents(SAMPLE / f"{name}.jsonlines"):
            document = document_from_text(document.text, "x")
            offsets, sentences = split(document.text)
            theirs = [set(document.offsets), _places(document.offsets, document.sentences)]
            for kind, mine in enumerate([set(offsets), _places(offsets, sentences)]):
                equal[kind] += len(mine & theirs[kind])
                total[kind] += len(mine | theirs[kind])
    assert total[0] > 8000
    assert equal[0] / total[0] > 0.999 and equal[1] / total[1] > 0.999, (equal, total)


def _places(offsets, sentences):
    """Where each sentence begins and ends in the text."""
    offsets = iter(offsets)
    places = [[next(offsets) for _ in sentence] for sentence in sentences]
    return {(place[0][0], place[-1][1]) for place in places if place}


@pytest.mark.parametrize("flavour", ["fast", "portable"])
@pytest.mark.parametrize(
    "text", [*TEXTS, "The harbour council — Ana’s — met 😀. It voted, and Ana said she agreed."]
)
def test_the_signature_resolves_text(loaded, predictor, flavour, text):
    result = loaded[flavour]["text"](text=tf.constant(text))
    prediction = predictor.predict(document_from_text(text, "x"), details=True)
    check_result(result, prediction)
    mentions = zip(
        result["mention_begin_char"].numpy(),
        result["mention_end_char"].numpy(),
        result["mention_text"].numpy(),
        strict=True,
    )
    mentions = [(begin, end, mention.decode()) for begin, end, mention in mentions]
    assert all(text[begin:end] == mention for begin, end, mention in mentions)
    assert sorted(mention for *_, mention in mentions) == sorted(
        mention for cluster in prediction.summary()["predicted_mentions"] for mention in cluster
    )


@pytest.mark.parametrize("text", [b"caf\xe9", b"a\0b", b"\xed\xa0\x80"])
def test_what_is_no_text_is_refused(loaded, text):
    with pytest.raises(tf.errors.InvalidArgumentError, match="text must be UTF-8 without NUL characters"):
        loaded["portable"]["text"](text=tf.constant(text))


def test_a_long_run_of_signs_ends(split):
    """Signs are cut off one by one; what is left after a hundred is one token, where Python goes on."""
    offsets, _ = split("!" * 5000)
    assert offsets[0] == (0, 1) and offsets[-1] == (4999, 5000)
    assert len(offsets) == 201
