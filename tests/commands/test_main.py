"""Errors in the command line itself."""

import pytest
from command import call


@pytest.mark.parametrize(
    ("words", "code", "error"),
    [
        (("pedict",), 1, "unknown command pedict (did you mean predict?); `coref --help` lists all commands"),
        (
            ("predict", "--modle", "english", "x.txt"),
            2,
            "unknown option --modle (did you mean --model?); `coref predict --help` lists all arguments",
        ),
        (
            ("documents", "convert", "a.txt", "b.conll", "--dialoge=1"),
            2,
            "unknown option --dialoge (did you mean --dialogue?); `coref documents convert --help` lists all"
            " arguments",
        ),
        (
            ("documents", "convert", "a.txt", "b.conll", "c.conll"),
            2,
            "unexpected argument c.conll; `coref documents convert --help` lists all arguments",
        ),
        (
            ("serve", "--model", "english"),
            2,
            "the model is an argument, not an option; expected `coref serve MODEL`, without --model",
        ),
        (
            ("train",),
            2,
            "the following arguments are required: EXPERIMENT; `coref train --help` lists all arguments",
        ),
    ],
)
def test_errors_are_one_line(words, code, error, capsys):
    assert call(*words) == code
    assert capsys.readouterr() == ("", f"error: {error}\n")
