"""Trained experiments -> the module that is saved."""

import dataclasses
from collections.abc import Sequence
from pathlib import Path

from coref_tf.checkpoints import best_checkpoint_path, check_settings, read_checkpoint
from coref_tf.config import Experiment
from coref_tf.errors import CorefError
from coref_tf.export.resolver import Resolver
from coref_tf.export.tensorizer import GraphTensorizer
from coref_tf.export.vectors import WordLookup, WordVectors
from coref_tf.features.characters import CharacterVocabulary
from coref_tf.features.tensorize import Tensorizer
from coref_tf.memory import BLOCKS
from coref_tf.model import CorefModel


@dataclasses.dataclass(frozen=True)
class ExportOptions:
    """How to export.

    Args:
        portable: use TensorFlow's own ops alone, so that nothing of this project is needed to load it.
        vocabulary: how many words of each vector set to take, the most frequent first; None is all.
        float16_vectors: keep word vectors in half precision.
    """

    portable: bool = False
    vocabulary: int | None = None
    float16_vectors: bool = False

    @property
    def backend(self) -> str:
        """Of the ops."""
        return "portable" if self.portable else "custom"


def build_resolver(experiments: Sequence[Experiment], scratch: Path, options: ExportOptions) -> Resolver:
    """The trained models of the experiments and all they need.

    Args:
        experiments: with a best checkpoint each.
        scratch: a folder for files that are needed until the module has been saved.
        options: how to export.
    """
    models, tensorizers = [], []
    shared: dict[Path, WordVectors] = {}
    for experiment in experiments:
        if experiment.mentions != "learned":
            raise CorefError(
                f"experiment {experiment.name}: mentions = {experiment.mentions} needs more than words; expected an"
                " experiment with mentions = learned to export"
            )
        path = best_checkpoint_path(experiment)
        checkpoint = read_checkpoint(path)
        check_settings(checkpoint, experiment, path)
        characters = CharacterVocabulary(checkpoint.characters)
        model = CorefModel(experiment, len(characters), options.backend)
        for variable in model.variables:
            variable.assign(checkpoint.variables[variable.name.removesuffix(":0")])
        models.append(model)
        lookups = []
        for settings, vectors in zip(
            experiment.embeddings, Tensorizer.of(experiment, characters).vector_sets, strict=True
        ):
            file = settings.path.resolve()
            if file not in shared:
                words = scratch / f"words_{len(shared)}.txt"
                shared[file] = WordVectors(vectors, words, options.vocabulary, options.float16_vectors)
            lookups.append(WordLookup(shared[file], vectors))
        tensorizers.append(GraphTensorizer(lookups, characters, experiment.genres, experiment.default_genre))
    (model,) = models
    return Resolver(
        tensorizers,
        lambda inputs: model(inputs[0], words_per_block=BLOCKS[0]),
        [variable for model in models for variable in model.variables],
        model.experiment.max_mention_width,
    )
