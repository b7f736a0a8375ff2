"""Which words a contextual encoder reads together."""

import tensorflow as tf

# Pieces of a window; the encoder puts one more before them and one behind.
MOST_PIECES = 510


def context_windows(counts, sentence_lengths, most_pieces=MOST_PIECES):
    """Cuts a document into windows, greedily from its first word on.

    A window ends with the last sentence that still fits; where not even one does, with the last word that fits. So
    windows depend on the document alone, not on how much of it is read at a time.

    Args:
        counts: int32 [words], pieces of each word, 1 to most_pieces.
        sentence_lengths: int32 [sentences], in words.
        most_pieces: of a window.

    Returns:
        int32 [windows], how many words each has.

    Example:
        context_windows([200, 200, 200, 200], sentence_lengths=[1, 2, 1])   # [1, 2, 1]
    """
    counts = tf.convert_to_tensor(counts, tf.int32)
    num_words = tf.size(counts)
    # [words + 1]: pieces before each word; [sentences]: where each ends
    before = tf.concat([[0], tf.cumsum(counts)], axis=0)
    ends = tf.cumsum(sentence_lengths)
    # [words]: where a window that begins at each word would end
    fitting = tf.searchsorted(before, before[:-1] + most_pieces, side="right") - 1
    last_ends = tf.gather(tf.concat([[0], ends], axis=0), tf.searchsorted(ends, fitting, side="right"))
    begins = tf.range(num_words)
    window_ends = tf.where(last_ends > begins, last_ends, fitting)

    windows = tf.TensorArray(tf.int32, 0, dynamic_size=True, element_shape=[])

    def step(begin, windows):
        end = window_ends[begin]
        return end, windows.write(windows.size(), end - begin)

    _, windows = tf.while_loop(lambda begin, _: begin < num_words, step, (0, windows))
    return windows.stack()
