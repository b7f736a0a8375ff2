"""A trained model that has been read from its file."""

import dataclasses
import functools
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from coref_tf.config import Experiment
from coref_tf.documents.document import Document
from coref_tf.encoder.encoder_file import EncoderFile
from coref_tf.features.characters import CharacterVocabulary
from coref_tf.features.given_mentions import with_given_mentions
from coref_tf.models.calibration import Calibration
from coref_tf.models.checkpoint import Checkpoint
from coref_tf.models.dial import CAUTIOUS_PROBABILITY, Dial, cautious_threshold
from coref_tf.support.errors import CorefError

if TYPE_CHECKING:  # models are read and checked before TensorFlow is imported, which takes seconds
    from coref_tf.features.tensorize import Tensorizer
    from coref_tf.model import CorefModel

# Returns the mentions of a document, inclusive and ordered, to use instead of the model's own.
GivenMentions = Callable[[Document], list[tuple[int, int]]]

SINGLETONS = "singletons"  # the key of the minimum mention score of singletons in a checkpoint's state


@dataclasses.dataclass(frozen=True)
class TrainedModel:
    """A trained model: its settings, its variables, and what was fitted after training.

    `open_model` creates it. It does not import TensorFlow until `build` or `tensorizer` is called.

    Args:
        path: The checkpoint or packed file.
        settings: The experiment that the model is used with.
        checkpoint: The content of the file.
        calibration: The calibration of the probabilities.
        encoder: The contextual encoder, if the model has one.

    Example:
        model = open_model("english")
        model.settings.language                     # "en"
        model.dial.require_threshold(0.9, model.name)
        network, tensorizer = model.build(), model.tensorizer()
    """

    path: Path
    settings: Experiment
    checkpoint: Checkpoint
    calibration: Calibration
    encoder: EncoderFile | None = None

    @property
    def name(self) -> str:
        """The name of its experiment."""
        return self.settings.name

    @property
    def is_experiment(self) -> bool:
        """Whether the file is in the folder of its experiment, unlike a bundled or packed model."""
        return self.path.parent.resolve() == self.settings.log_dir.resolve()

    @property
    def variables(self) -> Mapping[str, np.ndarray]:
        """The value of each variable, by name."""
        return self.checkpoint.variables

    @functools.cached_property
    def characters(self) -> CharacterVocabulary:
        """The character vocabulary."""
        return CharacterVocabulary(self.checkpoint.characters)

    @property
    def dial(self) -> Dial:
        """Precision and recall of links by probability; raises a CorefError if they have not been measured."""
        return Dial.from_state(self.checkpoint.state, self.path)

    @property
    def singleton_score(self) -> float:
        """The minimum mention score of a singleton; raises a CorefError if it has not been fitted."""
        kept = self.checkpoint.state.get(SINGLETONS)
        if kept is None:
            raise CorefError(
                f"{self.path}: has no fitted threshold for singletons; run `coref analyse singletons MODEL DATA --keep`"
                " with a corpus that has singletons"
            )
        if isinstance(kept, bool) or not isinstance(kept, int | float) or not math.isfinite(kept):
            raise CorefError(
                f"{self.path}: its threshold for singletons is {kept!r:.80}; expected a number; fit it again"
            )
        return float(kept)

    def with_given_mentions(self) -> "TrainedModel":
        """Returns the same model for mentions given by the user, regardless of how it was trained."""
        return dataclasses.replace(self, settings=with_given_mentions(self.settings))

    def build(self, backend: str = "custom") -> "CorefModel":
        """Builds the Keras model with the trained variables.

        Args:
            backend: The backend of the ops, "custom" or "portable".
        """
        from coref_tf.models.building import build_trained_model

        return build_trained_model(self, backend)

    def tensorizer(self, given: GivenMentions | None = None) -> "Tensorizer":
        """Opens the word vectors, and creates the tensorizer, which turns documents into the inputs of the model.

        Args:
            given: A function that returns the mentions of a document, if the user gives them.
        """
        from coref_tf.features.tensorize import Tensorizer

        return Tensorizer.from_experiment(self.settings, self.characters, given, self.encoder)


def describe_models(models: Sequence[TrainedModel], corpus: object = None) -> str:
    """Returns one line that names the models and the corpus, such as "model english, corpus dev.jsonlines"."""
    names = " ".join(model.name for model in models)
    if len(models) > 1:
        what = f"ensemble of {names}"
    else:
        what = f"{'experiment' if models[0].is_experiment else 'model'} {names}"
    return f"{what}, corpus {corpus}" if corpus else what


def precision_threshold(precision: float, models: Sequence[TrainedModel]) -> float:
    """Returns the minimum probability that gives the links of a model this precision on the dev set."""
    if len(models) > 1:
        raise CorefError(
            "the precision of an ensemble's links has not been measured, only that of each model; name one model, or"
            " give a minimum probability instead"
        )
    return models[0].dial.require_threshold(precision, models[0].name)


def cautious_probability(models: Sequence[TrainedModel]) -> float:
    """Returns the minimum probability of links used to resolve text; a fixed value for an ensemble."""
    if len(models) > 1:
        return CAUTIOUS_PROBABILITY
    return cautious_threshold(models[0].checkpoint.state, models[0].path)


def singleton_score(models: Sequence[TrainedModel]) -> float:
    """Returns the minimum mention score of a model's singletons."""
    if len(models) > 1:
        raise CorefError("an ensemble has no fitted threshold for singletons; name one model")
    return models[0].singleton_score
