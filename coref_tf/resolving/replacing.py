"""Replaces each mention with the representative of its cluster, if the result reads well.

docs/resolve.md describes the rules, in the order in which they are applied here.
"""

import bisect
from collections.abc import Iterable, Sequence

from coref_tf.documents.document import Document
from coref_tf.resolving import words
from coref_tf.resolving.context import (
    is_address,
    is_beside_reflexive,
    is_long_plural,
    is_singular_subject,
    kept_beside_others,
    may_be_joined,
    shares_its_owner,
    verb_edits,
)
from coref_tf.resolving.mentions import Phrase, Span
from coref_tf.resolving.representative import (
    Representative,
    candidates,
    covers,
    has_unknown_person,
    in_a_sentence,
    is_indefinite,
    is_short_form,
    is_singular,
    possessive,
    speaker_of,
)
from coref_tf.resolving.scene import Edit, Scene, apply_edits

_LONGEST_NOMINAL = 4  # in words; a longer one says more than a name would
_LONGEST_POSSESSIVE = 5  # in words, before an 's


def replace_pronouns(
    document: Document,
    clusters: Iterable[Iterable[Sequence[int]]] | None = None,
    keep: Sequence[str] = (),
) -> str:
    """Returns the text with its pronouns replaced by what they refer to; see `find_edits`."""
    edits = find_edits(document, clusters, keep)
    return apply_edits(Scene(document).text.text, edits)


def find_edits(
    document: Document,
    clusters: Iterable[Iterable[Sequence[int]]] | None = None,
    keep: Sequence[str] = (),
) -> list[Edit]:
    """Returns the edits that replace the pronouns in the text of a document, in order.

    Args:
        document: The words, and the text, if available. Otherwise, edits contain offsets into its `RunningText`.
        clusters: Inclusive spans of words. By default, the clusters of the document.
        keep: Phrases to leave unchanged wherever they occur, ignoring case.

    Example:
        document = document_from_text("Marta left. She ran.", "x")
        find_edits(document, [[(0, 0), (3, 3)]])        # [Edit(12, 15, "Marta")]
    """
    return Resolution(Scene(document), document.clusters if clusters is None else clusters, keep).edits()


class Resolution:
    """The replacement of the mentions of one document.

    Args:
        scene: the document.
        clusters: inclusive spans of words.
        keep: phrases to leave unchanged.
    """

    def __init__(self, scene: Scene, clusters: Iterable[Iterable[Sequence[int]]], keep: Sequence[str] = ()):
        self.scene = scene
        self.protected = scene.find_phrases(keep)
        self.clusters = [self._mentions(number, cluster) for number, cluster in enumerate(clusters)]
        self.mentions = sorted(
            (mention for cluster in self.clusters for mention in cluster), key=lambda m: (m.start, -m.end)
        )
        self.starts = [mention.start for mention in self.mentions]
        self.kept = {m for cluster in self.clusters for m in kept_beside_others(scene, cluster)}
        self.speakers = [speaker_of(scene, cluster) for cluster in self.clusters]
        self.representatives: dict[int, Representative | None] = {}
        text = scene.text.text
        self.apostrophe = "’" if text.count("’") > text.count("'") else "'"

    def _mentions(self, cluster: int, spans: Iterable[Sequence[int]]) -> list[Phrase]:
        ordered = sorted((start, end) for start, end in spans)
        person = any(s == e and self.scene.lower[s] in words.HE_OR_SHE for s, e in ordered)
        return [Phrase.classify(self.scene, start, end, cluster, person) for start, end in ordered]

    def replaced(self) -> set[tuple[int, int]]:
        """Returns the spans of words that are replaced."""
        return {(mention.start, mention.end) for _, mention in self._all_edits()}

    def is_protected(self, start: int, end: int) -> bool:
        """Returns whether the words from `start` to `end` overlap a phrase to keep."""
        return any(place in self.protected for place in range(start, end + 1))

    def edits(self) -> list[Edit]:
        """Returns all edits. Mentions nested in a replaced mention are replaced with it."""
        edits = self._all_edits()
        taken = {(edit.begin, edit.end) for edit, _ in edits}
        for _, mention in list(edits):
            representative = self._representative(mention.cluster)
            if representative is None or not mention.is_pronoun:
                continue
            for edit in verb_edits(self.scene, mention.start, representative.singular):
                if (edit.begin, edit.end) not in taken:
                    taken.add((edit.begin, edit.end))
                    edits.append((edit, mention))
        return sorted(edit for edit, _ in edits)

    def _all_edits(self) -> list[tuple[Edit, Phrase]]:
        return self._edits_in(Span(0, len(self.scene.words) - 1))

    def _edits_in(self, span: Span, without: int = -1) -> list[tuple[Edit, Phrase]]:
        """Returns the replacements inside a span, except those of cluster `without`."""
        edits, behind = [], span.start
        first, last = bisect.bisect_left(self.starts, span.start), bisect.bisect(self.starts, span.end)
        for mention in self.mentions[first:last]:
            inside = behind <= mention.start and mention.end <= span.end and mention.cluster != without
            replacement = self._replacement(mention) if inside else ""
            if replacement:
                offsets = self.scene.text.offsets
                place = Edit(offsets[mention.start][0], offsets[mention.end][1], replacement)
                edits.append((place, mention))
                behind = mention.end + 1
        return edits

    def _replacement(self, mention: Phrase) -> str:
        """Returns the text that replaces a mention, or "" if it is left unchanged."""
        if mention in self.kept or mention.kind in ("left", "other") or not self._is_known_person(mention):
            return ""
        if self.is_protected(mention.start, mention.end):
            return ""
        representative = self._representative(mention.cluster)
        if representative is None or not self._fits(mention, representative):
            return ""
        person = self._has_person(mention.cluster)
        text = representative.text
        text = possessive(representative, self.apostrophe, person) if mention.possessive else text
        original = self.scene.text.span_text(mention.start, mention.end)
        begins = self.scene.begins[mention.start]
        if original[0].isupper() and (begins or (mention.is_pronoun and original != "I")):
            text = text[0].upper() + text[1:]
        return text if text != original else ""

    def _is_known_person(self, mention: Phrase) -> bool:
        """Returns False for first and second person in quotations, and if the speaker's name is unknown."""
        if mention.kind not in ("first", "second"):
            return True
        if self.scene.quoted[mention.start] or self.scene.lower[mention.start] in words.FIRST_PLURAL:
            return False
        fillers = words.FILLERS.get(self.scene.lower[mention.start], ())
        if self.scene.before(mention.start) == "thank" or self.scene.behind(mention.end) in fillers:
            return False
        if is_beside_reflexive(self.scene, mention):
            return False
        own = self.scene.speaker_name(mention.start) if mention.kind == "first" else ""
        return bool(own or (mention.kind == "second" and self.speakers[mention.cluster]))

    def _fits(self, mention: Phrase, representative: Representative) -> bool:
        """Returns whether a representative reads well in place of a mention."""
        source = representative.mention
        size = len(representative.text.split())
        shouted = mention.is_pronoun and self.scene.in_capitals(mention.start)
        if (source and covers(mention, source)) or shouted or self._is_introduced(mention, representative):
            return False
        if mention.possessive and (size > _LONGEST_POSSESSIVE or is_long_plural(representative)):
            return False
        if mention.kind == "name":
            shorter = source and representative.is_name and is_short_form(self.scene, mention, source)
            return bool(shorter) and not is_address(self.scene, mention)
        if mention.kind == "nominal":
            spoken_to = self.scene.quoted[mention.start] and is_address(self.scene, mention)
            return representative.is_name and self._is_plainly_definite(mention) and not spoken_to
        if mention.kind == "first" and representative.singular and may_be_joined(self.scene, mention.start):
            return False
        if not representative.singular and is_singular_subject(self.scene, mention):
            return False
        if mention.kind == "demonstrative" and self._has_person(mention.cluster):
            return False
        if mention.kind in ("first", "second") and not representative.is_name:
            return False
        return not (source and representative.indefinite and mention.start < source.start)

    def _is_plainly_definite(self, mention: Phrase) -> bool:
        """Returns whether a nominal is short, has "the" or a possessive, and says no more than a name would."""
        length = mention.end - mention.start + 1 - mention.possessive
        definite = self.scene.lower[mention.start] in words.DEFINITE
        named = any(word[0].isupper() for word in self.scene.words[mention.start + 1 : mention.end + 1])
        shared = shares_its_owner(self.scene, mention)
        return definite and length <= _LONGEST_NOMINAL and not named and not shared

    def _is_introduced(self, mention: Phrase, representative: Representative) -> bool:
        """Returns whether the text introduces the name itself: "I'm Ana", "her name is Ana", "called her Ana"."""
        behind, then = self.scene.behind(mention.end), self.scene.behind(mention.end + 1)
        if not mention.is_pronoun or not representative.is_name:
            return False
        before = self.scene.before(mention.start)
        if behind == "name" and then in words.COPULAS:
            return before not in words.PREPOSITIONS  # "in her name"
        called = before in words.CALLING
        name = then if behind in words.COPULAS else behind if called else ""
        return bool(name) and name in representative.text.lower().split()

    def _has_person(self, cluster: int) -> bool:
        """Returns whether a cluster contains "I", "you", "he" or "she"."""
        pronouns = {self.scene.lower[m.start] for m in self.clusters[cluster] if m.is_pronoun}
        return bool(
            pronouns - words.DEMONSTRATIVE - words.LEFT - {"it", "its", "they", "them", "their", "theirs"}
        )

    def _is_they(self, cluster: int) -> bool:
        """Returns whether the only pronouns of a cluster are forms of "they"."""
        pronouns = {self.scene.lower[m.start] for m in self.clusters[cluster] if m.kind == "third"}
        return bool(pronouns) and pronouns <= {"they", "them", "their", "theirs", "'em"}

    def _representative(self, cluster: int) -> Representative | None:
        if cluster not in self.representatives:
            self.representatives[cluster] = None  # during the search, because a phrase cannot contain itself
            self.representatives[cluster] = self._find_representative(cluster)
        return self.representatives[cluster]

    def _find_representative(self, cluster: int) -> Representative | None:
        named = self.speakers[cluster]
        for mention in candidates(self.scene, self.clusters[cluster]):
            text = self._reading(mention)
            # "Counsel" or "President" is a form of address, whereas the name of the speaker identifies the person.
            called = not set(text.lower().split()) & set(named.lower().split())
            if named and (mention.kind != "name" or called):
                break
            if not has_unknown_person(text):
                singular = is_singular(self.scene, mention, self._is_they(cluster))
                indefinite = is_indefinite(self.scene, mention)
                return Representative(text, mention.kind == "name", singular, mention, indefinite)
        return Representative(named, True, True, None) if named else None

    def _reading(self, mention: Phrase) -> str:
        """Returns the core of a mention with its pronouns replaced: "her brother" as "Marta's brother"."""
        start, end = mention.core
        begin, text = self.scene.text.offsets[start][0], self.scene.text.span_text(start, end)
        inner = self._edits_in(mention.core, mention.cluster)
        moved = [Edit(edit.begin - begin, edit.end - begin, edit.replacement) for edit, _ in inner]
        text = " ".join(apply_edits(text, moved).split())
        if not moved or moved[0].begin:
            return in_a_sentence(self.scene, mention, text)
        # "Their article" becomes "The women's article", and "the women's article" within a sentence.
        owner = self._representative(inner[0][1].cluster)
        first = owner.text[0] if owner else text[0]
        return first + text[1:] if first.lower() == text[0].lower() else text
