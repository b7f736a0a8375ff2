"""Encoder files round-trip, and damaged or foreign files give a one-line error."""

import json

import h5py
import numpy as np
import pytest

from coref_tf.encoder.encoder_config import EncoderConfig
from coref_tf.encoder.encoder_file import EncoderFile, write_encoder
from coref_tf.support.errors import CorefError

PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "##é", "\u2028", " "]
CONFIG = EncoderConfig("bert", len(PIECES), 8, 1, 2, 12, 16, cls_id=2, sep_id=3, unk_id=1)
PROVENANCE = {"package": "tiny", "version": "1", "sha256": "0" * 64, "licence": "MIT"}


def tensor(name):
    generator = np.random.default_rng(len(name))
    return generator.normal(size=CONFIG.tensor_shapes()[name]).astype(np.float32)


def write(path, **changes):
    arguments = {"config": CONFIG, "vocabulary": PIECES, "tensor": tensor, "provenance": PROVENANCE}
    return write_encoder(path, **(arguments | {"dtype": "float32"} | changes))


@pytest.fixture
def path(tmp_path):
    write(tmp_path / "encoder.h5")
    return tmp_path / "encoder.h5"


def refusal(path):
    with pytest.raises(CorefError) as error:
        file = EncoderFile(path)
        for name in CONFIG.tensor_shapes():
            file.tensor(name)
    assert str(path) in str(error.value) and "\n" not in str(error.value)
    return str(error.value)


def test_round_trip(path):
    file = EncoderFile(path)
    assert (file.config, file.vocabulary, file.provenance, file.dtype) == (
        CONFIG,
        PIECES,
        PROVENANCE,
        "float32",
    )
    for name in CONFIG.tensor_shapes():
        np.testing.assert_array_equal(file.tensor(name), tensor(name))


def test_identity_depends_on_the_content_alone(path, tmp_path):
    write(tmp_path / "same.h5")
    write(tmp_path / "half.h5", dtype="float16")
    write(tmp_path / "zeros.h5", tensor=lambda name: np.zeros_like(tensor(name)))
    identities = [EncoderFile(tmp_path / f"{n}.h5").identity for n in ("encoder", "same", "half", "zeros")]
    assert identities[0] == identities[1] and len(set(identities)) == 3


def test_int8_of_zeros_and_of_large_numbers(tmp_path):
    for factor in (0, 1e30):
        summary = write(tmp_path / "e.h5", tensor=lambda name, by=factor: tensor(name) * by, dtype="int8")
        assert summary["error"] < 4e-3 and summary["weights"] == sum(
            tensor(n).size for n in CONFIG.tensor_shapes()
        )
    with pytest.raises(CorefError, match="too large for float16"):
        write(tmp_path / "f.h5", tensor=lambda name: tensor(name) * 1e30, dtype="float16")
    assert not (tmp_path / "f.h5").exists()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"dtype": "float64"}, "dtype must be one of float32, float16, int8"),
        ({"vocabulary": PIECES[:-1]}, "7 word pieces; expected 8"),
        ({"vocabulary": [*PIECES[:-1], "a"]}, "must not repeat a piece"),
        ({"vocabulary": [*PIECES[:-1], "a\n"]}, "or contain a line break"),
        ({"provenance": PROVENANCE | {"licence": ""}}, r"Missing: \['licence'\]"),
        (
            {"tensor": lambda name: tensor(name)[:1]},
            r"embeddings/words has shape \(1, 8\); expected \(8, 8\)",
        ),
        ({"tensor": lambda name: tensor(name) * np.inf}, "not finite"),
    ],
)
def test_invalid_encoders_are_not_written(tmp_path, changes, message):
    with pytest.raises(CorefError, match=message):
        write(tmp_path / "e.h5", **changes)
    assert list(tmp_path.iterdir()) == []


def test_missing_truncated_and_foreign_files_are_refused(path, tmp_path):
    assert "create it with `make encoder`" in refusal(tmp_path / "none.h5")
    content = path.read_bytes()
    for length in (0, 7, 100, len(content) // 2, len(content) - 1):
        path.write_bytes(content[:length])
        refusal(path)
    path.write_bytes(b"not HDF5 " * 100)
    refusal(path)
    with h5py.File(path, "w") as file:
        file.attrs["format"] = "word vectors"
    assert "its format is 'word vectors'" in refusal(path)


def test_a_changed_byte_is_detected_or_has_no_effect(path):
    content = path.read_bytes()
    generator = np.random.default_rng(0)
    for place in generator.integers(0, len(content), 30):
        changed = bytearray(content)
        changed[place] ^= 1 << generator.integers(8)
        path.write_bytes(changed)
        try:
            file = EncoderFile(path)
            for name in CONFIG.tensor_shapes():
                np.testing.assert_array_equal(file.tensor(name), tensor(name))
            assert (file.config, file.vocabulary, file.provenance) == (CONFIG, PIECES, PROVENANCE)
        except CorefError as error:
            assert "not a readable encoder file" in str(error)


def _settings(file, **changes):
    file.attrs["config"] = json.dumps(json.loads(file.attrs["config"]) | changes)


def _replace(file, name, data):
    del file[name]
    file[name] = data


DAMAGES = {
    "a tensor is missing": (
        lambda file: file.pop("tensors/embeddings/words"),
        "tensors/embeddings/words is missing",
    ),
    "a tensor has the wrong shape": (
        lambda file: _replace(file, "tensors/embeddings/segment", np.zeros(9, np.float32)),
        "tensors/embeddings/segment has shape (9,); expected (8,)",
    ),
    "a tensor has the wrong type": (
        lambda file: _replace(file, "tensors/embeddings/segment", np.zeros(8)),
        "is of type float64 in a float32 file",
    ),
    "a tensor is a group": (
        lambda file: (
            file.pop("tensors/embeddings/segment"),
            file.create_group("tensors/embeddings/segment"),
        ),
        "is not plain data",
    ),
    "a tensor is not finite": (
        lambda file: _replace(file, "tensors/embeddings/segment", np.full(8, np.nan, np.float32)),
        "embeddings/segment has values that are not finite",
    ),
    "a tensor is outside the file": (
        lambda file: (
            file.pop("tensors/embeddings/segment"),
            file.create_dataset(
                "tensors/embeddings/segment", (8,), np.float32, external=[("/etc/passwd", 0, 32)]
            ),
        ),
        "stores its data outside the file",
    ),
    "more layers than there are": (lambda file: _settings(file, num_layers=2), "block_2"),
    "huge sizes": (lambda file: _settings(file, hidden_size=1 << 50), "hidden_size must be 1 to"),
    "unknown settings": (lambda file: _settings(file, colour="red"), "colour"),
    "invalid settings": (lambda file: file.attrs.update({"config": "[1, 2]"}), "must be an object"),
    "another vocabulary": (
        lambda file: _replace(file, "vocabulary", np.frombuffer(b"a\nb", np.uint8)),
        "2 word pieces, expected 8",
    ),
    "a vocabulary that is not text": (
        lambda file: _replace(file, "vocabulary", np.full(9, 255, np.uint8)),
        "can't decode",
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_is_reported(path, damage):
    change, message = DAMAGES[damage]
    with h5py.File(path, "r+") as file:
        change(file)
    assert message in refusal(path)


def test_int8_without_scales_is_refused(tmp_path):
    path = tmp_path / "encoder.h5"
    for change in (
        lambda file: file.pop("scales/embeddings/words"),
        lambda file: _replace(file, "scales/embeddings/words", np.ones((1, 8), np.float32)),
    ):
        write(path, dtype="int8")
        with h5py.File(path, "r+") as file:
            change(file)
        assert "the scale of embeddings/words" in refusal(path)
