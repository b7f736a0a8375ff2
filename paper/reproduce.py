"""Reproduces every table and figure: trains missing models, measures, and writes FOLDER/REPORT.md."""

import signal
import sys
from pathlib import Path

from coref_tf.support.environment import ROOT
from coref_tf.support.errors import CorefError
from paper.plan import PARTS, make_plan
from paper.report import write_report
from paper.steps import Steps


def reproduce(only: str | None, quick: bool, out: str | None, conf: str | None, jobs: int = 1) -> int:
    """Runs the steps that are not done yet, and returns the exit code; an interrupted run is resumed.

    Args:
        only: The parts, separated by commas; None for all.
        quick: Whether to train separate models for a few epochs.
        out: The output folder; defaults to results, or results/quick.
        conf: The experiments file; None for experiments.conf.
        jobs: How many steps run at a time.
    """
    if not (ROOT / "train.py").is_file():
        raise CorefError(
            f"{ROOT} has no train.py; expected a checkout, because an installed package cannot train"
        )
    parts = parse_parts(only)
    if jobs < 1:
        raise CorefError(f"--jobs must be 1 or more. Received: {jobs}")
    folder = Path(out or ("results/quick" if quick else "results"))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    plan = make_plan(folder, conf, quick)
    steps = Steps(plan.folder / "steps", jobs)
    try:
        steps.run_all(plan.steps_of(parts))
    except KeyboardInterrupt:
        print("stopped; run the same command again to resume", file=sys.stderr)
        raise
    finally:
        write_report(plan, steps, quick)
    print(f"wrote {folder / 'REPORT.md'}")
    for name, reason in steps.failures.items():
        print(f"error: {name} failed: {reason}", file=sys.stderr)
    return 1 if steps.failures else 0


def parse_parts(only: str | None) -> list[str]:
    """Parses the parts that --only names; returns all without it."""
    if only is None:
        return list(PARTS)
    parts = [part for part in only.split(",") if part]
    for part in parts:
        if part not in PARTS:
            raise CorefError(f"--only {only}: no part {part}; expected some of {', '.join(PARTS)}")
    if not parts:
        raise CorefError(f"--only is empty; expected some of {', '.join(PARTS)}")
    return parts
