"""Exports of the paper's full-size model: 30 documents in four forms, and an environment with only TensorFlow."""

import re
import subprocess
import venv

import pytest
import tensorflow as tf
from export_cases import (
    ROOT,
    as_request,
    check_c_mentions,
    check_result,
    readme_program,
    run_c_program,
)

from benchmarks.export import untrained
from coref_tf.documents import read_documents
from coref_tf.documents.text import document_from_text
from coref_tf.export.building import ExportOptions
from coref_tf.export.writing import export
from coref_tf.inference.predictor import Predictor
from coref_tf.models.open_model import open_experiment
from coref_tf.support.lanes import this_lane

pytestmark = pytest.mark.slow


def test_30_documents_have_the_same_clusters_in_four_forms(tmp_path):
    """The checkpoint, both flavours and the C program give the same clusters, and scores within 1e-5."""
    experiment = untrained(tmp_path)
    predictor = Predictor.from_models([open_experiment(experiment)])
    versions = {
        name: export(
            [open_experiment(experiment)], tmp_path / name, ExportOptions(portable=name == "portable")
        )
        for name in ("fast", "portable")
    }
    signatures = {name: tf.saved_model.load(str(path)).signatures for name, path in versions.items()}
    sample = ROOT / "data" / "sample"
    documents = [*read_documents(sample / "dev.jsonlines"), *read_documents(sample / "test.jsonlines")][:30]
    texts, found = [], 0
    for number, document in enumerate(documents):
        prediction = predictor.predict(document, details=True)
        for flavour in signatures.values():
            check_result(flavour["serving_default"](**as_request(document)), prediction)
        found += len(prediction.clusters)
        texts.append(predictor.predict(document_from_text(document.text, "x"), details=True))
        for flavour in signatures.values():
            check_result(flavour["text"](text=tf.constant(document.text)), texts[-1])
        (tmp_path / f"{number}.txt").write_text(document.text)
    assert len(documents) == 30 and found > 30
    files = [tmp_path / f"{number}.txt" for number in range(30)]
    for mentions, prediction in zip(run_c_program(versions["portable"], files), texts, strict=True):
        check_c_mentions(mentions, prediction)


def test_an_environment_with_only_tensorflow(exports, tmp_path):
    venv.create(tmp_path / "env", with_pip=True)
    python = tmp_path / "env" / "bin" / "python"
    pip = [python, "-m", "pip", "install", "--quiet", "tensorflow", "-c", ROOT / this_lane().constraints]
    installed = subprocess.run(pip, capture_output=True, text=True, check=False)
    if installed.returncode:
        pytest.skip(f"TensorFlow can't be installed here: {installed.stderr.strip().splitlines()[-1]}")
    folder = exports["portable"].parent
    command = [python, "-I", "-c", readme_program(folder)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r"(\d+ \S.*\n)+", done.stdout), done.stdout
