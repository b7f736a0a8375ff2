"""A folder of texts with the annotations and drafts beside them."""

import json

import pytest

from coref_tf.annotation.folder import AnnotationFolder, Draft
from coref_tf.annotation.session import annotated_document
from coref_tf.documents import read_documents
from coref_tf.documents.formats import lint
from coref_tf.documents.inputs import find_inputs
from coref_tf.documents.text import document_from_text
from coref_tf.support.errors import CorefError

TEXT = "Ana met Dr.\n\nBen Lund. She left."


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "news").mkdir()
    (tmp_path / "news" / "ferry.txt").write_text(TEXT)
    (tmp_path / "notes.md").write_text("# Notes\n\nAna *left*.")
    (tmp_path / "other.jsonlines").write_text("")
    (tmp_path / ".hidden.txt").write_text("no")
    return AnnotationFolder(tmp_path)


def test_the_texts_of_a_folder(folder, tmp_path):
    assert folder.names() == ["news/ferry.txt", "notes.md"]
    assert folder.read_text("notes.md") == "Notes\n\nAna left."
    for name in ("../x.txt", "/etc/passwd", "news/none.txt", "other.jsonlines", ""):
        with pytest.raises(CorefError, match="there is no text"):
            folder.require(name)
    with pytest.raises(CorefError, match="no such folder; expected one with texts"):
        AnnotationFolder(tmp_path / "none")
    (tmp_path / "empty").mkdir()
    with pytest.raises(CorefError, match="contains no texts; expected files such as"):
        AnnotationFolder(tmp_path / "empty")


def test_saved_annotations_are_training_documents(folder, tmp_path):
    document = document_from_text(TEXT, "open/news/ferry.txt")
    assert [len(sentence) for sentence in document.sentences] == [3, 3, 3]
    # The mention (2, 4) crosses a wrong sentence boundary, and the second cluster is a singleton.
    clusters = [[(6, 6), (0, 0)], [(2, 4)], [(2, 4), (3, 3)]]
    annotated = annotated_document(document, clusters)
    folder.write_draft("news/ferry.txt", Draft(clusters, "x", "", 1))
    assert folder.state("news/ferry.txt") == "draft"
    folder.save("news/ferry.txt", annotated)
    assert folder.state("news/ferry.txt") == "annotated" and folder.read_draft("news/ferry.txt") is None
    path = tmp_path / "news" / "ferry.txt.jsonlines"
    (read,) = read_documents(path)
    assert read == annotated == folder.read_annotation("news/ferry.txt")
    assert read.clusters == (((0, 0), (6, 6)), ((2, 4), (3, 3)))
    assert [len(sentence) for sentence in read.sentences] == [6, 3]
    assert [read.text[begin:end] for begin, end in read.offsets] == list(read.words)
    assert (read.genre, read.text, read.speakers[0][0]) == ("open", TEXT, "-")
    # As an input, the folder stands for the annotation, without the text itself.
    assert str(path) in find_inputs([str(tmp_path)])
    assert str(tmp_path / "news" / "ferry.txt") not in find_inputs([str(tmp_path)])
    assert lint(path) == []


def test_invalid_clusters_are_refused():
    document = document_from_text("Ana left.", "x")
    with pytest.raises(CorefError, match=r"mention \(1, 3\) is outside the text of 3 words"):
        annotated_document(document, [[(0, 0), (1, 3)]])
    with pytest.raises(CorefError, match="occurs twice"):
        annotated_document(document, [[(0, 0), (0, 0)]])
    assert annotated_document(document, []).clusters == ()


def test_drafts_are_never_lost(folder, tmp_path):
    folder.write_draft("notes.md", Draft([[(0, 0)]], "x", "", 2))
    folder.write_draft("notes.md", Draft([], "x", "", 1))  # an older draft that arrives late
    assert folder.read_draft("notes.md") == Draft([[(0, 0)]], "x", "", 2)
    folder.write_draft("notes.md", Draft([], "y", "", 1))  # the text has changed
    kept = tmp_path / ".coref-drafts" / "notes.md.json.x"
    assert folder.read_draft("notes.md").tokens == "y" and json.loads(kept.read_text())["time"] == 2
    (tmp_path / ".coref-drafts" / "notes.md.json").write_text("{")
    assert folder.read_draft("notes.md") is None
