"""What the page shows of a text that was typed into it."""

import json

from coref_tf.api.result import result_of
from coref_tf.documents.dialogue import DialogueCount, find_turns
from coref_tf.documents.text import document_from_text
from coref_tf.export.detailed import SIGNATURE, detailed_prediction
from coref_tf.export.exported_model import document_inputs
from coref_tf.page.data import page_data
from coref_tf.serving.deadline import Deadline
from coref_tf.serving.limits import Limits
from coref_tf.serving.loaded_model import LoadedModel
from coref_tf.serving.page_request import PageRequest, decode_page_request
from coref_tf.serving.request_error import RequestError
from coref_tf.support.errors import CorefError

NO_DETAILS = (
    "This model was exported without the details that the page shows, by an earlier version or by something else."
    " Export it again with `coref export`, or serve its checkpoint."
)


def has_details(model: LoadedModel) -> bool:
    """Whether the page can show what the model finds."""
    return model.about is not None and SIGNATURE in model.signatures


def page_answer(body: bytes, model: LoadedModel, limits: Limits, deadline: Deadline) -> bytes:
    """Reads what was typed, runs the model, and gives what the page shows and lets people copy.

    Each step takes time in proportion to the text, and looks at the deadline before.
    """
    deadline.left()
    request = decode_page_request(body, limits)
    if not has_details(model):
        raise RequestError(501, NO_DETAILS)
    try:
        document = document_from_text(request.text, "text", request.dialogue, language=model.about.language)
    except CorefError as error:
        raise RequestError(400, str(error)) from None
    found = model.run(model.signatures[SIGNATURE], document_inputs(document), deadline.left())
    deadline.left()
    calibration, least = model.about.calibration, request.min_probability
    # All links are shown, since the dial is on the page; what is copied has those that it leaves.
    prediction = detailed_prediction(document, found, calibration)
    result = result_of(detailed_prediction(document, found, calibration, least), model.about.language)
    content = {
        "settings": model.about.settings._asdict(),
        "document": page_data(prediction, model.about.settings),
        "dialogue": _dialogue(request),
        "result": result.to_dict(),
        "resolved": result.resolved(),
    }
    deadline.left()
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()


def _dialogue(request: PageRequest) -> str | None:
    """How many turns of how many speakers there are; None for a text that isn't read as a dialogue, nor looks so."""
    turns, count = find_turns(request.text), DialogueCount()
    count(turns)
    return str(count) if request.dialogue or count.turns > 1 else None
