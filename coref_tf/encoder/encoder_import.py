"""From a package's weights to an encoder file: whose tensor is which, and are all there."""

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
# What a package may have that no layer of ours computes with.
IGNORED = ("position_ids", "token_type_embeddings.weight")
# MPNet's first two positions stand for padding.
MPNET_FIRST_POSITION = 2

# Where a package of each kind keeps a block's parts. Norms are scale and offset, products kernel and bias.
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
    """Writes the encoder of a package as an encoder file; returns what `write_encoder` tells.

    Args:
        sources: wheels, zips, folders or names of installed packages that together are one package; or the name of a
            known encoder, which is downloaded.
        target: the file to write.
        dtype: what kernels and tables are kept as; unless given, what a known encoder says, or float16.
        vocabulary: where the word pieces are, if not in the package: vocab.txt, tokenizer.json, a package, or an
            encoder file.
        blocks: how many of its blocks to keep, from the lowest; unless given, what a known encoder says, or all.

    Raises:
        CorefError: tensors, settings or word pieces are missing or not what they should be.
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
        told = write_encoder(target, config, pieces, tensors, package.provenance, dtype)
    return told | {"config": config, "provenance": package.provenance, "dtype": dtype}


def encoder_config(settings: Mapping[str, Any], pieces: Sequence[str], vocabulary_size: int) -> EncoderConfig:
    """The settings of a package's config.json in our terms."""
    kind = settings.get("model_type")
    if kind not in BLOCKS:
        raise CorefError(
            f"model_type {kind!r} in the package's config.json; expected one of {', '.join(BLOCKS)}"
            + ("" if kind else ", so put a config.json beside the weights")
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
            f"{blocks} blocks to keep; expected 1 to {config.num_layers}, as many as the encoder has"
        )
    return dataclasses.replace(config, num_layers=blocks)


def special_pieces(pieces: Sequence[str]) -> dict[str, int]:
    """The ids of the special pieces, by whichever name a vocabulary has them."""
    numbers = {piece: number for number, piece in enumerate(pieces)}
    names: dict[str, tuple[str, ...]] = {
        "cls_id": ("[CLS]", "<s>"),
        "sep_id": ("[SEP]", "</s>"),
        "unk_id": ("[UNK]", "<unk>"),
        # A vocabulary that was widened still has the old name.
        "pad_id": ("<pad>", "[PAD]"),
    }
    if "<s>" in numbers:
        names |= {"cls_id": ("<s>",), "sep_id": ("</s>",)}
    ids = {}
    for key, choices in names.items():
        known = [numbers[choice] for choice in choices if choice in numbers]
        if not known:
            raise CorefError(f"the vocabulary has none of {', '.join(choices)}")
        ids[key] = known[0]
    return ids


class PackageTensors:
    """The tensors of a package under our names and in our shapes; a function of the name.

    Args:
        tensors: by the package's names.
        config: of the encoder.
    """

    def __init__(self, tensors: Mapping[str, np.ndarray], config: EncoderConfig):
        self.tensors = tensors
        self.config = config
        self._prefix = _prefix(tensors)
        self._used: set[str] = set()

    def __call__(self, name: str) -> np.ndarray:
        """float32, with kernels as [inputs, outputs]."""
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
        """Raises a CorefError unless the package has each tensor in its shape, and none besides."""
        for name, shape in self.config.tensor_shapes().items():
            if self(name).shape != shape:
                raise CorefError(f"{where}: {name} has shape {self(name).shape}; expected {shape}")
        folders = tuple(f"{self._prefix}{room}." for room in ("embeddings", "encoder", "transformer"))
        for name in self.tensors:
            if name.startswith(folders) and name not in self._used and not name.endswith(IGNORED):
                raise CorefError(f"{where}: {name} is a tensor that kind {self.config.kind} doesn't have")

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
            raise CorefError(f"the package has no tensor {name}; expected it of kind {self.config.kind}")
        self._used.add(name)
        return self.tensors[name]


def _known(sources: Sequence[str]) -> KnownEncoder | None:
    """The known encoder that is meant, if one is."""
    if len(sources) != 1 or Path(sources[0]).exists():
        return None
    return KNOWN_ENCODERS.get(sources[0])


def _downloaded(
    sources: Sequence[str], vocabulary: str | None, scratch: Path
) -> tuple[Sequence[str], str | None]:
    """The wheels, where a known encoder is meant; and what has its vocabulary."""
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
            f"{', '.join(sources)}: no vocabulary in it; name one with --vocabulary (vocab.txt, tokenizer.json, a"
            " package, or an encoder file)"
        )
    return package.vocabulary


def _prefix(tensors: Mapping[str, np.ndarray]) -> str:
    """What the package puts before all names, such as "bert."."""
    found = [name.removesuffix(WORDS) for name in tensors if name.endswith(WORDS)]
    if len(found) != 1:
        raise CorefError(f"the package has {len(found)} tensors {WORDS}; expected one")
    return found[0]


def _words(tensors: Mapping[str, np.ndarray]) -> np.ndarray:
    return tensors[_prefix(tensors) + WORDS]


def _has_capitals(piece: str) -> bool:
    return piece.lower() != piece and not (piece.startswith(("[", "<")) and piece.endswith(("]", ">")))
