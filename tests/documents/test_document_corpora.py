"""The corpora beside the checkout are read completely and written again without loss."""

import pytest

from coref_tf.documents import open_writer, read_documents
from coref_tf.documents.conll_blocks import read_blocks
from coref_tf.documents.stats import count

FULL = [
    pytest.param(
        f"{corpus}/{split}.english.v4_gold_conll", marks=[pytest.mark.slow] if split == "train" else []
    )
    for corpus in ("ontogum", "litbank")
    for split in ("train", "dev")
]


def test_every_conll_file_reads(shared):
    paths = sorted((shared / "data").glob("*/*_conll"))
    assert len(paths) == 8
    for path in paths:
        documents = sum(1 for _ in read_documents(path))
        assert documents == path.read_bytes().count(b"#begin document")


@pytest.mark.parametrize("name", FULL)
def test_reading_and_writing_reproduces_every_byte(shared, tmp_path, name):
    path = shared / "data" / name
    with open_writer(tmp_path / "copy.conll") as write:
        for document in read_documents(path):
            write(document)
    assert (tmp_path / "copy.conll").read_bytes() == path.read_bytes()


@pytest.mark.parametrize("name", FULL)
def test_clusters_survive_jsonlines(shared, tmp_path, name):
    path = shared / "data" / name
    for source, target in [(path, "a.jsonlines"), (tmp_path / "a.jsonlines", "b.conll")]:
        with open_writer(tmp_path / target) as write:
            for document in read_documents(source):
                write(document)
    for before, after in zip(read_documents(path), read_documents(tmp_path / "b.conll"), strict=True):
        assert set(after.clusters) == set(before.clusters) and len(after.clusters) == len(before.clusters)
        assert after.with_clusters(()) == before.with_clusters(())


@pytest.mark.parametrize(
    ("corpus", "documents", "words", "mentions", "clusters", "wide"),
    [("ontogum", 177, 177_410, 23_320, 5_311, "2.1%"), ("litbank", 80, 167_577, 22_988, 6_459, "1.8%")],
)
def test_stats(shared, corpus, documents, words, mentions, clusters, wide):
    stats = count(read_documents(shared / "data" / corpus / "train.english.v4_gold_conll"))
    assert (stats.documents, stats.words, stats.mentions, stats.clusters) == (
        documents,
        words,
        mentions,
        clusters,
    )
    assert f"mentions wider than 10  {wide}" in str(stats)


def test_every_scorer_file_is_read_as_blocks(shared):
    for path in sorted((shared / "scorer").glob("*/*.[kr]e*")):
        for block in read_blocks(path):
            assert block.rows and b"".join(block.lines).count(b"\n") >= len(block.rows)
