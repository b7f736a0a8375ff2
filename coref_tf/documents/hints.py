"""Hints about texts that are probably meant to be read in another way: conversations and annotated texts."""

import re

from coref_tf.documents.brackets import ENTITY
from coref_tf.documents.dialogue import DialogueCount
from coref_tf.documents.dialogue_forms import read_dialogue
from coref_tf.documents.document import Document
from coref_tf.support.remarks import FirstFew

# `[ana|`, but not the link `[[Ana|her]]` of a wiki.
_OPENING = re.compile(rf"(?<!\[)\[{ENTITY}\|\S", re.IGNORECASE)


class TextHints:
    """Prints hints about texts on standard error; pass it as `Reading.on_text`.

    Args:
        conversations: Whether to print hints about conversations that are not yet read as dialogue, but can be.

    Example:
        hints = TextHints(conversations=True)
        documents = list(read_inputs(paths, Reading(on_text=hints)))
        hints.close()
    """

    def __init__(self, conversations: bool):
        self._conversations = (
            FirstFew("note: {} more documents look like conversations") if conversations else None
        )
        self._annotated = FirstFew("note: {} more documents look like annotated text")

    def __call__(self, document: Document) -> None:
        """Prints a hint about a document, if there is one."""
        text = document.text or ""
        if looks_annotated(text):
            self._annotated.print(
                f"note: document {document.key} looks like annotated text, but is read as plain text;"
                " `coref documents compile FOLDER OUT.jsonlines` reads the annotation of FOLDER/GENRE/NAME.txt files"
            )
        elif self._conversations and (conversation := describe_conversation(text)):
            self._conversations.print(
                f"note: document {document.key} looks like a conversation, {conversation}; --dialogue reads it as one"
            )

    def close(self) -> None:
        """Prints how many more documents there were."""
        self._annotated.close()
        if self._conversations:
            self._conversations.close()


def looks_annotated(text: str) -> bool:
    """Returns whether a text marks two or more mentions as `[ana|she]`, as the inline format does."""
    return len(_OPENING.findall(text)) > 1


def describe_conversation(text: str) -> str:
    """Returns the numbers of turns and speakers of a text that looks like a conversation; "" for another text.

    Example:
        describe_conversation("Ana: Hi.\\nBen: Hi.")       # "2 turns of 2 speakers"
    """
    count = DialogueCount()
    count(read_dialogue(text))
    return str(count) if count.is_conversation else ""
