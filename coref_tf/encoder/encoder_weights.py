"""The weights of a contextual encoder: its variables, their storage types, and how they are loaded."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import tensorflow as tf

from coref_tf.encoder.encoder_config import EncoderConfig
from coref_tf.encoder.encoder_file import EncoderFile
from coref_tf.encoder.stored_tensor import StoredTensor, scale_shape
from coref_tf.ops.int8 import PackedKernel, pack_kernel, packed_shapes, unpack_kernel

WORDS = "embeddings/words"


class EncoderWeights(tf.keras.layers.Layer):
    """A layer with the weights of the lowest blocks of an encoder, in float32 or in fewer bits.

    Args:
        config: An EncoderConfig, or its settings as a dict.
        num_layers: The number of blocks to build and compute, counted from the lowest; None for all.
        tuned_layers: The number of these blocks, counted from the highest, to train; None trains all, and the
            embeddings.
        kept: The type in which matrices are stored: "float32" or, if nothing is trained, "float16" or "int8"; see
            `decoded_weights`.
        kept_words: The same for the word table only, whose rows are looked up: fewer bits take no extra time there, and
            in a small encoder, it makes up a third of the weights. None uses the type of the others.
        products: The type in which h is multiplied with kernels. "bfloat16", for processors that support it, rounds the
            factors and the result. "int8" stores the kernels only in int8 and quantizes each row of h; it requires the
            op library and a frozen encoder. Everything else, including attention, stays in float32.
        fused: Whether one C++ op computes the attention of windows without padding; it requires the op library and a
            frozen encoder.
    """

    def __init__(
        self,
        config: EncoderConfig | Mapping[str, Any],
        num_layers: int | None = None,
        tuned_layers: int | None = None,
        kept: str = "float32",
        kept_words: str | None = None,
        products: str = "float32",
        fused: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.config = config if isinstance(config, EncoderConfig) else EncoderConfig.from_json(config)
        self.num_layers = self.config.num_layers if num_layers is None else num_layers
        if not 0 <= self.num_layers <= self.config.num_layers:
            raise ValueError(
                f"num_layers must be 0 to {self.config.num_layers}, as the encoder has. Received: {num_layers}"
            )
        self.tuned_layers = self.num_layers + 1 if tuned_layers is None else tuned_layers
        self.kept = kept
        self.kept_words = kept if kept_words is None else kept_words
        self.products = products
        self.fused = fused
        if self.tuned_layers and fused:
            raise ValueError(
                f"fused must be False if layers are tuned. Received: {tuned_layers} tuned layers"
            )
        if self.tuned_layers and ({self.kept, self.kept_words} != {"float32"} or products == "int8"):
            raise ValueError(
                "kept and kept_words must be float32, and products not int8, if layers are tuned. Received: "
                f"{kept}, {kept_words}, {products}, {tuned_layers}"
            )
        self.identity: str | None = None  # the identity of the file that the weights were loaded from
        # By their names in an encoder file.
        self.tensors: dict[str, Any] = {}
        self.scales: dict[str, tf.Variable] = {}
        with tf.name_scope(self.name):
            for name, shape in self.config.tensor_shapes(self.num_layers).items():
                kind = self._kind(name)
                if self._is_packed(name):
                    self.tensors[name] = self._add_packed(name, *shape)
                elif kind == "float32" or len(shape) < 2:
                    self.tensors[name] = self._add(name, shape)
                else:
                    self.tensors[name] = self.add_weight(name, shape, kind, "zeros", trainable=False)
                    if kind == "int8":
                        shape = scale_shape(name, shape)
                        self.scales[name] = self.add_weight(
                            f"{name}_scale", shape, None, "ones", trainable=False
                        )

    def _is_packed(self, name: str) -> bool:
        """Returns whether a matrix is a kernel that is multiplied in int8."""
        return self.products == "int8" and name.endswith("kernel")

    def _add_packed(self, name: str, depth: int, units: int) -> PackedKernel:
        """Adds the variables of a kernel in int8."""
        shapes, kinds = packed_shapes(depth, units), PackedKernel(tf.int8, tf.float32, tf.int32)
        parts = zip(PackedKernel._fields, shapes, kinds, strict=True)
        return PackedKernel(
            *(
                self.add_weight(f"{name}_{part}", shape, kind, "zeros", trainable=False)
                for part, shape, kind in parts
            )
        )

    def _kind(self, name: str) -> str:
        """Returns the type in which a matrix is stored."""
        return self.kept_words if name == WORDS else self.kept

    def _add(self, name: str, shape: tuple[int, ...]) -> tf.Variable:
        """Adds a variable in float32."""
        kind = "zeros" if name.endswith(("bias", "offset")) else "ones"
        initializer = tf.keras.initializers.TruncatedNormal(stddev=0.02) if len(shape) == 2 else kind
        part = name.split("/")[0].removeprefix("block_")
        block = int(part) if part.isdecimal() else 0
        tuned = block > self.num_layers - self.tuned_layers
        return self.add_weight(name, shape, initializer=initializer, trainable=tuned)

    def assign(self, tensors: Mapping[str, np.ndarray]) -> None:
        """Assigns the weights from a mapping of names to arrays, which must contain all tensors."""
        for name, shape in self.config.tensor_shapes(self.num_layers).items():
            if name not in tensors:
                raise ValueError(f"tensors must have {name}. Received: {sorted(tensors)[:5]} ...")
            if np.shape(tensors[name]) != tuple(shape):
                raise ValueError(
                    f"{name} must have shape {tuple(shape)}. Received: {np.shape(tensors[name])}"
                )
            self._assign(name, tensors[name])

    def load(self, file: EncoderFile) -> None:
        """Loads the weights from an EncoderFile, one tensor at a time."""
        if file.config != self.config:
            raise ValueError(f"the file must have the config {self.config}. Received: {file.config}")
        for name, variable in self.tensors.items():
            stored = file.stored(name)
            kind = tf.int8 if self._is_packed(name) else variable.dtype
            if stored.values.dtype.name == kind.name:
                self._take(name, stored)
            else:
                self._assign(name, stored.decode())
        self.identity = file.identity

    def _assign(self, name: str, values: np.ndarray) -> None:
        kind = "int8" if self._is_packed(name) else self._kind(name)
        self._take(name, StoredTensor.encode(name, np.asarray(values, np.float32), kind))

    def _take(self, name: str, stored: StoredTensor) -> None:
        if self._is_packed(name):
            if stored.scale is None:
                raise ValueError(f"{name} must be stored as int8. Received: {stored.values.dtype}")
            packed = pack_kernel(stored.values, stored.scale)
            for variable, value in zip(self.tensors[name], packed, strict=True):
                variable.assign(value)
            return
        self.tensors[name].assign(stored.values)
        if name in self.scales:
            self.scales[name].assign(stored.scale)

    def _decode(self, name: str) -> tf.Tensor:
        """Returns a tensor in float32, however it is stored."""
        variable = self.tensors[name]
        if self._is_packed(name):
            depth, units = self.config.tensor_shapes(self.num_layers)[name]
            return decoded(unpack_kernel(variable.panels, depth, units), variable.scales)
        return decoded(variable, self.scales.get(name))

    def decoded_weights(self) -> dict[str, Any]:
        """Returns the weights by name, as `call` uses them; computing them once avoids decoding for every window.

        The word table is returned as stored, because rows are looked up before they are decoded.
        """
        if self.kept == "float32" and self.products in ("float32", "int8"):
            return self.tensors
        return {name: self._decoded_weight(name, variable) for name, variable in self.tensors.items()}

    def _decoded_weight(self, name: str, variable: tf.Variable) -> Any:
        if name == WORDS or self._is_packed(name):
            return variable
        weight = decoded(variable, self.scales.get(name))
        return tf.cast(weight, self.products) if name.endswith("kernel") else weight

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments of the constructor."""
        return super().get_config() | {
            "config": self.config.to_json(),
            "num_layers": self.num_layers,
            "tuned_layers": self.tuned_layers,
            "kept": self.kept,
            "kept_words": self.kept_words,
            "products": self.products,
            "fused": self.fused,
        }


def decoded(values: tf.Tensor, scale: tf.Tensor | None) -> tf.Tensor:
    """Decodes values and their scale to float32, like `StoredTensor.decode`, in a graph."""
    values = tf.cast(values, tf.float32)
    return values if scale is None else values * scale
