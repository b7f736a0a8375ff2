"""Measures speed and memory on this machine.

python -m benchmarks --only ops
"""

import argparse
import importlib
from collections.abc import Iterator, Sequence

from benchmarks import model, report, spark
from coref_tf.commands.options import new_parser
from coref_tf.support.environment import use_project_environment
from coref_tf.support.errors import run_command
from coref_tf.support.files import check_ending, check_outputs, printing_beside, write_json

BENCHMARKS = ("context", "export", "model", "ops", "scoring", "spark")


def main(words: Sequence[str] | None = None) -> None:
    """Runs the benchmarks that the command line selects."""
    parser = new_parser("python -m benchmarks", __doc__)
    add_arguments(parser)
    run(parser.parse_args(words))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of the command."""
    parser.add_argument("--only", choices=BENCHMARKS, help="run only this benchmark")
    parser.add_argument("--json", metavar="FILE", help="also write the rows to FILE")
    of_model = parser.add_argument_group("the model")
    of_model.add_argument(
        "--words",
        type=_numbers,
        default=model.WORDS,
        metavar="N,N",
        help="lengths of the documents, such as 500,1000",
    )
    of_model.add_argument(
        "--long",
        type=_numbers,
        default=model.LONG,
        metavar="N,N",
        help="lengths at which only the fast model is measured",
    )
    of_model.add_argument(
        "--plot", default="bench.png", metavar="FILE", help="where to write the plot (default: bench.png)"
    )
    of_spark = parser.add_argument_group("Spark")
    of_spark.add_argument(
        "--corpus-words",
        type=_number,
        default=spark.WORDS,
        metavar="N",
        help="number of words in the corpus (default: 300000)",
    )
    of_spark.add_argument("--model", metavar="PATH", help="a checkpoint to use instead of random weights")


def run(arguments: argparse.Namespace) -> None:
    """Runs the benchmarks one after another and prints their rows."""
    check_ending(arguments.json, ".json")
    check_ending(arguments.plot, ".png")
    check_outputs([arguments.json, arguments.plot])
    with printing_beside(arguments.json, arguments.plot):
        run_chosen(arguments)


def run_chosen(arguments: argparse.Namespace) -> None:
    """Runs the benchmarks and prints their rows as they arrive."""
    chosen = [arguments.only] if arguments.only else BENCHMARKS
    if "model" in chosen:
        report.import_pyplot()  # fails early if matplotlib is missing

    rows = []
    for name in chosen:
        for row in _run(name, arguments):
            rows.append(row)
            print(_text(row), flush=True)
    if arguments.json:
        write_json(arguments.json, rows)
    if "model" in chosen:
        report.draw(rows, arguments.plot)
        print(f"\n{report.table(rows)}\n\nplot: {arguments.plot}")


def _run(name: str, arguments: argparse.Namespace) -> Iterator[dict]:
    if name == "model":
        return model.run(arguments.words, arguments.long)
    if name == "spark":
        return spark.run(arguments.corpus_words, arguments.model)
    return importlib.import_module(f"benchmarks.{name}").run()


def _numbers(text: str) -> tuple[int, ...]:
    """Parses positive integers separated by commas."""
    parts = [part.strip() for part in text.split(",")] if text else []
    if not all(part.isdecimal() and int(part) for part in parts):
        raise argparse.ArgumentTypeError(f"expected numbers of words such as 500,1000. Received: {text!r}")
    return tuple(int(part) for part in parts)


def _number(text: str) -> int:
    """Parses one positive integer."""
    number, *others = _numbers(text) or (0,)
    if others or not number:
        raise argparse.ArgumentTypeError(f"expected a number of words such as 300000. Received: {text!r}")
    return number


def _text(row: dict) -> str:
    rounded = {key: f"{value:.4g}" if isinstance(value, float) else value for key, value in row.items()}
    return ", ".join(f"{key} {value}" for key, value in rounded.items()).removeprefix("benchmark ")


if __name__ == "__main__":
    use_project_environment()
    run_command(main)
