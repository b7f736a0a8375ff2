"""Reading and writing BRAT's standoff format and Label Studio's JSON."""

import json
import zipfile
from types import SimpleNamespace

import pytest
from annotation_samples import ANN, TEXT
from command import call

from coref_tf.documents import Document, open_writer, read_documents
from coref_tf.documents.formats import lint
from coref_tf.documents.inputs import find_inputs
from coref_tf.support.errors import CorefError, InputError


@pytest.fixture
def brat(tmp_path):
    (tmp_path / "visit.txt").write_text(TEXT, encoding="utf-8")
    (tmp_path / "visit.ann").write_text(ANN, encoding="utf-8")
    return tmp_path / "visit.ann"


def texts(document):
    return [
        [document.text[document.offsets[s][0] : document.offsets[e][1]] for s, e in c]
        for c in document.clusters
    ]


EXPECTED = [["Marta", "she", "her"], ["Dr. Roy\nBell", "her doctor", "He"], ["waved"]]


def test_brat_is_read_beside_its_text(brat):
    [document] = read_documents(brat)
    assert (document.doc_key, document.text) == ("visit", TEXT)
    assert texts(document) == EXPECTED, (
        "Equiv and Coreference link mentions, an unlinked Mention is a singleton, other types are ignored"
    )
    assert lint(brat) == []


def test_a_folder_has_the_text_once(brat, tmp_path):
    (tmp_path / "other.txt").write_text("Hm.")
    assert find_inputs([str(tmp_path)]) == [str(tmp_path / "other.txt"), str(brat)]
    assert find_inputs([f"{tmp_path}/visit.*"]) == [str(brat)]
    assert find_inputs([str(tmp_path / "visit.txt")]) == [str(tmp_path / "visit.txt")], (
        "an explicit path is read"
    )


@pytest.mark.parametrize("name", ["copy.ann", "copy.brat.zip", "copy.labelstudio.json"])
def test_annotation_formats_round_trip(brat, tmp_path, name):
    target = tmp_path / "out" / name
    target.parent.mkdir()
    assert call("documents", "convert", brat, target) == 0
    [document], [again] = read_documents(brat), read_documents(target)
    assert (again.text, again.words, again.clusters) == (document.text, document.words, document.clusters)
    first = target.read_bytes()
    assert call("documents", "convert", brat, target) == 0
    assert target.read_bytes() == first, "writing over the existing files must give the same content"


@pytest.mark.parametrize("name", ["all.brat.zip", "all.labelstudio.json"])
def test_many_documents_with_words_alone(tmp_path, ferry, name):
    assert call("documents", "convert", ferry, tmp_path / name) == 0
    documents, again = list(read_documents(ferry)), list(read_documents(tmp_path / name))
    assert sorted(d.key for d in documents) == sorted(d.key for d in again)
    by_key = {document.key: document for document in again}
    for document in documents:
        mentions = sorted(
            sorted(" ".join(document.words[s : e + 1]) for s, e in c) for c in document.clusters
        )
        copy = by_key[document.key]
        assert (
            sorted(sorted(" ".join(copy.words[s : e + 1]) for s, e in c) for c in copy.clusters) == mentions
        )


def test_predictions_are_written_as_label_studio_predictions(tmp_path):
    from coref_tf.documents.format import Writing
    from coref_tf.documents.formats import all_formats

    document = Document("x/y", [["Ana", "said", "she", "left", "."]])
    form = all_formats()["label-studio"]
    with open(tmp_path / "x.labelstudio.json", "wb") as file, form.open(file, Writing()) as write:
        write(document, SimpleNamespace(clusters=[[(0, 0), (2, 2)]]))
    [task] = json.loads((tmp_path / "x.labelstudio.json").read_text())
    assert task["data"] == {"text": "Ana said she left.", "doc_key": "x/y_0"} and "annotations" not in task
    regions = task["predictions"][0]["result"]
    assert [region["value"]["text"] for region in regions[:2]] == ["Ana", "she"]
    assert (regions[2]["from_id"], regions[2]["to_id"]) == ("1-2", "1-1")
    [again] = read_documents(tmp_path / "x.labelstudio.json")
    assert again.clusters == (((0, 0), (2, 2)),)


def test_no_sentence_ends_inside_a_mention(tmp_path):
    (tmp_path / "x.txt").write_text("We met the Hm. Band today. They sang.")
    (tmp_path / "x.ann").write_text(
        "T1\tMention 7 19\tthe Hm. Band\nT2\tMention 27 31\tThey\n*\tEquiv T1 T2\n"
    )
    [document] = read_documents(tmp_path / "x.ann")
    assert texts(document) == [["the Hm. Band", "They"]] and len(document.sentences) == 2


def test_a_mention_that_cuts_through_a_word_is_extended_and_reported(tmp_path):
    (tmp_path / "x.txt").write_text("Bakers sang.")
    (tmp_path / "x.ann").write_text("T1\tMention 0 5\tBaker\n")
    [document] = read_documents(tmp_path / "x.ann")
    assert document.clusters == (((0, 0),),)
    assert str(lint(tmp_path / "x.ann")[0]).endswith(
        ":1: T1, 'Baker', cuts through a word; extended to 'Bakers'"
    )


@pytest.mark.parametrize(
    ("ann", "message"),
    [
        ("T1 Mention 0 5 Marta\n", ":1: 'T1 Mention 0 5 Marta'; expected a mention such as"),
        ("T1\tMention 0 5\tIvo\n", ":1: T1 is 'Ivo' here, but 'Marta' in the text"),
        ("T1\tMention 0 5\nT1\tMention 0 5\n", ":2: T1 is defined twice"),
        ("T1\tMention 0 999\n", ":1: T1 covers characters 0 to 999; expected a range within"),
        ("T1\tMention 0 5\n*\tEquiv T1 T2\n", ":2: T2 is linked, but not defined"),
        ("R1\tCoreference\n", ":1: 'R1\\tCoreference'; expected"),
        ("T1\tMention 0 5\nT2\tMention 0 5\n*\tEquiv T1 T2\n", ':2: mention (0, 0) "Marta" occurs twice'),
        ("T1\tMention 0 5\tMart\xff\n", ":1: byte 20"),
    ],
)
def test_errors_in_brat_files_have_line_numbers(brat, ann, message):
    brat.write_bytes(ann.encode("latin-1"))
    with pytest.raises(InputError) as error:
        list(read_documents(brat))
    assert message in str(error.value) and str(error.value) in map(str, lint(brat))


def test_brat_with_a_missing_or_different_text(brat, tmp_path, ferry):
    (tmp_path / "alone.ann").write_text(ANN)
    with pytest.raises(InputError, match=r"alone.ann:1: the text file is missing; expected .*alone.txt"):
        list(read_documents(tmp_path / "alone.ann"))
    (tmp_path / "taken.txt").write_text("Something else.")
    another = pytest.raises(CorefError, match=r"taken.txt: differs from the text of the document")
    with another, open_writer(tmp_path / "taken.ann") as write:
        write(next(iter(read_documents(brat))))
    second = pytest.raises(CorefError, match=r"a .ann file holds only one document, but .* is a second")
    with second, open_writer(tmp_path / "two.ann") as write:
        for document in read_documents(ferry):
            write(document)
    assert not list(tmp_path.glob("two.*"))


def test_errors_in_archives_are_one_line(tmp_path):
    path = tmp_path / "x.brat.zip"
    path.write_bytes(b"PK no archive")
    with pytest.raises(CorefError, match="cannot be unpacked"):
        list(read_documents(path))
    for names, message in [
        (["a.txt"], "contains no .ann file"),
        (["a.ann"], "a.ann:1: the text file is missing"),
    ]:
        with zipfile.ZipFile(path, "w") as archive:
            for name in names:
                archive.writestr(name, "")
        with pytest.raises(InputError, match=message):
            list(read_documents(path))


def task(*results, text="Ana 🙂 left. She ran."):
    return {"data": {"text": text}, "annotations": [{"was_cancelled": True}, {"result": list(results)}]}


def region(name, start, end, **value):
    return {
        "id": name,
        "type": "labels",
        "value": {"start": start, "end": end, "labels": ["Person"], **value},
    }


def test_label_studio_offsets_may_count_utf_16_units(tmp_path):
    path = tmp_path / "x.labelstudio.json"
    link = {"type": "relation", "from_id": "b", "to_id": "a"}
    for begin in (12, 13):  # the emoji is one code point, or two UTF-16 units
        path.write_text(
            json.dumps([task(region("a", 0, 3, text="Ana"), region("b", begin, begin + 3, text="She"), link)])
        )
        [document] = read_documents(path)
        assert texts(document) == [["Ana", "She"]] and document.doc_key == "x-1"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[", "1: bad JSON: "),
        ("[]", "1: the file contains no task; expected a list of Label Studio tasks"),
        ("{}", "1: expected a list of tasks"),
        ('[\n{"data": {}}]', '2: the task has no text; expected {"data": {"text": "..."}}'),
        (json.dumps([task(region("a", 3, 1))]), "1: region 'a' has start 3 and end 1"),
        (
            json.dumps([task(region("a", 0, 3, text="Ivo"))]),
            "1: region 'a' has the text 'Ivo', but covers 'Ana'",
        ),
        (
            json.dumps([task({"type": "relation", "from_id": "a", "to_id": "b"})]),
            "1: a relation names region 'a'",
        ),
        (json.dumps([task(text="ok."), task(text=" ")], indent=1), "15: document x-2 is empty"),
    ],
)
def test_errors_in_label_studio_files_have_line_numbers(tmp_path, content, message):
    path = tmp_path / "x.labelstudio.json"
    path.write_text(content)
    with pytest.raises(InputError) as error:
        list(read_documents(path))
    assert f":{message}" in str(error.value) and str(error.value) in map(str, lint(path))
