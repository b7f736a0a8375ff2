"""The architecture of a pretrained encoder: kind, sizes, special pieces, tensors. Does not import TensorFlow."""

import dataclasses
from collections.abc import Mapping
from typing import Any

KINDS = ("bert", "distilbert", "mpnet")
# The types in which matrices may be stored.
DTYPES = ("float32", "float16", "int8")
# Known encoders are far below these limits; a file that exceeds them is not one of ours.
LARGEST_SIZE, MOST_LAYERS = 1 << 20, 256


@dataclasses.dataclass(frozen=True)
class EncoderConfig:
    """The settings of a transformer of the BERT family.

    Args:
        kind: "bert" (adds positions and a segment to the words), "distilbert" (adds positions only) or "mpnet" (adds
            positions, and a bias of relative positions in every block).
        vocabulary_size: The number of word pieces.
        hidden_size: The number of values per piece.
        num_layers: The number of blocks.
        num_heads: The number of attention heads of a block, which share hidden_size.
        intermediate_size: The size of the feed-forward part.
        max_positions: The maximum number of pieces of a window, including special pieces.
        layer_norm_epsilon: The value added to the variance.
        lowercase: Whether words are lowercased, and their accents stripped, before they are split into pieces.
        cls_id, sep_id: The pieces that begin and end a window.
        unk_id: The piece for text that cannot be split into pieces.
        pad_id: The padding piece.
        relative_buckets: The number of distance buckets of mpnet; 0 for other kinds.
        relative_distance: The distance beyond which all distances share a bucket.

    Example:
        config = EncoderConfig("bert", 30522, 384, 6, 12, 1536, lowercase=True)
        config.tensor_shapes()["block_1/attention/kernel"]      # (384, 1152)
    """

    kind: str
    vocabulary_size: int
    hidden_size: int
    num_layers: int
    num_heads: int
    intermediate_size: int
    max_positions: int = 512
    layer_norm_epsilon: float = 1e-12
    lowercase: bool = True
    cls_id: int = 101
    sep_id: int = 102
    unk_id: int = 100
    pad_id: int = 0
    relative_buckets: int = 0
    relative_distance: int = 128

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            # JSON may store 1.0 as 1; a bool does not count as a number.
            fits = type(value) is field.type or (field.type is float and type(value) is int)
            if not fits:
                raise ValueError(
                    f"{field.name} must be of type {getattr(field.type, '__name__', field.type)}. Received: {value!r}"
                )
        if self.kind not in KINDS:
            raise ValueError(f"kind must be one of {', '.join(KINDS)}. Received: {self.kind!r}")
        sizes = ("vocabulary_size", "hidden_size", "num_heads", "intermediate_size", "max_positions")
        for name in sizes:
            if not 1 <= getattr(self, name) <= LARGEST_SIZE:
                raise ValueError(f"{name} must be 1 to {LARGEST_SIZE}. Received: {getattr(self, name)}")
        if not 0 <= self.num_layers <= MOST_LAYERS:
            raise ValueError(f"num_layers must be 0 to {MOST_LAYERS}. Received: {self.num_layers}")
        if self.hidden_size % self.num_heads:
            raise ValueError(
                f"hidden_size must be a multiple of num_heads. Received: {self.hidden_size}, {self.num_heads}"
            )
        if not 0 < self.layer_norm_epsilon < 1:
            raise ValueError(
                f"layer_norm_epsilon must be between 0 and 1. Received: {self.layer_norm_epsilon}"
            )
        for name in ("cls_id", "sep_id", "unk_id", "pad_id"):
            if not 0 <= getattr(self, name) < self.vocabulary_size:
                raise ValueError(
                    f"{name} must be the id of one of {self.vocabulary_size} pieces. Received: {getattr(self, name)}"
                )
        self._check_relative_positions()

    def _check_relative_positions(self) -> None:
        buckets, distance = self.relative_buckets, self.relative_distance
        if (self.kind == "mpnet") != (buckets > 0):
            raise ValueError(f"relative_buckets require kind mpnet. Received: {self.kind}, {buckets}")
        if buckets and (buckets % 4 or buckets > 1024 or distance <= buckets // 4):
            raise ValueError(
                "relative_buckets must be a multiple of 4 up to 1024, and relative_distance more than a quarter"
                f" of it. Received: {buckets}, {distance}"
            )

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> "EncoderConfig":
        """Creates it from the result of `to_json`; a ValueError names missing, unknown and invalid settings."""
        if not isinstance(values, Mapping):
            raise ValueError(f"an encoder's settings must be an object. Received: {values!r}")
        fields = {field.name: field for field in dataclasses.fields(cls)}
        unknown = sorted(set(values) - set(fields))
        missing = [n for n, f in fields.items() if f.default is dataclasses.MISSING and n not in values]
        if unknown or missing:
            raise ValueError(
                f"an encoder's settings must have {', '.join(fields)}. Received unknown: {unknown}; missing: {missing}"
            )
        return cls(**values)

    def to_json(self) -> dict[str, Any]:
        """Returns the settings as JSON values."""
        return dataclasses.asdict(self)

    def tensor_shapes(self, num_layers: int | None = None) -> dict[str, tuple[int, ...]]:
        """Returns the name and shape of each tensor, in a fixed order; `num_layers` includes only the lowest blocks."""
        hidden = self.hidden_size
        shapes: dict[str, tuple[int, ...]] = {
            "embeddings/words": (self.vocabulary_size, hidden),
            "embeddings/positions": (self.max_positions, hidden),
        }
        if self.kind == "bert":
            shapes["embeddings/segment"] = (hidden,)
        shapes |= {"embeddings/norm_scale": (hidden,), "embeddings/norm_offset": (hidden,)}
        if self.relative_buckets:
            shapes["relative_positions"] = (self.relative_buckets, self.num_heads)
        for block in range(1, (self.num_layers if num_layers is None else num_layers) + 1):
            # Query, key and value share one product, in this order.
            parts = {"attention": (hidden, 3 * hidden), "feed_forward": (hidden, self.intermediate_size)}
            for part, (size, width) in parts.items():
                inner = hidden if part == "attention" else width
                shapes |= {
                    f"block_{block}/{part}/kernel": (size, width),
                    f"block_{block}/{part}/bias": (width,),
                    f"block_{block}/{part}/output_kernel": (inner, hidden),
                    f"block_{block}/{part}/output_bias": (hidden,),
                    f"block_{block}/{part}/norm_scale": (hidden,),
                    f"block_{block}/{part}/norm_offset": (hidden,),
                }
        return shapes
