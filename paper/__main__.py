"""Prepares the corpus of the paper, and reproduces its tables and figures.

python -m paper ontonotes conll-2012 --ontonotes ontonotes-release-5.0
python -m paper reproduce --quick
python -m paper reproduce --conf paper/ontogum.conf --out docs/ontogum --jobs 2
python -m paper figure3 best results
"""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

from coref_tf.commands.main import parse
from coref_tf.commands.options import add_checkpoint, add_conf, add_data, new_parser, open_models
from coref_tf.config import load_experiment
from coref_tf.support.environment import ROOT, use_project_environment
from coref_tf.support.errors import CorefError, run_command
from paper.figure3 import write_figure3
from paper.figure4 import write_figure4
from paper.ontonotes.prepare import Request, prepare
from paper.ontonotes.release import DOCUMENT_COUNTS
from paper.plan import PARTS, QUICK_EPOCHS
from paper.readings import Setup, set_up
from paper.reproduce import reproduce
from paper.section7 import write_section7
from paper.table4 import write_table4


def main(words: Sequence[str] | None = None) -> int | None:
    """Runs one of the subcommands; returns its exit code."""
    parser = new_parser("python -m paper", __doc__)
    add_arguments(parser)
    arguments = parse(parser, words)
    return arguments.call(arguments)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the subcommands and their options."""
    commands = parser.add_subparsers(dest="command", required=True)

    def add(
        name: str, summary: str, call: Callable[[argparse.Namespace], int | None]
    ) -> argparse.ArgumentParser:
        command = commands.add_parser(name, help=summary, description=summary)
        command.set_defaults(call=call)
        return command

    add_ontonotes(
        add(
            "ontonotes",
            "prepare OntoNotes: data/ontonotes, and data/ontonotes.conf, from its releases",
            run_ontonotes,
        )
    )
    whole = add(
        "reproduce", "train missing models, create every table and figure, write REPORT.md", run_reproduce
    )
    whole.add_argument("--only", metavar="PART,...", help=f"some of {', '.join(PARTS)}")
    whole.add_argument(
        "--quick", action="store_true", help=f"train separate models for {QUICK_EPOCHS} epochs"
    )
    whole.add_argument(
        "--out", metavar="FOLDER", help="output folder (default: results, or results/quick with --quick)"
    )
    whole.add_argument(
        "--jobs",
        type=int,
        default=1,
        metavar="N",
        help="run N steps at a time, which share the cores (default: 1)",
    )
    add_conf(whole)

    section7 = add("section7", "documents, words and mention widths of an experiment's corpus", run_section7)
    section7.add_argument("experiment", metavar="EXPERIMENT", help="an experiment of the experiments file")
    section7.add_argument("output", metavar="FOLDER", help="where to write section7.json")
    add_conf(section7)

    def add_figure(
        name: str, summary: str, write: Callable[[Setup, Path], None], needs_parses: bool = False
    ) -> None:
        command = add(name, summary, lambda arguments: run_figure(arguments, write, needs_parses))
        command.add_argument("experiment", metavar="EXPERIMENT", help="a trained experiment")
        command.add_argument("output", metavar="FOLDER", help="where to write the results")
        command.add_argument("changes", metavar="key=value", nargs="*", help="settings to change")
        add_conf(command)
        add_data(command)
        add_checkpoint(command)

    add_figure("table4", "clusters with the head attention of their words, as a page", write_table4)
    add_figure("figure3", "the fraction of gold mentions kept, by spans per word", write_figure3)
    add_figure(
        "figure4", "agreement of spans and heads with constituents and their heads", write_figure4, True
    )


def add_ontonotes(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `ontonotes`."""
    parser.add_argument("conll2012", metavar="CONLL2012", help="folder of the CoNLL-2012 release")
    parser.add_argument("--ontonotes", type=Path, metavar="DIR", help="folder of the OntoNotes 5.0 release")
    parser.add_argument("--glove", type=Path, metavar="FILE", help="GloVe 840B, 300 dimensions")
    parser.add_argument(
        "--turian", type=Path, metavar="FILE", help="the vectors of Turian et al., 50 dimensions"
    )
    parser.add_argument("--language", choices=sorted(DOCUMENT_COUNTS), default="english")
    parser.add_argument(
        "--expect", metavar="TRAIN,DEV,TEST", help="numbers of documents, if they differ from the release"
    )
    parser.add_argument("--output", type=Path, default=ROOT / "data" / "ontonotes", metavar="DIR")


def run_ontonotes(arguments: argparse.Namespace) -> None:
    """Prepares OntoNotes, and prints what was found and written."""
    if not Path(arguments.conll2012 or "-").is_dir():
        raise CorefError(
            f"no folder {arguments.conll2012!r}; expected the CoNLL-2012 release, as in "
            "`make ontonotes CONLL2012=conll-2012 ONTONOTES=ontonotes-release-5.0`"
        )
    vectors = {"glove": arguments.glove, "turian": arguments.turian}
    request = Request(
        conll2012=Path(arguments.conll2012),
        ontonotes=arguments.ontonotes,
        language=arguments.language,
        expected=expected_counts(arguments.expect, arguments.language),
        vectors={name: path for name, path in vectors.items() if path},
        output=arguments.output,
    )
    for line in prepare(request):
        print(line, flush=True)


def expected_counts(text: str | None, language: str) -> tuple[int, ...]:
    """Parses the expected numbers of documents."""
    if text is None:
        return DOCUMENT_COUNTS[language]
    counts = text.split(",")
    if len(counts) != 3 or not all(count.isdecimal() for count in counts):
        raise CorefError(f"--expect must be three numbers as in 2802,343,348. Received: {text!r}")
    return tuple(map(int, counts))


def run_reproduce(arguments: argparse.Namespace) -> int:
    """Creates every table and figure."""
    return reproduce(arguments.only, arguments.quick, arguments.out, arguments.conf, arguments.jobs)


def run_section7(arguments: argparse.Namespace) -> None:
    """Counts the corpus of an experiment."""
    write_section7(load_experiment(arguments.experiment, arguments.conf), Path(arguments.output))


def run_figure(
    arguments: argparse.Namespace, write: Callable[[Setup, Path], None], needs_parses: bool
) -> None:
    """Creates one table or figure for a trained model."""
    [model] = open_models([arguments.experiment], arguments.conf, arguments.changes, arguments.checkpoint)
    setup = set_up(model, arguments.data, needs_parses)
    write(setup, Path(arguments.output))


if __name__ == "__main__":
    use_project_environment()
    run_command(main)
