"""How fast the fast things are, on this machine.

coref bench --only ops
"""

import argparse
import importlib
import pkgutil
from collections.abc import Iterator

import coref_tf.bench
from coref_tf.bench import _report, model, spark
from coref_tf.support.files import check_ending, check_outputs, printing_beside, write_json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument("--only", choices=benchmarks(), help="run this benchmark alone")
    parser.add_argument("--json", metavar="FILE", help="write the rows to FILE, too")
    of_model = parser.add_argument_group("the model")
    of_model.add_argument(
        "--words",
        type=_numbers,
        default=model.WORDS,
        metavar="N,N",
        help="lengths of documents; 500,1000,...",
    )
    of_model.add_argument(
        "--long",
        type=_numbers,
        default=model.LONG,
        metavar="N,N",
        help="those that are predicted only, and fast",
    )
    of_model.add_argument(
        "--plot", default="bench.png", metavar="FILE", help="where the plot goes, bench.png"
    )
    of_spark = parser.add_argument_group("Spark")
    of_spark.add_argument(
        "--corpus-words", type=_number, default=spark.WORDS, metavar="N", help="of the corpus, 300000"
    )
    of_spark.add_argument("--model", metavar="PATH", help="a checkpoint, in the place of random weights")


def benchmarks() -> list[str]:
    """The names of all benchmarks: the modules of coref_tf.bench that have a run()."""
    modules = (module.name for module in pkgutil.iter_modules(coref_tf.bench.__path__))
    return [name for name in modules if not name.startswith("_")]


def run(arguments: argparse.Namespace) -> None:
    """Runs the benchmarks one after another and prints their rows."""
    check_ending(arguments.json, ".json")
    check_ending(arguments.plot, ".png")
    check_outputs([arguments.json, arguments.plot])
    with printing_beside(arguments.json, arguments.plot):
        run_chosen(arguments)


def run_chosen(arguments: argparse.Namespace) -> None:
    """The same, wherever what is printed goes."""
    chosen = [arguments.only] if arguments.only else benchmarks()
    if "model" in chosen:
        _report.import_pyplot()  # says at once when it is missing

    rows = []
    for name in chosen:
        for row in _run(name, arguments):
            rows.append(row)
            print(_text(row), flush=True)
    if arguments.json:
        write_json(arguments.json, rows)
    if "model" in chosen:
        _report.draw(rows, arguments.plot)
        print(f"\n{_report.table(rows)}\n\nplot: {arguments.plot}")


def _run(name: str, arguments: argparse.Namespace) -> Iterator[dict]:
    if name == "model":
        return model.run(arguments.words, arguments.long)
    if name == "spark":
        return spark.run(arguments.corpus_words, arguments.model)
    return importlib.import_module(f"coref_tf.bench.{name}").run()


def _numbers(text: str) -> tuple[int, ...]:
    """Whole numbers above 0 with commas between them."""
    parts = [part.strip() for part in text.split(",")] if text else []
    if not all(part.isdecimal() and int(part) for part in parts):
        raise argparse.ArgumentTypeError(f"expected numbers of words such as 500,1000. Received: {text!r}")
    return tuple(int(part) for part in parts)


def _number(text: str) -> int:
    """One such number."""
    number, *others = _numbers(text) or (0,)
    if others or not number:
        raise argparse.ArgumentTypeError(f"expected a number of words such as 300000. Received: {text!r}")
    return number


def _text(row: dict) -> str:
    rounded = {key: f"{value:.4g}" if isinstance(value, float) else value for key, value in row.items()}
    return ", ".join(f"{key} {value}" for key, value in rounded.items()).removeprefix("benchmark ")
