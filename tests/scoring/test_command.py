"""`coref score`: its tables, its JSON output and its error messages."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

KEY = {"nw/x 0": "(0) (0) (1) (1) -", "bc/y 0": "(0) (0) (0) - -"}
RESPONSE = {"bc/y 0": "(0) (0) - (1) (1)", "nw/x 0": "(0) (0) (1) (1) -"}


@pytest.fixture
def files(write_conll):
    return write_conll("key.conll", KEY), write_conll("response.conll", RESPONSE)


def test_table(command, files):
    assert command(*files) == (
        0,
        """\
                       MUC                  B3                 CEAF-e             Avg.
                Prec.   Rec.     F1  Prec.   Rec.     F1  Prec.   Rec.     F1       F1
all documents   75.00  75.00  75.00  75.00  76.19  75.59  70.00  93.33  80.00    76.86
bc              50.00  50.00  50.00  50.00  44.44  47.06  40.00  80.00  53.33    50.13
nw             100.00 100.00 100.00 100.00 100.00 100.00 100.00 100.00 100.00   100.00

                     CEAF-m                BLANC                 LEA               mentions
                Prec.   Rec.     F1  Prec.   Rec.     F1  Prec.   Rec.     F1  Prec.   Rec.     F1
all documents   75.00  85.71  80.00  62.50  80.00  66.67  75.00  71.43  73.17  75.00  85.71  80.00
bc              50.00  66.67  57.14  50.00  33.33  40.00  50.00  33.33  40.00  50.00  66.67  57.14
nw             100.00 100.00 100.00 100.00 100.00 100.00 100.00 100.00 100.00 100.00 100.00 100.00
""",
        "",
    )


def test_json(score_json, files):
    scores = score_json(*files, "--per-document", "--bootstrap", 50)
    figures = {"recall_numerator", "recall_denominator", "precision_numerator", "precision_denominator"}
    for metric in ("muc", "bcub", "ceafm", "ceafe", "blanc", "lea", "mentions"):
        assert figures | {"recall", "precision", "f1"} <= scores[metric].keys()
    assert scores["muc"]["recall"] == 3 / 4
    f1 = [scores[metric]["f1"] for metric in ("muc", "bcub", "ceafe")]
    assert scores["average_f1"] == pytest.approx(sum(f1) / 3)
    assert scores["genres"]["nw"]["average_f1"] == scores["documents"]["nw/x_0"]["average_f1"] == 1
    assert scores["intervals"]["muc"]["f1"] == {"low": 1 / 2, "high": 1}


def test_chosen_metrics_and_rows(command, files):
    output = command(*files, "--per-document", "--metrics", "lea,muc", "bcub")[1]
    assert "LEA" in output and "B3" in output
    assert "CEAF" not in output and "Avg." not in output
    assert "bc/y_0 " in output
    rows = command(*files, "--metrics", "muc", "--bootstrap", 20)[1].splitlines()[2:5]
    assert [row[:13].strip() for row in rows] == ["all documents", "95% from", "95% to"]


def test_documents_without_a_genre_have_no_genre_rows(command, write_conll):
    key = write_conll("key", {"x 0": "(0) (0)"})
    table, _ = command(key, key, "--metrics", "muc")[1].split("\n\n")
    assert [line.split()[0] for line in table.splitlines()] == ["MUC", "Prec.", "all"]


def test_remove_singletons(score_json, write_conll):
    key = write_conll("key", {"nw/x 0": "(0) (0) (1) -"})
    response = write_conll("response", {"nw/x 0": "(0) (0) - (2)"})
    assert score_json(key, response)["bcub"]["precision"] == 2 / 3
    assert score_json(key, response, "--remove-singletons")["bcub"]["precision"] == 1


def test_compare(command, write_conll, tmp_path):
    documents = {f"nw/{i} 0": "(0) (0) (1) (1)" for i in range(8)}
    key = write_conll("key", documents)
    worse = write_conll("worse", dict.fromkeys(documents, "(0) (0) (0) (0)"))
    code, output, errors = command(
        "compare", key, worse, key, "--bootstrap", 999, "--json", tmp_path / "c.json"
    )
    assert (code, errors) == (0, "")
    assert "average       63.70   100.00   +36.30      +36.30   +36.30   0.0020" in output.splitlines()
    compared = json.loads((tmp_path / "c.json").read_text())
    assert compared["a"]["muc"]["precision"] == 2 / 3
    assert compared["f1_differences"]["muc"] == {
        "a": pytest.approx(0.8),
        "b": 1,
        "difference": pytest.approx(0.2),
        "interval": {"low": pytest.approx(0.2), "high": pytest.approx(0.2)},
        "p_value": 2 / 1000,
    }


class TestErrors:
    """Each error is one line that names the file, the line and the document."""

    @pytest.fixture
    def error(self, command, files):
        def run(*arguments):
            code, output, errors = command(*(arguments or files))
            assert (code, output, errors.count("\n")) == (1, "", 1)
            return errors.strip()

        return run

    def test_response_lacks_a_document(self, error, files, write_conll):
        write_conll("response.conll", {"nw/x 0": RESPONSE["nw/x 0"], "nw/z 0": "-"})
        assert error() == (
            f"error: {files[0]}:9: document (bc/y); part 000 is not in {files[1]}; "
            "expected every document of the key there"
        )

    def test_response_has_another_word_count(self, error, files, write_conll):
        write_conll("response.conll", RESPONSE | {"nw/x 0": "(0) (0) (1) (1)"})
        assert error() == (
            f"error: {files[1]}:9: document (nw/x); part 000 has 4 words; expected 5, as in {files[0]}:1"
        )

    def test_mention_in_two_clusters(self, error, command, files, write_conll):
        write_conll("response.conll", RESPONSE | {"bc/y 0": "- (3|(4 3)|4) (4) -"})
        assert error() == (
            f"error: {files[1]}:3: document (bc/y); part 000: mention (1, 2) is in clusters 3 and 4; "
            "expected one cluster "
            "(--allow-repeated scores it like the official scorer, only in the first)"
        )
        assert command(*files, "--allow-repeated")[0] == 0

    @pytest.mark.parametrize("repeats", [10, 11])
    def test_more_repeats_than_the_official_scorer_accepts(self, error, command, files, write_conll, repeats):
        label = "|".join(["(0)"] * (repeats + 1))
        write_conll("response.conll", RESPONSE | {"nw/x 0": f"{label} (0) - - -"})
        if repeats > 10:
            assert error().startswith(f"error: {files[1]}: 11 repeated mentions; expected at most 10")
        else:
            assert command(*files)[0] == 0

    def test_document_twice(self, error, files):
        files[1].write_text(files[1].read_text() * 2)
        assert error() == (
            f"error: {files[1]}:17: document (bc/y); part 000 is repeated; it first occurs in line 1; expected it once"
        )

    def test_unbalanced_brackets(self, error, files, write_conll):
        write_conll("response.conll", RESPONSE | {"nw/x 0": "(0 - - - -"})
        assert error().startswith(f"error: {files[1]}:10: '(0' is never closed")

    def test_no_such_file(self, error, files):
        assert error(files[0], "nowhere.conll") == "error: nowhere.conll: No such file or directory"

    def test_unknown_metric(self, error, files):
        assert error(*files, "--metrics", "b3") == (
            "error: unknown metric 'b3'; expected some of muc, bcub, ceafm, ceafe, blanc, lea"
        )

    def test_incompatible_and_invalid_options(self, error, command, files):
        assert "--official cannot be combined with --remove-singletons" in error(
            *files, "--official", "scorer.pl", "--remove-singletons"
        )
        code, _, errors = command(*files, "--bootstrap", "0")
        assert code == 2 and "'0'; expected an integer of at least 1" in errors


def test_additional_documents_of_the_response_are_not_scored(command, files, write_conll):
    write_conll("response.conll", RESPONSE | {"nw/z 0": "- (0) (0)"})
    result = subprocess.run(
        [sys.executable, "-m", "coref_tf", "score", *files],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    write_conll("response.conll", RESPONSE)
    assert result.stdout == command(*files)[1]
    assert result.stderr == (
        f"warning: {files[1]}:17: document (nw/z); part 000 is not in {files[0]}; documents not scored: 1\n"
    )


def test_importing_scoring_needs_no_third_party_module():
    script = "import sys, coref_tf.scoring; assert not {'numpy', 'scipy', 'tensorflow'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=True)
