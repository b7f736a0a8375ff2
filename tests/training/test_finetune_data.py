"""Which documents a fine-tuning run is trained on, and which are held out."""

import json

import pytest
from tiny_model import write_documents

from coref_tf.documents import Document, open_writer, read_documents
from coref_tf.support.errors import CorefError
from coref_tf.training.finetune_data import choose_held_out, gather_documents


@pytest.fixture
def corpus(tmp_path):
    return write_documents(tmp_path / "docs.jsonlines")


def test_a_fifth_is_held_out_depending_on_the_seed(corpus):
    data, again = (gather_documents(corpus, None, seed=3) for _ in range(2))
    assert (len(data.train), len(data.dev)) == (8, 2)
    assert data == again and data.fingerprint == again.fingerprint
    keys = {document.key for document in data.dev}
    assert not keys & {document.key for document in data.train}
    assert any("held out with seed 3: " in note and min(keys) in note for note in data.notes)
    other = gather_documents(corpus, None, seed=4)
    assert {document.key for document in other.dev} != keys and other.fingerprint != data.fingerprint


def test_the_number_of_held_out_documents():
    assert [len(choose_held_out(number, 0)) for number in (5, 10, 100, 1000)] == [1, 2, 20, 50]


def test_a_folder_of_several_formats_is_read(corpus, tmp_path):
    folder = tmp_path / "folder" / "inside"
    folder.mkdir(parents=True)
    documents = list(read_documents(corpus))
    for name, part in (("a.conll", documents[:5]), ("b.jsonlines", documents[5:])):
        with open_writer(folder / name) as write:
            for document in part:
                write(document)
    (folder / "raw.txt").write_text("Nobody has annotated this.\n")
    (folder / "notes.xyz").write_text("nor this\n")
    data = gather_documents(folder.parent, None, 0)
    assert len(data.train) + len(data.dev) == 10
    assert "1 document of the training data without clusters left out" in data.notes


def test_documents_and_paths_can_be_mixed(corpus):
    documents = list(read_documents(corpus))
    data = gather_documents(documents[:7], documents[7:], 0)
    assert (len(data.train), len(data.dev)) == (7, 3)
    more = Document("nw/x", [["Ana", "said", "she", "left", "."]], clusters=[[(0, 0), (2, 2)]])
    assert len(gather_documents([corpus, more], corpus, 0).train) == 1


def test_singletons_are_left_out(corpus, tmp_path):
    records = [json.loads(line) for line in corpus.read_text().splitlines()]
    for number, record in enumerate(records):
        record["clusters"] = [[[0, 0]], *(record["clusters"][1:] if number < 6 else [])]
    corpus.write_text("".join(json.dumps(record) + "\n" for record in records))
    data = gather_documents(corpus, None, 0)
    assert len(data.train) + len(data.dev) == 6
    assert all(len(cluster) > 1 for document in data.train for cluster in document.clusters)


def test_documents_of_the_dev_set_are_left_out_of_training(corpus, tmp_path):
    (tmp_path / "folder").mkdir()
    corpus.rename(tmp_path / "folder" / "train.jsonlines")
    dev = write_documents(tmp_path / "folder" / "dev.jsonlines", number=4, seed=1)
    data = gather_documents(tmp_path / "folder", dev, 0)
    assert (len(data.train), len(data.dev)) == (10, 4)
    assert "4 documents of the training data are also in the dev set and are left out" in data.notes


def test_too_few_documents_are_refused(tmp_path):
    path = write_documents(tmp_path / "docs.jsonlines", 4)
    with pytest.raises(CorefError, match=r"has only 4 documents with clusters; expected at least 5, "):
        gather_documents(path, None, 0)
    write_documents(tmp_path / "dev.jsonlines", 1, seed=1)
    assert len(gather_documents(path, tmp_path / "dev.jsonlines", 0).train) == 4


def test_annotated_text_comes_with_a_hint(tmp_path, capsys):
    (tmp_path / "a.txt").write_text("[ana|Ana] said [ana|she] was late.\n")
    with pytest.raises(CorefError, match="has no gold clusters in 1 document; expected annotated documents"):
        gather_documents(tmp_path, None, 0)
    assert capsys.readouterr().err.startswith("note: document a looks like annotated text, but is read as ")


def test_documents_without_gold_clusters_are_refused(corpus, tmp_path):
    (tmp_path / "raw.txt").write_text("Nobody has annotated this.\n")
    with pytest.raises(CorefError, match="the training data has no gold clusters in 1 document; expected"):
        gather_documents(tmp_path / "raw.txt", None, 0)
    with pytest.raises(CorefError, match="the dev set has no gold clusters in 1 document; expected"):
        gather_documents(corpus, tmp_path / "raw.txt", 0)


def test_training_data_equal_to_the_dev_set_is_refused(corpus):
    with pytest.raises(CorefError, match="every document of the training data is also in the dev set"):
        gather_documents(corpus, corpus, 0)


def test_invalid_documents_are_refused(corpus):
    with pytest.raises(CorefError, match=r"expected documents, or the paths of files .* Received: 3"):
        gather_documents([3], None, 0)
    with pytest.raises(CorefError, match=r"nowhere\.jsonlines: no such file"):
        gather_documents("nowhere.jsonlines", None, 0)
