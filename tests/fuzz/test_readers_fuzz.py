"""Short runs of the fuzzers of files and requests; `make fuzz` runs them for longer, and `growth` as well."""

import annotations
import predictions
import pytest
import readers
import server_requests
from cases import Case, Fuzzer


def test_damaged_files_are_read_or_refused():
    counts = readers.FUZZER.fuzz_here(count=800, seed=1)
    assert counts["cases"] == 800
    assert counts["valid"] > 100 and counts["InputError"] > 100 and counts["CorefError"]


def test_structurally_damaged_files_are_read_or_refused(monkeypatch):
    monkeypatch.setenv("COREF_MAX_UNPACKED", "0")  # restored afterwards
    counts = annotations.FUZZER.fuzz_here(count=300, seed=1)
    assert counts["cases"] == 300
    assert counts["valid"] > 20 and counts["InputError"] > 100 and counts["CorefError"] > 10


def test_damaged_requests_are_answered_or_refused():
    counts = server_requests.FUZZER.fuzz_here(count=400, seed=1)
    assert counts["cases"] == 400 and counts["valid"] > 60 and counts["RequestError"] > 100


def test_damaged_files_are_resolved_or_refused():
    counts = predictions.FUZZER.fuzz_here(count=70, seed=1)
    assert counts["cases"] == 70 and counts["valid"] > 15 and counts["InputError"] > 15


def test_unexpected_errors_and_wrong_results_fail():
    def check(result):
        assert result

    for run, message in [
        (lambda: 1 // 0, "ZeroDivisionError"),
        (lambda: [], "a wrong result: AssertionError"),
        (lambda: readers.one_line(lambda: {}["key"]), "KeyError"),
    ]:
        fuzzer = Fuzzer(__file__, lambda number, seed, run=run: Case("a case", run, check), ("CorefError",))
        with pytest.raises(AssertionError, match=f"--only 0 --seed 5.*{message}"):
            fuzzer.fuzz_here(count=1, seed=5)
