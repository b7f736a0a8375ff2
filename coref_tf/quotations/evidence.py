"""The evidence for the potential speakers of one quotation: named features with values."""

from coref_tf.quotations.cast import Mention
from coref_tf.resolving.words import word_set

_STRONG = ("carried", "addressed_", "says_i")
_NO_REASON = word_set("""
    no_person addressed named_inside mentioned_once told_you told_you_narrator speaks spoken_of narrator group
    tag_agrees tag_conflicts tag_pronoun shares_address named_around
""")  # cues that don't make an entity a candidate

UNKNOWN = -1  # the entity of a speaker who is not named nearby

Features = dict[str, float]


class Evidence:
    """The features of the potential speakers of one quotation, and a mention that names each."""

    def __init__(self) -> None:
        self.features: dict[int, Features] = {}
        self.mentions: dict[int, Mention] = {}

    def add(self, mention: Mention, feature: str, value: float = 1.0) -> None:
        """Adds a feature to the entity of a mention."""
        features = self.features.setdefault(mention.entity, {})
        features[feature] = max(value, features.get(feature, 0.0))
        self.mentions.setdefault(mention.entity, mention)

    def likeliest(self) -> Mention | None:
        """Returns a mention of the entity with the most evidence, if there is any."""
        if not self.features:
            return None
        best = max(self.features, key=lambda entity: (rough_score(self.features[entity]), -entity))
        return self.mentions[best] if rough_score(self.features[best]) >= 1 else None


def rough_score(features: Features) -> float:
    """Returns a preliminary score, which selects the candidates that the weights then decide between."""
    return sum(
        value * (10 if name.startswith("tag_") else 3 if name.startswith(_STRONG) else 1)
        for name, value in features.items()
        if name not in _NO_REASON
    ) - 2 * features.get("no_person", 0.0)
