"""Reading of key and response files."""

import random

import pytest
from oracles import crosses

from coref_tf.documents.conll import ConllWriter
from coref_tf.documents.document import Document
from coref_tf.scoring.conll_pairs import read_pairs
from coref_tf.support.errors import CorefError


def read(path) -> dict[str, list[list]]:
    return {name: key for name, key, _ in read_pairs(path, path, allow_repeated=True)}


def random_document(rng: random.Random, name: str) -> Document:
    """A document whose mentions, some of them nested, are in random clusters."""
    words = rng.randint(1, 25)
    mentions = []
    for _ in range(rng.randint(0, 12)):
        start = rng.randrange(words)
        mention = (start, min(words - 1, start + rng.choice([0, 0, 1, 3, 8])))
        if mention not in mentions and not any(crosses(mention, other) for other in mentions):
            mentions.append(mention)
    clusters = [[] for _ in range(3)]
    for mention in mentions:
        rng.choice(clusters).append(mention)
    return Document(name, [["word"] * words], clusters=[cluster for cluster in clusters if cluster])


@pytest.mark.parametrize("separator", ["|", ""])
def test_written_documents_are_read_back(tmp_path, separator):
    rng = random.Random(11)
    documents = [random_document(rng, f"nw/{i}") for i in range(200)]
    path = tmp_path / "written.conll"
    with open(path, "wb") as file:
        write = ConllWriter(file)
        for document in documents:
            write(document)
    path.write_text(path.read_text().replace("|", separator))
    clusters = read(path)
    assert len(clusters) == 200
    for document in documents:
        read_back = {frozenset(cluster) for cluster in clusters[document.key]}
        assert read_back == {frozenset(cluster) for cluster in document.clusters}


def test_clusters_are_in_the_order_of_the_official_scorer(write_conll):
    # At each word, one-word mentions come before those that begin there, so 4 is before 3, and 3 before 2.
    path = write_conll("key", {"nw/x 0": "(3|(2|(4) 2)|3) (2)"})
    assert read(path) == {"nw/x_0": [[(0, 0)], [(0, 1)], [(0, 1), (2, 2)]]}


def test_random_brackets_are_read_or_refused(tmp_path):
    rng = random.Random(13)
    path = tmp_path / "random.conll"
    refused = 0
    for _ in range(1000):
        tokens = [rng.choice(["({}", "{})", "({})", "{}"]).format(rng.choice("123")) for _ in range(8)]
        labels = [rng.choice(["-", "{}", "{}|{}", "{}{}{}"]).format(*rng.sample(tokens, 3)) for _ in range(4)]
        rows = "".join(f"x\t0\t{i}\tword\t{label}\n" for i, label in enumerate(labels))
        path.write_text(f"#begin document (x); part 000\n{rows}\n#end document\n")
        try:
            read(path)
        except CorefError as error:
            assert str(error).startswith(f"{path}:")
            refused += 1
    assert 100 < refused < 990
