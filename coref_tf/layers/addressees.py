"""Finds whom a sentence of a conversation addresses by name; not part of the paper."""

from typing import NamedTuple

import tensorflow as tf

from coref_tf.documents.pronouns import COMMA, NAMED, SHARED, STOP, YOU


class WordReferences(NamedTuple):
    """What the words of a document reveal about their referents."""

    classes: tf.Tensor  # int32 [words], what `coref_tf.documents.pronouns.reference_classes` returns
    speaker_ids: tf.Tensor  # int32 [words]
    sentence_lengths: tf.Tensor  # int32 [sentences]


def resolve_addressees(words: WordReferences) -> tf.Tensor:
    """Gives *you* the class of the speaker whom its sentence addresses: *Ana, can you hear me?*, *I can see you, Ana.*

    A name addresses its bearer if it opens the sentence before a comma or closes it after one. In a sentence that
    addresses two speakers, *you* keeps its class.

    Returns:
        int32 [words], the classes, where such a *you* counts as the name of the addressee.
    """
    classes, speaker_ids, sentence_lengths = words
    # [words]: the sentence of each word; [sentences]: its first word, and its last one before the final mark
    sentences = tf.repeat(tf.range(tf.size(sentence_lengths)), sentence_lengths)
    first = tf.cumsum(sentence_lengths, exclusive=True)
    last = first + sentence_lengths - 1
    last -= tf.cast(tf.gather(tf.pad(classes, [[1, 0]]), last + 1) == STOP, tf.int32)
    # [words + 1]: how many words before each are no names
    others = tf.pad(tf.cumsum(tf.cast(classes < SHARED, tf.int32)), [[1, 0]])

    # [commas]: whether all words from the first to the comma, or from the comma to the last, are names
    commas = tf.cast(tf.where(classes == COMMA)[:, 0], tf.int32)
    first, last = (tf.gather(ends, tf.gather(sentences, commas)) for ends in (first, last))
    opens = (first < commas) & (tf.gather(others, commas) == tf.gather(others, first))
    closes = (commas < last) & (tf.gather(others, last + 1) == tf.gather(others, commas + 1))

    # [names]: the last word and the class of each name that addresses somebody other than the one who speaks
    begins = tf.concat([tf.boolean_mask(first, opens), tf.boolean_mask(commas + 1, closes)], axis=0)
    names = tf.concat([tf.boolean_mask(commas - 1, opens), tf.boolean_mask(last, closes)], axis=0)
    named = tf.maximum(tf.gather(classes, begins), tf.gather(classes, names))
    counted = (named >= NAMED) & (named - NAMED != tf.gather(speaker_ids, names))
    names, named = tf.boolean_mask(names, counted), tf.boolean_mask(named, counted)

    # [sentences]: the lowest and the highest class of its names, which are the same if it addresses one speaker
    of_sentence = tf.gather(sentences, names)
    lowest = tf.math.unsorted_segment_min(named, of_sentence, tf.size(sentence_lengths))
    highest = tf.math.unsorted_segment_max(named, of_sentence, tf.size(sentence_lengths))
    addressees = tf.gather(tf.where(lowest == highest, lowest, YOU), sentences)
    return tf.where(classes == YOU, addressees, classes)
