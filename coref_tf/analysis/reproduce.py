"""Every table and figure: trains what is missing, measures, and writes FOLDER/REPORT.md."""

import argparse
import signal
import sys
from pathlib import Path

from coref_tf.analysis.plan import PARTS, QUICK_EPOCHS, make_plan
from coref_tf.analysis.report import write_report
from coref_tf.analysis.steps import Steps
from coref_tf.commands.options import add_conf
from coref_tf.support.environment import ROOT
from coref_tf.support.errors import CorefError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument("--only", metavar="PART,...", help=f"some of {', '.join(PARTS)}")
    parser.add_argument(
        "--quick", action="store_true", help=f"train for {QUICK_EPOCHS} epochs, in models of its own"
    )
    parser.add_argument("--out", metavar="FOLDER", help="where all goes; results, or results/quick")
    add_conf(parser)


def run(arguments: argparse.Namespace) -> int:
    """The command. After a stop, the same command goes on."""
    if not (ROOT / "train.py").is_file():
        raise CorefError(
            f"{ROOT} has no train.py; expected a checkout, since an installed package doesn't train"
        )
    parts = parse_parts(arguments.only)
    folder = Path(arguments.out or ("results/quick" if arguments.quick else "results"))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    plan = make_plan(folder, arguments.conf, arguments.quick)
    steps = Steps(plan.folder / "steps")
    try:
        steps.run_all(plan.steps_of(parts))
    except KeyboardInterrupt:
        print("stopped; the same command goes on from there", file=sys.stderr)
        raise
    finally:
        write_report(plan, steps, arguments.quick)
    print(f"{folder / 'REPORT.md'} is written")
    for name, reason in steps.failures.items():
        print(f"error: {name} failed: {reason}", file=sys.stderr)
    return 1 if steps.failures else 0


def parse_parts(only: str | None) -> list[str]:
    """The parts that --only names; all without it."""
    if only is None:
        return list(PARTS)
    parts = [part for part in only.split(",") if part]
    for part in parts:
        if part not in PARTS:
            raise CorefError(f"--only {only}: no part {part}; expected some of {', '.join(PARTS)}")
    if not parts:
        raise CorefError(f"--only names no part; expected some of {', '.join(PARTS)}")
    return parts
