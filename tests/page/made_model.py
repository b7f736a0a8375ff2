"""Stands in for a model that is served with details; without TensorFlow's part in it."""

from made_predictions import SETTINGS, predicted

from coref_tf.documents import Document
from coref_tf.export.about import About
from coref_tf.models.calibration import AS_THEY_ARE

_NAMES, _SHE, _I = {"Ana", "Ben", "Zoe"}, {"she", "her"}, {"I", "my"}


class MadeModel:
    """Three names and a few pronouns are spans. *She* is Ana or Zoe, *I* is whoever speaks, where that is known.

    A text with the word `slow` takes too long.
    """

    about = About(("made",), "en", SETTINGS, AS_THEY_ARE)

    def __init__(self, folder):
        """As LoadedModel is made."""
        self.signatures = {"details": None}

    def warm_up(self, seconds):
        """There is nothing to prepare."""

    def close(self):
        """There is nothing to free."""

    def run(self, signature, inputs, seconds):
        """What the signature `details` gives."""
        sentences = [[word for word in row if word] for row in inputs["tokens"]]
        words = [word for sentence in sentences for word in sentence]
        if "slow" in words:
            raise TimeoutError
        speakers = inputs["speakers"][inputs["tokens"] != ""]
        spans = [number for number, word in enumerate(words) if word in _NAMES | _SHE | _I]
        kinds = [_kind(words[number], speakers[number]) for number in spans]
        prediction = predicted(
            Document("text", sentences),
            [(number, number) for number in spans],
            [1.0] * len(spans),
            lambda i, j: _pair(kinds[i], kinds[j]),
            {},
        )
        return _found(prediction)


def _kind(word, speaker):
    return "she" if word.lower() in _SHE else f"I {speaker}" if word in _I else word


def _pair(later, earlier):
    """s_a: positive for what refers to the same."""
    if later == "she":
        return 2.0 if earlier in ("Ana", "Zoe", "she") else -8.0
    return 3.0 if later == earlier != "I " else -8.0


def _found(prediction):
    """A prediction as the signature has it."""
    output = prediction.output
    found = {name: value for name, value in vars(output).items() if name != "antecedents"}
    return found | {f"antecedent_{name}": value for name, value in vars(output.antecedents).items()}
