"""Fuzzes the settings with damaged and hostile files and command-line changes; `cases.py` explains how to run it."""

import random
import tempfile
from pathlib import Path
from typing import Any

from cases import ROOT, Case, Fuzzer

REFERENCE = ROOT / "tests" / "fixtures" / "reference" / "experiments.conf"
NAMES = [*["small"] * 20, "other", "best", "${small}", ""]
PIECES = [
    "{", "}", "[", "]", "=", ":", ",", "+=", "\n", '"', '"""', "#", "//", "\\", "\0", "\t", "\ufeff", "\u2028", "😀",
    "${small}", "${", "${?x}", "${small.lstm_size}", "${a}${a}", "include ", 'include "experiments.conf"\n',
    'include "none.conf"\n', 'include required("none.conf")\n', 'include package("os:x")\n', 'include url("http://localhost:1/x")\n',
    'include "/dev/zero"\n', 'include "."\n', 'include "' + "x" * 5000 + '"\n', "small = [1]\n", "small = ${small}\n",
    "small.lstm_size = [", "1e999", "-1", "9" * 400, "null", "true", "nan", "\\ud800", '"\\ud800"', '"\\u0000"',
    "é" * 300,    "{a={b={", "[[[[", "a." * 200, "lstm_size", "name = x\n", "__class__ = 1\n",
]  # fmt: skip
KEYS = ["lstm_size", "genres", "embeddings", "log_root", "x", "embeddings.size", "lstm_size.x"]
VALUES = [
    "0", "-1", "1e999", "-1e999", "9" * 30, "9" * 5000, "1.5", "true", "null", "[]", "[[]]", "{}", "{ a = 1 }", '""',
    '"x"', "x y z", "${small}", "${?none}", "${none}", "[1, x, {}]", "[" * 60 + "]" * 60, '"\\u0000"', "/dev/zero",
    "0x10", "[0]", "[-3]",
]  # fmt: skip


def hostile(rng: random.Random) -> str:
    """Returns settings with deep nesting, cyclic references or very long lines."""
    depth = rng.choice([3, 40, 60, 2000])
    return rng.choice(
        [
            "\n".join(f"a{n} = ${{a{n + 1}}}" for n in range(depth)),
            "\n".join(f"a{n} = ${{a{(n + 1) % depth}}}" for n in range(depth)),
            "a = " + "{ b = " * depth + "1" + " }" * rng.choice([depth, depth // 2]),
            "a = " + "[" * depth + "]" * rng.choice([depth, depth // 2]),
            "a = 1\n" * depth + "b = [" + "${a}, " * depth + "]",
            ".".join("a" * depth) + " = 1\nb = ${" + ".".join("a" * depth) + "}",
            "# " + "x" * rng.choice([10, 300_000]),
        ]
    )


def mutated(text: str, rng: random.Random) -> str:
    """Returns the text with one to four mutations."""
    for _ in range(rng.choice([1, 1, 1, 4])):
        place, other = rng.randrange(len(text) + 1), rng.randrange(len(text) + 1)
        kind = rng.randrange(7)
        if kind == 0:
            text = text[:place] + rng.choice(PIECES) + text[place:]
        elif kind == 1:
            text = text[:place] + text[place + rng.choice([1, 1, 5, 100]) :]
        elif kind == 2:
            text = text[:place] + text[other : other + 60] + text[place:]
        elif kind == 3:
            text = text[:place] + chr(rng.choice([*range(128), 0xE9, 0x1F600])) + text[place + 1 :]
        else:
            lines = text.split("\n")
            line = rng.randrange(len(lines))
            if kind == 4:
                lines.insert(
                    rng.randrange(len(lines) + 1), hostile(rng) if rng.random() < 0.4 else lines[line]
                )
            else:
                lines[line] = f"{lines[line].split('=')[0]}= {rng.choice(VALUES)}"
            text = "\n".join(lines)
    return text


def hostile_settings(number: int, seed: int) -> Case:
    """Returns a case with a file, and in some cases a change of a setting."""
    rng = random.Random(f"settings {seed} {number}")
    text = mutated(REFERENCE.read_text(encoding="utf-8"), rng) if rng.random() < 0.8 else hostile(rng)
    content = text.encode("utf-8", "surrogatepass")
    if rng.random() < 0.1:
        place = rng.randrange(len(content) + 1)
        content = content[:place] + rng.randbytes(3) + content[place:]
    changes = [f"{rng.choice(KEYS)}={rng.choice(VALUES)}"] if rng.random() < 0.3 else []
    name = rng.choice(NAMES)
    return Case(f"experiment {name!r}, {changes}", lambda: read(name, content, changes), check)


def read(name: str, content: bytes, changes: list[str]) -> Any:
    """Loads the experiment of a file with this content."""
    from coref_tf.config import load_experiment
    from coref_tf.support.errors import CorefError

    with tempfile.TemporaryDirectory() as folder:
        conf = Path(folder, "experiments.conf")
        conf.write_bytes(content)
        try:
            return load_experiment(name, conf, changes)
        except CorefError as error:
            assert "\n" not in str(error) and len(str(error)) < 8000, f"{str(error)[:1000]} ..."
            raise


def check(experiment: Any) -> None:
    """Checks properties that every experiment has."""
    assert experiment.lstm_size > 0 and experiment.default_genre in experiment.genres
    assert all(vectors.size > 0 and vectors.path.is_absolute() for vectors in experiment.embeddings)


FUZZER = Fuzzer(__file__, hostile_settings, refusals=("CorefError", "OSError"))

if __name__ == "__main__":
    FUZZER.main()
