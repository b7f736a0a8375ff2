"""What is known of a model, in the JSON form of TensorFlow Serving's messages."""

import inspect
from collections.abc import Mapping
from typing import Any

from google.protobuf.json_format import MessageToDict
from tensorflow.core.protobuf.meta_graph_pb2 import SignatureDef

from coref_tf.serving.model_versions import VersionStatus

# What protobuf calls it: until 4, and since.
_names = ("including_default_value_fields", "always_print_fields_with_no_presence")
_WITH_DEFAULTS = {name: True for name in _names if name in inspect.signature(MessageToDict).parameters}


def model_status(statuses: Mapping[int, VersionStatus]) -> dict[str, Any]:
    """A GetModelStatusResponse."""
    return {
        "model_version_status": [
            {
                "version": str(number),
                "state": status.state,
                "status": {
                    "error_code": "UNKNOWN" if status.error else "OK",
                    "error_message": status.error,
                },
            }
            for number, status in statuses.items()
        ]
    }


def metadata(name: str, version: int, signatures: Mapping[str, SignatureDef]) -> dict[str, Any]:
    """A GetModelMetadataResponse: a ModelSpec and, as its only field, a SignatureDefMap."""
    definitions = {
        key: MessageToDict(definition, preserving_proto_field_name=True, **_WITH_DEFAULTS)
        for key, definition in sorted(signatures.items())
    }
    return {
        "model_spec": {"name": name, "signature_name": "", "version": str(version)},
        "metadata": {"signature_def": {"signature_def": definitions}},
    }
