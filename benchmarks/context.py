"""Measures the contextual model with each encoder in prediction and training, compared with fastcoref in the same run.

fastcoref (Otmazgin et al. 2022) runs in a separate Python, named by the environment variable FASTCOREF_PYTHON, because
it needs PyTorch, which this project does not.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.measure import CONF
from benchmarks.model import measure
from coref_tf.config import load_experiment

# Maps each encoder to the experiment that uses it.
CANDIDATES = {
    "minilm": "contextual",
    "e5": "contextual_e5",
    "mpnet6": "contextual_mpnet6",
    "mpnet": "contextual_mpnet",
}
# The predictions: our mode, the number of words per document, and the number of documents.
ONE, MANY = ("predict", 2000, 1), ("predict_many", 400, 40)
PRODUCTS = ("float32", "int8", "bfloat16")
# The length of training documents.
TRAINING_WORDS = 1000
FASTCOREF_PYTHON = "FASTCOREF_PYTHON"


def run(
    measure: Callable[..., dict] = measure, fastcoref: Callable[..., dict] | None = None
) -> Iterator[dict]:
    """Measures full-size models with random weights and pretrained encoders, on documents of the bundled corpus.

    Args:
        measure: Returns the row for a mode, a number of words, an implementation, an experiment and changed settings.
        fastcoref: Returns the row of fastcoref for a number of words and of documents.
    """
    rows = []
    for encoder, experiment in CANDIDATES.items():
        path = load_experiment(experiment, CONF).context.encoder
        if not path.is_file():
            reason = f"{path} is missing; run `make encoder ENCODER={encoder}`"
            yield {"benchmark": "context", "encoder": encoder, "left_out": reason}
            continue
        named = {"encoder": encoder}
        alone = {}
        for products in PRODUCTS:
            change = f"context.products={products}"
            alone[products] = measure("encoder", ONE[1], "fast", experiment, change)
            faster = {"times_faster": alone["float32"]["seconds"] / alone[products]["seconds"]}
            yield {
                "benchmark": "context: encoder alone",
                **named,
                "products": products,
                **alone[products],
                **faster,
            }
        for products in PRODUCTS[:2]:
            for mode, words, documents in (ONE, MANY):
                change = f"context.products={products}"
                row = measure(mode, words * documents, "fast", experiment, change)
                rows.append(named | {"products": products, "documents": documents, **row})
                yield {"benchmark": "context", **rows[-1]}
        training = [measure("train", TRAINING_WORDS, "fast", name) for name in (experiment, "best")]
        share = {"share_of_speed": training[1]["seconds"] / training[0]["seconds"]}
        yield {"benchmark": "context: training, to best", **named, **training[0], **share}
    theirs = {}
    for _, words, documents in (ONE, MANY):
        theirs[documents] = (fastcoref or measure_fastcoref)(words, documents)
        yield {"benchmark": "context", **theirs[documents]}
    for row in rows:
        if "seconds" in theirs[row["documents"]]:
            named = {key: row[key] for key in ("encoder", "products", "documents")}
            yield {"benchmark": "context: to fastcoref", **named, **compare(row, theirs[row["documents"]])}


def compare(ours: dict, theirs: dict) -> dict:
    """Returns the speedup over fastcoref, and the fraction of its memory."""
    return {
        "words": ours["words"],
        "times_faster": theirs["seconds"] / ours["seconds"],
        "share_of_memory": ours["peak_rss_mb"] / theirs["peak_rss_mb"],
    }


def measure_fastcoref(words: int, documents: int) -> dict:
    """Measures fastcoref on documents of this many words each; the row gives the reason if that fails."""
    python = os.environ.get(FASTCOREF_PYTHON, sys.executable)
    script = Path(__file__).with_name("fastcoref_row.py")
    done = subprocess.run([python, str(script), str(words), str(documents)], capture_output=True, text=True)
    row = {
        "mode": "predict",
        "words": words * documents,
        "documents": documents,
        "implementation": "fastcoref",
    }
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or ["it was killed"])[-1]
        mend = f"""pip install fastcoref "transformers<5" in an environment, and set {FASTCOREF_PYTHON} to its Python"""
        return row | {"left_out": f"{python}: {reason}; {mend}"}
    return row | json.loads(done.stdout.splitlines()[-1])
