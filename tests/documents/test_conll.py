"""Reading and writing CoNLL-2012 files."""

import dataclasses
import io
import random
import tracemalloc

import pytest
from oracles_documents import match_brackets, read_conll_slowly

from coref_tf.documents import Document, open_writer, read_documents
from coref_tf.documents.conll import ConllWriter, coreference_column
from coref_tf.documents.conll_blocks import read_blocks
from coref_tf.support.errors import CorefError, InputError

BEGIN, END = "#begin document (nw/x); part 000\n", "#end document\n"


def rows(*labels: str) -> str:
    """Returns a sentence with a row for each label, followed by a blank line."""
    return "".join(f"nw/x   0   {i}   w{i}   {label}\n" for i, label in enumerate(labels)) + "\n"


def write(documents) -> bytes:
    file = io.BytesIO()
    writer = ConllWriter(file)
    for document in documents:
        writer(document)
    return file.getvalue()


def read(tmp_path, content: str | bytes) -> list[Document]:
    path = tmp_path / "test.conll"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return list(read_documents(path))


def test_all_columns_are_read(ferry):
    first, second, third = read_documents(ferry)
    assert (first.doc_key, first.part, first.key, first.genre) == ("nw/ferry", 0, "nw/ferry_0", "nw")
    assert (second.part, second.key, second.clusters) == (1, "nw/ferry_1", ())
    assert first.sentences[1] == ("His", "brother", "'s", "lawyer", "confirmed", "that", ".")
    assert first.pos[1][:2] == ("PRP$", "NN") and first.parse[1][0] == "(TOP(S(NP(NP*"
    assert (
        first.speakers[0][0] == "-" and third.speakers[0][0] == "Nora_Lund" and third.speakers[1][0] == "Ivo"
    )
    assert third.words[11] == "Malmö"


def test_nested_mentions_one_word_mentions_and_several_on_one_word(ferry):
    first, _, third = read_documents(ferry)
    assert first.clusters == (
        ((0, 5), (7, 7), (12, 12)),
        ((3, 5), (10, 10)),
        ((6, 6), (17, 17)),
        ((12, 13),),
    )
    assert ((18, 23), (21, 23)) in third.clusters  # nested mentions of one cluster
    assert ((3, 5), (13, 13), (23, 23)) in third.clusters


def test_unchanged_documents_are_written_byte_for_byte(ferry):
    assert write(read_documents(ferry)) == ferry.read_bytes()


@pytest.mark.parametrize(
    "content",
    [
        BEGIN + rows("(0", "0)|(1)") + END,
        (BEGIN + rows("(0", "0)") + END).replace("\n", "\r\n"),
        (BEGIN + rows("(0", "0)") + END)[:-1],
        "\ufeff" + BEGIN + rows("(0)") + END,
        "# x\n\n" + BEGIN + rows("(0)", "-") + rows("(0)") + END + "\n\n" + BEGIN + rows("-") + END + "#\n",
        BEGIN + rows("(0)") .rstrip("\n") + "\n" + END,
        BEGIN + rows("(0)").replace("   ", "\t").replace("\n", "\t \n") + END,
        BEGIN + rows("(12(3", "3)12)") + END,
        BEGIN + rows("(0)").replace("w0", "w\u00a00") + END,
        "#begin document (LuoTestCase); \n" + rows("-") + END,
        "#begin document (a (b); part 001); part 012\n" + rows("-") + END,
    ],
)  # fmt: skip
def test_unusual_valid_files_are_read_and_reproduced(tmp_path, content):
    documents = read(tmp_path, content)
    assert write(documents) == content.encode()
    for document, expected in zip(documents, read_conll_slowly(content.encode()), strict=True):
        assert (document.doc_key, document.part) == (expected["doc_key"], expected["part"])
        assert [list(sentence) for sentence in document.sentences] == expected["sentences"]
        mentions = sorted(mention for cluster in document.clusters for mention in cluster)
        assert mentions == sorted((start, end) for _, start, end in expected["mentions"])


def test_predictions_change_only_the_coreference_column(ferry):
    documents = [document.with_clusters([[(0, 0), (2, 2)], [(0, 2)]]) for document in read_documents(ferry)]
    before, after = ferry.read_bytes().split(b"\n"), write(documents).split(b"\n")
    assert len(before) == len(after) and before != after
    for old, new in zip(before, after, strict=True):
        if not old or old.startswith(b"#"):
            assert old == new
        else:
            assert old[: -len(old.split()[-1])] == new[: -len(new.split()[-1])]
    assert [row.split()[-1] for row in after[1:5]] == [b"(1|(0)", b"-", b"(0)|1)", b"-"]


def test_predictions_keep_line_endings_and_trailing_blanks(tmp_path):
    content = BEGIN + rows("-", "(7)").replace("-", "-\t ").replace("\n", "\r\n") + END[:-1]
    (document,) = read(tmp_path, content)
    expected = content.replace("-\t", "(0)\t").replace("(7)", "-")
    assert write([document.with_clusters([[(0, 0)]])]).decode() == expected


def test_a_changed_document_is_not_written_with_its_old_lines(ferry):
    document = dataclasses.replace(next(read_documents(ferry)), doc_key="nw/other", key="")
    assert write([document]).startswith(
        b"#begin document (nw/other); part 000\nnw/other   0   0   The   DT   "
    )


def test_documents_from_other_formats_have_twelve_columns(tmp_path):
    document = Document("bc/x y", [["Hi", "!"]], [["Nora Lund", ""]], [[(0, 1)]], part=3)
    assert write([document]).decode() == (
        "#begin document (bc/x y); part 003\n"
        "bc/x_y   3   0   Hi   -   *   -   -   -   Nora_Lund   *   (0\n"
        "bc/x_y   3   1   !   -   *   -   -   -   -   *   0)\n"
        "\n"
        "#end document\n"
    )
    (back,) = read(tmp_path, write([document]))
    assert (back.doc_key, back.part, back.clusters) == ("bc/x y", 3, document.clusters)
    assert back.pos is None and back.parse is None


def test_words_with_spaces_are_refused(tmp_path):
    with pytest.raises(CorefError, match="document nw/x_0: 'New York' cannot be written to a CoNLL column"):
        write([Document("nw/x", [["New York"]])])
    with pytest.raises(CorefError), open_writer(tmp_path / "out.conll") as writer:
        writer(Document("nw/x", [["fine"]]))
        writer(Document("nw/x", [["New York"]]))
    assert list(tmp_path.iterdir()) == []


def test_documents_of_two_files_are_concatenated(tmp_path):
    one = read(tmp_path, (BEGIN + rows("-") + END)[:-1])
    two = read(tmp_path, "\ufeff" + BEGIN + rows("(0)") + END)
    assert write(one + two).decode() == BEGIN + rows("-") + END + BEGIN + rows("(0)") + END


def random_clusters(source: random.Random, length: int) -> list[list[tuple[int, int]]]:
    """Returns random clusters, whose mentions are disjoint or nested."""
    spans = set()
    for _ in range(source.randrange(12)):
        start = source.randrange(length)
        span = (start, min(length - 1, start + source.choice([0, 0, 1, 2, 5])))
        if not any(a < span[0] <= b < span[1] or span[0] < a <= span[1] < b for a, b in spans):
            spans.add(span)
    clusters = [[] for _ in range(source.randint(1, 4))]
    for span in sorted(spans):
        source.choice(clusters).append(span)
    return [cluster for cluster in clusters if cluster]


@pytest.mark.parametrize("seed", range(20))
def test_random_clusters_round_trip(tmp_path, seed):
    source = random.Random(seed)
    for _ in range(20):
        length = source.randint(1, 15)
        document = Document(
            "nw/x", [[f"w{i}" for i in range(length)]], clusters=random_clusters(source, length)
        )
        named = {(str(name), *span) for name, cluster in enumerate(document.clusters) for span in cluster}
        assert set(match_brackets(coreference_column(document))) == named
        (back,) = read(tmp_path, write([document]))
        assert set(back.clusters) == set(document.clusters)


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        ("", 1, "the file contains no document"),
        (rows("-"), 1, "outside a document; expected '#begin document"),
        ("#begin document nw/x\n" + rows("-") + END, 1, "expected '#begin document (KEY); part 000'"),
        (END, 1, "'#end document' without '#begin document'"),
        (BEGIN + rows("-"), 3, "the document that begins in line 1 does not end"),
        (BEGIN + rows("-") + BEGIN + rows("-") + END, 4, "a document begins inside the one that begins in line 1"),
        (BEGIN + "# remark\n" + rows("-") + END, 2, "expected a row, a blank line or '#end document'"),
        (BEGIN + rows("-") + "\n" + rows("-") + END, 4, "an empty sentence"),
        (BEGIN + END, 1, "document nw/x is empty"),
        (BEGIN + rows("-", "-").replace("w1", "w 1") + END, 3, "6 columns; expected 5, as in the first row"),
        (BEGIN + "nw/x 0 0 w NN -\n" + END, 2, "6 columns; expected 12 or more, or 5"),
        (BEGIN + rows("-") + "nw/x 0 0 w - - - - - - * -\n" + END, 4, "throughout a document"),
        (BEGIN + "-\n" + END, 2, "1 column"),
        (BEGIN + rows("(x)") + END, 2, "coreference column '(x)'; expected '-' or brackets like"),
        (BEGIN + rows("-", "3") + END, 3, "coreference column '3'"),
        (BEGIN + rows("(3)|") + END, 2, "coreference column '(3)|'"),
        (BEGIN + rows("(3", "-") + END, 2, "'(3' is never closed; expected '3)' after it"),
        (BEGIN + rows("-", "3)") + END, 3, "'3)' closes nothing; expected '(3' before it"),
        (BEGIN + rows("-", "(3") + rows("3)") + END, 3, 'mention (1, 2) "w1 w0" runs across a sentence end'),
        (BEGIN + rows("(3|(3", "3)|3)") + END, 2, "occurs twice in cluster 3; expected it once"),
        (BEGIN + rows("(3", "3)|(3", "3)") + END, 3, "crosses"),
        (BEGIN + rows("-").replace("w0", "w\0") + END, 2, "a NUL byte"),
        (BEGIN.encode() + b"nw/x 0 1 \xff\xfe -\n" + END.encode(), 2, r"byte 10, b'\xff', is not UTF-8"),
        ((BEGIN + rows("-") + END).encode("utf-16"), 1, "byte 1, b'\\xff', is not UTF-8"),
    ],
)  # fmt: skip
def test_errors_have_line_numbers(tmp_path, content, line, message):
    with pytest.raises(InputError) as caught:
        read(tmp_path, content)
    assert str(caught.value).startswith(f"{tmp_path / 'test.conll'}:{line}: ")
    assert message in str(caught.value)


def test_shared_and_crossing_mentions_are_read_with_one_warning(tmp_path, caplog):
    content = BEGIN + rows("(1|(2", "1)|2)", "(1)|(2)") + rows("(1", "(2", "1)", "2)") + END
    (document,) = read(tmp_path, content)
    assert document.clusters == (((0, 1), (2, 2), (3, 5)), ((0, 1), (2, 2), (4, 6)))
    assert len(caplog.messages) == 1
    assert caplog.messages[0].startswith(
        f'{tmp_path}/test.conll:2: mention (0, 1) "w0 w1" is in clusters 1 and 2'
    )


def test_blocks_of_files_with_two_columns(tmp_path):
    path = tmp_path / "test.key"
    path.write_text("#begin document (nw/x);\nnw/x (1\nnw/x 1)|(2)\n\nnw/x -\n#end document\n")
    (block,) = read_blocks(path)
    assert (block.doc_key, block.part, len(block.rows), len(block.sentences)) == ("nw/x", 0, 3, 2)
    assert block.mentions == [(0, 1, "1", 2), (1, 1, "2", 3)]
    with pytest.raises(InputError, match=r"test\.key:2: 2 columns; expected 12 or more, or 5"):
        list(read_documents(path))


def test_empty_documents_are_read_when_allowed(tmp_path):
    path = tmp_path / "test.conll"
    path.write_text(BEGIN + END)
    (document,) = read_documents(path, allow_empty=True)
    assert document.sentences == () and write([document]).decode() == BEGIN + END


def test_reading_streams(tmp_path):
    path = tmp_path / "large.conll"
    with open(path, "w") as file:
        for number in range(100):
            file.write(f"#begin document (nw/{number}); part 000\n" + rows(*["(0)", "-"] * 40) * 5 + END)
    assert path.stat().st_size > 800_000
    tracemalloc.start()
    with open_writer(tmp_path / "copy.conll") as writer:
        for document in read_documents(path):
            writer(document)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1_500_000  # enough for a few documents of 400 words, but not for all 100
    assert (tmp_path / "copy.conll").read_bytes() == path.read_bytes()
