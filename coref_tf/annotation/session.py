"""The requests of the annotation page: to list the texts, to open one, and to keep or save corrections."""

import contextlib
import dataclasses
import hashlib
import json
import threading
from collections.abc import Iterator
from typing import Any, NamedTuple

from coref_tf.annotation.folder import AnnotationFolder, Clusters, Draft
from coref_tf.annotation.suggestions import Suggestions
from coref_tf.documents.character_spans import join_sentences
from coref_tf.documents.document import Document
from coref_tf.documents.rules import FileMention
from coref_tf.documents.running_text import words_and_gaps
from coref_tf.serving.limits import Deadline, Limits, RequestError
from coref_tf.serving.requests import parse_body
from coref_tf.support.errors import CorefError

_UNKNOWN_LENGTH = 10_000  # the assumed number of words of a text that has to be predicted first


class AnnotationRequest(NamedTuple):
    """A request of the page."""

    content: dict[str, Any]
    num_words: int = 0


class AnnotationSession:
    """Answers the requests of the page for one folder.

    Args:
        suggestions: The folder, and the predictions for its texts.
    """

    def __init__(self, suggestions: Suggestions):
        self.suggestions = suggestions
        self.folder: AnnotationFolder = suggestions.folder
        self._saving = threading.Lock()

    # --- Reading requests ---------------------------------------------------------------------------------

    def read_open(self, body: bytes, limits: Limits) -> AnnotationRequest:
        """Parses {"name": "ferry.txt"}, or {"name": null, "skipped": [...]} for the next text."""
        content = parse_body(body, limits, expected="one with name")
        name = content.get("name")
        if name is not None and not isinstance(name, str):
            raise RequestError(400, "name is neither a string nor null")
        known = isinstance(name, str) and self.suggestions.found(name)
        return AnnotationRequest(content, 0 if known else _UNKNOWN_LENGTH)

    def read_change(self, body: bytes, limits: Limits) -> AnnotationRequest:
        """Parses the corrected clusters of a text: {"name": ..., "clusters": [[[0, 1], ...], ...], ...}."""
        content = parse_body(body, limits, expected="one with name, tokens, version and clusters")
        if not all(isinstance(content.get(name), str) for name in ("name", "tokens", "version")):
            raise RequestError(400, "name, tokens or version is not a string")
        content["clusters"] = _clusters(content.get("clusters"))
        return AnnotationRequest(content)

    # --- Answering them -----------------------------------------------------------------------------------

    def texts(self) -> list[dict[str, Any]]:
        """Returns the texts, with the state of each."""
        self.suggestions.look_for_new_texts()
        listed = []
        for name in self.folder.names():
            found = self.suggestions.found(name)
            facts = {"doubt": round(found.doubt, 2), "words": found.words} if found else {}
            problem = self.suggestions.problems.get(name)
            state = "unreadable" if problem else self.folder.state(name)
            listed.append({"name": name, "state": state, "problem": problem, **facts})
        return listed

    def answer_open(self, request: AnnotationRequest, deadline: Deadline) -> bytes:
        """Returns the requested text, or the next one; {"name": null} if all are annotated."""
        skipped = frozenset(map(str, request.content.get("skipped") or ()))
        name = request.content.get("name") or self.suggestions.least_certain(skipped)
        if name is None:
            return _encode({"name": None})
        with _as_request_errors():
            self.folder.require(name)
            document, saved = self._document(name)
            clusters: Any = saved.clusters if saved else self.suggestions.suggest(name, document).clusters
        deadline.seconds_left()
        draft = self.folder.read_draft(name)
        words, gaps = words_and_gaps(document)
        tokens = tokens_digest(document)
        return _encode(
            {
                "name": name,
                "words": words,
                "gaps": gaps,
                "sentences": [len(sentence) for sentence in document.sentences],
                "tokens": tokens,
                "clusters": clusters,
                "draft": draft._asdict() if draft and draft.tokens == tokens else None,
                "version": self.folder.version(name),
            }
        )

    def answer_draft(self, request: AnnotationRequest, deadline: Deadline) -> bytes:
        """Saves a draft on disk."""
        content = request.content
        time = content.get("time")
        if not isinstance(time, int):
            raise RequestError(400, "time is not an integer")
        with _as_request_errors(), self._saving:
            name = self.folder.require(content["name"])
            self.folder.write_draft(
                name, Draft(content["clusters"], content["tokens"], content["version"], time)
            )
        return _encode({"kept": True})

    def answer_save(self, request: AnnotationRequest, deadline: Deadline) -> bytes:
        """Saves an annotation, unless the text or the saved annotation has changed since the page was loaded."""
        content = request.content
        with _as_request_errors(), self._saving:
            name = self.folder.require(content["name"])
            document, _ = self._document(name)
            if tokens_digest(document) != content["tokens"]:
                raise RequestError(409, f"{name} has changed since it was opened; reload the page")
            if self.folder.version(name) != content["version"] and not content.get("overwrite"):
                raise RequestError(409, f"somebody else has saved {name} since it was opened")
            self.folder.save(name, annotated_document(document, content["clusters"]))
            return _encode({"version": self.folder.version(name)})

    def _document(self, name: str) -> tuple[Document, Document | None]:
        """Returns the words of a text and, if there is one, its annotation, which then determines the words."""
        saved = self.folder.read_annotation(name)
        return saved or self.suggestions.document(name), saved


def annotated_document(document: Document, clusters: Clusters) -> Document:
    """Returns the document with other clusters, without clusters of one mention.

    If a mention crosses a sentence boundary, the sentences are joined, because the boundary was a guess.
    """
    kept = sorted(sorted(cluster) for cluster in clusters if len(cluster) > 1)
    mentions = [FileMention(*span, number) for number, cluster in enumerate(kept) for span in cluster]
    for start, end, *_ in mentions:
        if not 0 <= start <= end < document.num_words:
            raise CorefError(f"mention ({start}, {end}) is outside the text of {document.num_words} words")
    sentences, speakers = join_sentences(document, mentions)
    return dataclasses.replace(document, sentences=sentences, speakers=speakers, clusters=kept)


def tokens_digest(document: Document) -> str:
    """Returns a digest that identifies the words of a document and their offsets."""
    return hashlib.sha256(json.dumps([document.text, document.offsets]).encode()).hexdigest()[:16]


@contextlib.contextmanager
def _as_request_errors() -> Iterator[None]:
    """Converts exceptions to errors for the client, with the reason."""
    try:
        yield
    except RequestError:
        raise
    except CorefError as error:
        raise RequestError(400, str(error)) from None
    except OSError as error:
        raise RequestError(500, f"{error.filename or 'the folder'}: {error.strerror or error}") from None


def _clusters(value: Any) -> Clusters:
    """Returns the clusters of a request; raises a RequestError if they are not lists of [first word, last word]."""
    try:
        clusters = [[(start, end) for start, end in cluster] for cluster in value]
    except (TypeError, ValueError):
        raise RequestError(400, "clusters are not lists of [first word, last word]") from None
    if not all(type(number) is int for cluster in clusters for span in cluster for number in span):
        raise RequestError(400, "clusters contain values other than integers")
    return clusters


def _encode(content: dict[str, Any]) -> bytes:
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()
