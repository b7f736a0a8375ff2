"""Prepares OntoNotes for the experiments; `make ontonotes` calls it.

    coref ontonotes CONLL2012 [--ontonotes DIR] [--glove FILE] [--turian FILE] [--language NAME]

reads the CoNLL-2012 release, puts words into its skeletons from the OntoNotes 5.0 release, and writes train,
dev and test, the character vocabulary and the filtered vectors to data/ontonotes, and data/ontonotes.conf.
"""

import argparse
from pathlib import Path

from coref_tf.ontonotes.prepare import Request, prepare
from coref_tf.ontonotes.release import DOCUMENT_COUNTS
from coref_tf.support.environment import ROOT
from coref_tf.support.errors import CorefError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument("conll2012", metavar="CONLL2012", help="folder of the CoNLL-2012 release")
    parser.add_argument("--ontonotes", type=Path, metavar="DIR", help="folder of the OntoNotes 5.0 release")
    parser.add_argument("--glove", type=Path, metavar="FILE", help="GloVe 840B, 300 dimensions")
    parser.add_argument(
        "--turian", type=Path, metavar="FILE", help="the vectors of Turian et al., 50 dimensions"
    )
    parser.add_argument("--language", choices=sorted(DOCUMENT_COUNTS), default="english")
    parser.add_argument(
        "--expect", metavar="TRAIN,DEV,TEST", help="numbers of documents, if not the release's"
    )
    parser.add_argument("--output", type=Path, default=ROOT / "data" / "ontonotes", metavar="DIR")


def expected_counts(text: str | None, language: str) -> tuple[int, ...]:
    """The numbers of documents to be found."""
    if text is None:
        return DOCUMENT_COUNTS[language]
    counts = text.split(",")
    if len(counts) != 3 or not all(count.isdecimal() for count in counts):
        raise CorefError(f"--expect must be three numbers as in 2802,343,348. Received: {text!r}")
    return tuple(map(int, counts))


def run(arguments: argparse.Namespace) -> None:
    """Prepares it, saying what is found and written."""
    if not Path(arguments.conll2012 or "-").is_dir():
        raise CorefError(
            f"no folder {arguments.conll2012!r}; expected the CoNLL-2012 release, as in "
            "`make ontonotes CONLL2012=conll-2012 ONTONOTES=ontonotes-release-5.0`"
        )
    vectors = {"glove": arguments.glove, "turian": arguments.turian}
    request = Request(
        conll2012=Path(arguments.conll2012),
        ontonotes=arguments.ontonotes,
        language=arguments.language,
        expected=expected_counts(arguments.expect, arguments.language),
        vectors={name: path for name, path in vectors.items() if path},
        output=arguments.output,
    )
    for line in prepare(request):
        print(line, flush=True)
