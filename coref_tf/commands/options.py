"""What several commands have on their command lines, said in one way."""

import argparse
import os
from collections.abc import Sequence

from coref_tf.config import experiment_names
from coref_tf.documents.formats import all_formats
from coref_tf.inference.memory import parse_size
from coref_tf.support.errors import CorefError


def new_parser(prog: str, description: str) -> argparse.ArgumentParser:
    """A parser that shows a command's docstring as it is written."""
    return argparse.ArgumentParser(
        prog=prog, description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )


def add_experiments(parser: argparse.ArgumentParser) -> None:
    """EXPERIMENT [EXPERIMENT ...], of which several are an ensemble, and --conf."""
    parser.add_argument(
        "experiments",
        nargs="+",
        metavar="EXPERIMENT",
        help="a trained experiment of the experiments file; several are an ensemble",
    )
    add_conf(parser)


def add_conf(parser: argparse.ArgumentParser) -> None:
    """--conf, where the experiments are: None is that of the working directory, or else the package's."""
    parser.add_argument("--conf", metavar="FILE", help="another experiments file than experiments.conf")


def add_checkpoint(parser: argparse.ArgumentParser) -> None:
    """--checkpoint, for another model than the best."""
    parser.add_argument("--checkpoint", metavar="PATH", help="another checkpoint than the experiment's best")


def add_format(parser: argparse.ArgumentParser) -> None:
    """--format, for outputs whose names don't tell theirs."""
    formats = [form.name for form in all_formats().values() if form.open]
    parser.add_argument("--format", choices=formats, help="what to write, where the ending doesn't tell")


def add_dialogue(parser: argparse.ArgumentParser) -> None:
    """--dialogue, for texts in which people speak."""
    parser.add_argument(
        "--dialogue",
        action="store_true",
        help="lines of a text such as `Ana: words`, `[10:02] ana: words` and `<ana> words` name the speaker",
    )


def add_language(parser: argparse.ArgumentParser) -> None:
    """--language, of texts, where no experiment says it."""
    parser.add_argument(
        "--language",
        default="en",
        metavar="CODE",
        help="of texts, as spaCy names it (en, de, ...); default: en",
    )


def split_models(words: Sequence[str], conf: str | None) -> tuple[list[str], list[str]]:
    """The models that the first of some words name, and the other words.

    A word is a model where an experiment has its name and no file does; at least one word stays.
    """
    models = 0
    known = experiment_names(conf)
    while models < len(words) - 1 and words[models] in known and not os.path.exists(words[models]):
        models += 1
    return list(words[:models]), list(words[models:])


def add_data(parser: argparse.ArgumentParser) -> None:
    """--data, for other documents than the dev set."""
    parser.add_argument(
        "--data", metavar="FILE", help="other documents than the experiment's conll_eval_path"
    )


def add_max_memory(parser: argparse.ArgumentParser) -> None:
    """--max-memory, for predictions in so much memory."""
    parser.add_argument(
        "--max-memory", type=size_argument, metavar="SIZE", help="such as 2GB: refuse what may take more"
    )


def size_argument(text: str) -> int:
    """A number of bytes."""
    try:
        return parse_size(text)
    except CorefError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
