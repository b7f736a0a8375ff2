"""HDF5 files, checkpoints and vectors that refer to other files or claim data they don't have are refused."""

import hashlib
import io
import json
import subprocess
import sys
import time

import h5py
import numpy as np
import pytest

from coref_tf.features.vector_store import VectorStore, write_vectors
from coref_tf.models.checkpoint import Checkpoint, read_checkpoint, write_checkpoint
from coref_tf.support.environment import ROOT
from coref_tf.support.errors import CorefError
from coref_tf.support.hdf5 import create_hdf5, open_hdf5, read_dataset

SECRET = b"something that is nobody's business"


@pytest.fixture
def secret(tmp_path):
    """A file that must not be read."""
    path = tmp_path / "secret"
    path.write_bytes(SECRET * 100)
    return path


def external(file, name, secret):
    file.create_dataset(name, (100,), np.uint8, external=[(str(secret), 0, 100)])


def external_link(file, name, secret):
    with h5py.File(secret.with_suffix(".h5"), "w") as other:
        other["x"] = np.zeros(3, np.float32)
    file[name] = h5py.ExternalLink(str(secret.with_suffix(".h5")), "x")


def soft_link(file, name, secret):
    file["real"] = np.zeros(3, np.float32)
    file[name] = h5py.SoftLink("/real")


def virtual(file, name, secret):
    external_link(file, "other", secret)
    del file["other"]
    layout = h5py.VirtualLayout((3,), np.float32)
    layout[:] = h5py.VirtualSource(str(secret.with_suffix(".h5")), "x", (3,))
    file.create_virtual_dataset(name, layout)


def claimed(file, name, secret):
    file.create_dataset(name, (1 << 40,), np.float32, chunks=(1024,))


def claimed_packed(file, name, secret):
    file.create_dataset(name, (1 << 40,), np.float32, chunks=(1024,), compression="gzip")[:10] = 1


def unknown_filter(file, name, secret):
    file.create_dataset(name, data=np.zeros(2000, np.int32), chunks=(1000,), compression="lzf")


def words(file, name, secret):
    file[name] = ["not", "numbers"]


def itself(file, name, secret):
    file.require_group("group")["again"] = file["/"]


def twice(file, name, secret):
    file["real"] = np.zeros(3, np.float32)
    file[name] = file["real"]


def deep(file, name, secret):
    file["/".join("x" * 30)] = 1.0


HOSTILE = {
    external: "x stores its data outside the file", external_link: "x is a link; expected data",
    soft_link: "x is a link; expected data", virtual: "x stores its data outside the file", claimed: "x claims 4,398,0",
    claimed_packed: "x claims 4,398,0", unknown_filter: "x is compressed with an unknown filter",
    words: "expected numbers",
    itself: "under another name|more than", twice: "under another name", deep: "more than 20 levels",
}  # fmt: skip


@pytest.mark.parametrize("make", HOSTILE, ids=lambda make: make.__name__)
def test_hostile_files_are_refused(tmp_path, secret, make):
    with h5py.File(tmp_path / "file.h5", "w") as file:
        make(file, "x", secret)
    with pytest.raises(ValueError, match=HOSTILE[make]):
        open_hdf5(tmp_path / "file.h5")


def test_shapes_and_types_are_checked_before_reading(tmp_path):
    with h5py.File(tmp_path / "file.h5", "w") as file:
        file["x"] = np.zeros((2, 3), np.float32)
    with open_hdf5(tmp_path / "file.h5") as file:
        assert read_dataset(file, "x", (2, None), np.float32).shape == (2, 3)
        for arguments, message in {
            ("y", (2,), np.float32): "y is missing",
            ("x", (2, 4), np.float32): "x has shape",
            ("x", (2, 3), np.integer): "x has values of type float32; expected integer",
        }.items():
            with pytest.raises(ValueError, match=message):
                read_dataset(file, *arguments)


def test_written_files_do_not_depend_on_the_time():
    def written():
        buffer = io.BytesIO()
        with create_hdf5(buffer) as file:
            file["x"] = np.arange(3)
            file.attrs["format"] = "new"
            assert file.libver == ("v110", "v110")
        return buffer.getvalue()

    first = written()
    time.sleep(1.1)  # HDF5 stores times in whole seconds
    assert written() == first
    with open_hdf5(first) as file:
        assert file["x"][()].tolist() == [0, 1, 2]


def sign(content: bytes) -> bytes:
    """The checkpoint with a valid checksum of its changed content."""
    digest = hashlib.sha256(content[512:]).hexdigest()
    return b"coref_tf checkpoint 1\n" + digest.encode() + b"\n" * (512 - 22 - 64) + content[512:]


@pytest.mark.parametrize("make", [external, external_link, virtual, claimed], ids=lambda make: make.__name__)
def test_a_checkpoint_cannot_refer_to_other_files(tmp_path, secret, make):
    path = tmp_path / "best.h5"
    write_checkpoint(path, Checkpoint({}, ["a"], {"y": np.zeros(3, np.float32)}))
    buffer = io.BytesIO(path.read_bytes())
    with h5py.File(buffer, "r+") as file:
        make(file["variables"], "x", secret)
    path.write_bytes(sign(buffer.getvalue()))
    with pytest.raises(CorefError, match=r"best.h5: not a valid checkpoint \(variables/x "):
        read_checkpoint(path)


@pytest.mark.parametrize(
    ("key", "value"),
    [("settings", "[]"), ("settings", "{"), ("characters", '["ab"]'), ("characters", "3"), ("state", "[" * 10**5)],
)  # fmt: skip
def test_a_checkpoint_with_invalid_attributes_is_a_one_line_error(tmp_path, key, value):
    path = tmp_path / "best.h5"
    write_checkpoint(path, Checkpoint({}, ["a"], {}))
    buffer = io.BytesIO(path.read_bytes())
    with h5py.File(buffer, "r+", track_order=False) as file:
        del file.attrs[key]
        file.attrs[key] = value
    path.write_bytes(sign(buffer.getvalue()))
    with pytest.raises(CorefError, match="not a valid checkpoint") as error:
        read_checkpoint(path)
    assert len(str(error.value)) < 400 + len(str(path))
    assert json.dumps(str(error.value))


@pytest.mark.parametrize("name", ["words", "rows", "matrix"])
def test_vectors_cannot_refer_to_other_files(tmp_path, secret, name):
    path = tmp_path / "vectors.h5"
    write_vectors(path, [("a", [1, 2]), ("b", [3, 4])], 2)
    VectorStore(path)
    with h5py.File(path, "r+") as file:
        del file[name]
        external(file, name, secret)
    with pytest.raises(CorefError, match=f"{name} stores its data outside the file"):
        VectorStore(path)


def test_vectors_that_are_not_finite_or_have_a_wrong_type_are_refused(tmp_path):
    path = tmp_path / "vectors.h5"
    write_vectors(path, [("a", [1, float("nan")]), ("b", [3, 4])], 2)
    with pytest.raises(CorefError, match="matrix has values that are not finite"):
        VectorStore(path).take(np.array([0]))
    with h5py.File(path, "r+") as file:
        del file["matrix"]
        file.create_dataset("matrix", data=np.zeros((2, 2), np.int64), chunks=(1, 2))
    with pytest.raises(CorefError, match="matrix has values of type int64"):
        VectorStore(path)


def test_a_file_that_is_open_at_exit_causes_no_error(tmp_path):
    write_groups(tmp_path / "file.h5")
    script = """
import builtins, sys
from coref_tf.support.hdf5 import open_hdf5
builtins.kept = open_hdf5(open(sys.argv[1], "rb").read())["group"]  # outlives all modules
"""
    done = subprocess.run([sys.executable, "-c", script, tmp_path / "file.h5"], cwd=ROOT, capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")


def write_groups(path):
    with h5py.File(path, "w") as file:
        file.create_group("group").create_dataset("numbers", data=np.arange(3))
