"""Short runs of the fuzzers of checkpoints and settings; `make fuzz` runs them for longer."""

import checkpoints
import settings


def test_damaged_settings_give_a_one_line_error_or_an_experiment():
    counts = settings.FUZZER.fuzz_here(count=80, seed=0)
    assert counts["cases"] == 80 and counts["valid"] and counts["CorefError"] > 20


def test_damaged_checkpoints_give_a_one_line_error_or_a_model():
    counts = checkpoints.FUZZER.fuzz_here(count=24, seed=0)
    assert counts["cases"] == 24 and counts["valid"] and counts["CorefError"] > 10
