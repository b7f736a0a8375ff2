import json

import pytest
from command import import_reference


@pytest.fixture
def trained_small(tmp_path):
    """The experiments file of the reference model, trained as it were, and a corpus that it has some links of."""
    import_reference(tmp_path)
    conf, corpus = tmp_path / "experiments.conf", tmp_path / "docs.jsonlines"
    # The model's weights are random: that it keeps some right spans, all words of two rows are made gold mentions.
    documents = [json.loads(line) for line in corpus.read_text().splitlines()]
    for document in documents:
        count = sum(map(len, document["sentences"]))
        document["clusters"] = [[[n, n] for n in range(first, count, 2)] for first in (0, 1)]
    corpus.write_text("".join(json.dumps(document) + "\n" for document in documents))
    return conf, corpus
