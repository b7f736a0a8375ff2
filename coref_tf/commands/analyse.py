"""The paper's tables and figures, for whatever corpus is set up, and what went wrong.

coref analyse figure3 best results
coref analyse errors best data/sample/dev.conll --html errors.html
coref analyse reproduce --quick
"""

import argparse
from collections.abc import Callable
from pathlib import Path

from coref_tf.analysis.calibration import write_calibration
from coref_tf.analysis.figure3 import write_figure3
from coref_tf.analysis.figure4 import write_figure4
from coref_tf.analysis.figures import Setup, set_up
from coref_tf.analysis.plan import PARTS, QUICK_EPOCHS
from coref_tf.analysis.reproduce import reproduce
from coref_tf.analysis.section7 import write_section7
from coref_tf.analysis.table4 import write_table4
from coref_tf.commands.analyse_dial import add_dial, run_dial
from coref_tf.commands.analyse_errors import add_errors, run_errors
from coref_tf.commands.analyse_fits import add_balance, add_singletons, run_balance, run_singletons
from coref_tf.commands.options import add_checkpoint, add_conf, add_data, trained
from coref_tf.config import load_experiment


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    commands = parser.add_subparsers(dest="command", required=True)

    def add(name: str, summary: str, call: Callable[[argparse.Namespace], int | None]):
        command = commands.add_parser(name, help=summary, description=summary)
        command.set_defaults(call=call)
        add_conf(command)
        return command

    section7 = add("section7", "documents, words and mention widths of an experiment's corpus", run_section7)
    section7.add_argument("experiment", metavar="EXPERIMENT", help="an experiment of the experiments file")
    section7.add_argument("output", metavar="FOLDER", help="where section7.json goes")

    def add_figure(name: str, summary: str, write: Callable[[Setup, Path], None], needs_parses: bool = False):
        command = add(name, summary, lambda arguments: run_figure(arguments, write, needs_parses))
        command.add_argument("experiment", metavar="EXPERIMENT", help="a trained experiment")
        command.add_argument("output", metavar="FOLDER", help="where what is made goes")
        add_data(command)
        add_checkpoint(command)
        command.add_argument("changes", metavar="key=value", nargs="*", help="settings that differ")

    add_figure("table4", "clusters with the head attention of their words, as a page", write_table4)
    add_figure("figure3", "how many gold mentions are kept, against spans per word", write_figure3)
    add_figure("figure4", "how constituents and heads of parses agree with the model", write_figure4, True)

    calibration = add(
        "calibration", "how sure the model may be: reliability before and after a fit", run_calibration
    )
    calibration.add_argument("experiment", metavar="EXPERIMENT", help="a trained experiment")
    calibration.add_argument("output", metavar="FOLDER", help="where what is made goes")
    calibration.add_argument(
        "--fit", metavar="FILE", help="other documents to fit on than the experiment's eval_path"
    )
    calibration.add_argument(
        "--data", metavar="FILE", help="other documents to measure on than the experiment's test_path"
    )
    add_checkpoint(calibration)
    calibration.add_argument("changes", metavar="key=value", nargs="*", help="settings that differ")

    add_dial(add("dial", "precision and recall against how probable links have to be, as a curve", run_dial))
    add_errors(
        add("errors", "what went wrong: kinds of errors, what each costs, the worst documents", run_errors)
    )

    add_singletons(
        add(
            "singletons",
            "from which score on a span in no cluster is a mention; --keep keeps it",
            run_singletons,
        )
    )

    add_balance(add("balance", "how readily to link, for the best F1; --keep keeps it", run_balance))

    whole = add(
        "reproduce", "every table and figure: trains what is missing, and writes REPORT.md", run_reproduce
    )
    whole.add_argument("--only", metavar="PART,...", help=f"some of {', '.join(PARTS)}")
    whole.add_argument(
        "--quick", action="store_true", help=f"train for {QUICK_EPOCHS} epochs, in models of its own"
    )
    whole.add_argument("--out", metavar="FOLDER", help="where all goes; results, or results/quick")


def run(arguments: argparse.Namespace) -> int | None:
    """One of the above."""
    return arguments.call(arguments)


def run_section7(arguments: argparse.Namespace) -> None:
    """`section7`."""
    write_section7(load_experiment(arguments.experiment, arguments.conf), Path(arguments.output))


def run_figure(
    arguments: argparse.Namespace, write: Callable[[Setup, Path], None], needs_parses: bool
) -> None:
    """`table4`, `figure3` and `figure4`."""
    [experiment] = trained([arguments.experiment], arguments.conf, arguments.changes, arguments.checkpoint)
    setup = set_up(experiment, arguments.data, arguments.checkpoint, needs_parses)
    write(setup, Path(arguments.output))


def run_calibration(arguments: argparse.Namespace) -> None:
    """`calibration`."""
    [experiment] = trained([arguments.experiment], arguments.conf, arguments.changes, arguments.checkpoint)
    fitting = Path(arguments.fit) if arguments.fit else experiment.eval_path
    measuring = Path(arguments.data) if arguments.data else experiment.test_path
    write_calibration(experiment, fitting, measuring, arguments.checkpoint, Path(arguments.output))


def run_reproduce(arguments: argparse.Namespace) -> int:
    """`reproduce`."""
    return reproduce(arguments.only, arguments.quick, arguments.out, arguments.conf)
