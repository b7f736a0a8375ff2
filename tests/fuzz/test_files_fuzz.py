"""Short runs of the damaged checkpoints and settings; `python tests/fuzz/NAME.py` makes long ones."""

import checkpoints
import settings


def test_damaged_settings_are_one_line_or_an_experiment():
    counts = settings.FUZZER.fuzz_here(count=80, seed=0)
    assert counts["cases"] == 80 and counts["valid"] and counts["CorefError"] > 20


def test_damaged_checkpoints_are_one_line_or_a_model():
    counts = checkpoints.FUZZER.fuzz_here(count=24, seed=0)
    assert counts["cases"] == 24 and counts["valid"] and counts["CorefError"] > 10
