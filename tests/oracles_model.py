"""The model in its straightforward form, with padded words, g of all candidates and one tensor of all pairs.

This is plain TensorFlow, written from the paper's equations alone, which shares only the weights of a CorefModel. It is
slow and needs much memory, but it is easy to verify. The real layers must equal it, gradients included.
"""

import numpy as np
import tensorflow as tf

from coref_tf.layers.antecedent_scorer import Antecedents
from coref_tf.losses import gold_antecedents, gold_clusters, marginal_loss


def character_features(model, inputs):
    """The features of each distinct word, [distinct words, filters], with words padded to the longest."""
    cnn = model.character_cnn
    lengths = np.array(inputs.word_lengths)
    longest = max([*lengths, *cnn.filter_widths])
    padded = np.zeros([len(lengths), longest], np.int32)
    for row, word in enumerate(
        np.split(np.array(inputs.characters), np.cumsum(lengths)[:-1]) if len(lengths) else []
    ):
        padded[row, : len(word)] = word
    embedded = tf.gather(cnn.embeddings, padded)
    pooled = []
    for kernel, bias in zip(cnn.kernels, cnn.biases, strict=True):
        windows = tf.nn.relu(tf.nn.conv1d(embedded, kernel, 1, "VALID") + bias)
        pooled.append(tf.reduce_max(windows, axis=1))
    return tf.concat(pooled, axis=1)


def encode_sentence(encoder, words, direction):
    """h of each word of a sentence, computed word by word in one direction (0 is forward, 1 is backward)."""
    cell = encoder.cell
    c, h = cell.initial_c[direction], cell.initial_h[direction]
    kernel, hidden = tf.convert_to_tensor(cell.recurrent_kernel[direction]), []
    projected = tf.split(words @ encoder.kernels[direction] + encoder.bias[direction], len(words))
    for x in projected if direction == 0 else projected[::-1]:
        f, candidate, o = tf.split(x + h @ kernel, 3, axis=1)
        f = tf.sigmoid(f)
        c = f * tf.tanh(candidate) + (1 - f) * c
        h = tf.sigmoid(o) * tf.tanh(c)
        hidden.append(h)
    return tf.concat(hidden if direction == 0 else hidden[::-1], axis=0)


def encode(encoder, embeddings, sentence_lengths):
    """x* of each word, [words, 2 * units], computed sentence by sentence."""
    encoded = []
    for words in tf.split(embeddings, [*map(int, sentence_lengths), 0]):
        if len(words):
            encoded.append(tf.concat([encode_sentence(encoder, words, d) for d in (0, 1)], axis=1))
    return tf.concat(encoded, axis=0) if encoded else tf.zeros([0, 2 * encoder.units])


def feed_forward(ffnn, inputs):
    """w . FFNN(inputs)."""
    for kernel, bias in zip(ffnn.kernels[:-1], ffnn.biases[:-1], strict=True):
        inputs = tf.nn.relu(inputs @ kernel + bias)
    return (inputs @ ffnn.kernels[-1] + ffnn.biases[-1])[..., 0]


def candidate_spans(sentence_lengths, max_width):
    """Every span of up to max_width words within a sentence."""
    spans, first = [], 0
    for length in map(int, sentence_lengths):
        for start in range(first, first + length):
            spans += [(start, end) for end in range(start, min(start + max_width, first + length))]
        first += length
    return spans


def span_vectors(model, embeddings, encoded, spans):
    """g of each span, [spans, size], and alpha, [words]."""
    layer = model.span_representation
    alpha = feed_forward(layer.head_scorer, encoded) if layer.use_heads else tf.zeros(len(encoded))
    if not spans:
        return tf.zeros([0, layer.size]), alpha
    parts = [tf.gather(encoded, [span[n] for span in spans]) for n in (0, 1)]
    if layer.feature_size:
        widths = [min(end - start, layer.max_width - 1) for start, end in spans]
        parts.append(tf.gather(layer.width_embeddings, widths))
    if layer.use_heads:
        heads = []
        for start, end in spans:
            attention = tf.nn.softmax(alpha[start : end + 1])
            heads.append(tf.linalg.matvec(embeddings[start : end + 1], attention, transpose_a=True))
        parts.append(tf.stack(heads))
    return tf.concat(parts, axis=1), alpha


def suppress(scores, spans, limit):
    """Section 5: accepts spans in the order of decreasing score unless they cross; returns them by (start, end)."""
    accepted = []
    for i in sorted(range(len(spans)), key=lambda i: (-scores[i], i)):
        (a, b) = spans[i]
        crosses = any(a < c <= b < d or c < a <= d < b for c, d in (spans[j] for j in accepted))
        if len(accepted) < limit and not crosses:
            accepted.append(i)
    return sorted(accepted, key=lambda i: spans[i])


def distance_bin(distance):
    """The bin of a distance; the bins are 0, 1, 2, 3, 4, 5-7, 8-15, 16-31, 32-63 and 64+."""
    return distance if distance <= 4 else min(int(np.log2(distance)) + 3, 9)


def pair_features(layer, pairs, spans, inputs):
    """phi of each pair (i, j), [pairs, size]."""
    speakers = [inputs.speaker_ids[start] for start, _ in spans]
    sentences = np.repeat(np.arange(len(inputs.sentence_lengths)), inputs.sentence_lengths)
    bins = {
        "speaker": [int(speakers[i] == speakers[j]) for i, j in pairs],
        "genre": [int(inputs.genre) for _ in pairs],
        "distance": [distance_bin(i - j) for i, j in pairs],
        "sentence_distance": [
            distance_bin(sentences[spans[i][0]] - sentences[spans[j][0]]) for i, j in pairs
        ],
    }
    return tf.concat([tf.gather(layer.embeddings[name], bins[name]) for name in layer.names], axis=1)


def read(model, inputs):
    """Returns the candidates, g and s_m of each, and alpha of each word."""
    distinct = tf.constant(inputs.word_vectors)
    if model.character_cnn:
        distinct = tf.concat([distinct, character_features(model, inputs)], axis=1)
    embeddings = tf.gather(distinct, inputs.word_ids)
    encoded = encode(model.sentence_encoder, embeddings, inputs.sentence_lengths)
    candidates = candidate_spans(inputs.sentence_lengths, model.span_representation.max_width)
    if model.experiment.mentions != "learned":
        candidates = list(zip(inputs.given_starts.tolist(), inputs.given_ends.tolist(), strict=True))
    g, alpha = span_vectors(model, embeddings, encoded, candidates)
    return candidates, g, feed_forward(model.mention_scorer.ffnn, g), alpha


def prune(model, inputs, candidates, mention_scores):
    """Returns the indices of the candidates that are kept."""
    if model.experiment.mentions != "learned":
        return np.arange(len(candidates))
    limit = int(np.floor(np.float32(len(inputs.word_ids)) * np.float32(model.span_pruner.ratio)))
    limit = max(limit, model.span_pruner.min_spans)
    return suppress(mention_scores, candidates, limit)


def straightforward(model, inputs):
    """Returns all figures of a document, without dropout, for models with `antecedents = nearest`."""
    candidates, g, mention_scores, alpha = read(model, inputs)
    kept = prune(model, inputs, candidates, mention_scores.numpy())
    top = [candidates[i] for i in kept]
    antecedents = score_pairs(model, tf.gather(g, kept), tf.gather(mention_scores, kept), top, inputs)
    starts, ends = (np.array([span[n] for span in top], np.int32) for n in (0, 1))
    clusters = gold_clusters(starts, ends, inputs.gold_starts, inputs.gold_ends, inputs.cluster_ids)
    return {
        "candidates": candidates,
        "candidate_mention_scores": mention_scores,
        "head_scores": alpha,
        "top_spans": top,
        "antecedents": antecedents,
        "loss": marginal_loss(antecedents.scores, gold_antecedents(clusters, antecedents)),
    }


def ensemble(models, inputs):
    """Returns the mean mention scores, the spans that they keep, and the models' mean s(i, j) of these spans."""
    readings = [read(model, own) for model, own in zip(models, inputs, strict=True)]
    candidates = readings[0][0]
    mention_scores = np.mean([scores for _, _, scores, _ in readings], axis=0)
    kept = prune(models[0], inputs[0], candidates, mention_scores)
    top = [candidates[i] for i in kept]
    scores = [
        score_pairs(model, tf.gather(g, kept), tf.gather(own_scores, kept), top, own).scores
        for model, own, (_, g, own_scores, _) in zip(models, inputs, readings, strict=True)
    ]
    return mention_scores, top, np.mean(scores, axis=0)


def score_pairs(model, g, mention_scores, spans, inputs):
    """s(i, j) of each span's nearest antecedents, after `coref_depth` rounds."""
    antecedents = score_once(model, g, mention_scores, spans, inputs)
    for _ in range(1, model.experiment.coref_depth):
        g = refine_spans(model.antecedent_scorer.refinement, g, antecedents)
        antecedents = score_once(model, g, mention_scores, spans, inputs)
    return antecedents


def refine_spans(layer, g, antecedents):
    """f * g + (1 - f) * a, computed span by span."""
    refined = []
    for i, length in enumerate(np.array(antecedents.lengths)):
        # The dummy antecedent is the span itself.
        referents = tf.gather(g, [i, *np.array(antecedents.indices)[i, :length]])
        chances = tf.nn.softmax(antecedents.scores[i, : 1 + length])
        expected = tf.reduce_sum(chances[:, tf.newaxis] * referents, axis=0)
        both = tf.concat([g[i], expected], axis=0)[tf.newaxis]
        gate = tf.sigmoid(both @ layer.gate_kernel + layer.gate_bias)[0]
        refined.append(gate * g[i] + (1 - gate) * expected)
    return tf.stack(refined) if refined else g


def score_once(model, g, mention_scores, spans, inputs):
    """s(i, j) of each span's nearest antecedents, from one tensor of all pairs, [pairs, 3 * g + phi]."""
    scorer, count = model.antecedent_scorer, len(spans)
    width = min(count, scorer.max_antecedents)
    earlier = [list(range(max(0, i - scorer.max_antecedents), i)) for i in range(count)]
    pairs = [(i, j) for i in range(count) for j in earlier[i]]
    lengths = np.array([len(row) for row in earlier], np.int32)
    indices = np.array([row + [0] * (width - len(row)) for row in earlier], np.int32).reshape(count, width)
    scores = tf.concat([tf.zeros([count, 1]), tf.fill([count, width], -np.inf)], axis=1)
    if pairs:
        targets, others = (tf.gather(g, [pair[n] for pair in pairs]) for n in (0, 1))
        parts = [targets, others, targets * others]
        if scorer.features:
            parts.append(pair_features(scorer.features, pairs, spans, inputs))
        values = feed_forward(scorer.ffnn, tf.concat(parts, axis=1))
        values += tf.gather(mention_scores, [i for i, _ in pairs]) + tf.gather(
            mention_scores, [j for _, j in pairs]
        )
        places = [(i, 1 + n) for i in range(count) for n in range(len(earlier[i]))]
        scores = tf.tensor_scatter_nd_update(scores, places, values)
    return Antecedents(tf.constant(indices), tf.constant(lengths), scores)
