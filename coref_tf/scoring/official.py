"""Runs the official Perl scorer and compares its scores with ours."""

import math
import os
import re
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from coref_tf.documents.sources import open_source
from coref_tf.scoring.coref_scores import CorefScores
from coref_tf.scoring.metrics import BlancScore, MetricScore
from coref_tf.support.errors import CorefError

OFFICIAL_METRICS = ("muc", "bcub", "ceafm", "ceafe", "blanc")
TOLERANCE = 1e-6

_NUMBER = r"([-+.0-9e]+)"
_LINE = re.compile(
    rf"^(?P<name>[\w -]+): *Recall: \({_NUMBER} / {_NUMBER}\) .*Precision: \({_NUMBER} / {_NUMBER}\) ",
    re.MULTILINE,
)
_NAMES = {
    "Identification of Mentions": "mentions",
    "Coreference": "coreference",
    "Coreference links": "coreference links",
    "Non-coreference links": "non-coreference links",
    "BLANC": "coreference",
}


def compare_with_official(
    script: str | os.PathLike, key: str | os.PathLike, response: str | os.PathLike, scores: CorefScores
) -> None:
    """Runs `scorer.pl METRIC KEY RESPONSE none` for each metric of `scores` that it has; all scores must be equal.

    The script receives copies with columns separated by tabs, because it splits rows only at tabs, and would otherwise
    mistake a word such as `1)` for a bracket. A difference is an error that shows both scores.
    """
    differences: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        copies = [
            _with_tabs(path, Path(folder, name)) for path, name in ((key, "key"), (response, "response"))
        ]
        for metric in OFFICIAL_METRICS:
            if scores[metric]:
                official = run_official(script, metric, *copies)
                differences += _differences(script, metric, scores, official)
    if differences:
        raise CorefError(f"{script} has different scores: " + "; ".join(differences))


def _differences(
    script: str | os.PathLike, metric: str, scores: CorefScores, official: dict[str, tuple[float, ...]]
) -> Iterator[str]:
    """Yields the differences between our scores for a metric and the script's."""
    for name, ours in _our_figures(scores, metric).items():
        if name not in official:
            raise CorefError(f"{script} {metric}: no {name!r} in its output; expected scorer.pl v8.01")
        theirs = official[name]
        if not all(map(_close, ours, theirs)):
            yield f"{metric} {name}: {_format_figures(ours)} here, {_format_figures(theirs)} there"


def _with_tabs(path: str | os.PathLike, copy: Path) -> Path:
    """Copies a CoNLL file, with tabs between its columns."""
    with open_source(path) as source, open(copy, "wb") as file:
        for line in source:
            is_row = bool(line.strip()) and not line.startswith(b"#")
            file.write(b"\t".join(line.split()) + b"\n" if is_row else line)
    return copy


def official_script(path: str | os.PathLike) -> Path:
    """Returns the path of the official scorer; raises a CorefError if it does not exist."""
    script = Path(path).resolve()  # it searches for its library relative to the path by which it is called
    if not script.is_file():
        raise CorefError(f"{script}: no such file; expected the official scorer, scorer.pl")
    return script


def run_official(
    script: str | os.PathLike, metric: str, key: str | os.PathLike, response: str | os.PathLike
) -> dict[str, tuple[float, ...]]:
    """Returns the numerators and denominators of recall and precision that the script prints for a metric, by name."""
    script = official_script(script)
    command = ["perl", str(script), metric, str(Path(key).resolve()), str(Path(response).resolve()), "none"]
    try:
        done = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", check=False)
    except FileNotFoundError:
        raise CorefError("perl is not installed; --official needs it to run the official scorer") from None
    totals = done.stdout.partition("====== TOTALS =======")[2]
    if done.returncode or not totals:
        output = (done.stderr.strip() or done.stdout.strip() or "nothing").splitlines()[0]
        raise CorefError(
            f"{script} {metric} failed with exit code {done.returncode}; its output was: {output}"
        )
    return {_NAMES.get(name, name): tuple(map(float, figures)) for name, *figures in _LINE.findall(totals)}


def _our_figures(scores: CorefScores, metric: str) -> dict[str, tuple[float, ...]]:
    computed = scores.computed()
    ours = {"mentions": scores.mentions, "coreference": computed[metric]}
    if isinstance(links := computed[metric], BlancScore):
        ours["coreference links"] = links.coreference_links
        ours["non-coreference links"] = links.non_coreference_links
    return {name: _four(score) for name, score in ours.items()}


def _four(score: MetricScore | BlancScore) -> tuple[float, ...]:
    return (
        score.recall_numerator,
        score.recall_denominator,
        score.precision_numerator,
        score.precision_denominator,
    )


def _close(ours: float, theirs: float) -> bool:
    return math.isclose(ours, theirs, rel_tol=TOLERANCE, abs_tol=TOLERANCE)


def _format_figures(figures: tuple[float, ...]) -> str:
    return "recall {:.10g}/{:.10g}, precision {:.10g}/{:.10g}".format(*figures)
