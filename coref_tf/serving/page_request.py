"""What was typed into the page -> what is to be resolved."""

from typing import NamedTuple

from coref_tf.models.calibration import check_probability
from coref_tf.serving.limits import Limits
from coref_tf.serving.predict_request import parse_body
from coref_tf.serving.request_error import RequestError
from coref_tf.serving.request_size import check_values, check_words
from coref_tf.support.errors import CorefError


class PageRequest(NamedTuple):
    """What the page asks for."""

    text: str
    dialogue: bool = False  # whether its lines are turns of speakers
    min_probability: float = 0.0  # of the links that are copied


def decode_page_request(body: bytes, limits: Limits) -> PageRequest:
    """Reads a request; a RequestError says what is wrong.

    Example:
        decode_page_request(b'{"text": "Ana: I left.", "dialogue": true}', Limits())
    """
    check_values(body, limits)
    request = parse_body(body, expected="one with text")
    unknown = request.keys() - set(PageRequest._fields)
    if unknown:
        raise RequestError(
            400, f"the request has {', '.join(sorted(unknown))}; expected {', '.join(PageRequest._fields)}"
        )
    if not isinstance(request.get("text"), str):
        raise RequestError(400, "text is no string; expected the text to resolve")
    if not isinstance(request.get("dialogue", False), bool):
        raise RequestError(400, "dialogue is neither true nor false")
    try:
        check_probability(request.get("min_probability", 0.0))
    except CorefError as error:
        raise RequestError(400, f"min_probability: {error}") from None
    check_words([{"text": request["text"]}], limits)
    return PageRequest(**request)
