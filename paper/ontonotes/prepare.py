"""Writes the sets, the character vocabulary and the word vectors for experiments on OntoNotes."""

import dataclasses
import logging
import os
import shutil
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import NamedTuple

from coref_tf.documents.conll import FULL_COLUMNS, WORD, check_block
from coref_tf.documents.conll_blocks import Block, read_blocks
from coref_tf.documents.sources import refuse
from coref_tf.features.characters import CharacterVocabulary
from coref_tf.features.convert import convert_vectors
from coref_tf.features.embeddings import VectorSet
from coref_tf.support.errors import CorefError, InputError
from coref_tf.support.files import atomic_write
from paper.ontonotes.mending import merge_repeated_mentions, write_plain_marks
from paper.ontonotes.release import PARTITIONS, Source, gold_sources, treebank_folder
from paper.ontonotes.settings import write_settings
from paper.ontonotes.skeleton import PLACEHOLDER, read_skeleton

_logger = logging.getLogger("paper.ontonotes")


@dataclasses.dataclass(frozen=True)
class Request:
    """What to prepare.

    Args:
        conll2012: The folder of the CoNLL-2012 release.
        ontonotes: The folder of the OntoNotes 5.0 release; needed for skeletons only.
        language: The language, as named in the releases.
        expected: The numbers of documents of train, dev and test.
        vectors: Word vectors by name ("glove", "turian"), to be filtered to the words of the sets.
        output: The folder to write; the settings are written next to it, to OUTPUT.conf.
    """

    conll2012: Path
    ontonotes: Path | None
    language: str
    expected: tuple[int, ...]
    vectors: dict[str, Path]
    output: Path


def prepare(request: Request) -> Iterator[str]:
    """Prepares everything, and yields a message for each result.

    Everything is checked and complete before the first file is put in place; the settings come last.
    """
    staging = request.output.with_name(f".{request.output.name}.{os.getpid()}.tmp")
    staging.mkdir(parents=True)
    try:
        words = yield from _write_sets(request, staging)
        characters = sorted({character for word in words for character in word})
        CharacterVocabulary(characters).write(staging / f"char_vocab.{request.language}.txt")
        yield f"characters: {len(characters):,}"
        sizes = yield from _write_vectors(request, staging, words)
        request.output.mkdir(exist_ok=True)
        for path in sorted(staging.iterdir()):
            os.replace(path, request.output / path.name)
    finally:
        shutil.rmtree(staging)
    yield write_settings(request.output, request.language, sizes)


def _write_sets(request: Request, folder: Path) -> Generator[str, None, set[str]]:
    """Writes train, dev and test; returns their words."""
    sources = {name: gold_sources(request.conll2012, name, request.language) for name in PARTITIONS}
    words: set[str] = set()
    seen: dict[tuple[str, int], Path] = {}
    for (name, files), expected in zip(sources.items(), request.expected, strict=True):
        size = SetSize()
        with atomic_write(folder / f"{name}.{request.language}.v4_gold_conll", "wb") as output:
            for block in _blocks(files, request):
                _check_new(block, seen)
                output.writelines(block.lines)
                size = size.plus(block)
                words.update(row.columns[WORD] for row in block.rows)
        if size.documents != expected:
            raise CorefError(
                f"{request.conll2012}: {size.documents:,} documents in {len(files):,} files of "
                f"{request.language} {name}; expected {expected:,}. Is the release complete? "
                "(--expect, or EXPECT= with make, sets other numbers)"
            )
        if not size.mentions:
            raise CorefError(
                f"{files[0].path}: no mentions here, nor in the rest of {name}; expected gold coreference"
            )
        skeletons = sum(source.is_skeleton for source in files)
        yield f"{name}: {size} ({len(files):,} files, {skeletons:,} of them skeletons)"
    return words


class SetSize(NamedTuple):
    """The size of a set."""

    documents: int = 0
    words: int = 0
    mentions: int = 0

    def plus(self, block: Block) -> "SetSize":
        """Returns the size with one more document."""
        return SetSize(self.documents + 1, self.words + len(block.rows), self.mentions + len(block.mentions))

    def __str__(self) -> str:
        return f"{self.documents:,} documents, {self.words:,} words, {self.mentions:,} mentions"


def _check_new(block: Block, seen: dict[tuple[str, int], Path]) -> None:
    key = block.doc_key, block.part
    if key in seen:
        message = f"document {block.doc_key}, part {block.part}, is also in {seen[key]}; expected it once"
        raise InputError(block.path, block.line, message)
    seen[key] = block.path


def _blocks(sources: list[Source], request: Request) -> Iterator[Block]:
    """Yields the documents of the files, with their words restored, after checking and repairing them."""
    for source, blocks in _opened(sources, request):
        for block in blocks:
            _check_rows(block)
            write_plain_marks(block)
            if merge_repeated_mentions(block):
                _logger.warning("%s:%d: clusters that share a mention were merged", source.path, block.line)
            check_block(block, refuse)
            yield block


def _opened(sources: list[Source], request: Request) -> Iterator[tuple[Source, Iterator[Block]]]:
    skeletons = [source.path for source in sources if source.is_skeleton]
    if skeletons and request.ontonotes is None:
        raise CorefError(
            f"{skeletons[0]}: one of {len(skeletons):,} files without words; "
            "provide the OntoNotes 5.0 release (ONTONOTES=DIR), which has them"
        )
    trees = treebank_folder(request.ontonotes, request.language) if skeletons else None
    for source in sources:
        if not source.is_skeleton:
            yield source, read_blocks(source.path)
            continue
        parse = trees / f"{source.name}.parse"
        if not parse.is_file():
            raise CorefError(f"{parse}: no such file; expected the trees of {source.path}")
        yield source, read_skeleton(source.path, parse, drop_edited=request.language == "english")


def _check_rows(block: Block) -> None:
    for row in block.rows:
        if len(row.columns) < FULL_COLUMNS:
            message = f"{len(row.columns)} columns; expected 12 or more, the last for coreference"
            raise InputError(block.path, row.line, message)
        if row.columns[WORD] == PLACEHOLDER:
            message = f"{PLACEHOLDER} instead of a word; expected words. Without this file, its skeleton would be used"
            raise InputError(block.path, row.line, message)


def _write_vectors(request: Request, folder: Path, words: set[str]) -> Generator[str, None, dict[str, int]]:
    """Writes the vectors of the words; returns the size of each set."""
    sizes = {}
    for name, path in request.vectors.items():
        output = folder / f"{name}.{request.language}.h5"
        count, sizes[name] = convert_vectors(path, output, words)
        known = VectorSet.open(output, sizes[name]).known(sorted(words)).mean()
        share = f"{known:.1%} of the {len(words):,} distinct words in the sets"
        yield f"{name}: {count:,} words of {sizes[name]} dimensions; {share}"
    return sizes
