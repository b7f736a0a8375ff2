"""A SavedModel with the signatures of an exported model, which answers at once and takes a second to make."""

from pathlib import Path

import tensorflow as tf

_STRING = tf.TensorSpec([], tf.string)
_STRINGS = tf.TensorSpec([None], tf.string)
_TABLE = tf.TensorSpec([None, None], tf.string)
_INTEGERS = tf.TensorSpec([None], tf.int32)


class TinyModel(tf.Module):
    """Every capitalised word is a mention; equal ones are a cluster. Its scores are the number of the version."""

    def __init__(self, version: int):
        super().__init__()
        self.version = tf.Variable(float(version), dtype=tf.float32)

    @tf.function(input_signature=[_TABLE, _TABLE, _STRING])
    def serving_default(self, tokens, speakers, genre):
        tf.debugging.assert_equal(tf.shape(tokens), tf.shape(speakers), "speakers must be shaped as tokens")
        return self._mentions(tf.boolean_mask(tokens, tokens != "")) | {"genre_bytes": genre}

    @tf.function(input_signature=[_STRING])
    def text(self, text):
        """`slow N` takes N rounds of a loop, each of which can be the last if time is over."""
        words = tf.strings.split([text]).values
        rounds = tf.constant(0)
        if tf.strings.regex_full_match(text, "slow [0-9]+"):
            wanted = tf.strings.to_number(tf.strings.substr(text, 5, -1), tf.int32)
            rounds = tf.while_loop(lambda i: i < wanted, lambda i: i + 1, [rounds])[0]
        return self._mentions(words) | {"mention_text": self._mentions(words)["words"], "rounds": rounds}

    @tf.function(input_signature=[_STRINGS, _INTEGERS])
    def batch(self, tokens, document_lengths):
        documents = tf.repeat(tf.range(tf.size(document_lengths)), document_lengths)
        tf.debugging.assert_equal(
            tf.size(documents), tf.size(tokens), "document_lengths must sum to the words"
        )
        return {"mention_documents": documents}

    def _mentions(self, words):
        places = tf.where(tf.strings.regex_full_match(words, "[A-Z].*"))[:, 0]
        mentions = tf.gather(words, places)
        return {
            "mention_starts": tf.cast(places, tf.int32),
            "mention_clusters": tf.unique(mentions).idx,
            "mention_scores": tf.fill(tf.shape(mentions), self.version / 10),
            "words": mentions,
        }


def write_tiny_model(folder: Path, version: int) -> Path:
    """Saves it as folder/version."""
    model = TinyModel(version)
    signatures = {"serving_default": model.serving_default, "text": model.text, "batch": model.batch}
    tf.saved_model.save(model, str(folder / str(version)), signatures)
    return folder / str(version)
