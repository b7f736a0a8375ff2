"""The description of an export, stored next to the model."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple, cast

from coref_tf.config import Experiment
from coref_tf.models.calibration import Calibration
from coref_tf.models.dial import Dial, cautious_threshold
from coref_tf.page.data import PageSettings

ABOUT = "assets.extra/coref_tf.json"  # in the folder of a version

# The signature that returns everything that the model computed.
DETAILS = "details"

# The name of a signature that also takes min_probability. TensorFlow Serving's REST API and signatures loaded in Python
# require every input, even with a default, so this cannot be an additional input of the other signatures.
DIAL = "{}_dial"


class About(NamedTuple):
    """Facts about a model that the web page needs in addition to its answers."""

    names: tuple[str, ...]  # the names of its experiments
    language: str
    settings: PageSettings
    calibration: Calibration
    genres: tuple[str, ...] = ()
    default_genre: str = ""


def export_threshold(precision: float, version: Path) -> float:
    """Returns the minimum probability for this precision of an export's links; raises a CorefError if it is unknown."""
    return Dial.from_state(_read_content(version), version).require_threshold(precision, version)


def export_cautious_probability(version: Path) -> float:
    """Returns the minimum probability of links that are used to resolve text; see `coref_tf.models.dial`."""
    return cautious_threshold(_read_content(version), version)


def _read_content(version: Path) -> dict[str, Any]:
    try:
        content = json.loads((version / ABOUT).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        content = {}
    return content if isinstance(content, dict) else {}


def read_about(version: Path) -> About | None:
    """Reads the description of a version; None if it has none, for example because another program exported it."""
    try:
        content = json.loads((version / ABOUT).read_text(encoding="utf-8"))
        # The settings of the experiments, as in the description.
        experiments = cast("list[Experiment]", [SimpleNamespace(**each) for each in content["experiments"]])
        names = tuple(str(experiment.name) for experiment in experiments)
        calibration = Calibration(**content["calibration"])
        first = experiments[0]
        settings = PageSettings.from_experiments(experiments)
        genres = tuple(map(str, first.genres))
        return About(names, str(first.language), settings, calibration, genres, str(first.default_genre))
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return None
