"""`coref documents` lint, convert, stats and compile, as a user runs them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from command import call

from coref_tf.documents import read_documents

ROOT = Path(__file__).resolve().parents[2]

BROKEN_CONLL = """\
#begin document (nw/x); part 000
nw/x 0 0 He (1
nw/x 0 1 saw 1)|2)

nw/x 0 0 her (3|(4
nw/x 0 1 and 3) x

#end document
#begin document (nw/y); part 000

#end document
#begin document (nw/z); part 000
nw/z 0 0 It (1)|(2)
nw/z 0 1 fell (1
nw/z 0 2 on (2
nw/z 0 3 it 1)
nw/z 0 4 . 2)

#end document
"""


@pytest.fixture
def command(capsys):
    """A function that runs `coref documents` and returns the exit code, standard output and standard error."""

    def run(*arguments):
        code = call("documents", *arguments)
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return run


def test_lint_summarises_valid_files(command, ferry, tmp_path):
    (tmp_path / "x.txt").write_text("Fine.\n")
    code, out, err = command("lint", ferry, tmp_path / "x.txt")
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        f"{ferry}: 3 documents, 47 words, 8 clusters; no problems found",
        f"{tmp_path}/x.txt: 1 document, 2 words, 0 clusters; no problems found",
    ]


def test_compile_reports_its_outputs(command, tmp_path):
    (tmp_path / "in" / "nw").mkdir(parents=True)
    (tmp_path / "in" / "nw" / "a.txt").write_text("[ana|Ana] said [ana|she] was late.\n")
    outputs = [tmp_path / "out.jsonlines", tmp_path / "out.conll"]
    code, out, err = command("compile", tmp_path / "in", *outputs)
    assert (code, err) == (0, "")
    assert out.splitlines() == [f"{output}: 1 document, 6 words, 1 cluster" for output in outputs]


def test_compile_to_standard_output_reports_on_standard_error(tmp_path):
    (tmp_path / "in" / "nw").mkdir(parents=True)
    (tmp_path / "in" / "nw" / "a.txt").write_text("[ana|Ana] said [ana|she] was late.\n")
    run = [sys.executable, "-m", "coref_tf", "documents", "compile", str(tmp_path / "in"), "-"]
    done = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and json.loads(done.stdout)["doc_key"] == "nw/a_0"
    assert done.stderr == "-: 1 document, 6 words, 1 cluster\n"


def test_lint_reports_every_problem_of_every_file(command, tmp_path):
    conll, lines = tmp_path / "x_conll", tmp_path / "x.jsonl"
    conll.write_text(BROKEN_CONLL)
    lines.write_text(
        '{"doc_key": "a"}\n{"doc_key": "b", "sentences": [["a"]], "clusters": [[[0, 0], [0, 0], [1, 1]]]}\n'
    )
    code, out, err = command("lint", conll, tmp_path / "missing.conll", lines, tmp_path / "x.xyz")
    assert code == 1 and err == ""
    assert out.replace(f"{tmp_path}/", "").splitlines() == [
        "x_conll:3: '2)' closes nothing; expected '(2' before it",
        "x_conll:5: '(3' is never closed; expected '3)' after it",
        "x_conll:5: '(4' is never closed; expected '4)' after it",
        "x_conll:6: 6 columns; expected 5, as in the first row of the sentence, line 5",
        "x_conll:6: coreference column 'x'; expected '-' or brackets like '(3', '3)', '(3)' or '(3)|4)'",
        "x_conll:9: document nw/y is empty; expected at least one sentence",
        "x_conll:10: an empty sentence; expected one blank line after each sentence",
        'x_conll:13: mention (0, 0) "It" is in clusters 1 and 2; expected one cluster for a mention',
        'x_conll:15: mention (2, 4) "on it ." of cluster 2 crosses mention (1, 3) "fell on it" of cluster 1; '
        "expected nested or disjoint mentions",
        "missing.conll: No such file or directory",
        "x.jsonl:1: sentences are missing; expected a list of lists of words, or a text",
        "x.jsonl:2: mention (1, 1) lies outside the document; expected words 0 to 0",
        'x.jsonl:2: mention (0, 0) "a" occurs twice in cluster 0; expected it once',
        "x.xyz: the file extension determines the format; expected a name that ends in "
        ".jsonlines, .jsonl, .conll, _conll, .key, .response, .conllu, .ann, .brat.zip, .labelstudio.json, .vtt, .srt,"
        " .json, .log, .weechatlog, .txt, .md, .markdown, .html, .htm, .xhtml, .docx, .epub or .pdf",
    ]


def test_reading_stops_with_a_line_that_lint_reports(command, tmp_path):
    path = tmp_path / "x_conll"
    path.write_text(BROKEN_CONLL)
    reported = command("lint", path)[1].splitlines()
    code, out, err = command("convert", path, tmp_path / "out.jsonlines")
    assert (code, out) == (1, "") and err.removeprefix("error: ").strip() in reported
    assert not (tmp_path / "out.jsonlines").exists()


def test_convert_chooses_formats_by_extension(command, tmp_path, ferry):
    assert command("convert", ferry, tmp_path / "a.jsonl") == (0, "", "")
    assert command("convert", tmp_path / "a.jsonl", tmp_path / "b_conll") == (0, "", "")
    assert list(read_documents(tmp_path / "b_conll")) == list(read_documents(ferry))
    assert command("convert", ferry, tmp_path / "c.conll") == (0, "", "")
    assert (tmp_path / "c.conll").read_bytes() == ferry.read_bytes()


def test_convert_selects(command, tmp_path):
    lines = [
        {
            "doc_key": f"{genre}/a_0",
            "sentences": [["Ana", "met", "Bo", "and", "her", "."]],
            "clusters": clusters,
        }
        for genre, clusters in (("nw", [[[0, 0], [4, 4]], [[2, 2]]]), ("bc", []), ("wb", []))
    ]
    source, target = tmp_path / "in.jsonlines", tmp_path / "out.jsonlines"
    source.write_text("".join(json.dumps(line) + "\n" for line in lines))
    options = ["--genres", "nw,wb", "--remove-singletons", "--genre", "open"]
    assert command("convert", source, target, *options) == (0, "", "")
    records = [json.loads(line) for line in target.read_text().splitlines()]
    assert [record["doc_key"] for record in records] == ["open/nw/a_0", "open/wb/a_0"]
    assert [record["clusters"] for record in records] == [[[[0, 0], [4, 4]]], []]
    code, _, err = command("convert", source, tmp_path / "none.jsonlines", "--genres", "mz,xx")
    assert code == 1 and err == f"error: {source}: has no document of the genres mz, xx\n"
    assert not (tmp_path / "none.jsonlines").exists()


def test_convert_text_with_and_without_speakers(command, tmp_path):
    (tmp_path / "call.txt").write_text("Ana: I'm here.\nIvo: Good.\n")
    for flags, speakers in [((), {"-"}), (("--dialogue",), {"Ana", "Ivo"})]:
        assert command("convert", tmp_path / "call.txt", tmp_path / "call.jsonlines", *flags)[0] == 0
        record = json.loads((tmp_path / "call.jsonlines").read_text())
        assert {speaker for row in record["speakers"] for speaker in row} == speakers
        words = [word for sentence in record["sentences"] for word in sentence]
        assert [record["text"][begin:end] for begin, end in record["offsets"]] == words


@pytest.mark.parametrize("name", ["out.txt", "out.pdf"])
def test_convert_refuses_other_outputs(command, tmp_path, ferry, name):
    code, _, err = command("convert", ferry, tmp_path / name)
    assert code == 1 and err.startswith(f"error: {tmp_path / name}: ") and err.count("\n") == 1


def test_stats_of_the_fixture(command, ferry):
    code, out, _ = command("stats", ferry)
    assert code == 0
    facts, widths = out.splitlines()[:9], out.splitlines()[9:]
    assert facts == [
        "documents               3",
        "words                   47",
        "words per document      16",
        "longest document        25 words (bc/studio_0)",
        "mentions                18",
        "clusters                8",
        "singletons              1",
        "mentions wider than 10  0.0% (up to 10 words: 100.0%)",
        "widest mention          6 words",
    ]
    assert widths[0] == "  mentions of 1 word    61.1%" and widths[5] == "  mentions of 6 words   11.1%"
    assert len(widths) == 10 and widths[9] == "  mentions of 10 words  0.0%"


def test_folders_are_read_like_those_of_finetune(command, tmp_path):
    """The annotation of a text counts instead of the text."""
    (tmp_path / "part").mkdir()
    for name in ("a.txt", "part/b.txt"):
        (tmp_path / name).write_text("Ana said she left.\n")
    record = {"doc_key": "a", "sentences": [["Ana", "said", "she", "left"]], "clusters": [[[0, 0], [2, 2]]]}
    (tmp_path / "a.txt.jsonlines").write_text(json.dumps(record))
    code, out, _ = command("stats", tmp_path)
    assert code == 0 and out.startswith("documents               2\nwords                   9\n")
    assert "clusters                1\n" in out
    code, out, _ = command("lint", tmp_path)
    assert code == 0 and out.splitlines() == [
        f"{tmp_path}/a.txt.jsonlines: 1 document, 4 words, 1 cluster; no problems found",
        f"{tmp_path}/part/b.txt: 1 document, 5 words, 0 clusters; no problems found",
    ]


@pytest.mark.parametrize("subcommand", ["lint", "stats"])
def test_annotated_text_comes_with_a_hint(command, tmp_path, subcommand):
    for name in "abcde":
        (tmp_path / f"{name}.txt").write_text("[ana|Ana] said [ana|she] was late.\n")
    code, _, err = command(subcommand, tmp_path)
    lines = err.splitlines()
    assert code == 0 and lines[0].startswith(
        "note: document a looks like annotated text, but is read as plain text;"
    )
    assert lines[-1] == "note: 2 more documents look like annotated text"


def test_compile_explains_the_layout_of_its_folder(command, tmp_path):
    (tmp_path / "nw").mkdir()
    (tmp_path / "nw" / "a.txt").write_text("[ana|Ana] said [ana|she] was late.\n")
    output = tmp_path / "out.jsonlines"
    code, _, err = command("compile", tmp_path / "none", output)
    assert code == 1 and err.startswith(f"error: {tmp_path}/none: no such folder; expected ")
    code, _, err = command("compile", tmp_path / "nw", output)
    assert code == 1 and err.endswith(f"so give its parent, {tmp_path}\n") and "GENRE/NAME.txt" in err


def test_convert_gives_hints_about_texts(command, tmp_path):
    (tmp_path / "chat.txt").write_text("Ana: I left.\nBen: Did you?\n")
    code, _, err = command("convert", tmp_path / "chat.txt", tmp_path / "chat.jsonlines")
    hint = (
        "note: document chat looks like a conversation, 2 turns of 2 speakers; --dialogue reads it as one\n"
    )
    assert (code, err) == (0, hint)
    _, _, err = command("convert", tmp_path / "chat.txt", tmp_path / "chat.jsonlines", "--dialogue")
    assert err == "dialogue: 2 turns of 2 speakers\n"


def test_stats_counts_wide_mentions(command, tmp_path):
    record = {"doc_key": "x", "sentences": [["a"] * 20], "clusters": [[[0, 9], [0, 10]], [[3, 19]]]}
    (tmp_path / "x.jsonl").write_text(json.dumps(record))
    out = command("stats", tmp_path / "x.jsonl")[1]
    assert (
        "mentions wider than 10  66.7% (up to 10 words: 33.3%)" in out and "singletons              1" in out
    )
    assert "widest mention          17 words" in out and "  mentions of 10 words  33.3%" in out


def test_the_command_runs_from_a_shell(tmp_path):
    (tmp_path / "x.conll").write_text(BROKEN_CONLL)
    run = [sys.executable, "-m", "coref_tf", "documents", "stats", str(tmp_path / "x.conll")]
    done = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr.startswith(f"error: {tmp_path}/x.conll:") and done.stderr.count("\n") == 1
