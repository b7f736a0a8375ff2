"""The character vocabulary of the model."""

import os
import re
from collections.abc import Iterable, Sequence

from coref_tf.documents.document import Document
from coref_tf.support.errors import CorefError, InputError
from coref_tf.support.files import atomic_write

UNKNOWN = 0


def build_character_vocabulary(documents: Iterable[Document]) -> list[str]:
    """Returns the characters in the words of the documents, ordered by code point."""
    return sorted({character for document in documents for word in document.words for character in word})


class CharacterVocabulary:
    """Characters and their ids, which start at 1; 0 is the id of all other characters.

    A vocabulary file has one character per line, the first of which has id 1. Characters that are invisible or would
    break a line are written as in U+2028; the reader also accepts the characters themselves.

    Args:
        characters: the characters, in the order of their ids.

    Example:
        vocabulary = CharacterVocabulary(build_character_vocabulary(documents))
        vocabulary.encode("harbour")       # [9, 1, 18, 2, 15, 21, 18]
        len(vocabulary)                    # the rows of an embedding: the characters and the unknown one
    """

    def __init__(self, characters: Sequence[str]):
        self.characters = tuple(characters)
        self._ids = {character: number for number, character in enumerate(self.characters, start=1)}
        if len(self._ids) != len(self.characters) or any(len(character) != 1 for character in self._ids):
            raise CorefError("a character vocabulary needs distinct single characters")

    @classmethod
    def read(cls, path: str | os.PathLike) -> "CharacterVocabulary":
        """Reads the vocabulary from a file with one character per line."""
        if not os.path.exists(path):
            raise CorefError(
                f"{path}: no such character vocabulary; create it from the training documents with"
                f" `coref features characters {path} FILE ...`"
            )
        with open(path, "rb") as file:
            lines = file.read().removesuffix(b"\n").split(b"\n")
        line_of_character: dict[str, int] = {}
        for number, line in enumerate(lines, start=1):
            character = _read_character(path, number, line)
            if character in line_of_character:
                message = f"{character!a} is also in line {line_of_character[character]}"
                raise InputError(path, number, f"{message}; expected each character once")
            line_of_character[character] = number
        return cls(list(line_of_character))

    def write(self, path: str | os.PathLike) -> None:
        """Writes the vocabulary, with one character per line."""
        with atomic_write(path) as file:
            file.writelines(f"{_written(character)}\n" for character in self.characters)

    def __len__(self) -> int:
        return len(self.characters) + 1

    def encode(self, word: str) -> list[int]:
        """Returns the id of each character of the word."""
        return [self._ids.get(character, UNKNOWN) for character in word]


def _written(character: str) -> str:
    plain = character.isprintable() and not character.isspace()
    return character if plain else f"U+{ord(character):04X}"


def _read_character(path: str | os.PathLike, number: int, line: bytes) -> str:
    try:
        text = line.decode()
    except UnicodeDecodeError:
        raise InputError(path, number, "not UTF-8; expected one character") from None
    if len(text) > 1:
        text = text.removesuffix("\r")
    escaped = re.fullmatch(r"U\+([0-9A-Fa-f]{4,6})", text)
    if escaped and int(escaped[1], 16) <= 0x10FFFF:
        return chr(int(escaped[1], 16))
    if len(text) != 1:
        raise InputError(path, number, f"{text[:20]!a}; expected one character, or its code as in U+2028")
    return text
