"""Measures whether the time and memory per message stay constant in a long session.

python -m benchmarks.session english-fast --messages 10000 --max-words 100

The messages are the sentences of the conversations in data/open, repeated as needed.
"""

import argparse
import itertools
import time
from collections.abc import Iterator
from pathlib import Path

import coref_tf
from coref_tf.documents.inline import read_inline_folder
from coref_tf.support.errors import run_command

OPEN = Path(__file__).resolve().parent.parent / "data" / "open" / "train"
GENRES = ("chat", "interview", "mail", "meeting")


def main() -> None:
    """Adds messages, and prints the processor time per message and the memory of the process ten times."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", nargs="?", default="english-fast")
    parser.add_argument("--messages", type=int, default=10_000)
    parser.add_argument("--max-words", type=int, default=100)
    arguments = parser.parse_args()
    session = coref_tf.load(arguments.model, cores=1).session(max_words=arguments.max_words)
    size = max(1, arguments.messages // 10)
    messages = itertools.cycle(conversation())
    for number in range(1, arguments.messages // size + 1):
        begun = time.process_time()
        for words, speaker in itertools.islice(messages, size):
            session.add([words], speaker=speaker)
        milliseconds = (time.process_time() - begun) / size * 1000
        print(
            f"{number * size:,} messages: {milliseconds:.1f} ms per message, {resident_megabytes():.0f} MB",
            flush=True,
        )


def conversation() -> Iterator[tuple[tuple[str, ...], str]]:
    """Yields the words and the speaker of each sentence."""
    for document in read_inline_folder(OPEN):
        if document.genre in GENRES:
            for words, speakers in zip(document.sentences, document.speakers, strict=True):
                yield tuple(words), speakers[0]


def resident_megabytes() -> float:
    """Returns the anonymous memory of the process, which excludes memory-mapped files."""
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("RssAnon"))


if __name__ == "__main__":
    run_command(main)
