"""Finds the files of the CoNLL-2012 and OntoNotes 5.0 releases."""

import re
from pathlib import Path
from typing import NamedTuple

from coref_tf.support.errors import CorefError

# The names of our sets in the release.
PARTITIONS = {"train": "train", "dev": "development", "test": "test"}

# The numbers of documents (parts count as documents) of train, dev and test.
DOCUMENT_COUNTS = {"english": (2802, 343, 348), "chinese": (1810, 252, 218)}

_GOLD = re.compile(r"(?P<name>.+)\.(v[0-9]+_)?gold_(?P<kind>conll|skel)")


class Source(NamedTuple):
    """A file with gold annotation; `name` is its path inside the release, as in nw/wsj/23/wsj_2300."""

    name: str
    path: Path
    is_skeleton: bool


def gold_sources(conll2012: Path, partition: str, language: str) -> list[Source]:
    """Returns the files of a set by name; if a file exists in both forms, only the one with words.

    Args:
        conll2012: The folder conll-2012, or its parent.
        partition: "train", "dev" or "test".
        language: The language, as named in the release.
    """
    inside = Path("data", PARTITIONS[partition], "data", language, "annotations")
    # The key of the test set was released as v4; v9 is the official test set.
    folders = [
        conll2012 / base / version / inside for base in ("", "conll-2012") for version in ("v4", "v9", "")
    ]
    for folder in folders:
        sources = {}
        for path in sorted(folder.rglob("*")):
            if match := _GOLD.fullmatch(path.relative_to(folder).as_posix()):
                source = Source(match["name"], path, match["kind"] == "skel")
                if source.name not in sources or not source.is_skeleton:
                    sources[source.name] = source
        if sources:
            return [sources[name] for name in sorted(sources)]
    raise CorefError(
        f"{conll2012}: no *_gold_conll or *_gold_skel files of {language} {partition}; "
        f"expected them in v4/{inside.as_posix()}"
    )


def treebank_folder(ontonotes: Path, language: str) -> Path:
    """Returns the folder of the .parse files in the OntoNotes release."""
    for inside in ("data/files/data", "files/data", "data", ""):
        folder = ontonotes / inside / language / "annotations"
        if folder.is_dir():
            return folder
    raise CorefError(
        f"{ontonotes}: not the OntoNotes 5.0 release; expected its data/files/data/{language}/annotations"
    )
