"""Short texts with the quotations and speakers that any reader would find."""

from typing import NamedTuple


class Case(NamedTuple):
    """A text, and the words and speaker of each quotation; None if nothing names the speaker."""

    name: str
    text: str
    expected: list[tuple[str, str | None]]


CASES = [
    Case("straight", '"I am late," said Anna.', [('"I am late,"', "Anna")]),
    Case("curly", "“I am late,” said Anna.", [("“I am late,”", "Anna")]),
    Case(
        "single straight",
        "'I am late,' said Anna. 'Very late.'",
        [("'I am late,'", "Anna"), ("'Very late.'", "Anna")],
    ),
    Case(
        "single curly with apostrophes",
        "‘I don’t know the boys’ names,’ said Anna. ‘They’re new.’",
        [("‘I don’t know the boys’ names,’", "Anna"), ("‘They’re new.’", "Anna")],
    ),
    Case("treebank", "``I am late,'' said Anna.", [("``I am late,''", "Anna")]),
    Case("guillemets", "«I am late,» said Anna.", [("«I am late,»", "Anna")]),
    Case("subject first", '"I am late," Anna said.', [('"I am late,"', "Anna")]),
    Case("adverb", '"I am late," Anna quickly said.', [('"I am late,"', "Anna")]),
    Case("title", '"Go," said Mr. Heathcliff.', [('"Go,"', "Mr. Heathcliff")]),
    Case("nominal", '"Go," said the old man with the basket.', [('"Go,"', "the old man")]),
    Case("adjective in -ly", '"Go," said the elderly man with the basket.', [('"Go,"', "the elderly man")]),
    Case("particle", '"And so," went on Syme, "we left."', [('"And so,"', "Syme"), ('"we left."', "Syme")]),
    Case("introduced", 'Anna turned to Ivo and said: "Go home."', [('"Go home."', "Anna")]),
    Case("introduced after a name", 'When Ivo came in, Anna asked, "Why?"', [('"Why?"', "Anna")]),
    Case("split", '"I am," said Anna, "late again."', [('"I am,"', "Anna"), ('"late again."', "Anna")]),
    Case("question", '"Why?" asked Anna. "Why not?"', [('"Why?"', "Anna"), ('"Why not?"', "Anna")]),
    Case("narrator", '"Go home," I said.', [('"Go home,"', "I")]),
    Case("pronoun", 'Anna stopped. "Go home," she said.', [('"Go home,"', "Anna")]),
    Case(
        "she is no man, even if turns would alternate",
        '"Dear Mr. Lind," said his wife, "have you heard the news?"\n\nMr. Lind replied that he had not.\n\n'
        '"The mill is let," returned she.\n\nMr. Lind made no answer.\n\n"Who took it?" cried his wife.',
        [
            ('"Dear Mr. Lind,"', "his wife"),
            ('"have you heard the news?"', "his wife"),
            ('"The mill is let,"', "his wife"),
            ('"Who took it?"', "his wife"),
        ],
    ),
    Case("beat", 'Anna put down the cup. "It is cold."', [('"It is cold."', "Anna")]),
    Case(
        "two speakers",
        '"Where is it?" asked Anna.\n\n"Here," said Ivo.',
        [('"Where is it?"', "Anna"), ('"Here,"', "Ivo")],
    ),
    Case(
        "turns",
        '"Where is it?" asked Anna.\n\n"Here," said Ivo.\n\n"Give it to me."\n\n"No."\n\n"Please."',
        [
            ('"Where is it?"', "Anna"),
            ('"Here,"', "Ivo"),
            ('"Give it to me."', "Anna"),
            ('"No."', "Ivo"),
            ('"Please."', "Anna"),
        ],
    ),
    Case(
        "turns before the tags",
        '"Hello."\n\n"Hello," said Ivo.\n\n"Late again," said Anna.',
        [('"Hello."', "Anna"), ('"Hello,"', "Ivo"), ('"Late again,"', "Anna")],
    ),
    Case(
        "same paragraph",
        '"I am late," said Anna. She sat down. "Is there tea?"\n\n"No," said Ivo.',
        [('"I am late,"', "Anna"), ('"Is there tea?"', "Anna"), ('"No,"', "Ivo")],
    ),
    Case(
        "addressed",
        'Anna and Ivo came in.\n\n"Sit down, Ivo."\n\n"Thank you, Anna."',
        [('"Sit down, Ivo."', "Anna"), ('"Thank you, Anna."', "Ivo")],
    ),
    Case(
        "across paragraphs",
        '"It was long ago," said Anna. "We were young.\n\n"Then came the war."\n\n"I know," said Ivo.',
        [
            ('"It was long ago,"', "Anna"),
            ('"We were young.\n\n"Then came the war."', "Anna"),
            ('"I know,"', "Ivo"),
        ],
    ),
    Case(
        "nested",
        "“He told me, ‘Go home,’ and I went,” said Anna.",
        [("“He told me, ‘Go home,’ and I went,”", "Anna"), ("‘Go home,’", "he")],
    ),
    Case(
        "nested, of the same speaker",
        "“I said, ‘Go home,’ and he went,” said Anna.",
        [("“I said, ‘Go home,’ and he went,”", "Anna"), ("‘Go home,’", "Anna")],
    ),
    Case(
        "dashes",
        "—I am late, said Anna. Is there tea?\n\n—No, said Ivo.\n\nHe sat down.",
        [("—I am late,", "Anna"), ("Is there tea?", "Anna"), ("—No,", "Ivo")],
    ),
    Case(
        "lines as paragraphs",
        '"Where is it?" asked Anna.\n"Here," said Ivo.\n"Give it to me."',
        [('"Where is it?"', "Anna"), ('"Here,"', "Ivo"), ('"Give it to me."', "Anna")],
    ),
    Case("words in marks", 'The "new people" came. They called it the “Brown coupe.”', []),
    Case("unclosed", '"I am late, said Anna.\n\nIvo went home.', [('"I am late, said Anna.', None)]),
    Case("nobody", '"Hello."', [('"Hello."', None)]),
    Case("apostrophes", "The boys' hats weren't Anna's. 'Tis odd o' the lad.", []),
    Case("inches", 'The board was 3" wide and 7" long.', []),
    Case("no quotation", "Anna went home.", []),
]

# Texts, clusters as the words of their mentions, in the order of the text, and the expected quotations.
WITH_CLUSTERS = [
    (
        'A girl came in. "I am late," she said. The doctor nodded. "You are."',
        [["A girl", "she"]],
        [('"I am late,"', "a girl"), ('"You are."', "the doctor")],
    ),
    (
        'Anna met Ivo. "Hello," he said. "Hello," she answered.',
        [["Anna", "she"], ["Ivo", "he"]],
        [('"Hello,"', "Ivo"), ('"Hello,"', "Anna")],
    ),
    (
        # A cluster that contains two people is split.
        'Anna met Ivo. "Hello," said Ivo. "Hello," said Anna.',
        [["Anna", "Ivo", "Ivo", "Anna"]],
        [('"Hello,"', "Ivo"), ('"Hello,"', "Anna")],
    ),
    (
        # A cluster of pronouns gets the name that they refer to.
        'Anna sat down. "Why?" she asked. She yawned.',
        [["she", "She"]],
        [('"Why?"', "Anna")],
    ),
]


def find_spans(document, clusters):
    """The spans of clusters given as words; each mention is searched after the previous one of its cluster."""
    spans = []
    for cluster in clusters:
        place, found = 0, []
        for mention in cluster:
            words = mention.split()
            while list(document.words[place : place + len(words)]) != words:
                place += 1
            found.append((place, place + len(words) - 1))
            place += len(words)
        spans.append(found)
    return spans
