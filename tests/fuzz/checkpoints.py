"""Fuzzes the loading of checkpoints with damaged and hostile files; `cases.py` explains how to run the fuzzer."""

import functools
import hashlib
import io
import json
import random
import tempfile
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from cases import Case, Fuzzer

MAGIC, USER_BLOCK = b"coref_tf checkpoint 1\n", 512
VALUES = [
    0, -1, 1, 7, 10**9, 10**30, 1.5, 1e308, True, None, "", "x", "nw", "\0", [], [0], [-1], [10**9], ["nw", "nw"], {},
    {"size": 3}, [{"path": "/dev/zero", "size": 12}], [{"path": "/none", "size": 12}], [{"size": 12}],
    [{"path": "x", "size": 10**12}],    "learned", "oracle", "coarse", "/etc/passwd", [[[]]],
]  # fmt: skip


@functools.cache
def original() -> bytes:
    """Returns a checkpoint of the small reference model with random weights."""
    from random_documents import small_experiment, small_model

    from coref_tf.models.checkpoint import Checkpoint, model_settings, write_checkpoint

    variables = {variable.name.removesuffix(":0"): variable.numpy() for variable in small_model().variables}
    characters = [chr(ord("a") + number) for number in range(11)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "best.h5")
        write_checkpoint(
            path, Checkpoint(model_settings(small_experiment()), characters, variables, {"run": {}})
        )
        return path.read_bytes()


def signed(content: bytes) -> bytes:
    """Returns the content with a correct checksum, so that loading goes beyond that check."""
    digest = hashlib.sha256(content[USER_BLOCK:]).hexdigest().encode()
    return (MAGIC + digest).ljust(USER_BLOCK, b"\n") + content[USER_BLOCK:]


def scratched(content: bytes, rng: random.Random) -> bytes:
    """Returns the content with some bytes changed, removed or inserted."""
    data = bytearray(content)
    for _ in range(rng.choice([1, 1, 4, 50])):
        place = rng.randrange(len(data) + 1)
        kind = rng.randrange(4)
        if kind == 0:
            data[place : place + 1] = rng.randbytes(1)
        elif kind == 1:
            del data[place : place + rng.choice([1, 8, 500])]
        elif kind == 2:
            data[place:place] = rng.randbytes(rng.choice([1, 8]))
        elif rng.random() < 0.2:
            del data[place:]
    return bytes(data)


def rewritten(content: bytes, rng: random.Random) -> bytes:
    """Returns a valid HDF5 file with changed content."""
    buffer = io.BytesIO(content)
    with h5py.File(buffer, "r+") as file:
        for _ in range(rng.choice([1, 1, 2])):
            rng.choice([change_settings, change_attribute, change_variable, point_elsewhere])(file, rng)
    return signed(buffer.getvalue())


def change_settings(file: h5py.File, rng: random.Random) -> None:
    """Changes or removes a setting."""
    settings = json.loads(file.attrs["settings"])
    key = rng.choice([*settings, "none"])
    if rng.random() < 0.2:
        settings.pop(key, None)
    else:
        settings[key] = rng.choice(VALUES)
    put(file, "settings", json.dumps(settings))


def change_attribute(file: h5py.File, rng: random.Random) -> None:
    """Replaces the settings, the characters or the state as a whole."""
    texts = [
        "",
        "{",
        "[]",
        "{}",
        "3",
        '["ab"]',
        '["a", "a"]',
        "[" * 5000,
        "NaN",
        '["a"]',
        json.dumps(["x"] * 3000),
    ]
    put(file, rng.choice(["settings", "characters", "state"]), rng.choice([*texts, 3.5, None]))


def put(file: h5py.File, name: str, value: Any) -> None:
    """Replaces or removes an attribute."""
    if name in file.attrs:
        del file.attrs[name]
    if value is not None:
        file.attrs[name] = value


def change_variable(file: h5py.File, rng: random.Random) -> None:
    """Changes the values, shape, type or name of a variable, or removes it."""
    variables = file["variables"]
    names: list[str] = []
    variables.visititems(lambda name, item: names.append(name) if isinstance(item, h5py.Dataset) else None)
    if not names:
        return
    name = rng.choice(sorted(names))
    value = variables[name][()]
    del variables[name]
    others = [
        None, value + 1, np.full_like(value, np.nan), np.full_like(value, np.inf), value[:0], value.T, value.ravel(),
        np.float32(3), value.astype(np.int32), value.astype(np.float64), value.astype(np.float16), value.astype("S4"),
        np.zeros((2, *value.shape), np.float32), value.astype(np.complex64),
    ]  # fmt: skip
    if (other := rng.choice(others)) is not None:
        variables[name if rng.random() < 0.9 else f"{name}_"] = other


def point_elsewhere(file: h5py.File, rng: random.Random) -> None:
    """Adds a variable whose data are in another file, are missing or are huge."""
    variables, name = file["variables"], f"x{rng.randrange(10**6)}"
    ways = [
        lambda: variables.create_dataset(name, (100,), np.uint8, external=[("/etc/passwd", 0, 100)]),
        lambda: variables.__setitem__(name, h5py.ExternalLink("/etc/passwd", "x")),
        lambda: variables.__setitem__(name, h5py.SoftLink("/variables")),
        lambda: variables.__setitem__(name, h5py.SoftLink("/none")),
        lambda: variables.__setitem__(name, file["/"]),
        lambda: variables.create_dataset(name, (2**40,), np.float32, chunks=(1024,)),
        lambda: variables.create_dataset(
            name, (2**40, 2**20), np.float32, chunks=(1, 1024), compression="gzip"
        ),
        lambda: variables.create_dataset(name, data=np.zeros(2000, np.int32), compression="lzf"),
        lambda: variables.__setitem__("/".join("x" * rng.choice([5, 100])), 1.0),
        lambda: variables.__setitem__(name, h5py.Empty("f")),
        lambda: file.__delitem__("variables"),
    ]
    rng.choice(ways)()


def hostile_checkpoint(number: int, seed: int) -> Case:
    """Returns a case with a checkpoint that is damaged, with or without a correct checksum, or rewritten."""
    rng = random.Random(f"checkpoints {seed} {number}")
    kind = rng.choices(["scratched", "scratched and signed", "rewritten", "something else"], [2, 1, 6, 0.3])[
        0
    ]
    if kind == "rewritten":
        try:
            content = rewritten(original(), rng)
        except (KeyError, ValueError, TypeError, OSError):  # two changes that are incompatible
            content = signed(scratched(original(), rng))
    elif kind == "something else":
        content = rng.choice([b"", MAGIC, signed(b""), signed(rng.randbytes(5000)), rng.randbytes(2000)])
    else:
        content = scratched(original(), rng)
        content = signed(content) if kind == "scratched and signed" else content
    return Case(kind, lambda: load(content), check)


def load(content: bytes) -> Any:
    """Loads the model of a file with this content, as `coref predict --checkpoint` does."""
    from coref_tf.models.open_model import open_trained_model
    from coref_tf.support.errors import CorefError

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "best.h5")
        path.write_bytes(content)
        try:
            opened = open_trained_model(path)
            return opened.build(), opened.tensorizer()
        except CorefError as error:
            assert "\n" not in str(error) and len(str(error)) < 2000, f"{str(error)[:1000]} ..."
            raise


def check(loaded: Any) -> None:
    """Checks properties that every model has."""
    model, tensorizer = loaded
    assert all(np.isfinite(variable.numpy()).all() for variable in model.variables)
    assert len(tensorizer.characters) >= 1


FUZZER = Fuzzer(__file__, hostile_checkpoint, refusals=("CorefError", "OSError"))

if __name__ == "__main__":
    FUZZER.main()
