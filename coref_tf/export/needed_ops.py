"""Loads the op library for an exported model that uses it."""

from pathlib import Path

from tensorflow.core.framework.op_def_pb2 import OpDef
from tensorflow.core.protobuf.saved_model_pb2 import SavedModel
from tensorflow.python.framework import op_def_registry

from coref_tf.ops.library import custom_ops
from coref_tf.support.errors import CorefError

_OWN_OPS = "Coref>"


def load_needed_ops(version: Path) -> None:
    """Loads the op library if the SavedModel in a folder uses it, as it is now; a portable one needs none."""
    saved_model = SavedModel.FromString((version / "saved_model.pb").read_bytes())
    definitions = (op for graph in saved_model.meta_graphs for op in graph.meta_info_def.stripped_op_list.op)
    used = [op for op in definitions if op.name.startswith(_OWN_OPS)]
    if used:
        custom_ops()
    for op in used:
        ours = op_def_registry.get(op.name)
        if ours is None or _input_names(ours) != _input_names(op):
            raise CorefError(
                f"{version} was exported by another version, whose op {op.name} takes other inputs;"
                " export the model again"
            )


def _input_names(op: OpDef) -> list[str]:
    return [argument.name for argument in op.input_arg]
