"""Parses request bodies from JSON to documents. Sizes are checked before anything is built from them."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from coref_tf.documents.document import NO_SPEAKER
from coref_tf.models.calibration import check_probability
from coref_tf.serving.limits import Limits, RequestError
from coref_tf.support.errors import CorefError
from coref_tf.support.json_text import parse_json

WORD_CHARACTERS = 20  # this many characters of a long word, or of whitespace, cost as much as a word
DOCUMENT_WORDS = 20  # the minimum cost of a document, in words
LONGEST_WORD = 5_000  # in characters; the memory of every word grows with the longest word of the document

# Approximates the tokens of a text, and rarely finds fewer.
_WORD = re.compile(rf"\w{{1,{WORD_CHARACTERS}}}|[^\w\s]|\s{{{WORD_CHARACTERS}}}")

# JSON values allowed per word: in addition to its words, a request contains padding, speakers and lists.
_VALUES_PER_WORD = 25

# The inputs of each signature, and the fields of the page's requests.
_SIGNATURES = {"text": ("text",), "serving_default": ("tokens", "speakers", "genre")}
_PAGE_FIELDS = ("text", "dialogue", "min_probability", "genre", "model")


class Source(NamedTuple):
    """One document of a request."""

    words: str | list[list[str]]  # a text, or the words of each sentence
    speakers: list[list[str]] | None = None
    genre: str | None = None
    dialogue: bool = False  # whether lines of a text name their speakers


class Request(NamedTuple):
    """A parsed request."""

    sources: list[Source]
    num_words: int
    min_probability: float = 0.0
    model: str = ""  # its name in URLs; "" is the first one
    instances: bool = False  # whether the request has `instances`, which are answered with `predictions`


def read_page_request(body: bytes, limits: Limits) -> Request:
    """Parses a request of the page, such as {"text": "Ana: I left.", "dialogue": true}.

    Raises a RequestError if it is invalid.
    """
    request = parse_body(body, limits, expected="one with text")
    unknown = request.keys() - set(_PAGE_FIELDS)
    if unknown:
        raise _error(f"the request has {', '.join(sorted(unknown))}; expected {', '.join(_PAGE_FIELDS)}")
    dialogue = request.get("dialogue", False)
    if not isinstance(dialogue, bool):
        raise _error("dialogue is neither true nor false")
    text, genre = _string(request.get("text"), "text"), _string(request.get("genre", ""), "genre")
    sources = [Source(text, genre=genre or None, dialogue=dialogue)]
    model = _string(request.get("model", ""), "model")
    return Request(sources, _count_words(sources, limits), _probability(request), model)


def read_predict_request(body: bytes, limits: Limits) -> Request:
    """Parses a request in the format of TensorFlow Serving's REST API; raises a RequestError if it is invalid.

    `inputs` contains one document, `instances` a list of documents. Both support the signatures of an export: "text",
    and "serving_default", the default, for words. Rows of words may be padded with "".
    """
    request = parse_body(body, limits, expected="one with inputs or instances")
    name = request.get("signature_name", "") or "serving_default"
    if not isinstance(name, str) or name not in _SIGNATURES:
        raise _error(f"there is no signature {name!r:.80}; expected {' or '.join(_SIGNATURES)}")
    many = "instances" in request
    if many == ("inputs" in request):
        raise _error(f"the request has {'both' if many else 'neither'}; expected inputs or instances")
    if many:
        rows = _list(request["instances"], "instances")
        sources = [_source(row, name, f"instances[{number}]") for number, row in enumerate(rows)]
    else:
        sources = [_source(request["inputs"], name, "inputs")]
    return Request(sources, _count_words(sources, limits), _probability(request), instances=many)


def count_words(words: str | list[list[str]]) -> tuple[int, int]:
    """Returns the number of words in a document, and the length of its longest word.

    Punctuation marks count as words, and so do every 20 characters of a long word or of whitespace.
    """
    if isinstance(words, str):
        return sum(1 for _ in _WORD.finditer(words)), max(map(len, words.split()), default=0)
    lengths = [len(word) for row in words for word in row]
    return sum(-(-length // WORD_CHARACTERS) for length in lengths), max(lengths, default=0)


def parse_body(body: bytes, limits: Limits, expected: str) -> dict[str, Any]:
    """Returns the JSON object in a body.

    Its commas and brackets are counted first, because each value takes memory. In a text, each of them is a word, so
    this limit is never stricter than the limit of words.
    """
    values, most = sum(map(body.count, (b",", b"[", b"{"))), _VALUES_PER_WORD * limits.max_words
    if values > most:
        raise _too_much(f"the request has {values:,} commas and brackets", most)
    try:
        request = parse_json(body.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise _error(f"the body is not UTF-8: {error.reason} at byte {error.start}") from None
    except ValueError as error:
        raise _error(f"the body is not JSON: {error}") from None
    if not isinstance(request, dict):
        raise _error(f"the body is not a JSON object; expected {expected}")
    return request


def _source(inputs: Any, signature: str, where: str) -> Source:
    """Returns the document in the inputs of a signature. The name of a single input may be omitted."""
    names = _SIGNATURES[signature]
    expected = f"signature {signature} expects {', '.join(names)}"
    if not isinstance(inputs, dict):
        if len(names) > 1:
            raise _error(f"{where} is not an object; {expected}")
        inputs = {names[0]: inputs}
    if inputs.keys() != set(names):
        raise _error(f"{where} has {', '.join(sorted(inputs)) or 'nothing'}; {expected}")
    if signature == "text":
        return Source(_string(inputs["text"], f"{where}.text"))
    tokens, speakers = (_rows(inputs[name], f"{where}.{name}") for name in ("tokens", "speakers"))
    words = [[word for word in row if word] for row in tokens]
    for number, (row, kept) in enumerate(zip(tokens, words, strict=True)):
        if row[: len(kept)] != kept:
            raise _error(
                f'{where}.tokens[{number}] is "" before a word; expected "" only after the last word'
            )
    genre = _string(inputs["genre"], f"{where}.genre")
    if not any(map(any, speakers)):
        return Source(words, None, genre)
    if [*map(len, speakers)] != [*map(len, tokens)]:
        raise _error(
            f"{where}.speakers has different lengths than tokens; expected the same lengths, or no speakers"
        )
    named = [[name or NO_SPEAKER for name in row[: len(words[n])]] for n, row in enumerate(speakers)]
    return Source(words, named, genre)


def _rows(value: Any, where: str) -> list[list[str]]:
    return [
        [
            _string(word, f"{where}[{row}][{place}]")
            for place, word in enumerate(_list(words, f"{where}[{row}]"))
        ]
        for row, words in enumerate(_list(value, where))
    ]


def _list(value: Any, where: str) -> list[Any]:
    if not isinstance(value, list):
        raise _error(f"{where} is {_kind(value)}; expected a list")
    return value


def _string(value: Any, where: str) -> str:
    if not isinstance(value, str):
        raise _error(f"{where} is {_kind(value)}; expected a string")
    return value


def _count_words(sources: list[Source], limits: Limits) -> int:
    """Returns the number of words; raises a RequestError if there are too many, or if one is far too long."""
    counts = [count_words(source.words) for source in sources]
    words = sum(max(count, DOCUMENT_WORDS) for count, _ in counts)
    longest = max((length for _, length in counts), default=0)
    if words > limits.max_words:
        unit = f"words, each of at most {WORD_CHARACTERS} characters or as much whitespace"
        raise _too_much(f"the request has {words:,} {unit}", limits.max_words)
    if longest > LONGEST_WORD:
        raise _too_much(f"a word has {longest:,} characters", LONGEST_WORD)
    return words


def _probability(values: Mapping[str, Any]) -> float:
    try:
        return check_probability(values.get("min_probability", 0.0))
    except CorefError as error:
        raise _error(f"min_probability: {error}") from None


def _kind(value: Any) -> str:
    """Returns the type of a JSON value, for messages."""
    names = {dict: "an object", list: "a list", str: "a string", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")


def _error(message: str) -> RequestError:
    return RequestError(400, message)


def _too_much(what: str, most: int) -> RequestError:
    return RequestError(413, f"{what}; expected at most {most:,}")
