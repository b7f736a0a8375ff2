"""Bootstrap statistics of evaluations, over documents."""

import functools

from coref_tf.scoring.intervals import Difference, Interval, paired_bootstrap, sampled_f1
from coref_tf.scoring.report import scorer_of
from coref_tf.scoring.scorer import Scorer
from paper.records import Records

SAMPLES = 10_000
SEED = 0
METRICS = ("muc", "bcub", "ceafe")  # those of the average F1


class Bootstrap:
    """The average F1 of evaluations with confidence intervals, and the differences between two of them.

    A sample has as many documents as the evaluated set, drawn with replacement. All values are between 0 and 1.

    Args:
        records: The records of the evaluations, whose figures include those of each document.
    """

    def __init__(self, records: Records):
        self.records = records
        self._scorer = functools.cache(self._read)
        self.interval = functools.cache(self._interval)
        self.difference = functools.cache(self._difference)

    def f1(self, step: str) -> float | None:
        """Returns the average F1 of an evaluation; None if it is not done."""
        figures = self.records.figures(step)
        return figures["average_f1"] if figures else None

    def _interval(self, step: str) -> Interval | None:
        """Returns the 95% confidence interval of the average F1 of an evaluation."""
        scorer = self._scorer(step)
        return Interval.from_values(sampled_f1(scorer, SAMPLES, SEED)) if scorer else None

    def _difference(self, step: str, baseline: str) -> Difference | None:
        """Returns the difference from the average F1 of another evaluation of the same documents."""
        ours, theirs = self._scorer(step), self._scorer(baseline)
        return paired_bootstrap(theirs, ours, SAMPLES, SEED)["average_f1"] if ours and theirs else None

    def _read(self, step: str) -> Scorer | None:
        figures = self.records.figures(step)
        return scorer_of(figures, METRICS) if figures else None
