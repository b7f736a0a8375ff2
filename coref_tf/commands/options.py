"""Command-line options that several commands share."""

import argparse
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from coref_tf.config import ExperimentsFile
from coref_tf.documents.formats import all_formats
from coref_tf.inference.memory import parse_size
from coref_tf.support.errors import CorefError
from coref_tf.support.files import shortened
from coref_tf.support.resources import bundled_models
from coref_tf.support.startup import starting
from coref_tf.support.typed_settings import nearest

if TYPE_CHECKING:
    from coref_tf.inference.predictor import Predictor
    from coref_tf.models.trained_model import GivenMentions, TrainedModel

# A changed setting, also of a nested setting, as in context.layers=4.
_CHANGE = re.compile(r"[A-Za-z_]\w*(\.\w+)*\s*=")


class CommandParser(argparse.ArgumentParser):
    """A parser that reports an error in one line, without the usage, and suggests an option for a misspelt one."""

    def error(self, message: str) -> NoReturn:
        """Prints the error and exits with code 2."""
        lists = f"`{self.prog} --help` lists all arguments"
        if unknown := re.fullmatch(r"unrecognized arguments: (.*)", message, re.DOTALL):
            words = unknown[1].split(" ")
            option = next((word.partition("=")[0] for word in words if word.startswith("-")), None)
            if option:
                message = f"unknown option {option}{nearest(option, self._option_string_actions)}; {lists}"
            else:
                message = f"unexpected argument {' '.join(words)}; {lists}"
        elif message.startswith("the following arguments are required"):
            message += f"; {lists}"
        self.exit(2, f"error: {message}\n")


def new_parser(prog: str, description: str) -> argparse.ArgumentParser:
    """Returns a parser whose help shows the docstring of a command unchanged."""
    return CommandParser(
        prog=prog, description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )


def add_experiments(parser: argparse.ArgumentParser, more: str = "") -> None:
    """Adds `words` (MODEL ..., key=value and `more`), --conf and --checkpoint. Several models form an ensemble.

    `split_changes` and `open_models` read them.
    """
    parser.add_argument(
        "words",
        nargs="*",
        metavar=f"MODEL|key=value{'|' if more else ''}{more}",
        help="a trained experiment, a bundled model or a checkpoint (several form an ensemble);"
        " key=value changes a setting",
    )
    add_conf(parser)
    add_checkpoint(parser)


def split_changes(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Splits words into names and changed settings: key=value, if no file has that name."""
    changes = [word for word in words if _CHANGE.match(word) and not os.path.exists(word)]
    return [word for word in words if word not in changes], changes


def open_models(
    names: Sequence[str],
    conf: str | ExperimentsFile | None,
    changes: Sequence[str] = (),
    checkpoint: str | None = None,
) -> list["TrainedModel"]:
    """Opens the models that a command line names.

    Args:
        names: the names or paths of models.
        conf: the experiments file.
        changes: settings to change, "key=value".
        checkpoint: the path given by --checkpoint; with one name, replaces the best checkpoint of that experiment.
    """
    if len(names) > 1 and checkpoint:
        raise CorefError(
            f"--checkpoint {checkpoint}: expected at most one experiment. Received: {' '.join(names)}"
        )
    if not names and not checkpoint:
        raise CorefError("no model given; expected a model, such as english, or --checkpoint PATH")
    # Imports h5py and NumPy, which the help page and completion do not need.
    from coref_tf.models.open_model import open_trained_model

    conf = conf if isinstance(conf, ExperimentsFile) else ExperimentsFile(conf)
    if checkpoint and not names:
        return [open_trained_model(os.path.join(os.curdir, checkpoint), changes, conf)]
    return [open_trained_model(name, changes, conf, checkpoint) for name in names]


def add_conf(parser: argparse.ArgumentParser) -> None:
    """Adds --conf, the experiments file. None means the one in the working directory, or else the package's."""
    parser.add_argument("--conf", metavar="FILE", help="the experiments file (default: experiments.conf)")


def add_checkpoint(parser: argparse.ArgumentParser) -> None:
    """Adds --checkpoint, for a model other than the best checkpoint of an experiment."""
    parser.add_argument(
        "--checkpoint",
        metavar="PATH",
        help="the path of a model; with an experiment, overrides its best checkpoint",
    )


def add_format(parser: argparse.ArgumentParser) -> None:
    """Adds --format, for outputs whose extension does not determine the format."""
    formats = [form.name for form in all_formats().values() if form.open]
    parser.add_argument(
        "--format", choices=formats, help="the output format, if the file extension does not determine it"
    )


def add_dialogue(parser: argparse.ArgumentParser) -> None:
    """Adds --dialogue, for texts with turns of speakers."""
    parser.add_argument(
        "--dialogue",
        action="store_true",
        help="read texts as dialogue: lines such as `Ana: words`, `[10:02] ana: words` or `<ana> words` name the"
        " speaker; WhatsApp exports, IRC logs and meeting transcripts with timestamps are recognised",
    )


def add_language(parser: argparse.ArgumentParser) -> None:
    """Adds --language, for texts that are read without an experiment."""
    parser.add_argument(
        "--language",
        default="en",
        metavar="CODE",
        help="the language of texts, as a spaCy code such as en or de (default: en)",
    )


def split_models(
    words: Sequence[str], experiments: ExperimentsFile, min_inputs: int = 1
) -> tuple[list[str], list[str]]:
    """Splits words into models, which come first, and the rest.

    A word is a model if it is the name of an experiment or a bundled model, but not of a file; at least `min_inputs`
    words are left for the rest.
    """
    models = 0
    while models < len(words) - min_inputs and not os.path.exists(words[models]):
        if words[models] not in experiments.names and words[models] not in bundled_models():
            break
        models += 1
    return list(words[:models]), list(words[models:])


def add_data(parser: argparse.ArgumentParser) -> None:
    """Adds --data, for documents other than the dev set."""
    parser.add_argument(
        "--data", metavar="FILE", help="documents to score (default: conll_eval_path of the experiment)"
    )


def corpus_of_model(model: "TrainedModel", path: Path, corpus: str, option: str) -> Path:
    """Returns the path of a corpus in the settings of a model; raises an error if the corpus does not exist.

    Args:
        model: The model.
        path: The path of the corpus.
        corpus: What it is, such as "dev set".
        option: The option that names another corpus, such as "--data".
    """
    if not path.is_file():
        reason = f", {shortened(path)}, does not exist" if model.is_experiment else " is not bundled"
        raise CorefError(
            f"the {corpus} of {model.name}{reason}; pass documents with gold clusters with {option} FILE"
        )
    return path


def add_max_memory(parser: argparse.ArgumentParser) -> None:
    """Adds --max-memory, a limit for predictions."""
    parser.add_argument(
        "--max-memory",
        type=size_argument,
        metavar="SIZE",
        help="memory limit, such as 2GB; rejects documents that may exceed it",
    )


def add_min_probability(parser: argparse.ArgumentParser, default: float | None = 0.0) -> None:
    """Adds --min-probability and --precision, for fewer and more probable links; `minimum_probability` reads them.

    Args:
        parser: The parser of the command.
        default: The default of --min-probability; None if the command chooses one.
    """
    meaning = "keep all links; the default" if default == 0 else "keep all links"
    dial = parser.add_mutually_exclusive_group()
    dial.add_argument(
        "--min-probability",
        type=probability_argument,
        default=default,
        metavar="P",
        help="remove links of mentions that are less likely than this to belong to their cluster,"
        f" from 0 ({meaning}) to 1",
    )
    dial.add_argument(
        "--precision",
        type=share_argument,
        metavar="P",
        help="set --min-probability so that at least this share of the links is correct, such as 0.9",
    )


def add_singletons_too(parser: argparse.ArgumentParser) -> None:
    """Adds --singletons, for mentions outside all clusters."""
    parser.add_argument(
        "--singletons",
        action="store_true",
        help="also return mentions outside all clusters; needs a threshold fitted by `coref analyse singletons --keep`",
    )


def minimum_probability(arguments: argparse.Namespace, models: Sequence["TrainedModel"]) -> float:
    """Returns the minimum place probability; reports the choice of --precision on standard error."""
    if arguments.precision is None:
        return arguments.min_probability
    from coref_tf.models.trained_model import precision_threshold  # imports NumPy, as above

    threshold, dial = precision_threshold(arguments.precision, models), models[0].dial
    place = dial.thresholds.index(threshold)
    reached = dial.precision[place] or 0.0
    print(
        f"minimum probability {threshold:g}: on the dev set, precision of links {100 * reached:.1f}%,"
        f" recall {100 * dial.recall[place]:.1f}%",
        file=sys.stderr,
    )
    return threshold


def load_predictor(
    arguments: argparse.Namespace,
    models: Sequence["TrainedModel"],
    threshold: float,
    given: "GivenMentions | None" = None,
) -> "Predictor":
    """Builds the predictor, with --max-memory and --singletons.

    TensorFlow takes seconds to import, so call this after everything else has been checked.

    Args:
        arguments: the parsed command line.
        models: the result of `open_models`.
        threshold: the minimum place probability, see `minimum_probability`.
        given: the mentions of a document, if the user specifies them.
    """
    with starting():
        from coref_tf.inference.predictor import Predictor

        return Predictor.from_models(models, arguments.max_memory, threshold, given, arguments.singletons)


def probability_argument(text: str) -> float:
    """Parses a probability, a number from 0 to 1."""
    return _from_0_to_1(text, "a probability from 0 to 1, such as 0.5")


def share_argument(text: str) -> float:
    """Parses a share, a number from 0 to 1."""
    return _from_0_to_1(text, "a share from 0 to 1, such as 0.9")


def _from_0_to_1(text: str, expected: str) -> float:
    from coref_tf.models.calibration import check_probability  # imports NumPy, as above

    try:
        return check_probability(float(text))
    except (ValueError, CorefError):
        raise argparse.ArgumentTypeError(f"expected {expected}. Received: {text!r:.80}") from None


def size_argument(text: str) -> int:
    """Parses a size as a number of bytes."""
    try:
        return parse_size(text)
    except CorefError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
