"""--official, with a stand-in for scorer.pl that prints in the official scorer's format."""

import shutil

import pytest

pytestmark = pytest.mark.skipif(not shutil.which("perl"), reason="needs perl, which is not on this machine")

# The key is {a b c} {d e} and the response {a b} {c d} {x}; words 0 to 5 are a b c d e x.
KEY, RESPONSE = "(0) (0) (0) (1) (1) -", "(0) (0) (1) (1) - (2)"
LINE = "-" * 74
MENTIONS = "Identification of Mentions: Recall: (4 / 5) 80%\tPrecision: (4 / 5) 80%\tF1: 80%"
RIGHT = {
    "muc": "Coreference: Recall: (1 / 3) 33.33%\tPrecision: (1 / 2) 50%\tF1: 40%",
    "bcub": "Coreference: Recall: (2.16666666666667 / 5) 43.33%\tPrecision: (3 / 5) 60%\tF1: 50.32%",
    "ceafm": "Coreference: Recall: (3 / 5) 60%\tPrecision: (3 / 5) 60%\tF1: 60%",
    "ceafe": "Coreference: Recall: (1.3 / 2) 65%\tPrecision: (1.3 / 3) 43.33%\tF1: 52%",
    "blanc": f"""
Coreference:
Coreference links: Recall: (1 / 4) 25%\tPrecision: (1 / 2) 50%\tF1: 33.33%
{LINE}
Non-coreference links: Recall: (2 / 6) 33.33%\tPrecision: (2 / 8) 25%\tF1: 28.57%
{LINE}
BLANC: Recall: (0.291666666666667 / 1) 29.16%\tPrecision: (0.375 / 1) 37.5%\tF1: 30.95%""",
}


@pytest.fixture
def scorer_pl(tmp_path):
    """Writes a script that runs `code` and prints the totals of `scorer.pl METRIC KEY RESPONSE none`."""

    def write(totals: dict[str, str], code: str = ""):
        path = tmp_path / "scorer.pl"
        printed = "\n".join(
            f"print q({MENTIONS}\n{LINE}\n{text}\n{LINE}\n) if $ARGV[0] eq '{metric}';"
            for metric, text in totals.items()
        )
        path.write_text(
            "#!/usr/bin/perl\nuse strict;\n"
            "die 'bad arguments' unless @ARGV == 4 && -f $ARGV[1] && -f $ARGV[2] && $ARGV[3] eq 'none';\n"
            f'{code}\nprint "version: 8.01 $0\\n\\n====== TOTALS =======\\n";\n{printed}\n'
        )
        return path

    return write


@pytest.fixture
def files(write_conll):
    return write_conll("key", {"nw/x 0": KEY}), write_conll("response", {"nw/x 0": RESPONSE})


def test_equal_figures_do_not_change_the_output(command, files, scorer_pl):
    expected = command(*files)
    assert expected[0] == 0
    assert command(*files, "--official", scorer_pl(RIGHT)) == expected


def test_the_script_receives_tabs_between_columns(command, files, scorer_pl):
    for path in files:
        path.write_text(path.read_text().replace("\t", "   "))
    check = "open(F, $ARGV[1]); while (<F>) { die 'a space' if !/^#/ && / /; $rows++ if /\\t/ } die unless $rows == 6;"
    assert command(*files, "--official", scorer_pl(RIGHT, f"my $rows = 0; {check}"))[0] == 0


@pytest.mark.parametrize(
    ("metric", "right", "wrong", "shown"),
    [
        (
            "bcub",
            "2.16666666666667 / 5",
            "2.16667 / 5",
            "recall 2.166666667/5, precision 3/5 here, recall 2.16667/5, precision 3/5 there",
        ),
        ("ceafe", "(1.3 / 3)", "(1.3 / 4)", "precision 1.3/3 here, recall 1.3/2, precision 1.3/4 there"),
        (
            "blanc",
            "(2 / 8)",
            "(2 / 7)",
            "blanc non-coreference links: recall 2/6, precision 2/8 here, recall 2/6, precision 2/7 there",
        ),
        ("blanc", "0.375 / 1", "0.38 / 1", "precision 0.375/1 here, recall 0.2916666667/1, precision 0.38/1"),
    ],
)
def test_a_difference_is_an_error_that_shows_both_figures(
    command, files, scorer_pl, metric, right, wrong, shown
):
    script = scorer_pl(RIGHT | {metric: RIGHT[metric].replace(right, wrong)})
    code, output, errors = command(*files, "--official", script)
    assert (code, output, errors.count("\n")) == (1, "", 1)
    assert errors.startswith(f"error: {script} has different scores: {metric} ")
    assert shown in errors


def test_mention_detection_is_compared(command, files, scorer_pl):
    script = scorer_pl(RIGHT)
    script.write_text(script.read_text().replace("Precision: (4 / 5)", "Precision: (4 / 6)"))
    errors = command(*files, "--official", script, "--metrics", "muc")[2]
    assert "muc mentions: recall 4/5, precision 4/5 here, recall 4/5, precision 4/6 there" in errors


def test_only_the_requested_metrics_are_run(command, files, scorer_pl):
    assert command(*files, "--official", scorer_pl({"muc": RIGHT["muc"]}), "--metrics", "muc", "lea")[0] == 0


@pytest.mark.parametrize(
    ("totals", "code", "message"),
    [
        (
            RIGHT,
            "die 'Found too many repeated mentions';",
            "muc failed with exit code 255; its output was: Found too many",
        ),
        (
            RIGHT,
            "print 'Invalid metric'; exit;",
            "muc failed with exit code 0; its output was: Invalid metric",
        ),
        ({}, "", "muc: no 'mentions' in its output; expected scorer.pl v8.01"),
        ({"muc": "nothing"}, "", "muc: no 'coreference' in its output; expected scorer.pl v8.01"),
    ],
)
def test_a_script_that_fails_is_an_error(command, files, scorer_pl, totals, code, message):
    script = scorer_pl(totals, code)
    exit_code, _, errors = command(*files, "--official", script)
    assert (exit_code, errors.count("\n")) == (1, 1)
    assert f"error: {script} {message}" in errors


def test_missing_script_or_perl_is_an_error(command, files, scorer_pl, monkeypatch):
    assert (
        "nowhere.pl: no such file; expected the official scorer"
        in command(*files, "--official", "nowhere.pl")[2]
    )
    script = scorer_pl(RIGHT)
    monkeypatch.setenv("PATH", "")
    assert command(*files, "--official", script)[2].startswith("error: perl is not installed")
