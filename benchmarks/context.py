"""The contextual model with each encoder, in prediction and training, and fastcoref in the same run: speed and memory.

fastcoref (Otmazgin et al. 2022) runs in a Python of its own, which the environment variable FASTCOREF_PYTHON names: it
needs PyTorch, which this project doesn't.
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

# Encoder -> the experiment that has it.
CANDIDATES = {
    "minilm": "contextual",
    "e5": "contextual_e5",
    "mpnet6": "contextual_mpnet6",
    "mpnet": "contextual_mpnet",
}
WORDS = 2000
# The length of a typical training document.
TRAINING_WORDS = 1000
FASTCOREF_PYTHON = "FASTCOREF_PYTHON"


def run(
    measure: Callable[..., dict] = measure, fastcoref: Callable[..., dict] | None = None
) -> Iterator[dict]:
    """Measures full-size models with random weights and pretrained encoders on a document cut from the bundled corpus.

    Args:
        measure: gives the row of a mode, a number of words, an implementation, an experiment and changes of it.
        fastcoref: gives the row of fastcoref for a number of words.
    """
    rows = []
    for encoder, experiment in CANDIDATES.items():
        path = load_experiment(experiment, CONF).context.encoder
        if not path.is_file():
            reason = f"{path} is missing; `make encoder ENCODER={encoder}` makes it"
            yield {"benchmark": "context", "encoder": encoder, "left_out": reason}
            continue
        row = measure("predict", WORDS, "fast", experiment)
        rows.append({"benchmark": "context", "encoder": encoder, **row})
        yield rows[-1]
        alone = measure("encoder", WORDS, "fast", experiment)
        share = {"share_of_time": alone["seconds"] / row["seconds"]}
        yield {"benchmark": "context: encoder alone", "encoder": encoder, **alone, **share}
        rounded = measure("encoder", WORDS, "fast", experiment, "context.products=bfloat16")
        faster = {"times_faster": alone["seconds"] / rounded["seconds"]}
        yield {"benchmark": "context: encoder in bfloat16", "encoder": encoder, **rounded, **faster}
        training = [measure("train", TRAINING_WORDS, "fast", name) for name in (experiment, "best")]
        share = {"share_of_speed": training[1]["seconds"] / training[0]["seconds"]}
        yield {"benchmark": "context: training, to best", "encoder": encoder, **training[0], **share}
    theirs = (fastcoref or measure_fastcoref)(WORDS)
    yield {"benchmark": "context", **theirs}
    for row in rows if "seconds" in theirs else ():
        yield {"benchmark": "context: to fastcoref", "encoder": row["encoder"], **compare(row, theirs)}


def compare(ours: dict, theirs: dict) -> dict:
    """How much faster than fastcoref, and in what share of its memory."""
    return {
        "words": ours["words"],
        "times_faster": theirs["seconds"] / ours["seconds"],
        "share_of_memory": ours["peak_rss_mb"] / theirs["peak_rss_mb"],
    }


def measure_fastcoref(words: int) -> dict:
    """The row of fastcoref, or the reason why there is none."""
    python = os.environ.get(FASTCOREF_PYTHON, sys.executable)
    script = Path(__file__).with_name("fastcoref.py")
    done = subprocess.run([python, str(script), str(words)], capture_output=True, text=True)
    row = {"mode": "predict", "words": words, "implementation": "fastcoref"}
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or ["it was killed"])[-1]
        mend = f"""pip install fastcoref "transformers<5" into an environment, its Python named in {FASTCOREF_PYTHON}"""
        return row | {"left_out": f"{python}: {reason}; {mend}"}
    return row | json.loads(done.stdout.splitlines()[-1])
