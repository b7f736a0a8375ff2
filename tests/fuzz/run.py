"""Runs all fuzzers, one after another, and prints the outcomes of each (`make fuzz`).

    python tests/fuzz/run.py [--seed N] [--only NAME]

A failure ends its fuzzer, and names the command that repeats the case.
"""

import argparse
import importlib
import sys
import time

# The modules with a FUZZER, and the number of cases of each: more than 20,000 damaged inputs in total.
FUZZERS = {
    "readers": 9000,
    "annotations": 9000,
    "server_requests": 3000,
    "growth": 300,
    "predictions": 1500,
    "ops": 500,
    "checkpoints": 500,
    "settings": 500,
}


def main() -> int:
    """Runs the fuzzers, and returns 1 if one of them failed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=FUZZERS)
    arguments = parser.parse_args()
    failed = 0
    for name in [arguments.only] if arguments.only else FUZZERS:
        begun = time.monotonic()
        try:
            counts = importlib.import_module(name).FUZZER.fuzz(FUZZERS[name], arguments.seed)
        except AssertionError as error:
            print(f"{name}: {error}", file=sys.stderr, flush=True)
            failed = 1
            continue
        found = ", ".join(f"{count:,} {kind}" for kind, count in counts.items())
        print(f"{name}: {found}; {time.monotonic() - begun:.0f} s", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
