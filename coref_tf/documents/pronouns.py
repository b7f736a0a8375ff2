"""English pronouns that identify a referent: he, she and, if the speaker is known, I and you."""

from coref_tf.documents.document import NO_SPEAKER, Document

# The classes that `pronoun_classes` returns; 0 is any other word.
HE, SHE, ME, YOU = 1, 2, 3, 4

CLASSES: dict[str, int] = {
    **dict.fromkeys(("he", "him", "his", "himself"), HE),
    **dict.fromkeys(("she", "her", "hers", "herself"), SHE),
    **dict.fromkeys(("i", "me", "my", "mine", "myself"), ME),
    **dict.fromkeys(("you", "your", "yours", "yourself"), YOU),
}


def pronoun_classes(document: Document) -> list[int]:
    """Returns the class of each word. I and you count only if the speaker is known."""
    speakers = (speaker for row in document.speakers for speaker in row)
    classes = (CLASSES.get(word.lower(), 0) for word in document.words)
    return [
        0 if found in (ME, YOU) and speaker == NO_SPEAKER else found
        for found, speaker in zip(classes, speakers, strict=True)
    ]
