"""The signatures of an exported model."""

from collections.abc import Callable, Sequence

import tensorflow as tf

from coref_tf.deprecated import GenericFunction
from coref_tf.export.about import DIAL
from coref_tf.export.clusters import SignatureOutputs, decode_clusters
from coref_tf.export.sentences import split_sentences
from coref_tf.export.tensorizer import GraphTensorizer, checked_words
from coref_tf.export.text import TextSplitter
from coref_tf.features.tensorize import CorefInputs
from coref_tf.model import CorefOutput
from coref_tf.models.calibration import AS_THEY_ARE, Calibration
from coref_tf.ops import checks as check

# How many documents of a batch are processed in parallel.
DOCUMENTS_IN_FLIGHT = 2

_INTEGERS = tf.TensorSpec([None], tf.int32)
_STRINGS = tf.TensorSpec([None], tf.string)
_STRING = tf.TensorSpec([], tf.string)
_PROBABILITY = tf.TensorSpec([], tf.float32)
_DOCUMENT = [tf.TensorSpec([None, None], tf.string)] * 2 + [_STRING]
_DOCUMENTS = [_STRINGS, _INTEGERS, _INTEGERS, _STRINGS, _STRINGS]
# The minimum probability that removes no links; a tensor, because a SavedModel stores no other default.
_ALL_LINKS = tf.constant(0.0)


class ServingModule(tf.Module):
    """The content of a SavedModel: strings in, clusters out.

    Args:
        tensorizers: One per model.
        model: The model: a function (the inputs of each model) -> CorefOutput.
        variables: The variables of the models.
        max_mention_width: The maximum span width over all models.
        calibration: The calibration of the probabilities, which is also written next to the model.

    Example:
        module = ServingModule([tensorizer], lambda inputs: model(inputs[0]), model.variables, 10)
        module.serving_default(tokens=[["She", "left", "."]], speakers=[[""]], genre="nw")["mention_starts"]
    """

    def __init__(
        self,
        tensorizers: Sequence[GraphTensorizer],
        model: Callable[[list[CorefInputs]], CorefOutput],
        variables: Sequence[tf.Variable],
        max_mention_width: int,
        calibration: Calibration = AS_THEY_ARE,
    ):
        super().__init__(name="resolver")
        self.tensorizers = list(tensorizers)
        self.weights = list(variables)
        self.splitter = TextSplitter()
        self.calibration = calibration
        self._model = model
        self._max_mention_width = max_mention_width

    @property
    def signatures(self) -> dict[str, GenericFunction]:
        """Returns the signatures by name."""
        return {
            "serving_default": self.serving_default,
            "text": self.text,
            "batch": self.batch,
            "details": self.details,
            **{
                DIAL.format(name): getattr(self, DIAL.format(name))
                for name in ("serving_default", "text", "batch")
            },
        }

    @tf.function(input_signature=_DOCUMENT, autograph=False)
    def serving_default(
        self, tokens: tf.Tensor, speakers: tf.Tensor, genre: tf.Tensor
    ) -> dict[str, tf.Tensor]:
        """Resolves one document.

        Args:
            tokens: string [sentences, longest], the words of each sentence, padded with "".
            speakers: string with the same shape; all "", with any shape, if no speaker is known.
            genre: string []; if the model does not know it, the default genre is used.
        """
        return self._resolve(*_words_of_rows(tokens, speakers), genre, _ALL_LINKS)._asdict()

    @tf.function(input_signature=[*_DOCUMENT, _PROBABILITY], autograph=False)
    def serving_default_dial(
        self,
        tokens: tf.Tensor,
        speakers: tf.Tensor,
        genre: tf.Tensor,
        min_probability: tf.Tensor = _ALL_LINKS,
    ) -> dict[str, tf.Tensor]:
        """Resolves one document, without links of mentions with a place probability below `min_probability`.

        Args:
            tokens: The words, as in `serving_default`.
            speakers: The speakers of the words, as in `serving_default`.
            genre: The genre of the document, as in `serving_default`.
            min_probability: float32 [], from 0, which removes no link, to 1.
        """
        return self._resolve(*_words_of_rows(tokens, speakers), genre, min_probability)._asdict()

    @tf.function(input_signature=_DOCUMENT, autograph=False)
    def details(self, tokens: tf.Tensor, speakers: tf.Tensor, genre: tf.Tensor) -> dict[str, tf.Tensor]:
        """Resolves one document like `serving_default`, and returns everything that the model computed."""
        output = self._compute(*_words_of_rows(tokens, speakers), genre)
        found = decode_clusters(output, self._max_mention_width, self.calibration, _ALL_LINKS)._asdict()
        names = ("candidate_starts", "candidate_ends", "candidate_mention_scores", "head_scores")
        found |= {name: getattr(output, name) for name in names}
        return found | {f"antecedent_{name}": value for name, value in output.antecedents._asdict().items()}

    @tf.function(input_signature=[_STRING], autograph=False)
    def text(self, text: tf.Tensor) -> dict[str, tf.Tensor]:
        """Resolves a plain text, with the model's default genre.

        Args:
            text: string [], UTF-8.
        """
        return self._text(text, _ALL_LINKS)

    @tf.function(input_signature=[_STRING, _PROBABILITY], autograph=False)
    def text_dial(self, text: tf.Tensor, min_probability: tf.Tensor = _ALL_LINKS) -> dict[str, tf.Tensor]:
        """Resolves a plain text, without improbable links, as in `serving_default_dial`."""
        return self._text(text, min_probability)

    @tf.function(input_signature=[_STRING, _PROBABILITY], autograph=False)
    def _text(self, text: tf.Tensor, min_probability: tf.Tensor) -> dict[str, tf.Tensor]:
        tokens, sentence_lengths = split_sentences(self.splitter(text))
        speakers = tf.fill(tf.shape(tokens.words), "")
        resolved = self._resolve(tokens.words, sentence_lengths, speakers, "", min_probability)
        begins = tf.gather(tokens.begins, resolved.mention_starts)
        ends = tf.gather(tokens.ends, resolved.mention_ends)
        characters = tf.gather(tf.strings.unicode_split(text, "UTF-8"), tf.ragged.range(begins, ends))
        places = {"mention_begin_char": begins, "mention_end_char": ends}
        return resolved._asdict() | places | {"mention_text": tf.strings.reduce_join(characters, axis=1)}

    @tf.function(input_signature=_DOCUMENTS, autograph=False)
    def batch(
        self,
        tokens: tf.Tensor,
        sentence_lengths: tf.Tensor,
        document_lengths: tf.Tensor,
        speakers: tf.Tensor,
        genres: tf.Tensor,
    ) -> dict[str, tf.Tensor]:
        """Resolves several documents.

        Args:
            tokens: string [words], those of all documents, concatenated.
            sentence_lengths: int32 [sentences], in words.
            document_lengths: int32 [documents], in sentences.
            speakers: string [words]; all "", with any length, if no speaker is known.
            genres: string [documents]; all "", with any length, if they are unknown.
        """
        return self._batch(tokens, sentence_lengths, document_lengths, speakers, genres, _ALL_LINKS)

    @tf.function(input_signature=[*_DOCUMENTS, _PROBABILITY], autograph=False)
    def batch_dial(
        self,
        tokens: tf.Tensor,
        sentence_lengths: tf.Tensor,
        document_lengths: tf.Tensor,
        speakers: tf.Tensor,
        genres: tf.Tensor,
        min_probability: tf.Tensor = _ALL_LINKS,
    ) -> dict[str, tf.Tensor]:
        """Resolves several documents, without improbable links, as in `serving_default_dial`."""
        return self._batch(tokens, sentence_lengths, document_lengths, speakers, genres, min_probability)

    @tf.function(input_signature=[*_DOCUMENTS, _PROBABILITY], autograph=False)
    def _batch(
        self,
        tokens: tf.Tensor,
        sentence_lengths: tf.Tensor,
        document_lengths: tf.Tensor,
        speakers: tf.Tensor,
        genres: tf.Tensor,
        min_probability: tf.Tensor,
    ) -> dict[str, tf.Tensor]:
        tokens = check.require(
            ~tf.reduce_any(tokens == ""), tokens, "tokens must be words. Received: an empty string"
        )
        sentence_lengths = _adding_up("sentence_lengths", sentence_lengths, "tokens", tf.size(tokens))
        document_lengths = _adding_up(
            "document_lengths", document_lengths, "sentences", tf.size(sentence_lengths)
        )
        sizes = tf.size(tokens), tf.size(speakers)
        speakers = _speakers(speakers, sizes[0] == sizes[1], tokens != "", sizes)
        sizes = tf.size(document_lengths), tf.size(genres)
        genres = _strings_of("genres", genres, sizes[0] == sizes[1], "one per document, {}", sizes)
        # [documents + 1], [sentences + 1]: the first sentence of each document, the first word of each sentence
        documents = tf.concat([[0], tf.cumsum(document_lengths)], axis=0)
        sentences = tf.concat([[0], tf.cumsum(sentence_lengths)], axis=0)

        def one(number: tf.Tensor) -> SignatureOutputs:
            first, last = documents[number], documents[number + 1]
            words = slice(sentences[first], sentences[last])
            lengths = sentence_lengths[first:last]
            return self._resolve(tokens[words], lengths, speakers[words], genres[number], min_probability)

        kinds = self._resolve.get_concrete_function().structured_outputs
        kinds = tf.nest.map_structure(lambda kind: tf.RaggedTensorSpec(kind.shape, kind.dtype, 0), kinds)
        numbers = tf.range(tf.size(document_lengths))
        results = tf.map_fn(one, numbers, parallel_iterations=DOCUMENTS_IN_FLIGHT, fn_output_signature=kinds)
        documents_of = {
            f"{kind}_documents": tf.cast(getattr(results, f"{kind}_starts").value_rowids(), tf.int32)
            for kind in ("mention", "top_span")
        }
        return {name: value.values for name, value in results._asdict().items()} | documents_of

    @tf.function(input_signature=[_STRINGS, _INTEGERS, _STRINGS, _STRING, _PROBABILITY], autograph=False)
    def _resolve(
        self,
        words: tf.Tensor,
        sentence_lengths: tf.Tensor,
        speakers: tf.Tensor,
        genre: tf.Tensor,
        min_probability: tf.Tensor,
    ) -> SignatureOutputs:
        message = "min_probability must be from 0 to 1. Received: {}"
        is_probability = (min_probability >= 0) & (min_probability <= 1)
        min_probability = check.require(is_probability, min_probability, message, min_probability)
        output = self._compute(words, sentence_lengths, speakers, genre)
        return decode_clusters(output, self._max_mention_width, self.calibration, min_probability)

    @tf.function(input_signature=[_STRINGS, _INTEGERS, _STRINGS, _STRING], autograph=False)
    def _compute(
        self, words: tf.Tensor, sentence_lengths: tf.Tensor, speakers: tf.Tensor, genre: tf.Tensor
    ) -> CorefOutput:
        """Runs the model; a separate function, so that a SavedModel contains the model only once."""
        words = checked_words(words, sentence_lengths, speakers, genre)
        return self._model([tensorizer(words) for tensorizer in self.tensorizers])


def _words_of_rows(tokens: tf.Tensor, speakers: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
    """Returns the words of padded rows, string [words], the lengths of sentences, int32 [sentences], and speakers."""
    real = tokens != ""
    holes = real[:, 1:] & ~real[:, :-1]
    message = "a row of tokens must be words, then empty. Received: an empty string before a word in row {}"
    real = check.require(~tf.reduce_any(holes), real, message, tf.where(holes)[:1, 0])
    words = tf.boolean_mask(tokens, real)
    shapes = tf.shape(tokens), tf.shape(speakers)
    speakers = _speakers(
        tf.reshape(speakers, [-1]), tf.reduce_all(shapes[0] == shapes[1]), tf.reshape(real, [-1]), shapes
    )
    lengths = tf.reduce_sum(tf.cast(real, tf.int32), axis=1)
    return words, lengths, speakers


def _speakers(speakers: tf.Tensor, fit: tf.Tensor, real: tf.Tensor, shapes: Sequence[tf.Tensor]) -> tf.Tensor:
    """Returns the speakers of the words without padding, string [words]."""
    speakers = _strings_of("speakers", speakers, fit, "of the shape of tokens, {}", shapes)
    return tf.boolean_mask(speakers, real)


def _strings_of(
    name: str, strings: tf.Tensor, fit: tf.Tensor, expected: str, shapes: Sequence[tf.Tensor]
) -> tf.Tensor:
    """Returns the strings if their shape is right; if it is not, but all are "", returns the right number of ""."""
    message = f"{name} must be {expected}, or all empty. Received: shape {{}}"
    strings = check.require(fit | tf.reduce_all(strings == ""), strings, message, *shapes)
    return tf.cond(fit, lambda: strings, lambda: tf.fill([tf.reduce_prod(shapes[0])], ""))


def _adding_up(name: str, lengths: tf.Tensor, other_name: str, total: tf.Tensor) -> tf.Tensor:
    """Returns the lengths after checking that they sum to a total."""
    message = f"{name} must sum to the number of {other_name}, {{}}. Received: a sum of {{}}"
    total, sum_of_lengths = tf.cast(total, tf.int64), tf.reduce_sum(tf.cast(lengths, tf.int64))
    lengths = check.require(sum_of_lengths == total, lengths, message, total, sum_of_lengths)
    return check.no_negative(name, lengths)
