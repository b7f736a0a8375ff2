"""Runs the model on the documents of a request, and encodes the response."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from coref_tf.api.resolver import Resolver
from coref_tf.documents.dialogue import DialogueCount
from coref_tf.documents.dialogue_forms import read_dialogue
from coref_tf.documents.document import Document
from coref_tf.documents.tokenizer import ENGLISH
from coref_tf.export.exported_model import ExportedModel
from coref_tf.inference.prediction import Prediction
from coref_tf.inference.predictor import Predictor
from coref_tf.page.data import PageSettings, page_data
from coref_tf.serving.limits import Deadline, RequestError
from coref_tf.serving.requests import Request, Source
from coref_tf.support.errors import CorefError

NO_DETAILS = (
    "This model was exported without the details that the page shows, by an earlier version."
    " Export it again with `coref export`, or serve its checkpoint."
)


class ServedModel(NamedTuple):
    """A model that is ready to answer requests."""

    name: str  # the displayed name
    model: Predictor | ExportedModel
    resolver: Resolver  # converts texts to documents
    settings: PageSettings | None  # None for an export without details
    genres: tuple[str, ...] = ()  # the genres that the model knows
    default_genre: str = ""  # the genre of texts without one

    def predict(self, source: Source) -> Prediction:
        """Returns the prediction for one document; raises a RequestError if the document is invalid."""
        words, speakers, genre, dialogue = source
        try:
            document = self.resolver.document(words, speakers, genre or None, dialogue)
        except CorefError as error:
            raise RequestError(400, str(error)) from None
        return self.model.predict(document, details=self.settings is not None)


def answer_predict(served: ServedModel, request: Request, deadline: Deadline) -> bytes:
    """Returns the response as in TensorFlow Serving's REST API: `outputs`, or `predictions` for `instances`."""
    results = []
    for source in request.sources:
        deadline.seconds_left()
        prediction = _with_min_probability(served.predict(source), request.min_probability)
        results.append({name: _to_json(value) for name, value in _outputs(prediction).items()})
    deadline.seconds_left()
    return _encode({"predictions": results} if request.instances else {"outputs": results[0]})


def answer_page(models: Mapping[str, ServedModel], request: Request, deadline: Deadline) -> bytes:
    """Returns what the page shows for a text, and what users can copy."""
    served = models.get(request.model or next(iter(models)))
    (source,) = request.sources
    if served is None:
        raise RequestError(400, f"there is no model {request.model!r:.80}; expected {', '.join(models)}")
    if source.genre and source.genre not in served.genres:
        known = ", ".join(served.genres) or "none, because this model has no genres"
        raise RequestError(400, f"there is no genre {source.genre!r:.80}; expected {known}")
    if served.settings is None:
        raise RequestError(501, NO_DETAILS)
    # The page shows all links, because it has a slider; copied results contain only the links that the slider keeps.
    prediction = served.predict(source)
    deadline.seconds_left()
    dialled = _with_min_probability(prediction, request.min_probability)
    result = served.resolver.result(dialled)
    content = {
        "settings": served.settings._asdict(),
        "document": page_data(prediction, served.settings),
        "dialogue": _dialogue(source),
        "result": result.to_dict(),
        "resolved": result.resolved() if result.language == ENGLISH else None,
        "quotations": [each.to_dict() for each in result.quotations] if result.language == ENGLISH else [],
    }
    deadline.seconds_left()
    return _encode(content)


def _with_min_probability(prediction: Prediction, threshold: float) -> Prediction:
    """Returns the prediction without links below the given place probability."""
    if threshold <= prediction.min_probability:
        return prediction
    if prediction.output is None:
        raise RequestError(400, f"min_probability: {NO_DETAILS}")
    return Prediction.from_output(prediction.document, prediction.output, prediction.calibration, threshold)


def _outputs(prediction: Prediction) -> dict[str, Any]:
    """Returns the outputs of the signature `serving_default` of an export and, for a text, those of `text`, by name."""
    clusters = sorted((span, number) for number, spans in enumerate(prediction.clusters) for span in spans)
    place = {span: number for number, span in enumerate(prediction.top_spans)}
    # [mentions]: their indices among the kept spans
    mentions = np.array([place[span] for span, _ in clusters], np.int64)
    spans = np.array(prediction.top_spans, np.int32).reshape(-1, 2)
    outputs: dict[str, Any] = {
        "mention_starts": spans[mentions, 0],
        "mention_ends": spans[mentions, 1],
        "mention_clusters": [number for _, number in clusters],
        "mention_scores": prediction.mention_scores[mentions],
        "top_span_starts": spans[:, 0],
        "top_span_ends": spans[:, 1],
        "top_span_mention_scores": prediction.mention_scores,
        "top_span_antecedents": prediction.antecedents,
        "top_span_antecedent_scores": prediction.antecedent_scores,
    }
    if prediction.link_probabilities is not None and prediction.place_probabilities is not None:
        outputs["mention_probability"] = prediction.place_probabilities[mentions]
        outputs["top_span_probability"] = prediction.place_probabilities
        outputs["top_span_antecedent_probability"] = prediction.link_probabilities
    return outputs | _characters(prediction.document, spans[mentions])


def _characters(document: Document, spans: np.ndarray) -> dict[str, Any]:
    """Returns the offsets and texts of mentions; nothing if the document has no text."""
    if document.text is None or document.offsets is None:
        return {}
    begins = [document.offsets[start][0] for start, _ in spans]
    ends = [document.offsets[end][1] for _, end in spans]
    texts = [document.text[begin:end] for begin, end in zip(begins, ends, strict=True)]
    return {"mention_begin_char": begins, "mention_end_char": ends, "mention_text": texts}


def _to_json(value: Any) -> Any:
    """Returns an output as a JSON value. A float32 is written with its own precision: 0.2, not 0.20000000298."""
    array = np.asarray(value)
    return (array.astype(str).astype(np.float64) if array.dtype == np.float32 else array).tolist()


def _dialogue(source: Source) -> str | None:
    """Returns the numbers of turns and speakers; None if the text neither is nor looks like a dialogue."""
    count = DialogueCount()
    count(read_dialogue(str(source.words)))
    return str(count) if source.dialogue or count.is_conversation else None


def _encode(content: dict[str, Any]) -> bytes:
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
