"""Encoder files: the weights, settings and vocabulary of a pretrained encoder, in an HDF5 file of our own format.

Matrices are stored as float32, float16 or int8, see `stored_tensor.py`, and always read as float32.
"""

import hashlib
import json
import math
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from coref_tf.encoder.encoder_config import DTYPES, EncoderConfig
from coref_tf.encoder.stored_tensor import StoredTensor, scale_shape
from coref_tf.support.errors import CorefError
from coref_tf.support.files import atomic_write
from coref_tf.support.hdf5 import create_hdf5, open_hdf5

FORMAT = "coref_tf encoder 1"
PACKED = "encoder"  # the group in a packed model
PROVENANCE = ("package", "version", "sha256", "licence")
CHUNK_BYTES = 1 << 20


class EncoderFile:
    """A file written by `write_encoder`, or the encoder of a packed model; tensors are read on demand.

    Args:
        path: The file.
        group: The group with its content, for a packed model that is already open; by default, the file is opened.

    Attributes:
        config: The EncoderConfig.
        vocabulary: The word pieces, by id.
        provenance: The origin of the weights: package, version, sha256, licence.
        dtype: The type in which kernels and tables are stored.
        identity: The SHA-256 of its content, computed when it was written; usable as a cache key.

    Example:
        file = EncoderFile("data/encoders/minilm.h5")
        file.tensor("block_1/attention/kernel")     # float32 [384, 1152]
    """

    def __init__(self, path: str | os.PathLike, group: h5py.Group | None = None):
        self.path = path
        if group is None and not Path(path).is_file():
            raise CorefError(
                f"{path}: no such encoder file; create it with `make encoder` or `coref features encoder`"
            )
        try:
            self._file = open_hdf5(path) if group is None else group
            if "format" not in self._file.attrs and isinstance(self._file.get(PACKED), h5py.Group):
                self._file = self._file[PACKED]
            if self._file.attrs.get("format") != FORMAT:
                raise ValueError(f"its format is {self._file.attrs.get('format')!r}, not {FORMAT!r}")
            self.config = EncoderConfig.from_json(json.loads(self._file.attrs["config"]))
            self.provenance: Mapping[str, str] = json.loads(self._file.attrs["provenance"])
            self.dtype = str(self._file.attrs["dtype"])
            self.identity = str(self._file.attrs["identity"])
            self.vocabulary = self._read_vocabulary()
            for name, shape in self.config.tensor_shapes().items():
                self._check(f"tensors/{name}", shape)
        except (OSError, RuntimeError, KeyError, ValueError, TypeError) as error:
            raise self._damaged(error) from error

    def stored(self, name: str) -> StoredTensor:
        """Returns a tensor as it is stored."""
        try:
            values = self._file[f"tensors/{name}"][()]
            scale = self._file[f"scales/{name}"][()] if values.dtype == np.int8 else None
        except (OSError, RuntimeError, KeyError) as error:
            raise self._damaged(error) from error
        # An int8 tensor is finite if its scale times the largest value is.
        if not np.isfinite(values if scale is None else scale * np.float32(128)).all():
            raise self._damaged(ValueError(f"{name} has values that are not finite"))
        return StoredTensor(values, scale)

    def tensor(self, name: str) -> np.ndarray:
        """Returns a tensor in float32."""
        return self.stored(name).decode()

    def copy_to(self, file: h5py.File) -> dict[str, Any]:
        """Copies the encoder, bit by bit, into a packed model that is being written.

        Returns:
            The number of "weights" and the "identity", like `fill_encoder`.
        """
        self._file.file.copy(
            self._file["/"] if isinstance(self._file, h5py.File) else self._file, file, PACKED
        )
        weights = sum(math.prod(shape) for shape in self.config.tensor_shapes().values())
        return {"weights": weights, "identity": self.identity}

    def _read_vocabulary(self) -> list[str]:
        self._check("vocabulary", None, np.uint8)
        pieces = self._file["vocabulary"][()].tobytes().decode().split("\n")
        if len(pieces) != self.config.vocabulary_size:
            raise ValueError(f"{len(pieces)} word pieces, expected {self.config.vocabulary_size}")
        return pieces

    def _check(self, name: str, shape: tuple[int, ...] | None, dtype: type | None = None) -> None:
        """Checks a tensor before memory of its size is allocated, or its values are read."""
        if name not in self._file:
            raise ValueError(f"{name} is missing")
        data = self._file[name]
        if not isinstance(data, h5py.Dataset):
            raise ValueError(f"{name} is not plain data")
        if shape is not None and data.shape != shape:
            raise ValueError(f"{name} has shape {data.shape}; expected {shape}")
        kept = {"float32": (np.float32,), "float16": (np.float16, np.float32), "int8": (np.int8, np.float32)}
        allowed = (dtype,) if dtype else kept.get(self.dtype, ())
        if data.dtype.type not in allowed:
            raise ValueError(f"{name} is of type {data.dtype} in a {self.dtype} file")
        if shape is not None and data.dtype == np.int8 and name.startswith("tensors/"):
            self._check_scale(name.removeprefix("tensors/"), shape)

    def _check_scale(self, name: str, shape: tuple[int, ...]) -> None:
        scale = self._file.get(f"scales/{name}")
        if not isinstance(scale, h5py.Dataset):
            raise ValueError(f"the scale of {name} is missing")
        expected = scale_shape(name, shape)
        if scale.shape != expected or scale.dtype != np.float32:
            raise ValueError(f"the scale of {name} has shape {scale.shape}; expected float32 {expected}")

    def _damaged(self, error: Exception) -> CorefError:
        return CorefError(
            f"{self.path}: not a readable encoder file ({error}); expected HDF5 as written by "
            "`coref features encoder`"
        )


def write_encoder(
    path: str | os.PathLike,
    config: EncoderConfig,
    vocabulary: Sequence[str],
    tensor: Callable[[str], np.ndarray],
    provenance: Mapping[str, str],
    dtype: str = "float16",
) -> dict[str, Any]:
    """Writes an encoder with one tensor in memory at a time; returns facts about it.

    Args:
        path: The file to write.
        config: The settings, which determine the tensors.
        vocabulary: The word pieces, by id.
        tensor: A function that returns the tensor of a given name, float32.
        provenance: The package, version, sha256 and licence of its source.
        dtype: The type in which to store kernels and tables: "float32", "float16" or "int8".

    Returns:
        The number of "weights", and the "error": the largest rounding error of a weight, relative to the largest weight
        of its tensor.
    """
    _check_arguments(config, vocabulary, provenance, dtype)
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(path, "w+b") as stream, create_hdf5(stream) as file:
        return fill_encoder(file, config, vocabulary, tensor, provenance, dtype)


def fill_encoder(
    group: h5py.Group,
    config: EncoderConfig,
    vocabulary: Sequence[str],
    tensor: Callable[[str], np.ndarray],
    provenance: Mapping[str, str],
    dtype: str,
) -> dict[str, Any]:
    """Writes an encoder into a group of an open file, like `write_encoder`; also returns its "identity"."""
    attributes = {
        "format": FORMAT,
        "config": json.dumps(config.to_json()),
        "provenance": json.dumps(dict(provenance)),
        "dtype": dtype,
    }
    words = "\n".join(vocabulary).encode()
    digest = hashlib.sha256(json.dumps(attributes).encode() + b"\n" + words)
    weights, worst = 0, 0.0
    _create(group, "vocabulary", np.frombuffer(words, np.uint8))
    for name, shape in config.tensor_shapes().items():
        values = np.asarray(tensor(name), np.float32)
        if values.shape != shape:
            raise CorefError(f"tensor {name} has shape {values.shape}; expected {shape}")
        kept = StoredTensor.encode(name, values, dtype)
        _create(group, f"tensors/{name}", kept.values)
        digest.update(kept.values.tobytes())
        if kept.scale is not None:
            _create(group, f"scales/{name}", kept.scale)
            digest.update(kept.scale.tobytes())
        weights += values.size
        change = np.abs(kept.decode() - values).max() / max(np.abs(values).max(), 1e-30)
        worst = max(worst, float(change))
    identity = digest.hexdigest()
    for name, value in (attributes | {"identity": identity}).items():
        group.attrs[name] = value
    return {"weights": weights, "error": worst, "identity": identity}


def _check_arguments(
    config: EncoderConfig, vocabulary: Sequence[str], provenance: Mapping[str, str], dtype: str
) -> None:
    if dtype not in DTYPES:
        raise CorefError(f"dtype must be one of {', '.join(DTYPES)}. Received: {dtype}")
    if len(vocabulary) != config.vocabulary_size:
        raise CorefError(
            f"a vocabulary of {len(vocabulary):,} word pieces; expected {config.vocabulary_size:,}, one for each vector"
            " of the encoder"
        )
    if any("\n" in piece for piece in vocabulary) or len(set(vocabulary)) < len(vocabulary):
        raise CorefError("a vocabulary must not repeat a piece or contain a line break")
    missing = [name for name in PROVENANCE if not provenance.get(name)]
    if missing:
        raise CorefError(f"an encoder's provenance must have {', '.join(PROVENANCE)}. Missing: {missing}")


def _create(file: h5py.Group, name: str, data: np.ndarray) -> None:
    # The newest HDF5 format has checksums for everything except the data, for which they are enabled here.
    # Chunks have equal sizes, so that the last is as full as the others.
    num_chunks = -(-data.nbytes // CHUNK_BYTES) or 1
    chunks = (max(1, -(-len(data) // num_chunks)), *data.shape[1:])
    # Compression saves about one bit in eight for int8, and hardly anything for floats.
    packing = {"compression": "gzip", "compression_opts": 9} if data.dtype == np.int8 else {}
    file.create_dataset(name, data=data, chunks=chunks, fletcher32=True, **packing)
