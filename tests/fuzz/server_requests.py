"""Fuzzes the server with request bodies of damaged JSON; `cases.py` explains how to run the fuzzer."""

import functools
import json
import random
from typing import Any

from cases import Case, Fuzzer
from structured import mutate_json, mutate_text

WORDS = {
    "tokens": [["Ana", "left", ".", ""], ["She", "ran", "back", "."]],
    "speakers": [["Ana", "Ana", "Ana", ""], ["Ben", "Ben", "Ben", "Ben"]],
    "genre": "nw",
}
# A request of the page, and requests in both forms of TensorFlow Serving's API with both signatures.
BODIES: list[tuple[str, dict[str, Any]]] = [
    ("page", {"text": "Ana: I left. She ran.\nBen: Zoe said she saw her!", "dialogue": True, "min_probability": 0.3}),
    ("predict", {"signature_name": "text", "inputs": {"text": "Ana left. She ran."}, "min_probability": 0.5}),
    ("predict", {"signature_name": "text", "instances": ["Ana left. She ran.", {"text": "Zoe and her Ben."}]}),
    ("predict", {"inputs": WORDS}),
    ("predict", {"signature_name": "serving_default", "instances": [WORDS, WORDS]}),
]  # fmt: skip


@functools.cache
def served() -> Any:
    """Returns a fake model, which takes almost no time."""
    from fake_model import FakeModel

    return FakeModel().served()


def answer(kind: str, body: bytes) -> bytes:
    """Returns the server's answer to a body."""
    from coref_tf.serving.answers import answer_page, answer_predict
    from coref_tf.serving.limits import Deadline, Limits
    from coref_tf.serving.requests import read_page_request, read_predict_request

    limits = Limits(max_words=3000)
    if kind == "page":
        return answer_page({"coref": served()}, read_page_request(body, limits), Deadline(60))
    return answer_predict(served(), read_predict_request(body, limits), Deadline(60))


def check_answer(content: bytes) -> None:
    """Checks that the answer is standard JSON, without NaN or infinity."""

    def refuse(name: str) -> None:
        raise AssertionError(f"{name} in an answer")

    assert isinstance(json.loads(content, parse_constant=refuse), dict)


def damaged_request(number: int, seed: int) -> Case:
    """Returns a case with a damaged body."""
    source = random.Random(f"{seed}/request/{number}")
    kind, value = source.choice(BODIES)
    changed: Any = value
    for _ in range(source.choice([0, 1, 1, 2, 4])):
        changed = mutate_json(changed, source)
    content = json.dumps(changed, ensure_ascii=source.random() < 0.5)
    if source.random() < 0.3:
        content = mutate_text(content, source)
    body = content.encode("utf-8", "surrogatepass")
    if source.random() < 0.1:
        place = source.randrange(len(body) + 1)
        body = body[:place] + source.randbytes(2) + body[place:]
    return Case(f"{kind}: {body[:600]!r}", lambda: answer(kind, body), check_answer)


FUZZER = Fuzzer(__file__, damaged_request, refusals=("RequestError",), per_process=3000)

if __name__ == "__main__":
    FUZZER.main()
