"""Finds the name of a narrator who says "I": others use it to address somebody, but the narration never does."""

from collections import Counter
from collections.abc import Sequence

from coref_tf.quotations.address_cues import quotations_around
from coref_tf.quotations.addressing import addressed
from coref_tf.quotations.cast import Cast
from coref_tf.quotations.layout import Layout
from coref_tf.quotations.phrases import is_capitalised
from coref_tf.quotations.tags import SURE_KINDS
from coref_tf.quotations.turns import Turn

# The votes for a name that is used to address somebody: next to a quotation of the narrator; elsewhere, it gets 1.
_ANSWERED = 2
# The votes against a name that the narrator uses to address somebody.
_BY_NARRATOR = 3
# The minimum number of votes for the narrator's name.
_FEWEST = 2


def find_narrators_name(
    layout: Layout, cast: Cast, turns: Sequence[Turn], quoted: Sequence[bool]
) -> tuple[int, int] | None:
    """Returns the narrator's entity and the one that has the narrator's name, or None if there is no such pair.

    Example:
        # '"You are late, Ben," said Ana. "I know," I said.'
        find_narrators_name(layout, cast, turns, quoted)        # (the entity of "I", the entity of "Ben")
    """
    narrators = [number for number, entity in enumerate(cast.entities) if entity.is_narrator]
    if not narrators:
        return None
    narrator = max(narrators, key=lambda number: len(cast.entities[number].spans))
    narrated = {mention.entity for mention in cast.mentions if not quoted[mention.start]}
    votes: Counter[int] = Counter()
    for number, turn in enumerate(turns):
        names = {
            mention.entity
            for mention, is_vocative in addressed(layout, cast, turn.span)
            if is_vocative and is_capitalised(layout.words[mention.start]) and mention.entity not in narrated
        }
        if not names:
            continue
        if _is_said_by(turn, narrator):
            vote = -_BY_NARRATOR
        else:
            near = (turns[other] for other, _ in quotations_around(turns, number))
            vote = _ANSWERED if any(_is_said_by(other, narrator) for other in near) else 1
        for name in names:
            votes[name] += vote
    best = max(votes, key=lambda name: votes[name], default=None)
    return None if best is None or votes[best] < _FEWEST else (narrator, best)


def _is_said_by(turn: Turn, entity: int) -> bool:
    return turn.tag is not None and turn.tag.kind in SURE_KINDS and turn.tag.mention.entity == entity
