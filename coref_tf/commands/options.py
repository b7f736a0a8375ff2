"""What several commands have on their command lines, said in one way."""

import argparse
import os
import re
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from coref_tf.config import ExperimentsFile
from coref_tf.documents.formats import all_formats
from coref_tf.inference.memory import parse_size
from coref_tf.support.errors import CorefError
from coref_tf.support.resources import bundled_models
from coref_tf.support.startup import starting

if TYPE_CHECKING:
    from coref_tf.inference.predictor import Predictor
    from coref_tf.models.trained_model import GivenMentions, TrainedModel

# A setting that differs; also one of a part, as in context.layers=4.
_CHANGE = re.compile(r"[A-Za-z_]\w*(\.\w+)*\s*=")


def new_parser(prog: str, description: str) -> argparse.ArgumentParser:
    """A parser that shows a command's docstring as it is written."""
    return argparse.ArgumentParser(
        prog=prog, description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )


def add_experiments(parser: argparse.ArgumentParser, more: str = "") -> None:
    """`words`: MODEL [MODEL ...], several of which are an ensemble, key=value, and `more`; --conf and --checkpoint.

    `split_changes` and `open_models` read them.
    """
    parser.add_argument(
        "words",
        nargs="*",
        metavar=f"MODEL|key=value{'|' if more else ''}{more}",
        help="a trained experiment, a bundled model or a checkpoint; several are an ensemble; settings that differ",
    )
    add_conf(parser)
    add_checkpoint(parser)


def split_changes(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Words that name something, and those that change a setting: key=value, where no file has that name."""
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
        names: of models, or their paths.
        conf: the experiments file.
        changes: settings "key=value" that differ.
        checkpoint: --checkpoint: the path of a model, or another checkpoint than the best one of the only name.
    """
    if len(names) > 1 and checkpoint:
        raise CorefError(f"{checkpoint}: a checkpoint can be named for one experiment only")
    if not names and not checkpoint:
        raise CorefError("no experiment is named; expected a trained one, such as best, or --checkpoint PATH")
    # Needs h5py and NumPy, which the help page and completion do without.
    from coref_tf.models.open_model import open_trained_model

    conf = conf if isinstance(conf, ExperimentsFile) else ExperimentsFile(conf)
    if checkpoint and not names:
        return [open_trained_model(os.path.join(os.curdir, checkpoint), changes, conf)]
    return [open_trained_model(name, changes, conf, checkpoint) for name in names]


def add_conf(parser: argparse.ArgumentParser) -> None:
    """--conf, where the experiments are: None is that of the working directory, or else the package's."""
    parser.add_argument("--conf", metavar="FILE", help="another experiments file than experiments.conf")


def add_checkpoint(parser: argparse.ArgumentParser) -> None:
    """--checkpoint, for another model than the best."""
    parser.add_argument(
        "--checkpoint",
        metavar="PATH",
        help="the path of a model; after an experiment, another checkpoint than its best",
    )


def add_format(parser: argparse.ArgumentParser) -> None:
    """--format, for outputs whose names don't tell theirs."""
    formats = [form.name for form in all_formats().values() if form.open]
    parser.add_argument("--format", choices=formats, help="what to write, where the ending doesn't tell")


def add_dialogue(parser: argparse.ArgumentParser) -> None:
    """--dialogue, for texts in which people speak."""
    parser.add_argument(
        "--dialogue",
        action="store_true",
        help="people speak in a text: lines such as `Ana: words`, `[10:02] ana: words` or `<ana> words` name the"
        " speaker; WhatsApp exports, IRC logs and meeting transcripts with times are recognised",
    )


def add_language(parser: argparse.ArgumentParser) -> None:
    """--language, of texts, where no experiment says it."""
    parser.add_argument(
        "--language",
        default="en",
        metavar="CODE",
        help="of texts, as spaCy names it (en, de, ...); default: en",
    )


def split_models(
    words: Sequence[str], experiments: ExperimentsFile, least: int = 1
) -> tuple[list[str], list[str]]:
    """Splits words into the models that the first of them name, and the others.

    A word is a model if an experiment or a bundled model has its name and no file does; `least` words are left over.
    """
    models = 0
    while models < len(words) - least and not os.path.exists(words[models]):
        if words[models] not in experiments.names and words[models] not in bundled_models():
            break
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


def add_min_probability(parser: argparse.ArgumentParser, default: float | None = 0.0) -> None:
    """--min-probability and --precision, for fewer links that are surer; `least_probability` reads them.

    Args:
        parser: of the command.
        default: of --min-probability; None where the command itself chooses one.
    """
    meaning = "the default: none" if default == 0 else "none"
    dial = parser.add_mutually_exclusive_group()
    dial.add_argument(
        "--min-probability",
        type=probability_argument,
        default=default,
        metavar="P",
        help=f"take links away that give a less probable place, from 0 ({meaning}) to 1",
    )
    dial.add_argument(
        "--precision",
        type=probability_argument,
        metavar="P",
        help="the least probability at which such a share of the links was right on the dev set, as 0.9",
    )


def add_singletons_too(parser: argparse.ArgumentParser) -> None:
    """--singletons, for every mention."""
    parser.add_argument(
        "--singletons",
        action="store_true",
        help="mentions in no cluster are clusters by themselves, from the score that was fitted on",
    )


def least_probability(arguments: argparse.Namespace, models: Sequence["TrainedModel"]) -> float:
    """How probable a mention's place has to be; the choice of --precision is reported on standard error."""
    if arguments.precision is None:
        return arguments.min_probability
    from coref_tf.models.trained_model import precision_threshold  # needs NumPy, as above

    least, dial = precision_threshold(arguments.precision, models), models[0].dial
    place = dial.thresholds.index(least)
    reached = dial.precision[place] or 0.0
    print(
        f"links from probability {least:g} on: on the dev set {100 * reached:.1f} % of them were right,"
        f" and {100 * dial.recall[place]:.1f} % of all there should be",
        file=sys.stderr,
    )
    return least


def load_predictor(
    arguments: argparse.Namespace,
    models: Sequence["TrainedModel"],
    least: float,
    given: "GivenMentions | None" = None,
) -> "Predictor":
    """Builds the predictor, with --max-memory and --singletons.

    TensorFlow takes seconds to import: call this once everything else has been checked.

    Args:
        arguments: of the command line.
        models: what `open_models` returned.
        least: how probable a mention's place has to be, see `least_probability`.
        given: the mentions of a document, if the user gives them.
    """
    with starting():
        from coref_tf.inference.predictor import Predictor

        return Predictor.from_models(models, arguments.max_memory, least, given, arguments.singletons)


def probability_argument(text: str) -> float:
    """A number from 0 to 1."""
    from coref_tf.models.calibration import check_probability  # needs NumPy, as above

    try:
        return check_probability(float(text))
    except (ValueError, CorefError):
        raise argparse.ArgumentTypeError(
            f"expected a probability from 0 to 1, such as 0.5. Received: {text!r:.80}"
        ) from None


def size_argument(text: str) -> int:
    """A number of bytes."""
    try:
        return parse_size(text)
    except CorefError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
