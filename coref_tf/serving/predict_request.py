"""The body of a :predict request -> what the model is to be run on."""

import enum
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from coref_tf.models.calibration import check_probability
from coref_tf.serving.json_tensors import fits_rank, is_base64, tensor_of
from coref_tf.serving.limits import Limits
from coref_tf.serving.request_error import RequestError
from coref_tf.serving.request_size import check_documents, check_values, check_words
from coref_tf.serving.signature import Signature
from coref_tf.support.errors import CorefError
from coref_tf.support.json_text import parse_json

DEFAULT_SIGNATURE = "serving_default"
_LEAST = "min_probability"
_DIAL = "{}_dial"  # the signature that takes it, too


class Form(enum.Enum):
    """How a request gives its inputs, which is how the response gives the outputs."""

    COLUMNS = "inputs"  # each input whole
    ROWS = "instances stacked"  # rows of the inputs' first dimension
    DOCUMENTS = "instances"  # whole inputs, several times


class PredictRequest(NamedTuple):
    """What a request asks for."""

    signature: Signature
    form: Form
    runs: list[dict[str, np.ndarray]]  # the inputs of each run of the model


def decode_request(body: bytes, signatures: Mapping[str, Signature], limits: Limits) -> PredictRequest:
    """Reads a request in column form (`inputs`) or row form (`instances`); a RequestError says what is wrong.

    What it holds is counted before tensors are made of it, so that memory stays in proportion to the limits.

    TensorFlow Serving stacks instances along a new first dimension. So does this, where the stacked inputs have
    the signature's dimensions. A signature that takes one document has no dimension to stack along; there an
    instance is a document, which TensorFlow Serving would refuse, and the model runs once for each.

    Example:
        decode_request(b'{"signature_name": "text", "inputs": "Ana left."}', model.signatures, Limits())
        decode_request(b'{"signature_name": "text", "instances": ["Ana left."]}', model.signatures, Limits())
    """
    check_values(body, limits)
    request = parse_body(body, expected="one with inputs or instances")
    signature = _signature(request, signatures)
    keys = [key for key in ("inputs", "instances") if key in request]
    if len(keys) != 1:
        raise RequestError(
            400, f"the request has {' and '.join(keys) or 'neither'}; expected inputs or instances"
        )
    if keys == ["inputs"]:
        inputs = _named(request["inputs"], signature, "inputs")
        check_words([inputs], limits)
        asked = PredictRequest(signature, Form.COLUMNS, [_tensors(inputs, signature, "inputs")])
    else:
        asked = _instances(request["instances"], signature, limits)
    return _dialled(asked, request[_LEAST], signatures) if _LEAST in request else asked


def _dialled(asked: PredictRequest, least: Any, signatures: Mapping[str, Signature]) -> PredictRequest:
    """The same of the signature that takes links away, where the request has min_probability beside its inputs."""
    try:
        least = np.array(check_probability(least), np.float32)
    except CorefError as error:
        raise RequestError(400, f"{_LEAST}: {error}") from None
    if _LEAST in asked.signature.inputs:
        raise RequestError(
            400, f"signature {asked.signature.name} takes {_LEAST} among its inputs; expected it there"
        )
    dial = signatures.get(_DIAL.format(asked.signature.name))
    if dial is None or _LEAST not in dial.inputs:
        raise RequestError(
            400, f"signature {asked.signature.name} of this model takes no {_LEAST}; expected a newer export"
        )
    return PredictRequest(dial, asked.form, [run | {_LEAST: least} for run in asked.runs])


def parse_body(body: bytes, expected: str) -> dict[str, Any]:
    """The JSON object that the body holds; `expected` says what else would be one."""
    try:
        request = parse_json(body.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise RequestError(400, f"the body is no UTF-8: {error.reason} at byte {error.start}") from None
    except ValueError as error:
        raise RequestError(400, f"the body is no JSON: {error}") from None
    if not isinstance(request, dict):
        raise RequestError(400, f"the body is no JSON object; expected {expected}")
    return request


def _signature(request: dict[str, Any], signatures: Mapping[str, Signature]) -> Signature:
    """The signature that the request names, or the default one."""
    name = request.get("signature_name", "")
    if not isinstance(name, str):
        raise RequestError(400, "signature_name is no string; expected one of " + ", ".join(signatures))
    signature = signatures.get(name or DEFAULT_SIGNATURE)
    if signature is None:
        expected = ", ".join(signatures)
        raise RequestError(
            400, f"the model has no signature {name or DEFAULT_SIGNATURE!r}; expected one of {expected}"
        )
    return signature


def _instances(instances: Any, signature: Signature, limits: Limits) -> PredictRequest:
    """The runs of a request in row form."""
    if not isinstance(instances, list) or not instances:
        raise RequestError(400, "instances is no list of at least one item")
    first = _named(instances[0], signature, "instances[0]")
    given = {name: kind for name, kind in signature.inputs.items() if name in first}
    stacked = all(fits_rank(first[name], kind, stacked=1) for name, kind in given.items())
    if not stacked:
        check_documents(len(instances), limits)
    rows = []
    for number, instance in enumerate(instances):
        rows.append(_named(instance, signature, f"instances[{number}]"))
        unknown = rows[-1].keys() - signature.inputs.keys()
        if unknown:
            raise RequestError(
                400,
                f"instances[{number}] has {', '.join(sorted(unknown))}; expected {', '.join(signature.inputs)}",
            )
    if stacked:
        columns = {name: [row[name] for row in rows] for name in given}
        check_words([columns], limits)
        return PredictRequest(signature, Form.ROWS, [_tensors(columns, signature, "instances")])
    check_words(rows, limits)
    runs = [_tensors(row, signature, f"instances[{number}]") for number, row in enumerate(rows)]
    return PredictRequest(signature, Form.DOCUMENTS, runs)


def _tensors(values: Mapping[str, Any], signature: Signature, where: str) -> dict[str, np.ndarray]:
    """All inputs of one run."""
    return {
        name: tensor_of(values[name], expected, f"{where}.{name}")
        for name, expected in signature.inputs.items()
        if name in values
    }


def _named(value: Any, signature: Signature, where: str) -> dict[str, Any]:
    """Inputs by name; where a signature has only one, its value can come without the name."""
    expected = ", ".join(signature.inputs)
    if not isinstance(value, dict) or is_base64(value):
        if len(signature.required) != 1:
            raise RequestError(
                400, f"{where} is no object; signature {signature.name} expects one with {expected}"
            )
        return {next(iter(signature.required)): value}
    missing = [name for name in signature.required if name not in value]
    if missing:
        raise RequestError(
            400, f"{where} lacks {', '.join(missing)}; signature {signature.name} expects {expected}"
        )
    return value
