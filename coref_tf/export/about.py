"""What an export says of itself, beside the model."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple, cast

from coref_tf.config import Experiment
from coref_tf.models.calibration import Calibration
from coref_tf.models.dial import Dial, cautious_threshold
from coref_tf.page.data import PageSettings

ABOUT = "assets.extra/coref_tf.json"  # in the folder of a version

# The signature that gives everything that the model computed.
DETAILS = "details"

# The name of a signature that also takes min_probability. TensorFlow Serving's REST API and Python's loaded signatures
# want every input, with a default or without, so that this can't be one more input of the others.
DIAL = "{}_dial"


class About(NamedTuple):
    """What the page needs to know of a model besides its answers."""

    names: tuple[str, ...]  # of its experiments
    language: str
    settings: PageSettings
    calibration: Calibration
    genres: tuple[str, ...] = ()
    default_genre: str = ""


def export_threshold(precision: float, version: Path) -> float:
    """The least probability that gives an export's links this precision; a CorefError where it doesn't know."""
    return Dial.from_state(_read_content(version), version).require_threshold(precision, version)


def export_cautious_probability(version: Path) -> float:
    """The least probability of the links that resolved text goes by; see `coref_tf.models.dial`."""
    return cautious_threshold(_read_content(version), version)


def _read_content(version: Path) -> dict[str, Any]:
    try:
        content = json.loads((version / ABOUT).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        content = {}
    return content if isinstance(content, dict) else {}


def read_about(version: Path) -> About | None:
    """What the folder of a version says; None where it says nothing, as one that something else has exported."""
    try:
        content = json.loads((version / ABOUT).read_text(encoding="utf-8"))
        # What it says about the experiments, as their settings say it.
        experiments = cast("list[Experiment]", [SimpleNamespace(**each) for each in content["experiments"]])
        names = tuple(str(experiment.name) for experiment in experiments)
        calibration = Calibration(**content["calibration"])
        first = experiments[0]
        settings = PageSettings.from_experiments(experiments)
        genres = tuple(map(str, first.genres))
        return About(names, str(first.language), settings, calibration, genres, str(first.default_genre))
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return None
