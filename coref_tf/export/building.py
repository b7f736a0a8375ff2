"""Builds the module that is saved from trained models."""

import dataclasses
from collections.abc import Sequence
from pathlib import Path

from coref_tf.config import VectorSetConfig
from coref_tf.documents.tokenizer import ENGLISH
from coref_tf.encoder.context_inputs import DocumentPieces
from coref_tf.export.serving_module import ServingModule
from coref_tf.export.tensorizer import GraphTensorizer
from coref_tf.export.vectors import VectorTable, WordLookup, frequency_ranks
from coref_tf.export.word_pieces import PieceSplitter
from coref_tf.features.embeddings import VectorSet
from coref_tf.features.tensorize import Tensorizer
from coref_tf.inference.ensemble import Ensemble, check_experiments
from coref_tf.inference.memory import BLOCKS
from coref_tf.models.calibration import Calibration
from coref_tf.models.trained_model import TrainedModel
from coref_tf.ops.library import custom_ops
from coref_tf.support.errors import CorefError


@dataclasses.dataclass(frozen=True)
class ExportOptions:
    """The options of an export.

    Args:
        portable: Whether to use only TensorFlow's built-in ops, so that the model loads without this project.
        vocabulary: The number of words to include from each vector file, the most frequent first; None for all.
        float16_vectors: Whether to store word vectors in half precision.
        encoder_weights: The type in which to store the encoder's matrices: "float32", "float16" or "int8".
    """

    portable: bool = False
    vocabulary: int | None = None
    float16_vectors: bool = False
    encoder_weights: str = "float32"

    @property
    def backend(self) -> str:
        """The backend of the ops."""
        return "portable" if self.portable else "custom"


def build_serving_module(
    trained: Sequence[TrainedModel],
    scratch: Path,
    options: ExportOptions,
) -> ServingModule:
    """Builds the module with the trained models and everything they need.

    Args:
        trained: The results of `open_model`.
        scratch: A folder for files that are needed until the module has been saved.
        options: The options of the export.
    """
    experiments = [model.settings for model in trained]
    if not options.portable:
        custom_ops()  # fails early if the op library is missing or stale
    check_experiments(experiments)
    if options.encoder_weights != "float32" and not any(experiment.context for experiment in experiments):
        raise CorefError(
            f"experiment {experiments[0].name}: has no contextual encoder; omit --encoder-weights, or export a model"
            " that has one"
        )
    for experiment in experiments:
        if experiment.quotation_speakers or experiment.quotation_links:
            raise CorefError(
                f"experiment {experiment.name}: an exported graph cannot find quotations; expected"
                " quotation_speakers=false and quotation_links=false"
            )
        if experiment.mentions != "learned":
            raise CorefError(
                f"experiment {experiment.name}: mentions = {experiment.mentions} needs more than words; expected an"
                " experiment with mentions = learned"
            )
        if experiment.language != ENGLISH:
            raise CorefError(
                f"experiment {experiment.name}: language = {experiment.language}; an exported graph only tokenizes"
                " English text; expected language = en, or use `coref predict`"
            )
    models = [model.build(options.backend) for model in trained]
    tensorizers = [model.tensorizer() for model in trained]
    for model in models:
        if model.context_words and options.encoder_weights != "float32":
            model.context_words.keep_encoder_as(options.encoder_weights)
    files = _VectorFiles(tensorizers, scratch, options)
    ensemble = Ensemble(models)
    return ServingModule(
        [
            GraphTensorizer(
                [
                    files.lookup(*pair)
                    for pair in zip(experiment.embeddings, tensorizer.vector_sets, strict=True)
                ],
                tensorizer.characters,
                experiment.genres,
                experiment.default_genre,
                splitter_of(tensorizer),
                experiment.consistent_clusters,
            )
            for experiment, tensorizer in zip(experiments, tensorizers, strict=True)
        ],
        lambda inputs: ensemble(inputs, words_per_block=BLOCKS[0]),
        ensemble.variables,
        experiments[0].max_mention_width,
        Calibration.mean([model.calibration for model in trained]),
    )


def splitter_of(tensorizer: Tensorizer) -> PieceSplitter | None:
    """Returns the module that splits words into pieces, if the model has a contextual encoder."""
    if not isinstance(tensorizer.context, DocumentPieces):
        return None
    word_pieces = tensorizer.context.word_pieces
    return PieceSplitter(word_pieces.vocabulary, word_pieces.lowercase)


class _VectorFiles:
    """The files of word vectors, each exported once for all models that use it."""

    def __init__(self, tensorizers: Sequence[Tensorizer], scratch: Path, options: ExportOptions):
        self.scratch, self.options = scratch, options
        self.files: dict[Path, VectorTable] = {}
        self.ranks = None
        if options.vocabulary is not None:
            self.ranks = frequency_ranks(vectors for t in tensorizers for vectors in t.vector_sets)

    def lookup(self, settings: VectorSetConfig, vectors: VectorSet) -> WordLookup:
        file = settings.path.resolve()
        if file not in self.files:
            self.files[file] = VectorTable(
                vectors,
                self.scratch / f"words_{len(self.files) + 1}.txt",
                self.options.vocabulary,
                None if vectors.is_ordered else self.ranks,
                self.options.float16_vectors,
            )
        return WordLookup(self.files[file], vectors)
