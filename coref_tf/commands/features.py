"""Word vectors and character vocabularies for corpora of one's own.

    coref features convert IN OUT.h5 [--vocabulary FILE ...] [--size N] [--half]
    coref features characters OUT.txt FILE ...

`convert` writes vectors (text, .gz, .zip or HDF5) as HDF5, filtered to the words of documents if asked to.
`characters` writes the character vocabulary of documents.
"""

import argparse
from collections.abc import Iterator, Sequence

from coref_tf.documents.document import Document
from coref_tf.documents.formats import read_documents
from coref_tf.features.characters import CharacterVocabulary, build_character_vocabulary
from coref_tf.features.convert import convert_vectors
from coref_tf.features.embeddings import VectorSet
from coref_tf.support.errors import CorefError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    commands = parser.add_subparsers(dest="command", required=True)
    convert = commands.add_parser("convert", help="write word vectors as HDF5")
    convert.add_argument("input", metavar="IN", help="vectors: text, .gz, .zip or HDF5")
    convert.add_argument("output", metavar="OUT.h5")
    convert.add_argument(
        "--vocabulary", nargs="+", metavar="FILE", help="keep only the words of these documents"
    )
    convert.add_argument("--size", type=int, metavar="N", help="numbers per vector, if the file leaves doubt")
    convert.add_argument("--half", action="store_true", help="store in half precision, at unit length")
    convert.set_defaults(call=run_convert)
    characters = commands.add_parser("characters", help="write a character vocabulary")
    characters.add_argument("output", metavar="OUT.txt")
    characters.add_argument("files", nargs="+", metavar="FILE", help="documents")
    characters.set_defaults(call=run_characters)


def run_convert(arguments: argparse.Namespace) -> None:
    """`convert`."""
    vocabulary = None
    if arguments.vocabulary:
        vocabulary = {word for document in _documents(arguments.vocabulary) for word in document.words}
    if arguments.size is not None and arguments.size < 1:
        raise CorefError(f"--size must be 1 or more. Received: {arguments.size}")
    count, size = convert_vectors(
        arguments.input, arguments.output, vocabulary, arguments.size, arguments.half
    )
    line = f"{arguments.output}: {count:,} words of {size} numbers"
    if vocabulary:
        vectors = VectorSet.open(arguments.output, size, fallback_lowercase=True, plain_brackets=True)
        share = vectors.known(sorted(vocabulary)).mean()
        line += f"; {share:.1%} of the documents' {len(vocabulary):,} words have a vector"
    print(line)


def run_characters(arguments: argparse.Namespace) -> None:
    """`characters`."""
    vocabulary = CharacterVocabulary(build_character_vocabulary(_documents(arguments.files)))
    if not vocabulary.characters:
        raise CorefError(
            f"{', '.join(arguments.files)}: no words, so no characters; expected documents with words"
        )
    vocabulary.write(arguments.output)
    print(f"{arguments.output}: {len(vocabulary.characters):,} characters")


def _documents(files: Sequence[str]) -> Iterator[Document]:
    for file in files:
        yield from read_documents(file)


def run(arguments: argparse.Namespace) -> None:
    """One of the above."""
    arguments.call(arguments)
