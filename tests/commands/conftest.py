import json
import shutil

import pytest
from command import call
from random_documents import REFERENCE


@pytest.fixture
def trained_small(tmp_path):
    """The experiments file of the reference model, trained as it were, and a corpus that it has some links of."""
    shutil.copytree(REFERENCE, tmp_path, dirs_exist_ok=True)
    conf, corpus = tmp_path / "experiments.conf", tmp_path / "docs.jsonlines"
    assert not call("import", tmp_path / "model.max.ckpt", "small", "--conf", conf)
    # The model's weights are random: that it keeps some right spans, all words of two rows are made gold mentions.
    documents = [json.loads(line) for line in corpus.read_text().splitlines()]
    for document in documents:
        count = sum(map(len, document["sentences"]))
        document["clusters"] = [[[n, n] for n in range(first, count, 2)] for first in (0, 1)]
    corpus.write_text("".join(json.dumps(document) + "\n" for document in documents))
    return conf, corpus
