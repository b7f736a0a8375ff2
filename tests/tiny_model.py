"""A tiny packed model with random weights, and tiny training documents."""

import json
from pathlib import Path

import numpy as np
from random_documents import small_experiment
from small_encoder import small_encoder

from coref_tf.features.characters import CharacterVocabulary
from coref_tf.models.building import build_model
from coref_tf.models.checkpoint import Checkpoint, model_settings, write_checkpoint
from coref_tf.models.open_model import open_trained_model
from coref_tf.models.packing import PackOptions, pack_model

WORDS = ["the", "she", "said", "harbour", "council", "open", "June", "station", "two", "keepers"]


def write_model(path: Path, context: bool = True, **changes) -> Path:
    """Writes an unpacked checkpoint, and a frozen encoder in a separate file unless `context` is False."""
    encoder = small_encoder(path.with_name("encoder.h5")) if context else None
    experiment = small_experiment(mention_ratio=1.0, context=encoder, **changes)
    characters = CharacterVocabulary.read(experiment.char_vocab_path)
    model = build_model(experiment, len(characters))
    generator = np.random.default_rng(0)
    for variable in model.own_variables:
        variable.assign(generator.normal(scale=0.3, size=variable.shape))
    for name in ("mean", "deviation") if context else ():
        variable = getattr(model.context_words, name)
        variable.assign(np.zeros(variable.shape) if name == "mean" else np.ones(variable.shape))
    variables = {variable.name.removesuffix(":0"): variable.numpy() for variable in model.own_variables}
    state = {"encoder": model.encoder_identity}
    write_checkpoint(
        path, Checkpoint(model_settings(experiment), list(characters.characters), variables, state)
    )
    return path


def write_packed_model(path: Path, **changes) -> Path:
    """Writes a packed model."""
    trained = write_model(path.with_name("unpacked.h5"), **changes)
    pack_model(open_trained_model(trained), path, PackOptions(about={"licence": "CC0"}))
    return path


def write_documents(path: Path, number: int = 10, genre: str = "whow", seed: int = 0) -> Path:
    """Writes documents of two sentences; every other word belongs to the same cluster."""
    generator = np.random.default_rng(seed)
    with open(path, "w") as file:
        for count in range(number):
            sentences = [generator.choice(WORDS, size=5).tolist() for _ in range(2)]
            clusters = [[[word, word] for word in range(first, 10, 2)] for first in (0, 1)]
            record = {"doc_key": f"{genre}/{count}", "sentences": sentences, "clusters": clusters}
            file.write(json.dumps(record) + "\n")
    return path
