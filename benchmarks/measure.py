"""Measures one row of the model's benchmark in a separate process:

python -m benchmarks.measure MODE WORDS {fast,straightforward} [EXPERIMENT [key=value]...]
"""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

from coref_tf.config import Experiment, load_experiment
from coref_tf.inference import memory
from coref_tf.support.environment import use_project_environment
from coref_tf.support.errors import run_command

# The project's experiments, and a contextual one for each encoder.
CONF = Path(__file__).with_name("experiments.conf")
# Every row is the shortest of this many repetitions, or of fewer if they take long.
REPEATS = 7
SECONDS = 12
# The maximum number of words for a warm-up.
WARM_UP_WORDS = 4000


def main() -> None:
    """Prints the row as JSON."""
    mode, words, implementation, *rest = sys.argv[1:]
    name, *changes = rest or ["best"]
    experiment = load_experiment(name, CONF, changes)
    print(json.dumps(measure(mode, int(words), implementation, experiment)))


def measure(mode: str, words: int, implementation: str, experiment: Experiment) -> dict:
    """Times one kind of work, and measures the peak memory of the process.

    Args:
        mode: predict: from a document to its clusters; predict_many: the same for short documents; train: one step;
            pairs: the pair scores alone; encoder: the contextual encoder alone.
        words: The number of words of the document, or of all documents together.
        implementation: fast or straightforward.
        experiment: The settings.
    """
    import tensorflow  # noqa: F401, what comes before the rest is not counted

    at_import = memory.resident_bytes()
    from benchmarks import work
    from benchmarks.encoder import encoder_speed

    row = {"mode": mode, "words": words, "implementation": implementation}
    if mode in ("pairs", "encoder"):
        speed = {"pairs": work.pair_speed, "encoder": encoder_speed}[mode]
        return row | speed(experiment, words, shortest)
    make = {"predict": work.prediction, "predict_many": work.predictions, "train": work.training_step}[mode]
    run = make(experiment, implementation)
    run(min(words, WARM_UP_WORDS))()
    seconds = shortest(run(words))
    peak = memory.peak_bytes()
    row |= {"seconds": seconds, "words_per_second": words / seconds}
    return row | {"peak_rss_mb": peak / 2**20, "rss_over_import_mb": (peak - at_import) / 2**20}


def shortest(work: Callable[[], object]) -> float:
    """Returns the shortest time of several repetitions, in seconds."""
    times: list[float] = []
    while len(times) < REPEATS and sum(times) < SECONDS:
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return min(times)


if __name__ == "__main__":
    use_project_environment()
    run_command(main)
