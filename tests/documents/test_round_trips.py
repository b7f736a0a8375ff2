"""Every writer's output reads back as the same document, however unusual; otherwise the writer refuses the document."""

import random

import pytest
from odd_documents import check_round_trip, odd_document

CASES = 400


@pytest.mark.parametrize(
    "name", ["x.jsonl", "x.conll", "x.conllu", "x.ann", "x.brat.zip", "x.labelstudio.json"]
)
def test_unusual_documents_round_trip(tmp_path, name):
    source, written = random.Random(f"round trip {name}"), 0
    for number in range(CASES):
        document = odd_document(source)
        try:
            written += check_round_trip(document, name, tmp_path)
        except Exception as error:
            raise AssertionError(f"case {number}: {document!r}: {error!r}") from error
    assert written > CASES / 10
