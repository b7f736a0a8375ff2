"""Runs suites on a model."""

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from coref_tf.config import Experiment
from coref_tf.evaluation.suites.suite import ModelFacts, Suite, SuiteResult
from coref_tf.inference.predictor import Predictor
from coref_tf.support.files import atomic_write
from coref_tf.support.libraries import algorithms
from coref_tf.support.progress import Progress


def run_suites(
    predictor: Predictor, experiment: Experiment, suites: Iterable[Suite]
) -> Iterator[SuiteResult]:
    """Yields the result of each suite as soon as it is finished; shows progress on stderr.

    Args:
        predictor: The model, or an ensemble.
        experiment: The settings of the model, or of one model of the ensemble.
        suites: The suites to run.
    """
    algorithms()  # fails early if the scorer's library is missing or stale
    facts = ModelFacts(experiment.max_mention_width, experiment.mention_ratio, predictor.tensorizer.known)
    for suite in suites:
        print(f"{suite.name} {suite.source}: {len(suite.documents):,} documents", file=sys.stderr)
        progress, answers = Progress(), []
        for prediction in predictor.predict_all(suite.documents):
            progress.add(prediction.document.num_words, len(prediction.clusters))
            answers.append(prediction)
        progress.close()
        yield suite.score(answers, facts)


def write_files(result: SuiteResult, folder: Path) -> list[Path]:
    """Writes the additional files of a result; returns their paths."""
    written = []
    for name, content in result.files.items():
        folder.mkdir(parents=True, exist_ok=True)
        with atomic_write(folder / name) as file:
            file.write(content)
        written.append(folder / name)
    return written
