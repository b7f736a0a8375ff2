"""Fuzzes every raw op and binding with hostile calls; `cases.py` explains how to run the fuzzer."""

from cases import Case, Fuzzer


def hostile_call(number: int, seed: int) -> Case:
    """Returns a case with a call that is invalid in some places."""
    import op_calls  # imports TensorFlow

    return op_calls.hostile_call(number, seed)


FUZZER = Fuzzer(__file__, hostile_call, refusals=("InvalidArgumentError", "ValueError", "TypeError"))

if __name__ == "__main__":
    FUZZER.main()
