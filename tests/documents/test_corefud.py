"""Reading and writing CorefUD's CoNLL-U: entities, mentions in parts and empty nodes."""

import random
import re
from pathlib import Path

import pytest
from command import call

from coref_tf.documents import Document, open_writer, read_documents
from coref_tf.documents.corefud import CorefudWriter
from coref_tf.documents.formats import lint
from coref_tf.support.errors import InputError

FIXTURE = Path(__file__).parent.parent / "fixtures" / "corefud.conllu"


def written(path, documents):
    with open_writer(path) as write:
        for document in documents:
            write(document)
    return path.read_text(encoding="utf-8")


def test_words_speakers_tags_and_entities():
    sale, talk = read_documents(FIXTURE)
    assert (sale.doc_key, sale.genre, talk.key) == ("fiction/prodej", "fiction", "talk")
    assert sale.sentences[1][:4] == ("Nechtěla", "_", "ho", ","), "the empty node is a word, and 8-9 is not"
    assert sale.pos[0][0] == "PROPN" and sale.num_words == 18
    assert sale.clusters == (
        ((0, 0), (2, 2), (8, 8)),
        ((2, 3),),
        ((5, 5), (9, 9), (14, 14)),
        ((15, 16),),  # the part of "ten starý ... se líbil" that contains its head, the third word
        ((16, 17),),
    )
    assert talk.speakers == (("Ana",) * 4,) and talk.clusters == (((0, 0), (2, 2)),)


def test_unchanged_documents_are_written_byte_for_byte(tmp_path):
    content = FIXTURE.read_bytes()
    for number, changed in enumerate(
        [content, b"\xef\xbb\xbf" + content, content.replace(b"\n", b"\r\n"), content[:-1]]
    ):
        source = tmp_path / f"{number}.conllu"
        source.write_bytes(changed)
        assert not [problem for problem in lint(source) if "crosses" not in str(problem)]
        assert call("documents", "convert", source, tmp_path / "copy.conllu") == 0
        assert (tmp_path / "copy.conllu").read_bytes() == changed


def test_new_clusters_change_only_the_entities(tmp_path):
    sale, _ = read_documents(FIXTURE)
    text = written(tmp_path / "x.conllu", [sale.with_clusters([[(2, 3), (9, 9)], [(12, 14)]])])
    before = FIXTURE.read_text(encoding="utf-8").split("# newdoc id = talk")[0].splitlines()
    assert len(before) == len(text.splitlines())
    for old, new in zip(before, text.splitlines(), strict=True):
        assert old.split("\t")[:9] == new.split("\t")[:9]
    miscs = [line.split("\t")[9] for line in text.splitlines() if "\t" in line]
    assert miscs[2:4] == ["Entity=(e1-person-2-gstype:spec", "Entity=e1)"], (
        "a mention that stays keeps its type"
    )
    assert miscs[5] == "SpaceAfter=No" and miscs[8] == "_", "a bridge to a removed entity is removed"
    assert miscs[9] == "Entity=(e1-person-1-)|SpaceAfter=No", "an entity has one type, the most frequent one"
    assert miscs[12:15] == ["Entity=(e2--3-", "_", "Entity=e2)"], (
        "the head is the word whose parent lies outside the mention"
    )
    [again] = read_documents(tmp_path / "x.conllu")
    assert again.clusters == (((2, 3), (9, 9)), ((12, 14),))


def test_documents_from_other_formats_round_trip(tmp_path, ferry):
    documents = list(read_documents(ferry))
    text = written(tmp_path / "x.conllu", documents)
    assert text.startswith(
        f"# newdoc id = {documents[0].key}\n# global.Entity = eid-etype-head-other\n# sent_id = "
    )
    again = list(read_documents(tmp_path / "x.conllu"))
    assert [d.sentences for d in again] == [d.sentences for d in documents]
    for document, copy in zip(documents, again, strict=True):
        assert sorted(copy.clusters) == sorted(tuple(sorted(cluster)) for cluster in document.clusters)
    assert {name for d in again for row in d.speakers for name in row} == {
        name for d in documents for row in d.speakers for name in row
    }


def test_a_single_document_declares_its_entity_fields(tmp_path):
    content = FIXTURE.read_text(encoding="utf-8").replace("eid-etype-head-other", "eid-head-etype-other")
    content = content.replace("-person-1-", "-1-person-")
    (tmp_path / "a.conllu").write_text(content, encoding="utf-8")
    _, talk = read_documents(tmp_path / "a.conllu")
    text = written(tmp_path / "b.conllu", [talk])
    assert text.startswith("# newdoc id = talk\n# global.Entity = eid-head-etype-other\n# sent_id = b1\n")


def test_random_mentions_round_trip(tmp_path):
    source = random.Random(3)
    for _ in range(60):
        size = source.randint(1, 9)
        spans = sorted({tuple(sorted(source.choices(range(size), k=2))) for _ in range(source.randint(1, 6))})
        # Each mention has its own cluster, so that mentions may cross.
        document = Document("x", [["w"] * size], clusters=[[span] for span in spans], key="x")
        written(tmp_path / "r.conllu", [document])
        [again] = read_documents(tmp_path / "r.conllu", report=lambda error, fatal: None)
        assert sorted(again.clusters) == sorted(document.clusters)


ROW = "1\tAna\t_\t_\t_\t_\t_\t_\t_\t{}\n2\tran\t_\t_\t_\t_\t_\t_\t_\t{}\n\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "1: the file contains no document; expected rows of CoNLL-U"),
        ("# newdoc id = x\n\n", "1: document x is empty; expected at least one word"),
        ("1\tAna\t_\n\n", "1: 3 columns; expected the 10 tab-separated columns of CoNLL-U"),
        (
            ROW.replace("1\t", "one\t", 1).format("_", "_"),
            "1: the row starts with 'one', 'Ana'; expected a number",
        ),
        (ROW.format("Entity=e1)", "_"), "1: 'e1)' closes nothing; expected '(e1-' before it"),
        (ROW.format("_", "Entity=(e1-x-1-"), "2: '(e1-' is never closed; expected 'e1)' after it"),
        (ROW.format("Entity=e1", "_"), "1: Entity=e1; expected brackets such as (e1-person-1-, e1)"),
        (ROW.format("Entity=(e1[1/2]-x-1-)", "_"), "1: part 1 of 2 of e1; expected e1[2/2] after it"),
        (ROW.format("_", "Entity=(e1[2/2]-x-1-)"), "2: part 2 of 2 of e1; expected e1[1/2] before it"),
        (ROW.format("_", "Entity=(e1-x-1-") + ROW.format("Entity=e1)", "_"), "runs across a sentence end"),
    ],
)
def test_errors_have_line_numbers(tmp_path, content, message):
    path = tmp_path / "x.conllu"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError) as error:
        list(read_documents(path))
    assert message in str(error.value) and str(error.value) in map(str, lint(path))


def test_a_repeated_mention_of_an_entity_is_read_once(tmp_path):
    path = tmp_path / "x.conllu"
    path.write_text(ROW.format("Entity=(e1-x-1-)(e1-x-1-)(e2-x-1-)", "Entity=(e1-x-1-)"), encoding="utf-8")
    [document] = read_documents(path)
    assert document.clusters == (((0, 0), (1, 1)), ((0, 0),))
    assert ":1: mention (0, 0) occurs twice in entity e1; kept once" in str(lint(path)[0])
    assert written(tmp_path / "copy.conllu", [document]) == path.read_text(encoding="utf-8")


def test_entities_of_a_file_have_unique_names(tmp_path):
    document = Document("a/b", [["Ana", "ran", "."]], clusters=[[(0, 0)], [(1, 2)]])
    talk = Document("talk", [["Ana", "ran"]], clusters=[[(0, 0)]], key="talk")
    written(tmp_path / "talk.conllu", [talk])
    text = written(tmp_path / "x.conllu", [document, *read_documents(tmp_path / "talk.conllu"), document])
    names = [name for line in text.splitlines() for name in re.findall(r"\((e[0-9]+)-", line)]
    assert names == ["e1", "e2", "e3", "e4", "e5"], "an entity is renamed if its name is taken"
    assert "# sent_id = a_b_0-1\n" in text, "a slash in a sent_id would start a zone"
    sale, talk = read_documents(FIXTURE)
    assert "(e6--1-)" in written(tmp_path / "y.conllu", [talk, sale, document])
    path = tmp_path / "z.conllu"
    with open(path, "w+b") as file:
        CorefudWriter(file)(document)
        CorefudWriter(file, after=b"\n")(document)
    assert [d.clusters for d in read_documents(path)] == [document.clusters] * 2
    assert "(e4--2-" in path.read_text(encoding="utf-8"), "names stay unique when a file is continued"


def test_damaged_files_are_read_or_refused_with_a_line_number(tmp_path):
    source, path, content = random.Random(5), tmp_path / "x.conllu", FIXTURE.read_bytes()
    bits = [
        b"\t",
        b"\n",
        b"(",
        b")",
        b"|",
        b"-",
        b"[1/2]",
        b"Entity=",
        b"\xff",
        b"\0",
        b"# newdoc\n",
        b"#",
        b"9",
        b".",
    ]
    accepted = 0
    for _ in range(400):
        place = source.randrange(len(content))
        path.write_bytes(
            content[:place] + source.choice(bits) + content[place + source.choice([0, 0, 1, 9]) :]
        )
        try:
            documents = list(read_documents(path))
        except InputError as error:
            assert str(error) in map(str, lint(path))
            continue
        accepted += 1
        written(tmp_path / "copy.conllu", documents)
        assert (tmp_path / "copy.conllu").read_bytes() == path.read_bytes()
    assert 40 < accepted < 360
