"""Trained experiments -> the module that is saved."""

import dataclasses
from collections.abc import Sequence
from pathlib import Path

from coref_tf.config import Experiment
from coref_tf.ensemble import Ensemble, check_experiments
from coref_tf.errors import CorefError
from coref_tf.export.resolver import Resolver
from coref_tf.export.tensorizer import GraphTensorizer
from coref_tf.export.vectors import WordLookup, WordVectors
from coref_tf.memory import BLOCKS
from coref_tf.native import custom_ops
from coref_tf.prediction import load_model


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
    if not options.portable:
        custom_ops()  # says at once when the op library is missing or stale
    check_experiments(experiments)
    models, tensorizers = [], []
    files: dict[Path, WordVectors] = {}
    for experiment in experiments:
        if experiment.mentions != "learned":
            raise CorefError(
                f"experiment {experiment.name}: mentions = {experiment.mentions} needs more than words; expected an"
                " experiment with mentions = learned to export"
            )
        model, tensorizer = load_model(experiment, backend=options.backend)
        lookups = []
        for settings, vectors in zip(experiment.embeddings, tensorizer.vector_sets, strict=True):
            file = settings.path.resolve()
            if file not in files:
                words = scratch / f"words_{len(files) + 1}.txt"
                files[file] = WordVectors(vectors, words, options.vocabulary, options.float16_vectors)
            lookups.append(WordLookup(files[file], vectors))
        models.append(model)
        tensorizers.append(
            GraphTensorizer(lookups, tensorizer.characters, experiment.genres, experiment.default_genre)
        )
    ensemble = Ensemble(models)
    return Resolver(
        tensorizers,
        lambda inputs: ensemble(inputs, words_per_block=BLOCKS[0]),
        ensemble.variables,
        experiments[0].max_mention_width,
    )
