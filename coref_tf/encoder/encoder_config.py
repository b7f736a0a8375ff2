"""What a pretrained encoder looks like: its kind, its sizes, its special pieces, its tensors. Needs no TensorFlow."""

import dataclasses
from collections.abc import Mapping
from typing import Any

KINDS = ("bert", "distilbert", "mpnet")
# What matrices may be kept as.
DTYPES = ("float32", "float16", "int8")
# No encoder at hand comes near these; a file that says more is not one of ours.
LARGEST_SIZE, MOST_LAYERS = 1 << 20, 256


@dataclasses.dataclass(frozen=True)
class EncoderConfig:
    """The settings of a transformer of the BERT family.

    Args:
        kind: "bert" (positions and a segment are added to the words), "distilbert" (positions alone) or "mpnet"
            (positions, and in every block a bias of relative positions).
        vocabulary_size: number of word pieces.
        hidden_size: numbers per piece.
        num_layers: number of blocks.
        num_heads: attention heads of a block; they share hidden_size.
        intermediate_size: of the feed-forward part.
        max_positions: how many pieces a window may have, special ones included.
        layer_norm_epsilon: added to the variance.
        lowercase: whether words are put into lower case, and their accents stripped, before they are cut into pieces.
        cls_id, sep_id: the pieces that begin and end a window.
        unk_id: the piece of what can't be cut into pieces.
        pad_id: the piece that fills windows up.
        relative_buckets: how many distances mpnet tells apart, 0 in others.
        relative_distance: from which distance on they are all one.

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
            # JSON knows 1 where Python means 1.0; a bool is no number here.
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
                    f"{name} must be one of {self.vocabulary_size} pieces. Received: {getattr(self, name)}"
                )
        self._check_relative_positions()

    def _check_relative_positions(self) -> None:
        buckets, distance = self.relative_buckets, self.relative_distance
        if (self.kind == "mpnet") != (buckets > 0):
            raise ValueError(f"relative_buckets go with kind mpnet. Received: {self.kind}, {buckets}")
        if buckets and (buckets % 4 or buckets > 1024 or distance <= buckets // 4):
            raise ValueError(
                "relative_buckets must be a multiple of 4 up to 1024, and relative_distance more than a quarter"
                f" of it. Received: {buckets}, {distance}"
            )

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> "EncoderConfig":
        """From what `to_json` gave; a ValueError says what is missing, unknown or wrong."""
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
        """The settings in JSON's terms."""
        return dataclasses.asdict(self)

    def tensor_shapes(self, num_layers: int | None = None) -> dict[str, tuple[int, ...]]:
        """Name -> shape of each tensor, in a fixed order; `num_layers` counts only the lowest blocks."""
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
            # Query, key and value share a product, in this order.
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
