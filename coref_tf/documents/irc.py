"""IRC logs of irssi, WeeChat, HexChat, ZNC and mIRC."""

import os
from collections.abc import Iterator

from coref_tf.documents.dialogue_forms import irc_dialogue
from coref_tf.documents.document import Document
from coref_tf.documents.format import Format, Reading
from coref_tf.documents.sources import document_name, read_lines
from coref_tf.documents.text import document_from_dialogue
from coref_tf.support.errors import InputError


def read_irc(path: str | os.PathLike, reading: Reading) -> Iterator[Document]:
    """Reads a log as a document with the file's name."""
    lines = read_lines(path, reading.report)
    if lines is None:
        return
    text = "".join(lines)
    dialogue = irc_dialogue(text)
    if dialogue is None:
        message = "no IRC messages found; expected at least two lines such as `10:02 <ana> words`"
        reading.report(InputError(path, 1, message), True)
        return
    reading.heard(dialogue)
    yield document_from_dialogue(text, dialogue, document_name(path), reading.genre, reading.language)


FORMAT = Format("irc", (".log", ".weechatlog"), "the log of an IRC client", read=read_irc, in_folders=False)
