"""The option --given: documents that already have clusters, so that no model is needed."""

import argparse
from typing import NamedTuple

from coref_tf.documents.document import Document
from coref_tf.documents.format import Format
from coref_tf.documents.formats import choose_output_format
from coref_tf.documents.inputs import find_inputs, reader_of
from coref_tf.support.errors import CorefError
from coref_tf.support.files import STANDARD_OUTPUT, check_outputs

_PREDICTED = "predicted_clusters"  # the field that `coref predict` adds to jsonlines


class GivenDocuments(NamedTuple):
    """The inputs and the output of a command with --given."""

    inputs: list[str]
    output: str
    form: Format

    @classmethod
    def from_arguments(cls, arguments: argparse.Namespace, min_probability: float | None) -> "GivenDocuments":
        """Checks the arguments before anything is opened.

        Args:
            arguments: the parsed command line.
            min_probability: the default of --min-probability; any other value is rejected, because it requires a model.
        """
        of_model = arguments.model or arguments.checkpoint or arguments.mentions
        dial = arguments.precision is not None or arguments.min_probability != min_probability
        if of_model or dial or arguments.text is not None:
            raise CorefError(
                "--given uses the clusters in the documents; it cannot be combined with --model, --checkpoint,"
                " --min-probability, --precision, --mentions or --text"
            )
        inputs = find_inputs(arguments.words)
        output = arguments.output or STANDARD_OUTPUT
        form = choose_output_format(output, arguments.format)
        for path in inputs:
            reader_of(path)
        check_outputs([output], inputs)
        if not inputs:
            raise CorefError("no input; expected files or folders after --given")
        return cls(inputs, output, form)


def with_given_clusters(document: Document) -> Document:
    """Returns the document with its predicted clusters, if it has any, or else with its own."""
    if _PREDICTED in document.extra:
        return document.with_clusters(document.extra[_PREDICTED])
    if not document.clusters and document.num_words:
        raise CorefError(
            f"document {document.key}: has no clusters, which --given needs; without --given, a model predicts them"
        )
    return document
