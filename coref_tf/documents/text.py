"""Plain text files, each of which is a document."""

import io
import os
from collections.abc import Iterator

from coref_tf.documents.dialogue import Dialogue, Turn
from coref_tf.documents.dialogue_forms import read_dialogue
from coref_tf.documents.document import NO_SPEAKER, Document
from coref_tf.documents.format import Format, Reading
from coref_tf.documents.sources import decode_lines, document_name, read_lines, refuse
from coref_tf.documents.tokenizer import ENGLISH, split_sentences
from coref_tf.support.errors import CorefError, InputError


def read_text(path: str | os.PathLike, reading: Reading) -> Iterator[Document]:
    """Reads a text file as a document with the file's name. Offsets do not count a byte order mark."""
    report = reading.report
    lines = read_lines(path, report)
    if lines is None:
        return
    document = text_as_document("".join(lines), document_name(path), reading)
    if not document.sentences and not reading.allow_empty:
        report(InputError(path, 1, "the document is empty; expected at least one word"), True)
        return
    yield document


def extract_text(content: bytes, path: str) -> str:
    """Returns the text of a file, given its content, without a byte order mark."""
    return "".join(decode_lines(io.BytesIO(content), path, refuse) or [])


def text_as_document(text: str, doc_key: str, reading: Reading) -> Document:
    """Returns the document of a text, using the given options."""
    dialogue = None
    if reading.dialogue:
        dialogue = read_dialogue(text)
        reading.heard(dialogue)
    document = document_from_dialogue(text, dialogue, doc_key, reading.genre, reading.language)
    reading.on_text(document)
    return document


def document_from_text(
    text: str, doc_key: str, dialogue: bool = False, genre: str | None = None, language: str = ENGLISH
) -> Document:
    """Splits a text into sentences and tokens; `text[begin:end]` with its offsets gives each token.

    `genre` is prepended to a key without one. With `dialogue`, a line such as `Name: words` begins a turn of that
    speaker, which lasts until the next such line; the name itself is not part of the sentences. Other formats of chats
    and transcripts are recognised, too.

    Example:
        document = document_from_text("Ana: I'm here.", "tc/call", dialogue=True)
        document.sentences      # (("I", "'m", "here", "."),)
        document.speakers       # (("Ana", "Ana", "Ana", "Ana"),)
        document.offsets        # ((5, 6), (6, 8), (9, 13), (13, 14))
    """
    return document_from_dialogue(text, read_dialogue(text) if dialogue else None, doc_key, genre, language)


def document_from_dialogue(
    text: str, dialogue: Dialogue | None, doc_key: str, genre: str | None = None, language: str = ENGLISH
) -> Document:
    """Returns the document of a text with known turns; without a dialogue, it has no speakers."""
    if genre and "/" not in doc_key:
        doc_key = f"{genre}/{doc_key}"
    try:
        text.encode()
    except UnicodeEncodeError:
        raise CorefError(
            f"document {doc_key}: the text contains a lone surrogate; expected Unicode text"
        ) from None
    dialogue = dialogue or Dialogue("", [Turn(NO_SPEAKER, 0, len(text))], text)
    sentences, speakers, offsets = [], [], []
    for speaker, begin, end in dialogue.turns:
        for tokens in split_sentences(dialogue.words, begin, end, language):
            sentences.append([text[first:last] for first, last in tokens])
            speakers.append([speaker] * len(tokens))
            offsets += tokens
    return Document(doc_key, sentences, speakers, key=doc_key, text=text, offsets=offsets)


FORMAT = Format("text", (".txt",), "plain text, one document per file", read=read_text, extract=extract_text)
