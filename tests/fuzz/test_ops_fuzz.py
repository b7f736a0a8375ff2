"""A short run of the fuzzer of ops; `python tests/fuzz/ops.py --count 5000` runs more calls."""

from ops import FUZZER


def test_hostile_calls_are_refused_or_answered():
    counts = FUZZER.fuzz(count=84, seed=0)
    assert counts["cases"] == 84 == sum(counts.values()) - 84
    assert counts["valid"] >= 10 and counts["InvalidArgumentError"] >= 10
    assert counts["ValueError"] and counts["TypeError"]
    assert counts == FUZZER.fuzz(count=84, seed=0)
