"""udapi, on which CorefUD's scorer is based, reads our CoNLL-U files with the same entities and without warnings."""

import logging

import pytest

from coref_tf.documents import open_writer, read_documents
from coref_tf.documents.text import document_from_text

udapi = pytest.importorskip("udapi.core.document", reason="udapi is a development requirement")


def entities_by_udapi(path, caplog):
    """Returns the mentions of each entity of a file, as sorted tuples of (sentence, first word, last word)."""
    from udapi.block.read.conllu import Conllu

    with caplog.at_level(logging.WARNING):
        document = udapi.Document()
        Conllu(files=[str(path)], strict=True).apply_on_document(document)
        sentences = {tree: number for number, tree in enumerate(document.trees)}
        found = [
            sorted((sentences[m.head.root], m.words[0].ord, m.words[-1].ord) for m in entity.mentions)
            for entity in document.coref_entities
        ]
    assert not [record for record in caplog.records if not record.name.startswith("coref_tf")]
    return sorted(found)


def entities_of(documents):
    """Returns the entities of documents in the same form, with sentences numbered across documents."""
    found, sentence = [], 0
    for document in documents:
        places = []
        for words in filter(None, document.sentences):
            places += [(sentence, number + 1) for number in range(len(words))]
            sentence += 1
        found += [sorted((*places[s], places[e][1]) for s, e in cluster) for cluster in document.clusters]
    return sorted(found)


def written(path, documents):
    with open_writer(path) as write:
        for document in documents:
            write(document)
    return path


def test_documents_of_another_format(tmp_path, ferry, caplog):
    documents = list(read_documents(ferry))
    assert len(documents) > 1 and "/" in documents[0].key
    assert entities_by_udapi(written(tmp_path / "x.conllu", documents), caplog) == entities_of(documents)


def test_a_text(tmp_path, caplog):
    document = document_from_text("Ana ran. She won. " * 300, "x").with_clusters([[(0, 0), (3, 3)], [(3, 5)]])
    path = written(tmp_path / "x.conllu", [document, document])
    assert entities_by_udapi(path, caplog) == entities_of([document, document])


def test_a_long_sentence(tmp_path, caplog):
    document = document_from_text("and " * 2000, "x").with_clusters([[(0, 5), (1990, 1999)]])
    assert entities_by_udapi(written(tmp_path / "x.conllu", [document]), caplog) == entities_of([document])


def test_new_clusters_for_conllu_documents(tmp_path, caplog, corefud):
    sale, talk = read_documents(corefud)
    changed = [sale.with_clusters([[(4, 4), (12, 13)], [(0, 1)]]), talk.with_clusters([[(0, 0), (2, 3)]])]
    assert entities_by_udapi(written(tmp_path / "x.conllu", changed), caplog)
    again = list(read_documents(tmp_path / "x.conllu"))
    assert [sorted(d.clusters) for d in again] == [sorted(d.clusters) for d in changed]


def test_merged_entities_have_one_type(tmp_path, caplog, corefud):
    sale, talk = read_documents(corefud)
    joined = sale.with_clusters(
        [[span for cluster in sale.clusters[:3] for span in cluster if span != (2, 3)]]
    )
    entities = entities_by_udapi(written(tmp_path / "x.conllu", [joined, talk]), caplog)
    assert len(entities) == 2, "udapi warns of an entity with two types"
