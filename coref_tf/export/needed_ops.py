"""Loads the op library for an exported model that uses it."""

from pathlib import Path

from tensorflow.core.protobuf.saved_model_pb2 import SavedModel

from coref_tf.ops.library import custom_ops

_OWN_OPS = "Coref>"


def load_needed_ops(version: Path) -> None:
    """Loads the op library if the SavedModel in a folder uses it; a portable one needs none."""
    saved_model = SavedModel.FromString((version / "saved_model.pb").read_bytes())
    used = (op.name for graph in saved_model.meta_graphs for op in graph.meta_info_def.stripped_op_list.op)
    if any(name.startswith(_OWN_OPS) for name in used):
        custom_ops()
