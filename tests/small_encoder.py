"""The file of a tiny encoder with random weights and a vocabulary of letters and a few words."""

import string
from pathlib import Path

import numpy as np

from coref_tf.config import ContextConfig
from coref_tf.encoder.encoder_config import EncoderConfig
from coref_tf.encoder.encoder_file import write_encoder

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
LETTERS = string.ascii_lowercase + string.digits + string.punctuation
VOCABULARY = [*SPECIAL, *LETTERS, *(f"##{letter}" for letter in LETTERS), "the", "she", "said", "##ing"]


SIZES = {"hidden_size": 6, "num_layers": 2, "num_heads": 2, "intermediate_size": 8}


def small_encoder(path: Path, seed: int = 0, dtype: str = "float32", **sizes: int) -> ContextConfig:
    """Writes the encoder and returns settings that use both its layers."""
    special = {"pad_id": 0, "unk_id": 1, "cls_id": 2, "sep_id": 3}
    config = EncoderConfig("bert", len(VOCABULARY), **(SIZES | sizes), **special, lowercase=True)
    shapes = config.tensor_shapes()
    generator = np.random.default_rng(seed)
    tensors = {name: generator.normal(size=shape) for name, shape in shapes.items()}
    provenance = {"package": "none", "version": "0", "sha256": "0", "licence": "CC0"}
    write_encoder(path, config, VOCABULARY, tensors.__getitem__, provenance, dtype)
    return ContextConfig(path, layers=(1, 2))
