"""Creates documents in which roles replace the names of people: "Marta Oduya" becomes "the plumber".

Roles are chosen at random, regardless of the person's pronouns. A model that is trained on such documents sees plumbers
and nurses who are she as often as he, and must resolve pronouns from what the text says, not from the role.
"""

import random
import zlib
from collections.abc import Mapping, Sequence

from coref_tf.documents.document import Document
from recipes.english.gender_swap import is_name
from recipes.english.gendered_words import PRONOUNS

Mention = tuple[int, int]  # inclusive start and end, in words

_ROLES = """
accountant, acrobat, actuary, adviser, agent, analyst, announcer, apprentice, archaeologist, architect, archivist,
artist, assistant, astronaut, astronomer, athlete, attendant, attorney, auditor, author, baker, banker, barber,
bartender, beekeeper, biologist, blacksmith, bookbinder, bookkeeper, bookseller, botanist, bricklayer, broker,
builder, butcher, buyer, captain, caretaker, carpenter, carrier, cashier, CEO, chef, chemist, chief, choreographer,
cleaner, clerk, coach, colonel, columnist, commander, composer, conductor, constable, consultant, contractor, cook,
correspondent, counselor, courier, critic, curator, dancer, dealer, decorator, delegate, dentist, designer,
detective, developer, director, doctor, drummer, driver, economist, editor, electrician, engineer, examiner,
farmer, farmhand, filmmaker, firefighter, fisher, florist, forester, gardener, geologist, goldsmith, governor,
guard, guide, hairdresser, harvester, historian, housekeeper, hunter, hygienist, inspector, interpreter, inventor,
investigator, janitor, jeweller, journalist, judge, laborer, landscaper, lawyer, lecturer, librarian, lifeguard,
locksmith, machinist, manager, mathematician, mayor, mechanic, merchant, midwife, miner, minister, mover, musician,
novelist, nurse, nutritionist, officer, optician, painter, paramedic, pathologist, pharmacist, philosopher,
photographer, physician, physicist, pianist, pilot, planner, plumber, poet, porter, practitioner, president,
programmer, professor, psychologist, publisher, ranger, receptionist, referee, reporter, researcher, roofer, sailor,
sales clerk, salesperson, scientist, sculptor, seamster, secretary, senator, sheriff, shepherd, singer, social
worker, soldier, specialist, student, supervisor, surgeon, surveyor, tailor, taxi driver, teacher, technician,
therapist, trader, trainer, translator, tutor, violinist, veterinarian, watchmaker, weaver, welder, worker, writer
"""
ROLES = tuple(tuple(role.split()) for role in _ROLES.split(","))

_NAME_TITLES = """
Mr. Mrs. Ms. Mr Mrs Ms Dr. Dr Miss Professor Prof. Sir Lady Madame Monsieur Captain
"""
# Titles that are replaced together with the name after them.
TITLES = frozenset(_NAME_TITLES.split())


class RoleNames:
    """Gives roles to people whom a document refers to by name, and as he or she.

    Args:
        share: The fraction of those people who get a role.
        seed: The random seed.

    Example:
        roles = RoleNames(share=0.5)
        [changed for document in documents if (changed := roles(document))]
    """

    def __init__(self, share: float = 0.5, seed: int = 0):
        self.share = share
        self.seed = seed

    def __call__(self, document: Document) -> Document | None:
        """Returns the document with roles instead of names; None if nobody gets one."""
        rng = random.Random(zlib.crc32(f"{self.seed} {document.key}".encode()))
        people = [names for cluster in document.clusters if (names := names_of_person(document, cluster))]
        people = [names for names in people if rng.random() < self.share]
        written = {
            span: role
            for names, role in zip(people, some_roles(document, len(people), rng), strict=True)
            for span in names
        }
        return rewritten(document, written, f"{document.doc_key}_roles") if written else None


def some_roles(document: Document, count: int, rng: random.Random) -> list[tuple[str, ...]]:
    """Draws distinct roles with their articles, none of which occurs in the document."""
    free = [role for role in ROLES if role[-1] not in document.words]
    return [("the", *role) for role in rng.sample(free, count)]


def names_of_person(document: Document, cluster: Sequence[Mention]) -> set[Mention]:
    """Returns the names that a person's mentions begin with; empty if a role cannot replace all of them."""
    single_words = {document.words[begin].lower() for begin, end in cluster if begin == end}
    names = {name for span in cluster if (name := leading_name(document, span))}
    if not names or not single_words & PRONOUNS.keys():
        return set()
    replaced = {at for begin, end in names for at in range(begin, end + 1)}
    name_words = {document.words[at] for at in replaced} - TITLES
    left = {at for begin, end in cluster for at in range(begin, end + 1)} - replaced
    if any(document.words[at] in name_words for at in left):
        return set()
    # A mention that begins or ends within a name would be lost.
    mentions = (span for each in document.clusters for span in each)
    if any(first < begin <= last or first <= end < last for begin, end in mentions for first, last in names):
        return set()
    return names


def leading_name(document: Document, mention: Mention) -> Mention | None:
    """Returns the name that a mention begins with, including titles; ignores words that also occur in lower case."""
    begin, end = mention
    after = begin
    while after <= end and document.words[after] in TITLES:
        after += 1
    last = after
    while last <= min(end, after + 3) and is_name(word := document.words[last]):
        if word.lower() in document.words:
            break
        last += 1
    return (begin, last - 1) if last > after else None


def rewritten(document: Document, written: Mapping[Mention, tuple[str, ...]], doc_key: str) -> Document:
    """Returns a copy of the document under another key, with some spans, none nested, replaced by other words."""
    begins = {begin: (end, words) for (begin, end), words in written.items()}
    sentences, speakers = [], []
    place, moved = 0, []  # the new position of each old word
    new, skipped = 0, -1
    for old_words, old_speakers in zip(document.sentences, document.speakers, strict=True):
        sentence, speaker_row = [], []
        for word, speaker in zip(old_words, old_speakers, strict=True):
            if place in begins:
                skipped, words = begins[place]
                words = (words[0].capitalize(), *words[1:]) if not sentence else words
            else:
                words = () if place <= skipped else (word,)
            moved.append((new, new + len(words) - 1))
            sentence += words
            speaker_row += [speaker] * len(words)
            new, place = new + len(words), place + 1
        sentences.append(sentence)
        speakers.append(speaker_row)
    return Document(
        doc_key,
        sentences,
        speakers,
        [[_moved(span, moved, written) for span in cluster] for cluster in document.clusters],
        part=document.part,
    )


def _moved(span: Mention, moved: Sequence[Mention], written: Mapping[Mention, tuple[str, ...]]) -> Mention:
    if span in written:
        return moved[span[0]]
    return moved[span[0]][0], moved[span[1]][1]
