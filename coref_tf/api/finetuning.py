"""`coref_tf.finetune`: adapts a model to a user's own documents."""

from __future__ import annotations

import math
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from coref_tf.support.errors import CorefError
from coref_tf.support.extras import require_extra
from coref_tf.support.files import check_ending, check_outputs, is_replaceable
from coref_tf.support.resources import DEFAULT_MODEL
from coref_tf.support.startup import starting

if TYPE_CHECKING:  # NumPy, h5py and TensorFlow are imported only after the arguments have been checked
    from coref_tf.models.trained_model import TrainedModel
    from coref_tf.training.finetune import FineTuned
    from coref_tf.training.finetune_data import FinetuneData, Sources

OUTPUT = "mymodel.h5"
EPOCHS = 8
LEARNING_RATE = 3e-4


def finetune(
    documents: Sources,
    *,
    model: str | os.PathLike = DEFAULT_MODEL,
    dev: Sources | None = None,
    output: str | os.PathLike = OUTPUT,
    epochs: int = EPOCHS,
    learning_rate: float = LEARNING_RATE,
    seed: int = 0,
) -> FineTuned:
    """Fine-tunes a model on documents with gold clusters, and writes it to one file.

    The contextual encoder stays frozen. After each epoch the model is evaluated on the dev set; the best epoch is kept,
    and training stops early when the F1 no longer improves. The probabilities of the result are calibrated on the dev
    set. An interrupted run leaves a folder next to the output, from which the same call resumes.

    Args:
        documents: a file or folder in any supported input format, a Document, or several of these.
        model: the model to start from, as in `load`.
        dev: the dev set; by default, a fifth of the documents is held out.
        output: the file to write, which must not exist yet.
        epochs: the maximum number of passes over the documents.
        learning_rate: the peak learning rate, which decays linearly to 0.
        seed: the random seed for the held-out documents, the order of the others, and dropout.

    Returns:
        A FineTuned: the path of the file, and the F1 before and after training.

    Example:
        tuned = coref_tf.finetune("annotated/", output="mymodel.h5")
        print(tuned.f1_before, tuned.f1)
        resolver = coref_tf.load("mymodel.h5")
    """
    require_extra("train", "fine-tuning")
    path = _check_output(output)
    _check_options(epochs, learning_rate, seed)
    from coref_tf.models.open_model import open_trained_model
    from coref_tf.training.finetune_data import gather_documents

    start = open_trained_model(model)
    data = gather_documents(documents, dev, seed, start.settings.language)
    print(f"fine-tuning {start.name}", *data.notes, *_unknown_genres(data, start), sep="\n", flush=True)
    with starting():
        from coref_tf.training.finetune import FinetuneOptions, finetune_model

    tuned = finetune_model(start, data, path, FinetuneOptions(epochs, learning_rate, seed))
    if not tuned.epoch:
        print(
            f"warning: no epoch was better than {start.name} on the dev set; more documents may help",
            file=sys.stderr,
        )
    return tuned


def _unknown_genres(data: FinetuneData, model: TrainedModel) -> list[str]:
    """Returns a note that lists genres unknown to the model, which it treats as its default genre."""
    genres = {document.genre for document in (*data.train, *data.dev)} - {"", *model.settings.genres}
    if not genres:
        return []
    default = model.settings.default_genre
    return [f"genres unknown to {model.name}, which count as {default}: {', '.join(sorted(genres))}"]


def _check_output(output: str | os.PathLike) -> Path:
    check_outputs([output])
    check_ending(output, ".h5")
    if not is_replaceable(output):
        raise CorefError(f"{output}: is not a file; expected a file name that ends in .h5")
    if os.path.exists(output):
        raise CorefError(f"{output}: already exists; delete it, or choose another output")
    return Path(output)


def _check_options(epochs: int, learning_rate: float, seed: int) -> None:
    if type(epochs) is not int or epochs < 1:
        raise CorefError(f"epochs must be a positive integer. Received: {epochs!r:.80}")
    if type(seed) is not int or seed < 0:
        raise CorefError(f"seed must be a non-negative integer. Received: {seed!r:.80}")
    is_number = isinstance(learning_rate, int | float) and not isinstance(learning_rate, bool)
    if not is_number or not 0 < learning_rate < math.inf:
        raise CorefError(
            f"learning_rate must be a positive number, such as 3e-4. Received: {learning_rate!r:.80}"
        )
