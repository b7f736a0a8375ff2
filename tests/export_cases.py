"""A small trained experiment, documents, and what compares an exported model with the Predictor."""

import dataclasses

import numpy as np
import tensorflow as tf
from random_documents import small_experiment

from coref_tf.checkpoints import Checkpoint, best_checkpoint_path, model_settings, write_checkpoint
from coref_tf.documents import Document
from coref_tf.features.characters import CharacterVocabulary
from coref_tf.model import CorefModel

WORDS = [
    "the",
    "The",
    "ANA",
    "Ana",
    "she",
    "harbour",
    "council",
    "-LRB-",
    "``",
    "and\\/or",
    "qzxv",
    "ÉTÉ",
    "漢字",
]

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


def train(folder, name="small", seed=0, **changes):
    """An experiment whose best checkpoint has random weights."""
    glove, turian = small_experiment().embeddings
    embeddings = (
        dataclasses.replace(glove, fallback_lowercase=True, plain_brackets=True),
        dataclasses.replace(turian, lowercase=True),
    )
    changes = {"embeddings": embeddings, "log_root": folder} | changes
    experiment = dataclasses.replace(small_experiment(), name=name, **changes)
    characters = CharacterVocabulary.read(experiment.char_vocab_path)
    generator = np.random.default_rng(seed)
    model = CorefModel(experiment, len(characters))
    variables = {
        variable.name.removesuffix(":0"): generator.normal(scale=0.5, size=variable.shape)
        for variable in model.variables
    }
    checkpoint = Checkpoint(model_settings(experiment), list(characters.characters), variables)
    write_checkpoint(best_checkpoint_path(experiment), checkpoint)
    return experiment


def random_document(generator, genre="nw"):
    """A few sentences, one of them perhaps empty."""
    lengths = generator.integers(0, 12, size=int(generator.integers(1, 7)))
    sentences = [[str(generator.choice(WORDS)) for _ in range(length)] for length in lengths]
    speakers = [[str(generator.integers(2)) for _ in sentence] for sentence in sentences]
    return Document(f"{genre}/x", sentences, speakers)


def padded(rows):
    """Rows of strings as a tensor, string [rows, longest]."""
    longest = max(map(len, rows), default=0)
    rows = [[*row, *[""] * (longest - len(row))] for row in rows]
    return tf.constant(rows, tf.string, shape=[len(rows), longest])


def as_request(document):
    """The inputs of serving_default."""
    tokens, speakers = padded(document.sentences), padded(document.speakers)
    return {"tokens": tokens, "speakers": speakers, "genre": tf.constant(document.genre)}


def clusters(result):
    """The clusters of a result, as a Prediction has them."""
    found = {}
    names = ("mention_clusters", "mention_starts", "mention_ends")
    for number, start, end in zip(*(np.asarray(result[name]).tolist() for name in names), strict=True):
        found.setdefault(number, []).append((start, end))
    assert list(found) == list(range(len(found)))
    return list(found.values())


def check_result(result, prediction):
    """The result says what the prediction, with details, says."""
    output = prediction.output
    assert clusters(result) == prediction.clusters
    tops = zip(result["top_span_starts"].numpy(), result["top_span_ends"].numpy(), strict=True)
    assert list(tops) == prediction.top_spans
    scores = output.antecedents.scores
    mentions = [
        prediction.top_spans.index(span)
        for span in zip(result["mention_starts"].numpy(), result["mention_ends"].numpy(), strict=True)
    ]
    np.testing.assert_allclose(
        result["mention_scores"], output.top_span_mention_scores[mentions], atol=1e-5, rtol=1e-5
    )
    probabilities = tf.nn.softmax(scores).numpy().max(axis=1, initial=0)
    np.testing.assert_allclose(result["antecedent_probability"], probabilities[mentions], atol=1e-5)
    for row, mention in zip(result["head_attention"].numpy(), mentions, strict=True):
        start, end = prediction.top_spans[mention]
        expected = tf.nn.softmax(output.head_scores[start : end + 1])
        np.testing.assert_allclose(row[: end - start + 1], expected, atol=1e-5)
        assert not row[end - start + 1 :].any()
