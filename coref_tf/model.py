"""The complete model: from the words of a document to scored antecedents."""

import functools
from collections.abc import Sequence
from typing import NamedTuple

import tensorflow as tf

from coref_tf.config import Experiment
from coref_tf.deprecated import apply_gradients, do_not_convert
from coref_tf.encoder.context_words import ContextWords
from coref_tf.features.tensorize import CorefInputs
from coref_tf.layers.antecedent_scorer import Antecedents, AntecedentScorer
from coref_tf.layers.blocks import Count, compute_in_blocks
from coref_tf.layers.character_cnn import CharacterCNN
from coref_tf.layers.consistent_clusters import ConsistentClusters
from coref_tf.layers.context_alone import ContextAlone
from coref_tf.layers.dropout import DropoutSeeds, dropout
from coref_tf.layers.mention_scorer import MentionScorer
from coref_tf.layers.pair_features import PairFeatures, SpanFacts, features_in_use
from coref_tf.layers.sentence_encoder import SentenceEncoder
from coref_tf.layers.span_pruner import SpanPruner
from coref_tf.layers.span_representation import SpanRepresentation, Spans, WordVectors
from coref_tf.losses import gold_antecedents, gold_clusters, marginal_loss

# Dimension names, used in shape comments throughout the package:
#   words        T, the words of the document           distinct words   each different word once
#   sentences    its sentences                          candidates       spans of up to L words in a sentence
#   spans        the kept spans, at most lambda * T     antecedents      of a span, at most K
#   embedding    x: word vectors and characters         encoded          x*: a word in its sentence

NOT_FINITE = "the loss or its gradients are not finite"


class CorefOutput(NamedTuple):
    """The outputs of the model for one document."""

    candidate_starts: tf.Tensor  # int32 [candidates]
    candidate_ends: tf.Tensor  # int32 [candidates]
    candidate_mention_scores: tf.Tensor  # float32 [candidates], s_m
    head_scores: tf.Tensor  # float32 [words], alpha
    top_span_starts: tf.Tensor  # int32 [spans]
    top_span_ends: tf.Tensor  # int32 [spans]
    top_span_mention_scores: tf.Tensor  # float32 [spans]
    antecedents: Antecedents


class CorefModel(tf.keras.Model):
    """End-to-end neural coreference resolution (Lee et al. 2017).

    Args:
        experiment: The settings.
        num_characters: The size of the character vocabulary, including the unknown character.
        backend: The backend of the ops, "custom" or "portable".
        context_words: The layer that computes contextual vectors, if the experiment has context; see `build_model`.

    Example:
        model = CorefModel(load_experiment("best"), len(characters))
        model.compile(optimizer="adam")
        model.fit(dataset_of_inputs)
    """

    def __init__(
        self,
        experiment: Experiment,
        num_characters: int,
        backend: str = "custom",
        context_words: ContextWords | None = None,
        name: str = "coref",
    ):
        super().__init__(name=name)
        if (experiment.context is None) != (context_words is None):
            raise ValueError(
                f"context_words must be a layer if the experiment has context, else None. Received: {context_words}"
            )
        self.experiment = experiment
        self._add_words(num_characters, context_words, backend)
        self._add_spans(backend)

    def _add_words(self, num_characters: int, context_words: ContextWords | None, backend: str) -> None:
        """Adds the layers that compute x, from word vectors, characters and context, and x*, from x."""
        e = self.experiment
        self.vector_size = sum(vectors.size for vectors in e.embeddings)
        self.embedding_size = self.vector_size
        self.character_cnn = None
        if e.char_embedding_size:
            self.embedding_size += len(e.filter_widths) * e.filter_size
            self.character_cnn = CharacterCNN(
                num_characters, e.char_embedding_size, e.filter_widths, e.filter_size, name="character_cnn"
            )
        self.context_words = context_words
        self.context_optimizer = None  # trains the fine-tuned weights of the contextual encoder
        self.head_size = self.fixed_size = self.embedding_size
        if context_words:
            self.embedding_size += context_words.size
            if e.context and e.context.heads:
                self.head_size = self.embedding_size
        if e.lstm_size or not context_words:
            self.sentence_encoder = SentenceEncoder(
                self.embedding_size, e.lstm_size, e.dropout_rate, backend, name="sentence_encoder"
            )
        else:
            self.sentence_encoder = ContextAlone(context_words.size, e.dropout_rate, name="sentence_encoder")

    def _add_spans(self, backend: str) -> None:
        """Adds the layers that represent, score, prune and link spans."""
        e = self.experiment
        self.span_representation = SpanRepresentation(
            e.max_mention_width,
            self.head_size,
            encoded_size=self.sentence_encoder.size,
            feature_size=e.feature_size if e.use_features else 0,
            use_heads=e.model_heads,
            head_depth=e.head_ffnn_depth,
            head_units=e.ffnn_size,
            dropout_rate=e.dropout_rate,
            any_width=self.has_given_mentions,
            name="span_representation",
        )
        self.mention_scorer = MentionScorer(
            self.span_representation, e.ffnn_depth, e.ffnn_size, e.dropout_rate, name="mention_scorer"
        )
        self.span_pruner = SpanPruner(e.mention_ratio, e.min_spans, backend, name="span_pruner")
        used = features_in_use(e.pair_features, use_features=e.use_features, use_metadata=e.use_metadata)
        features = PairFeatures(used, e.feature_size, len(e.genres), e.dropout_rate, name="pair_features")
        self.antecedent_scorer = AntecedentScorer(
            self.span_representation.size,
            features if features.size else None,
            e.max_antecedents,
            e.ffnn_depth,
            e.ffnn_size,
            e.dropout_rate,
            e.antecedents,
            backend,
            e.coref_depth,
            name="antecedent_scorer",
        )

        self.consistent_clusters = (
            ConsistentClusters(name="consistent_clusters") if e.consistent_clusters else None
        )

    @property
    def models(self) -> list["CorefModel"]:
        """A list of this one model, for compatibility with an ensemble, which has several."""
        return [self]

    @property
    def encoder_identity(self) -> str | None:
        """The identity of the contextual encoder, or None."""
        return self.context_words.encoder.identity if self.context_words else None

    @property
    def own_variables(self) -> list[tf.Variable]:
        """The variables in a checkpoint: all except frozen encoder weights, which remain in the encoder file."""
        of_encoder = self.context_words.encoder.non_trainable_variables if self.context_words else ()
        frozen = {variable.ref() for variable in of_encoder}
        return [variable for variable in self.variables if variable.ref() not in frozen]

    @property
    def tuned_variables(self) -> list[tf.Variable]:
        """The fine-tuned weights of the contextual encoder, which have a learning rate of their own."""
        return self.context_words.encoder.trainable_variables if self.context_words else []

    @property
    def optimizers(self) -> list[tuple[tf.keras.optimizers.Optimizer, list[tf.Variable]]]:
        """Each optimizer with the variables that it trains."""
        tuned = {variable.ref() for variable in self.tuned_variables}
        if not tuned:
            return [(self.optimizer, self.trainable_variables)]
        own = [variable for variable in self.trainable_variables if variable.ref() not in tuned]
        return [(self.optimizer, own), (self.context_optimizer, self.tuned_variables)]

    @property
    def has_given_mentions(self) -> bool:
        """Whether the spans to keep are part of the input instead of being pruned from all candidates."""
        return self.experiment.mentions != "learned"

    def call(self, inputs: CorefInputs, training: bool = False, words_per_block: Count = 4096) -> CorefOutput:
        """Computes antecedent scores from the words of a document.

        Args:
            inputs: The document.
            training: Whether to apply dropout.
            words_per_block: About how many words prediction processes at a time (whole sentences); bounds memory.
        """
        # [words]: x, x* and alpha; [candidates]: s_m of every candidate
        words, candidates, mention_scores = self.read(inputs, training, words_per_block)
        # [spans]: the highest-scoring candidates that do not cross
        spans, span_scores = self.prune(inputs, candidates, mention_scores)
        # [spans, 1 + antecedents]: s(i, j)
        antecedents = self.link(inputs, words, spans, span_scores, training)
        if self.consistent_clusters and not training:
            antecedents = self.consistent_clusters(antecedents, spans, inputs.references)
        return CorefOutput(*candidates, mention_scores, words.head_scores, *spans, span_scores, antecedents)

    def read(
        self, inputs: CorefInputs, training: bool = False, words_per_block: Count = 4096
    ) -> tuple[WordVectors, Spans, tf.Tensor]:
        """Returns the WordVectors, the candidate Spans and their s_m, float32 [candidates]."""
        seeds = DropoutSeeds.split(inputs.seed if training else None)
        # [words, embedding]: x
        embeddings = self._embed(inputs, seeds.embeddings)
        # [words, encoded]: x*; [words]: alpha; [candidates]: s_m of every span, unless spans are given
        encoded, head_scores, *mention_scores = (
            self._read_block(embeddings, inputs.sentence_lengths, seeds)
            if training
            else self._read_in_blocks(embeddings, inputs.sentence_lengths, seeds, words_per_block)
        )
        words = self._words(embeddings, encoded, head_scores)
        if self.has_given_mentions:
            given = Spans(inputs.given_starts, inputs.given_ends)
            return words, given, self.mention_scorer(words, given, seeds.widths, seeds.mentions)
        return words, self.span_representation.candidates(inputs.sentence_lengths), *mention_scores

    def prune(self, inputs: CorefInputs, candidates: Spans, scores: tf.Tensor) -> tuple[Spans, tf.Tensor]:
        """Returns the kept Spans and their s_m, float32 [spans]; spans given in the input are all kept."""
        if self.has_given_mentions:
            return candidates, scores
        kept = self.span_pruner(scores, *candidates, tf.size(inputs.word_ids))
        return Spans(*(tf.gather(values, kept) for values in candidates)), tf.gather(scores, kept)

    def link(
        self,
        inputs: CorefInputs,
        words: WordVectors,
        spans: Spans,
        span_scores: tf.Tensor,
        training: bool = False,
    ) -> Antecedents:
        """Scores the antecedents of the kept spans."""
        seeds = DropoutSeeds.split(inputs.seed if training else None)
        # With dropout or context, occurrences of the same word have different vectors.
        word_ids = None if training or self.head_size > self.fixed_size else inputs.word_ids
        # g of each span, in parts; s(i, j) is computed from it
        g = self.span_representation(words, spans, seeds.widths, word_ids)
        facts = SpanFacts(*spans, inputs.speaker_ids, inputs.sentence_lengths, inputs.genre)
        return self.antecedent_scorer(g, span_scores, facts, seed=seeds.pairs)

    def _embed(self, inputs: CorefInputs, seed: tf.Tensor | None) -> tf.Tensor:
        """Computes x, [words, embedding]: word vectors, character features and context, with lexical dropout."""
        distinct = inputs.word_vectors
        if self.character_cnn:
            characters = self.character_cnn(inputs.characters, inputs.word_lengths)
            distinct = tf.concat([distinct, characters], axis=1)
        embeddings = tf.gather(distinct, inputs.word_ids)
        if self.context_words:
            context = self.context_words(inputs.context, inputs.sentence_lengths)
            embeddings = tf.concat([embeddings, context], axis=1)
        return dropout(embeddings, self.experiment.lexical_dropout_rate, seed)

    def _read_in_blocks(
        self, embeddings: tf.Tensor, sentence_lengths: tf.Tensor, seeds: DropoutSeeds, words_per_block: Count
    ) -> Sequence[tf.Tensor]:
        """Computes what depends only on the sentence: x*, alpha and, unless spans are given, s_m of all candidates."""
        shapes: list[list[int | None]] = [[None, self.sentence_encoder.size], [None], [None]]
        read = functools.partial(self._read_block, seeds=seeds)
        results = shapes[:2] if self.has_given_mentions else shapes
        return compute_in_blocks(read, embeddings, sentence_lengths, words_per_block, results)

    def _read_block(
        self, embeddings: tf.Tensor, sentence_lengths: tf.Tensor, seeds: DropoutSeeds
    ) -> Sequence[tf.Tensor]:
        encoded = self.sentence_encoder(embeddings, sentence_lengths, seed=seeds.encoder)
        head_scores = self.span_representation.head_scores(encoded, seeds.heads)
        if self.has_given_mentions:
            return encoded, head_scores
        candidates = self.span_representation.candidates(sentence_lengths)
        words = self._words(embeddings, encoded, head_scores)
        return encoded, head_scores, self.mention_scorer(words, candidates, seeds.widths, seeds.mentions)

    def _words(self, embeddings: tf.Tensor, encoded: tf.Tensor, head_scores: tf.Tensor) -> WordVectors:
        """Returns the inputs of span representations; x^ may exclude context, as in the authors' 2018 model."""
        return WordVectors(embeddings[:, : self.head_size], encoded, head_scores)

    def loss_of(self, inputs: CorefInputs, output: CorefOutput) -> tf.Tensor:
        """Returns the marginal loss of one document."""
        gold = inputs.gold_starts, inputs.gold_ends, inputs.cluster_ids
        clusters = gold_clusters(output.top_span_starts, output.top_span_ends, *gold)
        return marginal_loss(output.antecedents.scores, gold_antecedents(clusters, output.antecedents))

    # Nothing here needs AutoGraph, whose conversion would take as long as the first steps.
    @do_not_convert
    def train_step(self, inputs: CorefInputs) -> dict[str, tf.Tensor]:
        """Trains on one document or, under a tf.distribute strategy, on one document per replica."""
        with tf.GradientTape() as tape:
            loss = self.loss_of(inputs, self(inputs, training=True))
        gradients = tape.gradient(loss, self.trainable_variables, unconnected_gradients="zero")
        # Embeddings have sparse gradients, whose norm would count a row once per use.
        gradients = [tf.convert_to_tensor(gradient) for gradient in gradients]
        context = tf.distribute.get_replica_context()
        loss, *gradients = context.all_reduce("MEAN", [loss, *gradients])
        gradients, norm = tf.clip_by_global_norm(gradients, self.experiment.max_gradient_norm)
        # A single non-finite update would ruin the variables for good.
        finite = tf.math.is_finite(loss) & tf.math.is_finite(norm)
        with tf.control_dependencies([tf.debugging.Assert(finite, [NOT_FINITE, loss, norm])]):
            gradients = [tf.identity(gradient) for gradient in gradients]
        gradient_of = {v.ref(): g for v, g in zip(self.trainable_variables, gradients, strict=True)}
        for optimizer, variables in self.optimizers:
            apply_gradients(optimizer, [(gradient_of[variable.ref()], variable) for variable in variables])
        return {"loss": loss, "words": tf.size(inputs.word_ids)}
