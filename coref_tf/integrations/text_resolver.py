"""Resolves texts for other libraries, with a model that is loaded with the first text."""

import threading
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from coref_tf.api.loading import load
from coref_tf.api.resolver import Resolver
from coref_tf.models.calibration import check_probability
from coref_tf.support.resources import DEFAULT_MODEL


class TextResolver:
    """Replaces the pronouns in texts, like `Result.resolved`.

    Args:
        model: any model that `coref_tf.load` accepts, or a loaded Resolver.
        min_probability: the minimum place probability; None uses the model's cautious threshold, 0 replaces all.
        keep: phrases to leave unchanged wherever they occur.

    Example:
        list(TextResolver().resolve(["Ana said she was late."]))       # ["Ana said Ana was late."]
    """

    def __init__(
        self,
        model: str | Resolver = DEFAULT_MODEL,
        min_probability: float | None = None,
        keep: Sequence[str] = (),
    ):
        self._min_probability = None if min_probability is None else check_probability(min_probability)
        self._model, self._keep = model, tuple(keep)
        self._lock = threading.Lock()

    def resolve(self, texts: Iterable[str]) -> Iterator[str]:
        """Streams the resolved texts, in order."""
        for result in self.resolver.pipe(texts):
            yield result.resolved(self._min_probability, self._keep)

    @property
    def resolver(self) -> Resolver:
        """Returns the loaded model."""
        with self._lock:
            if not isinstance(self._model, Resolver):
                self._name, self._model = self._model, load(self._model)
            return self._model

    def __getstate__(self) -> dict[str, Any]:
        # Every process loads its own model.
        model = self.__dict__.get("_name", self._model)
        return {name: value for name, value in self.__dict__.items() if name != "_lock"} | {"_model": model}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ |= state | {"_lock": threading.Lock()}
