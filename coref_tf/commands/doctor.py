"""Says whether everything is there that coref needs on this machine, a line each, and what to do where it isn't.

coref doctor

Ends with exit code 1 where something is amiss. What is noted only keeps some commands from working.
"""

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator

from coref_tf.commands.checkups import CHECKUPS, Finding, State
from coref_tf.commands.options import add_conf
from coref_tf.support.errors import CorefError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    add_conf(parser)


def run(arguments: argparse.Namespace) -> int:
    """Prints what is found, as it is found."""
    amiss = 0
    for finding in findings(CHECKUPS, arguments.conf):
        print(f"{finding.state.value:6} {finding.what}", flush=True)
        amiss += finding.state == State.AMISS
    if amiss:
        print(f"{'1 thing is' if amiss == 1 else f'{amiss} things are'} amiss", file=sys.stderr)
    return 1 if amiss else 0


def findings(
    checkups: Iterable[Callable[[str | None], Iterator[Finding]]], conf: str | None
) -> Iterator[Finding]:
    """What the checkups find; an error that a user can mend is a finding."""
    for checkup in checkups:
        try:
            yield from checkup(conf)
        except (CorefError, OSError) as error:
            yield Finding(State.AMISS, str(error))
