"""Predicts the clusters of documents with an exported model, like the Predictor of a checkpoint."""

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import tensorflow as tf
from tensorflow.core.framework.op_def_pb2 import OpDef
from tensorflow.core.protobuf.saved_model_pb2 import SavedModel
from tensorflow.python.framework import op_def_registry

from coref_tf.documents.document import NO_SPEAKER, Document
from coref_tf.export.about import DETAILS, DIAL, read_about
from coref_tf.inference.prediction import Prediction, SpanDecisions
from coref_tf.layers.antecedent_scorer import Antecedents
from coref_tf.model import CorefOutput
from coref_tf.models.export_folder import MODEL_FILE
from coref_tf.ops.library import custom_ops
from coref_tf.support.errors import CorefError
from coref_tf.support.startup import check_process

_SIGNATURE = "serving_default"
# Outputs that exports of earlier versions of this package lack.
_NEEDED = ("top_span_mention_scores", "top_span_antecedent_scores")
_OWN_OPS = "Coref>"  # the prefix of the names of the project's ops


class ExportedModel:
    """Predicts the clusters of documents with a model that `coref export` wrote.

    Args:
        version: The folder of the SavedModel, see `ExportFolder`.
        min_probability: Links of mentions with a lower place probability are removed.

    Example:
        ExportedModel("models/coref/1").predict(document).clusters
    """

    def __init__(self, version: str | os.PathLike, min_probability: float = 0.0):
        version = Path(version)
        self.about = read_about(version)
        self._process = os.getpid()
        self._min_probability = min_probability
        try:
            load_needed_ops(version)
            # Kept as an attribute, because its signatures alone do not keep its variables alive.
            self._model = tf.saved_model.load(os.fspath(version))
        except CorefError:
            raise
        except Exception as error:  # a damaged file makes TensorFlow raise almost anything
            reason = str(error).strip().split("\n")[0] or type(error).__name__
            raise CorefError(f"{version} can't be loaded: {reason}") from None
        signature = self._model.signatures.get(_SIGNATURE)
        if signature is None or not set(_NEEDED) <= set(signature.structured_outputs):
            raise CorefError(
                f"{version}: lacks {_NEEDED[0]}; expected a model that was exported by this version"
            )
        if min_probability and DIAL.format(_SIGNATURE) not in self._model.signatures:
            raise CorefError(
                f"{version}: was exported without probabilities, by an earlier version; export it again, or omit"
                " min_probability"
            )
        self._signature = self._model.signatures[DIAL.format(_SIGNATURE)] if min_probability else signature

    @property
    def has_details(self) -> bool:
        """Whether it computes more than clusters; exports of earlier versions do not."""
        return self.about is not None and DETAILS in self._model.signatures

    def predict(self, document: Document, details: bool = False) -> Prediction:
        """Predicts the clusters of one document; with `details`, includes everything that the model computed."""
        check_process(self._process)
        inputs = {name: tf.constant(value, tf.string) for name, value in document_inputs(document).items()}
        if details:
            return self._predict_details(document, inputs)
        if self._min_probability:
            inputs["min_probability"] = tf.constant(self._min_probability, tf.float32)
        found = {name: value.numpy() for name, value in self._signature(**inputs).items()}
        decisions = SpanDecisions(
            starts=found["top_span_starts"],
            ends=found["top_span_ends"],
            mention_scores=found["top_span_mention_scores"],
            antecedents=found["top_span_antecedents"],
            antecedent_scores=found["top_span_antecedent_scores"],
            link_probabilities=found.get("top_span_antecedent_probability"),
            place_probabilities=found.get("top_span_probability"),
        )
        # The graph has already removed improbable links, so this removes none.
        return Prediction.from_decisions(document, decisions, min_probability=self._min_probability)

    def _predict_details(self, document: Document, inputs: dict[str, tf.Tensor]) -> Prediction:
        if self.about is None or not self.has_details:
            raise CorefError("the model was exported without details, by an earlier version; export it again")
        found = {name: value.numpy() for name, value in self._model.signatures[DETAILS](**inputs).items()}
        antecedents = Antecedents(*(found[f"antecedent_{name}"] for name in Antecedents._fields))
        own = {name: found[name] for name in CorefOutput._fields if name != "antecedents"}
        output = CorefOutput(**own, antecedents=antecedents)
        return Prediction.from_output(document, output, self.about.calibration, self._min_probability)

    def predict_all(self, documents: Iterable[Document]) -> Iterator[Prediction]:
        """Yields the predictions for many documents, one after another."""
        return map(self.predict, documents)


def document_inputs(document: Document) -> dict[str, np.ndarray]:
    """Converts a document to inputs of the single-document signatures: strings in object arrays."""
    speakers = [["" if name == NO_SPEAKER else name for name in row] for row in document.speakers]
    return {
        "tokens": _padded(document.sentences),
        "speakers": _padded(speakers),
        "genre": np.array(document.genre, object),
    }


def _padded(rows: Sequence[Sequence[str]]) -> np.ndarray:
    """Pads rows of words with "", object [rows, longest]."""
    table = np.full([len(rows), max(map(len, rows), default=0)], "", object)
    for row, words in zip(table, rows, strict=True):
        row[: len(words)] = words
    return table


def load_needed_ops(version: Path) -> None:
    """Loads the op library if the SavedModel needs it, after checking its version; a portable model does not."""
    saved_model = SavedModel.FromString((version / MODEL_FILE).read_bytes())
    definitions = (op for graph in saved_model.meta_graphs for op in graph.meta_info_def.stripped_op_list.op)
    used = [op for op in definitions if op.name.startswith(_OWN_OPS)]
    if used:
        custom_ops()
    for op in used:
        ours = op_def_registry.get(op.name)
        if ours is None or _input_names(ours) != _input_names(op):
            raise CorefError(
                f"{version} was exported by another version, whose op {op.name} has different inputs;"
                " export the model again"
            )


def _input_names(op: OpDef) -> list[str]:
    return [argument.name for argument in op.input_arg]
