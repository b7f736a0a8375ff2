"""The model with whole tensors: the formulation that the paper's equations suggest, as a baseline for the benchmark.

It is plain TensorFlow with all its parallelism: sentences and words padded to the longest, the LSTM over the padded
batch, g of every candidate, one tensor [spans, antecedents, 3 g + phi] of all pairs. It shares the weights of a
CorefModel and the two span ops, works in eager mode and in tf.function, and applies dropout where the paper does. Its
output equals that of tests/oracles_model.py, which is even slower and more obvious.
"""

import tensorflow as tf

from coref_tf import ops
from coref_tf.features.tensorize import CorefInputs
from coref_tf.layers.antecedent_scorer import Antecedents
from coref_tf.layers.feed_forward import FeedForward
from coref_tf.layers.pair_features import DISTANCE_BINS
from coref_tf.losses import gold_antecedents, gold_clusters, marginal_loss
from coref_tf.model import CorefModel, CorefOutput


class StraightforwardModel:
    """A drop-in replacement for CorefModel, with __call__, loss_of and train_step.

    Example:
        whole = StraightforwardModel(model)
        tf.function(whole, input_signature=[input_specs(350)])(inputs).antecedents.scores
    """

    def __init__(self, model: CorefModel):
        self.model = model

    def __call__(self, inputs: CorefInputs, training: bool = False) -> CorefOutput:
        """Computes the CorefOutput of a document, for `antecedents = nearest`."""
        model, experiment = self.model, self.model.experiment
        self.rate = experiment.dropout_rate if training else 0.0
        # [sentences, longest sentence, embedding]
        padded = dropout(self._embed(inputs), experiment.lexical_dropout_rate if training else 0.0)
        lengths = inputs.sentence_lengths
        real = tf.sequence_mask(lengths, tf.shape(padded)[1])
        # [words, ...]
        embeddings = tf.boolean_mask(padded, real)
        encoded = dropout(tf.boolean_mask(self._encode(padded, lengths), real), self.rate)
        heads = tf.zeros_like(encoded[:, 0])
        if model.span_representation.use_heads:
            heads = self._feed_forward(model.span_representation.head_scorer, encoded)

        starts, ends = candidate_spans(lengths, experiment.max_mention_width)
        # [candidates, span size]
        g = self._represent(embeddings, encoded, heads, starts, ends)
        mention_scores = self._feed_forward(model.mention_scorer.ffnn, g)
        num_words = tf.cast(tf.size(inputs.word_ids), tf.float32)
        limit = tf.maximum(
            tf.cast(tf.floor(num_words * experiment.mention_ratio), tf.int32), experiment.min_spans
        )
        kept = ops.extract_spans(mention_scores, starts, ends, limit, backend=model.span_pruner.backend)
        top_starts, top_ends, top_scores, g = (tf.gather(x, kept) for x in (starts, ends, mention_scores, g))
        antecedents = self._score_pairs(g, top_scores, top_starts, inputs)
        return CorefOutput(starts, ends, mention_scores, heads, top_starts, top_ends, top_scores, antecedents)

    def loss_of(self, inputs: CorefInputs, output: CorefOutput) -> tf.Tensor:
        """Returns the marginal loss of a document."""
        gold = (inputs.gold_starts, inputs.gold_ends, inputs.cluster_ids)
        clusters = gold_clusters(output.top_span_starts, output.top_span_ends, *gold)
        return marginal_loss(output.antecedents.scores, gold_antecedents(clusters, output.antecedents))

    def train_step(self, inputs: CorefInputs) -> dict[str, tf.Tensor]:
        """Runs one step of training, without any optimizations."""
        variables = self.model.trainable_variables
        with tf.GradientTape() as tape:
            loss = self.loss_of(inputs, self(inputs, training=True))
        gradients = [tf.convert_to_tensor(gradient) for gradient in tape.gradient(loss, variables)]
        gradients, _ = tf.clip_by_global_norm(gradients, self.model.experiment.max_gradient_norm)
        self.model.optimizer.apply_gradients(zip(gradients, variables, strict=True))
        return {"loss": loss}

    def _embed(self, inputs: CorefInputs) -> tf.Tensor:
        """Embeds every word separately, including padding: [sentences, longest sentence, embedding]."""
        # [sentences, longest sentence]
        words = tf.RaggedTensor.from_row_lengths(inputs.word_ids, inputs.sentence_lengths).to_tensor()
        parts = [tf.gather(inputs.word_vectors, words)]
        cnn = self.model.character_cnn
        if cnn:
            characters = tf.RaggedTensor.from_row_lengths(inputs.characters, inputs.word_lengths).to_tensor()
            missing = tf.maximum(0, max(cnn.filter_widths) - tf.shape(characters)[1])
            # [sentences, longest sentence, longest word]
            characters = tf.gather(tf.pad(characters, [[0, 0], [0, missing]]), words)
            # [all words, longest word, embedding]
            embedded = tf.gather(cnn.embeddings, tf.reshape(characters, [-1, tf.shape(characters)[2]]))
            shape = tf.concat([tf.shape(words), [cnn.filter_size]], axis=0)
            for kernel, bias in zip(cnn.kernels, cnn.biases, strict=True):
                windows = tf.nn.relu(tf.nn.bias_add(tf.nn.conv1d(embedded, kernel, 1, "VALID"), bias))
                parts.append(tf.reshape(tf.reduce_max(windows, axis=1), shape))
        return tf.concat(parts, axis=2)

    def _encode(self, padded: tf.Tensor, lengths: tf.Tensor) -> tf.Tensor:
        """Computes x*, [sentences, longest sentence, 2 * units]."""
        backward = tf.reverse_sequence(padded, lengths, seq_axis=1)
        hidden = [self._run(words, direction) for direction, words in enumerate([padded, backward])]
        return tf.concat([hidden[0], tf.reverse_sequence(hidden[1], lengths, seq_axis=1)], axis=2)

    def _run(self, padded: tf.Tensor, direction: int) -> tf.Tensor:
        """Returns h of one direction at every step, over the padded batch."""
        encoder, cell = self.model.sentence_encoder, self.model.sentence_encoder.cell
        kernel = tf.convert_to_tensor(cell.recurrent_kernel[direction])
        shape = [tf.shape(padded)[0], encoder.units]
        mask = dropout(tf.ones(shape), self.rate)
        # [steps, sentences, 3 * units], in one product
        projected = tf.tensordot(padded, encoder.kernels[direction], axes=1) + encoder.bias[direction]

        def step(state: tuple[tf.Tensor, tf.Tensor], x: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
            c, h = state
            f, candidate, o = tf.split(x + tf.matmul(h * mask, kernel), 3, axis=1)
            c = tf.sigmoid(f) * tf.tanh(candidate) + (1 - tf.sigmoid(f)) * c
            return c, tf.sigmoid(o) * tf.tanh(c)

        state = tuple(tf.broadcast_to(x[direction], shape) for x in (cell.initial_c, cell.initial_h))
        _, hidden = tf.scan(step, tf.transpose(projected, [1, 0, 2]), state)
        return tf.transpose(hidden, [1, 0, 2])

    def _feed_forward(self, ffnn: FeedForward, values: tf.Tensor) -> tf.Tensor:
        """Computes w . FFNN(values)."""
        for kernel, bias in zip(ffnn.kernels[:-1], ffnn.biases[:-1], strict=True):
            values = dropout(tf.nn.relu(tf.tensordot(values, kernel, axes=1) + bias), self.rate)
        return tf.squeeze(tf.tensordot(values, ffnn.kernels[-1], axes=1) + ffnn.biases[-1], axis=-1)

    def _represent(
        self,
        embeddings: tf.Tensor,
        encoded: tf.Tensor,
        heads: tf.Tensor,
        starts: tf.Tensor,
        ends: tf.Tensor,
    ) -> tf.Tensor:
        """Computes g of each candidate."""
        layer = self.model.span_representation
        parts = [tf.gather(encoded, starts), tf.gather(encoded, ends)]
        if layer.feature_size:
            parts.append(dropout(tf.gather(layer.width_embeddings, ends - starts), self.rate))
        if layer.use_heads:
            # [candidates, max width]
            places = starts[:, tf.newaxis] + tf.range(layer.max_width)
            inside = places <= ends[:, tf.newaxis]
            places = tf.minimum(places, tf.shape(heads)[0] - 1)
            scores = tf.where(inside, tf.gather(heads, places), -float("inf"))
            attention = tf.nn.softmax(scores, axis=1)[:, :, tf.newaxis]
            parts.append(tf.reduce_sum(attention * tf.gather(embeddings, places), axis=1))
        return tf.concat(parts, axis=1)

    def _score_pairs(
        self, g: tf.Tensor, mention_scores: tf.Tensor, starts: tf.Tensor, inputs: CorefInputs
    ) -> Antecedents:
        """Computes s(i, j) from one tensor [spans, antecedents, 3 g + phi]."""
        scorer, features = self.model.antecedent_scorer, self.model.antecedent_scorer.features
        count = tf.shape(g)[0]
        indices, lengths = ops.nearest_antecedents(count, scorer.max_antecedents, backend=scorer.backend)
        antecedents = tf.gather(g, indices)
        targets = tf.broadcast_to(g[:, tf.newaxis], tf.shape(antecedents))
        parts = [targets, antecedents, targets * antecedents]
        if features:
            speakers = tf.gather(inputs.speaker_ids, starts)
            sentence_of_word = tf.repeat(tf.range(tf.size(inputs.sentence_lengths)), inputs.sentence_lengths)
            sentences = tf.gather(sentence_of_word, starts)
            bins = {
                "speaker": tf.cast(speakers[:, tf.newaxis] == tf.gather(speakers, indices), tf.int32),
                "genre": tf.fill(tf.shape(indices), inputs.genre),
                "distance": distance_bins(tf.range(count)[:, tf.newaxis] - indices),
                "sentence_distance": distance_bins(sentences[:, tf.newaxis] - tf.gather(sentences, indices)),
            }
            phi = [tf.gather(features.embeddings[name], bins[name]) for name in features.names]
            parts.append(dropout(tf.concat(phi, axis=2), self.rate))
        scores = self._feed_forward(scorer.ffnn, tf.concat(parts, axis=2))
        scores += mention_scores[:, tf.newaxis] + tf.gather(mention_scores, indices)
        scores = tf.where(tf.sequence_mask(lengths, tf.shape(indices)[1]), scores, -float("inf"))
        return Antecedents(indices, lengths, tf.pad(scores, [[0, 0], [1, 0]]))


def candidate_spans(sentence_lengths: tf.Tensor, max_width: int) -> tuple[tf.Tensor, tf.Tensor]:
    """Returns the starts and ends of all spans of up to max_width words within a sentence."""
    sentence_of_word = tf.repeat(tf.range(tf.size(sentence_lengths)), sentence_lengths)
    num_words = tf.size(sentence_of_word)
    starts = tf.tile(tf.range(num_words)[:, tf.newaxis], [1, max_width])
    ends = starts + tf.range(max_width)
    last = tf.minimum(ends, num_words - 1)
    same = tf.equal(tf.gather(sentence_of_word, starts), tf.gather(sentence_of_word, last))
    inside = tf.logical_and(ends < num_words, same)
    return tf.boolean_mask(starts, inside), tf.boolean_mask(ends, inside)


def distance_bins(distances: tf.Tensor) -> tf.Tensor:
    """Returns the bin, 0 to 9, of each distance."""
    return tf.raw_ops.Bucketize(input=distances, boundaries=list(DISTANCE_BINS))


def dropout(values: tf.Tensor, rate: float) -> tf.Tensor:
    """Applies dropout; returns the values unchanged at rate 0."""
    return tf.nn.dropout(values, rate) if rate else values
