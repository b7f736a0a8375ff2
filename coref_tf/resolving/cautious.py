"""Cautious resolution: leaves mentions unchanged if they are improbable or in an inconsistent cluster."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from coref_tf.documents.document import Document
from coref_tf.documents.pronouns import CLASSES, HE, ME, SHE, YOU, pronoun_classes
from coref_tf.resolving.replacing import Resolution
from coref_tf.resolving.scene import Edit, Scene, apply_edits

Clusters = Iterable[Iterable[Sequence[int]]]

# Reasons to leave a mention unchanged that could be replaced.
IMPROBABLE, CONTRADICTORY, KEPT = "improbable", "contradictory", "kept"


class ResolvedText(NamedTuple):
    """A text with its pronouns replaced, and the number of mentions left unchanged, by reason."""

    text: str
    edits: list[Edit]
    left: Counter[str]


def resolve_text(
    document: Document, clusters: Clusters, sure: Clusters | None = None, keep: Sequence[str] = ()
) -> ResolvedText:
    """Replaces the pronouns in a document with what they refer to.

    Args:
        document: The words, and the text, if available.
        clusters: Inclusive spans of words.
        sure: The clusters without improbable links. Only these are resolved, except for inconsistent ones. None
            resolves all clusters.
        keep: Phrases to leave unchanged wherever they occur, ignoring case.

    Example:
        document = document_from_text("Marta left. She ran.", "x")
        resolve_text(document, [[(0, 0), (3, 3)]]).text                      # "Marta left. Marta ran."
        resolve_text(document, [[(0, 0), (3, 3)]], sure=[]).left             # {"improbable": 1}
    """
    scene = Scene(document)
    trusted = [list(map(tuple, cluster)) for cluster in (clusters if sure is None else sure)]
    contradictory = [] if sure is None else find_contradictions(scene, trusted)
    resolution = Resolution(scene, [c for c in trusted if c not in contradictory], keep)
    edits, replaced = resolution.edits(), resolution.replaced()
    left: Counter[str] = Counter()
    if sure is not None or keep:
        unsure = {span for cluster in contradictory for span in cluster}
        for span in Resolution(scene, clusters).replaced() - replaced:
            kept = resolution.is_protected(*span)
            left[KEPT if kept else CONTRADICTORY if span in unsure else IMPROBABLE] += 1
    return ResolvedText(apply_edits(scene.text.text, edits), edits, left)


def find_contradictions(
    scene: Scene, clusters: Sequence[Sequence[Sequence[int]]]
) -> list[Sequence[Sequence[int]]]:
    """Returns the clusters that contradict themselves.

    They contain he and she, I of two speakers, I and you of one speaker, or I and he or she of one quotation.
    """
    classes = pronoun_classes(scene.document)
    found = []
    for cluster in clusters:
        alone = [start for start, end in cluster if start == end]
        present = {classes[place] for place in alone}
        mine = {scene.speakers[place] for place in alone if classes[place] == ME}
        yours = {scene.speakers[place] for place in alone if classes[place] == YOU}
        if {HE, SHE} <= present or len(mine) > 1 or mine & yours or _is_speaker_and_other(scene, alone):
            found.append(cluster)
    return found


def _is_speaker_and_other(scene: Scene, places: Iterable[int]) -> bool:
    """Returns whether pronouns of one cluster are both I and he or she of one quotation: "I saw her"."""
    # Not `pronoun_classes`, which ignores I in a document that does not name the speakers.
    quoted = [(scene.quoted[place], CLASSES.get(scene.lower[place])) for place in places]
    speakers = {quotation for quotation, found in quoted if found == ME}
    others = {quotation for quotation, found in quoted if found in (HE, SHE)}
    return bool((speakers & others) - {0})


def describe_left(left: Mapping[str, int], min_probability: float) -> str:
    """Returns how many mentions were left unchanged and why, as commands report it, or "" if there are none.

    Example:
        describe_left({"improbable": 2}, 0.89)
        # "2 mentions left unchanged because they are less probable than 0.89"
    """
    reasons = {
        IMPROBABLE: f"less probable than {min_probability:g}",
        CONTRADICTORY: "in clusters that contradict themselves",
        KEPT: "excluded with --keep",
    }
    counts = {text: left[reason] for reason, text in reasons.items() if left.get(reason)}
    total = sum(left.values())
    if not total:
        return ""
    places = "mention left unchanged" if total == 1 else "mentions left unchanged"
    if len(counts) == 1:
        (text,) = counts
        return f"{total:,} {places} because {'it is' if total == 1 else 'they are'} {text}"
    return f"{total:,} {places}: {', '.join(f'{count:,} {text}' for text, count in counts.items())}"
