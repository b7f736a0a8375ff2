"""What is known of a model, in the JSON form of TensorFlow Serving's messages."""

from collections.abc import Mapping
from typing import Any

from google.protobuf.json_format import MessageToDict
from tensorflow.core.protobuf.meta_graph_pb2 import SignatureDef

from coref_tf.serving.model_versions import VersionStatus


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
        key: MessageToDict(definition, including_default_value_fields=True, preserving_proto_field_name=True)
        for key, definition in sorted(signatures.items())
    }
    return {
        "model_spec": {"name": name, "signature_name": "", "version": str(version)},
        "metadata": {"signature_def": {"signature_def": definitions}},
    }
