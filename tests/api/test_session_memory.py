"""The memory of a session does not grow with the number of its messages."""

import gc
import random
import tracemalloc

from fake_predictions import predicted

from coref_tf.api.session import Session
from coref_tf.documents import Document
from coref_tf.inference.prediction import Prediction

NAMES = ("Ana", "Ben", "Zoe", "she", "her")


def predict(document: Document) -> Prediction:
    """Links names and pronouns, some of them differently in each prediction."""
    spans = [(number, number) for number, word in enumerate(document.words) if word in NAMES]
    scores = [1.0] * len(spans)
    made = predicted(document, spans, scores, lambda i, j: 1.0 if (i + j) % 3 else -8.0, {})
    return Prediction.from_output(document, made.output)


def read(source, speaker: str) -> Document:
    return Document("session", source, [[speaker] * len(sentence) for sentence in source])


def test_memory_is_flat():
    source = random.Random(0)
    session = Session(predict, read, max_words=30, language="en")

    def traced_after(messages: int) -> int:
        for _ in range(messages):
            words = source.choices([*NAMES, "saw", "left", "it", "the"], k=6)
            session.add([words], speaker=source.choice(["Ana", "Ben"]))
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    try:
        before, after = traced_after(100), traced_after(160)
    finally:
        tracemalloc.stop()
    assert after - before < 4_000, "a session must keep less than 25 bytes for each message"
