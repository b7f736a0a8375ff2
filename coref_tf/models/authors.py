"""Imports a checkpoint of the authors' 2017 code (TensorFlow 1). Optimizer slots are ignored."""

import numpy as np
import tensorflow as tf

from coref_tf.config import Experiment
from coref_tf.features.characters import CharacterVocabulary
from coref_tf.models.building import build_model
from coref_tf.models.checkpoint import Checkpoint, best_checkpoint_path, model_settings, write_checkpoint
from coref_tf.support.errors import CorefError


def authors_names(experiment: Experiment) -> dict[str, list[list[str]]]:
    """Maps the name of each of our variables to the names of the authors' variables that it combines.

    A value is a list of variables to stack, each given as a list of variables to add: our LSTM has both directions in
    one variable, and one bias where theirs has two.
    """
    names = {
        "character_cnn/embeddings": "char_embeddings",
        "sentence_encoder/forward_kernel": "fw_cell/output_weights",
        "sentence_encoder/backward_kernel": "bw_cell/output_weights",
        "span_representation/width_embeddings": "mention_width_embeddings",
        "span_representation/head_scorer/kernel_0": "output_weights",
        "span_representation/head_scorer/bias_0": "output_bias",
        "pair_features/speaker_embeddings": "same_speaker_emb",
        "pair_features/genre_embeddings": "genre_embeddings",
        "pair_features/distance_embeddings": "mention_distance_emb",
    }
    for number, width in enumerate(experiment.filter_widths):
        names[f"character_cnn/kernel_{width}"] = f"conv_{number}/w"
        names[f"character_cnn/bias_{width}"] = f"conv_{number}/b"
    scopes = {"mention_scorer": "mention_scores", "antecedent_scorer": "iteration/antecedent_scoring"}
    for ours, theirs in scopes.items():
        layers = [f"hidden_{{}}_{layer}" for layer in range(experiment.ffnn_depth)] + ["output_{}"]
        for number, layer in enumerate(layers):
            names[f"{ours}/ffnn/kernel_{number}"] = f"{theirs}/{layer.format('weights')}"
            names[f"{ours}/ffnn/bias_{number}"] = f"{theirs}/{layer.format('bias')}"

    recurrent = [f"lstm/{direction}_lstm/rnn/CustomLSTMCell" for direction in ("fw", "bw")]
    stacked = {
        "sentence_encoder/bias": [
            [f"{direction}_cell/output_bias", f"{cell}/output_bias"]
            for direction, cell in zip(("fw", "bw"), recurrent, strict=True)
        ],
        "sentence_encoder/cell/recurrent_kernel": [[f"{cell}/output_weights"] for cell in recurrent],
        "sentence_encoder/cell/initial_c": [["fw_cell/lstm_initial_cell_state"], ["bw_cell/lstm_initial_cell_state"]],
        "sentence_encoder/cell/initial_h": [
            ["fw_cell/lstm_initial_hidden_state"], ["bw_cell/lstm_initial_hidden_state"]
        ],
    }  # fmt: skip
    return {ours: [[theirs]] for ours, theirs in names.items()} | stacked


def read_authors_checkpoint(
    prefix: str, experiment: Experiment, num_characters: int
) -> dict[str, np.ndarray]:
    """Returns the values of all our variables; raises an error that names a missing or mismatched variable."""
    try:
        reader = tf.train.load_checkpoint(prefix)
        shapes = reader.get_variable_to_shape_map()
    except (tf.errors.OpError, ValueError) as error:
        reason = str(error).splitlines()[0]
        raise CorefError(f"{prefix}: not a readable TensorFlow checkpoint prefix: {reason}") from None

    if experiment.antecedents != "nearest" or (experiment.model_heads and experiment.head_ffnn_depth):
        raise CorefError(
            f"experiment {experiment.name}: the authors' code uses the nearest antecedents and scores heads with one"
            " linear layer; expected antecedents = nearest and head_ffnn_depth = 0, as in experiment released"
        )
    names = authors_names(experiment)
    values = {}
    for variable in build_model(experiment, num_characters).variables:
        name = variable.name.removesuffix(":0")
        if name not in names:
            raise CorefError(
                f"experiment {experiment.name}: the authors' code has no counterpart of variable {name}; expected an"
                " experiment that adds nothing to their model, such as released"
            )
        stack = names[name]
        expected = list(variable.shape)[1:] if len(stack) > 1 else list(variable.shape)
        for source in (source for sources in stack for source in sources):
            if source not in shapes:
                raise CorefError(f"{prefix}: lacks variable {source}, expected with shape {expected}")
            if shapes[source] != expected:
                raise CorefError(
                    f"{prefix}: variable {source} has shape {shapes[source]}; experiment {experiment.name}"
                    f" expects {expected}"
                )
        parts = [sum(reader.get_tensor(source) for source in sources) for sources in stack]
        values[name] = np.stack(parts) if len(parts) > 1 else parts[0]
    return values


def import_authors_checkpoint(prefix: str, experiment: Experiment) -> str:
    """Writes the authors' checkpoint as the experiment's best checkpoint; returns a message."""
    characters = CharacterVocabulary.read(experiment.char_vocab_path)
    variables = read_authors_checkpoint(prefix, experiment, len(characters))
    path = best_checkpoint_path(experiment)
    state = {"imported_from": prefix}
    write_checkpoint(
        path, Checkpoint(model_settings(experiment), list(characters.characters), variables, state)
    )
    return f"wrote {path}: {len(variables)} variables, {sum(v.size for v in variables.values()):,} numbers"
