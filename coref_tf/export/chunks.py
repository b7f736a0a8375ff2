"""Splits stretches of text without whitespace into tokens, in the graph; equivalent to spaCy's tokenizer."""

from collections.abc import Iterable

import tensorflow as tf

from coref_tf.export import rules

# The maximum number of prefixes and of suffixes of a chunk; the rest is not split.
MAX_AFFIXES = 100


class ChunkSplitter(tf.Module):
    """Removes prefixes and suffixes one at a time until a chunk has none or is a special case; then splits it.

    Example:
        ChunkSplitter()(tf.constant(["(don't!)"]))   # [["(", "do", "n't", "!", ")"]]
    """

    def __init__(self) -> None:
        super().__init__(name="chunk_splitter")
        special = rules.special_chunks()
        pairs = tf.lookup.KeyValueTensorInitializer(list(special), list(special.values()))
        self.special = tf.lookup.StaticHashTable(pairs, default_value="")

    def __call__(self, chunks: tf.Tensor) -> tf.RaggedTensor:
        """Returns the tokens of each chunk, string [chunks] -> ragged [chunks, tokens]."""
        nothing = tf.zeros_like(chunks)
        before, core, behind, _ = tf.while_loop(
            lambda before, core, behind, active: tf.reduce_any(active),
            self._cut,
            (nothing, chunks, nothing, ~self._is_special(chunks)),
            maximum_iterations=MAX_AFFIXES,
        )
        special = self.special.lookup(core)
        whole = (special != "") | tf.strings.regex_full_match(core, rules.ADDRESS)
        parted = tf.where(special != "", special, core)
        parted = tf.where(whole, parted, replace_all(core, rules.INFIXES))
        return _stops_parted(_split(replace_all(before + parted + behind, rules.JOINED)))

    def _cut(
        self, before: tf.Tensor, core: tf.Tensor, behind: tf.Tensor, active: tf.Tensor
    ) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor, tf.Tensor]:
        """Removes a prefix and a suffix from the active chunks.

        If removing only the prefix, or only the suffix, leaves a special case, only that one is removed.
        """
        without_prefix = tf.strings.regex_replace(core, *rules.PREFIX, replace_global=False)
        without_both = tf.strings.regex_replace(without_prefix, *rules.SUFFIX, replace_global=False)
        prefix = _first(core, _size(core) - _size(without_prefix))
        without_suffix = prefix + without_both
        special = self._is_special(without_prefix), self._is_special(without_suffix)
        special = special[0] & (prefix != ""), special[1] & (without_both != without_prefix) & ~special[0]
        keeps_prefix, keeps_suffix = ~active | special[1], ~active | special[0]
        left = tf.where(special[0], without_prefix, tf.where(special[1], without_suffix, without_both))
        left = tf.where(active, left, core)
        suffix = _last(without_prefix, _size(without_prefix) - _size(without_both))
        before += tf.where(keeps_prefix, "", prefix + rules.TOKEN)
        behind = tf.where(keeps_suffix, "", rules.TOKEN + suffix) + behind
        active &= (left != core) & (left != "") & ~special[0] & ~special[1] & ~self._is_special(left)
        return before, left, behind, active

    def _is_special(self, chunks: tf.Tensor) -> tf.Tensor:
        return self.special.lookup(chunks) != ""


def replace_all(strings: tf.Tensor, replacements: Iterable[rules.Replacement]) -> tf.Tensor:
    """Applies the replacements everywhere, one after another."""
    for replacement in replacements:
        strings = tf.strings.regex_replace(strings, *replacement)
    return strings


def _split(strings: tf.Tensor) -> tf.RaggedTensor:
    """Splits at the separators, and drops empty tokens."""
    tokens = tf.strings.split(strings, rules.TOKEN)
    return tf.ragged.boolean_mask(tokens, tokens != "")


def _stops_parted(tokens: tf.RaggedTensor) -> tf.RaggedTensor:
    """Splits the full stop from longer tokens that end in a capital."""
    parted = tf.strings.regex_replace(tokens.flat_values, r"^([^.]+[A-Z])\.$", rf"\1{rules.TOKEN}.")
    return tokens.with_flat_values(tf.strings.split(parted, rules.TOKEN)).merge_dims(1, 2)


def _size(strings: tf.Tensor) -> tf.Tensor:
    return tf.strings.length(strings)


def _first(strings: tf.Tensor, count: tf.Tensor) -> tf.Tensor:
    return tf.strings.substr(strings, tf.zeros_like(count), count)


def _last(strings: tf.Tensor, count: tf.Tensor) -> tf.Tensor:
    return tf.strings.substr(strings, _size(strings) - count, count)
