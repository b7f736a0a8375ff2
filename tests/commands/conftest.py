import json

import pytest
from command import import_reference


@pytest.fixture
def trained_small(tmp_path):
    """The experiments file of the imported reference model, and a corpus for which it predicts some correct links."""
    import_reference(tmp_path)
    conf, corpus = tmp_path / "experiments.conf", tmp_path / "docs.jsonlines"
    # The weights are random. With every word in one of two gold clusters, some predicted links are correct.
    documents = [json.loads(line) for line in corpus.read_text().splitlines()]
    for document in documents:
        count = sum(map(len, document["sentences"]))
        document["clusters"] = [[[n, n] for n in range(first, count, 2)] for first in (0, 1)]
    corpus.write_text("".join(json.dumps(document) + "\n" for document in documents))
    return conf, corpus
