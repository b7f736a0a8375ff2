"""`coref evaluate --suite` as a user runs it, and warnings of evaluate and predict."""

import json

import pytest
from command import call, import_reference

GAP = (
    "ID\tText\tPronoun\tPronoun-offset\tA\tA-offset\tA-coref\tB\tB-offset\tB-coref\tURL\n"
    "x-1\tAna met <b>Bea</b> when she left.\tshe\t24\tAna\t0\tTRUE\tBea\t11\tFALSE\tu\n"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = import_reference(tmp_path_factory.mktemp("suites"))
    (path / "gap.tsv").write_text(GAP)
    return path


def evaluate(folder, *options):
    return call("evaluate", "small", "--conf", folder / "experiments.conf", *options)


def add_singletons(folder):
    """Writes the reference documents with additional singletons, so that most clusters are singletons."""
    lines = []
    for line in (folder / "docs.jsonlines").read_text().splitlines():
        document = json.loads(line)
        taken = {tuple(span) for cluster in document["clusters"] for span in cluster}
        free = [n for n in range(len(document["sentences"][0])) if (n, n) not in taken]
        document["clusters"] += [[[n, n]] for n in free]
        lines.append(json.dumps(document))
    path = folder / "singletons.jsonlines"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_suites_are_printed_and_written(folder, capsys):
    bare, singletons = folder / "docs.jsonlines", add_singletons(folder)
    suites = ["--suite", f"gap={folder / 'gap.tsv'}", "--suite", f"conll={bare},{singletons}"]
    outputs = ["--json", folder / "all.json", "--html", folder / "all.html", "--out", folder / "out"]
    assert not evaluate(folder, *suites, *outputs)
    output = capsys.readouterr()
    assert "1 document" in output.err and "F/M" in output.out and "docs.jsonlines" in output.out
    submission = (folder / "out" / "small" / "gap.submission.tsv").read_text()
    assert (
        submission.split("\t")[0] == "x-1" and "gap.submission.tsv\n" in output.out and "wrote " in output.out
    )
    gap, domains = json.loads((folder / "all.json").read_text())["suites"]
    assert gap["suite"] == "gap"
    assert set(gap["figures"]) == {"all", "masculine", "feminine", "bias", "intervals"}
    page = (folder / "all.html").read_text()
    assert "Content-Security-Policy" in page and "<script" not in page
    assert "http" not in page.split("<body>")[1]
    figures = domains["figures"][str(singletons)]
    assert figures["average_f1"] != figures["average_f1_without_singletons"]
    assert "of the gold clusters are singletons" in output.out and "singletons, which" in page

    # Each file has the same figures when it is evaluated alone.
    options = ["--data", singletons, "--json", folder / "one.json"]
    assert not evaluate(folder, *options)
    assert "of the gold clusters are singletons" in capsys.readouterr().err
    alone = json.loads((folder / "one.json").read_text())
    assert alone["average_f1"] == figures["average_f1"]
    assert alone["mention_recall"] == figures["mention_recall"]
    assert alone["genres"]["nw"]["average_f1"] == figures["genres"]["nw"]["average_f1"]
    assert not evaluate(folder, *options, "--remove-singletons")
    assert "singletons" not in capsys.readouterr().err
    without = json.loads((folder / "one.json").read_text())
    expected = domains["figures"][str(bare)]
    assert without["average_f1"] == expected["average_f1"] == figures["average_f1_without_singletons"]
    assert without["mention_recall"] == expected["mention_recall"]


def test_page_shows_the_failed_cases(folder, capsys):
    (folder / "people.txt").write_text(
        "People.\n== MFT\n[1|Ana] met <Bo>. [1|She] and [2|Xy] told [1|her].\n"
    )
    suite = ["--suite", f"behaviour={folder / 'people.txt'}"]
    assert not evaluate(folder, *suite, "--json", folder / "b.json", "--html", folder / "b.html")
    assert "people" in capsys.readouterr().out
    figures = json.loads((folder / "b.json").read_text())["suites"][0]["figures"]
    assert figures["all"]["cases"] == 1 and figures["all"]["pass"]["count"] == 1 - len(figures["failures"])
    page = (folder / "b.html").read_text()
    assert "Cases that failed" in page and ("met &lt;Bo&gt;" in page) == bool(figures["failures"])


def test_invalid_options_are_refused(folder, capsys):
    assert evaluate(folder, "--html", folder / "x.html") == 1
    assert "--html needs --suite" in capsys.readouterr().err
    assert evaluate(folder, "--suite", f"gap={folder / 'gap.tsv'}", "--data", "x.conll") == 1
    assert "--data cannot be combined with --suite" in capsys.readouterr().err
    assert evaluate(folder, "conll_eval_path=nowhere.conll") == 1
    assert (
        "nowhere.conll, does not exist; pass documents with gold clusters with --data FILE"
        in capsys.readouterr().err
    )
    assert evaluate(folder, "--suite", "gap=nowhere.tsv") == 1
    assert "nowhere.tsv" in capsys.readouterr().err
    assert evaluate(folder, "--suite", f"gap={folder / 'gap.tsv'}", "--json", folder / "no" / "x.json") == 1
    assert "there is no folder" in capsys.readouterr().err


def test_predict_warns_of_a_text_in_another_language(folder, capsys):
    conf = ["--model", "small", "--conf", folder / "experiments.conf"]
    assert not call("predict", *conf, "--text", "Фрау Мюллер жила у моря.")
    assert "warning: document text: 100% of its words are unknown" in capsys.readouterr().err


def test_predict_gives_hints_about_its_input(folder, tmp_path, capsys):
    (tmp_path / "empty.txt").write_text(" \n")
    (tmp_path / "chat.txt").write_text("Ana: I left.\nBen: Did you?\nAna: I did.\n")
    words = ["predict", "small", tmp_path, "--conf", folder / "experiments.conf"]
    assert not call(*words, "--genre", "nosuch")
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("warning: small does not know the genre nosuch and uses ")
    assert lines[1] == (
        "note: document nosuch/chat looks like a conversation, 3 turns of 2 speakers; --dialogue reads it as one"
    )
    assert lines[2] == "experiment small" and "warning: document nosuch/empty has no words" in lines
    assert not call(*words, "--dialogue")
    assert "looks like" not in capsys.readouterr().err
