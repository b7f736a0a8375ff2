"""The weights of the cues. A cue without a weight has no effect.

The weights were set by hand on LitBank's training documents, and adjusted after training a structured perceptron on the
same documents, whose accuracy in cross-validation was 0.6 points higher than that of the previous weights.
"""

from collections.abc import Mapping

# Cues in the words around a quotation; see `tags` and `cues`.
_CUES = {
    "tag_inverted": 6.0,
    "tag_subject": 5.8,
    "tag_introduced": 5.0,
    "tag_voice": 4.0,
    "tag_clause": 2.6,
    "tag_action": 2.0,
    "after_first_any": 0.6,
    "after_later_any": 0.6,
    "after_first_same": 3.0,
    "after_later_same": 2.0,
    "after_first_other": 0.2,
    "after_later_other": 0.1,
    "after_mentioned": 0.2,
    "before_subject": 1.6,
    "before_subject_colon": 2.5,
    "before_subject_same": 3.0,
    "before_subject_colon_same": 4.0,
    "before_mentioned": 0.7,
    "before_mentioned_same": 1.0,
    "before_nearest": 0.1,
    "carried_before_0": 0.7,
    "carried_before_1": 0.7,
    "carried_before_2": 0.3,
    "carried_after_0": 0.3,
    "carried_after_1": 0.5,
    "carried_after_2": 0.1,
    "addressed": -2.6,
    "addressed_before": 1.1,
    "addressed_after": 1.2,
    "named_inside": -2.4,
    "frequent": 0.5,
    "mentioned_once": -0.2,
    "no_person": -1.2,
    "unknown": -1.0,
}
# The same speaker as in the previous quotation, or in the one before that, by how a quotation follows the previous one.
# Kinds that start with "new_" apply if paragraphs are known; a new paragraph then almost always has another speaker.
_TURNS = {
    "same_adjacent": -2.5,
    "back_adjacent": 1.0,
    "same_split": 4.5,
    "same_tagged": 2.4,
    "back_tagged": 0.6,
    "same_tagged_asked": 1.0,
    "back_tagged_asked": 0.5,
    "same_tagged_more": 0.3,
    "back_tagged_more": 0.3,
    "same_beat": 1.0,
    "back_beat": 0.4,
    "same_beat_asked": 0.2,
    "back_beat_asked": 0.6,
    "same_more": 0.3,
    "back_more": 0.3,
    "same_paragraph": 5.0,
    "same_new_adjacent": -4.0,
    "back_new_adjacent": 1.5,
    "same_new_tagged": -3.0,
    "back_new_tagged": 1.2,
    "same_new_tagged_asked": -3.0,
    "back_new_tagged_asked": 1.2,
    "same_new_tagged_more": -2.0,
    "back_new_tagged_more": 1.0,
    "same_new_beat": -2.0,
    "back_new_beat": 1.0,
    "same_new_beat_asked": -2.0,
    "back_new_beat_asked": 1.0,
    "same_new_more": -1.0,
    "back_new_more": 0.7,
}
WEIGHTS: Mapping[str, float] = {**_CUES, **_TURNS}
