"""Hostile calls of every raw op and binding; `cases.py` says how to run it."""

from cases import Case, Fuzzer


def hostile_call(number: int, seed: int) -> Case:
    """One call, made wrong in some places."""
    import op_calls  # and TensorFlow with it

    return op_calls.hostile_call(number, seed)


FUZZER = Fuzzer(__file__, hostile_call, refusals=("InvalidArgumentError", "ValueError", "TypeError"))

if __name__ == "__main__":
    FUZZER.main()
