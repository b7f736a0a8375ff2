"""Reads experiments.conf into a frozen, typed `Experiment`; errors are one line that names the key."""

import dataclasses
import functools
import os
import typing
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from coref_tf.support.errors import CorefError
from coref_tf.support.hocon import merge_settings, parse_hocon, read_hocon
from coref_tf.support.resources import experiments_conf
from coref_tf.support.typed_settings import build, format_value, has_parts, nearest, plain


def _of_model(**options: Any) -> Any:
    """A setting that determines the shapes or the meaning of the variables, so that checkpoints depend on it."""
    return dataclasses.field(metadata={"of_model": True}, **options)


def _of_use(**options: Any) -> Any:
    """A setting that a checkpoint stores and a trained model uses, unless the user overrides it."""
    return dataclasses.field(metadata={"of_use": True}, **options)


@dataclasses.dataclass(frozen=True)
class VectorSetConfig:
    """One set of fixed word vectors: its file and how words are looked up in it."""

    path: Path
    size: int = _of_model()
    lowercase: bool = False
    fallback_lowercase: bool = False
    plain_brackets: bool = False


@dataclasses.dataclass(frozen=True)
class ContextConfig:
    """Contextual word vectors: the encoder, and which of its layers the model uses."""

    encoder: Path  # the encoder file; a checkpoint identifies the encoder by its content, not by this path
    layers: tuple[int, ...] = _of_model()
    mix: Literal["mean", "learned"] = _of_model(default="mean")
    pieces: Literal["mean", "first"] = _of_model(default="mean")
    heads: bool = _of_model(default=True)
    tuned_layers: int = _of_model(default=0)
    learning_rate: float = 1e-4
    products: Literal["auto", "float32", "bfloat16", "int8"] = "auto"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Experiment:
    """The settings of one experiment. The comments in experiments.conf explain each setting."""

    name: str

    train_path: tuple[Path, ...]
    eval_path: Path
    conll_eval_path: Path
    test_path: Path
    # These folders are written to, so they never default to a path inside an installed package.
    log_root: Path = dataclasses.field(metadata={"written": True})
    genres: tuple[str, ...] = _of_model()
    default_genre: str = _of_use()
    char_vocab_path: Path
    embeddings: tuple[VectorSetConfig, ...] = _of_use()

    char_embedding_size: int = _of_model()
    filter_widths: tuple[int, ...] = _of_model()
    filter_size: int = _of_model()
    lstm_size: int = _of_model()
    ffnn_size: int = _of_model()
    ffnn_depth: int = _of_model()
    head_ffnn_depth: int = _of_model()
    feature_size: int = _of_model()
    model_heads: bool = _of_model()
    use_features: bool = _of_model()
    use_metadata: bool = _of_model()

    max_mention_width: int = _of_model()
    mentions: Literal["learned", "rules", "oracle"] = _of_model()
    mention_ratio: float = _of_use()
    max_antecedents: int = _of_use()
    antecedents: Literal["nearest", "coarse"] = _of_model()

    max_training_sentences: int
    optimizer: Literal["adam", "sgd"]
    learning_rate: float
    decay_rate: float
    decay_frequency: int
    max_gradient_norm: float
    lexical_dropout_rate: float
    dropout_rate: float
    moving_average: float
    max_epochs: int
    patience: int
    seed: int

    eval_frequency: int
    report_frequency: int
    checkpoint_frequency: int

    min_spans: int = _of_use(default=0)
    consistent_clusters: bool = _of_use(default=False)
    quotation_speakers: bool = _of_use(default=False)
    quotation_links: bool = _of_use(default=False)
    language: str = _of_use(default="en")
    pair_features: tuple[str, ...] = _of_model(default=("speaker", "genre", "distance"))
    coref_depth: int = _of_model(default=1)
    schedule: Literal["staircase", "linear"] = "staircase"
    warm_up: float = 0.0
    start_from: Path | None = None
    context: ContextConfig | None = dataclasses.field(default=None, metadata={"of_use": True})

    def __post_init__(self) -> None:
        """Checks constraints that types alone cannot express."""
        positive = [
            "ffnn_size", "feature_size", "max_mention_width", "mention_ratio", "max_antecedents",
            "max_training_sentences", "learning_rate", "decay_rate", "decay_frequency", "max_gradient_norm",
            "report_frequency", "checkpoint_frequency", "filter_size", "max_epochs", "patience",
        ]  # fmt: skip
        for key in positive:
            self._require(key, getattr(self, key) > 0, "more than 0")
        # A document has at most max_mention_width candidate spans per word.
        self._require(
            "mention_ratio", self.mention_ratio <= self.max_mention_width, "at most max_mention_width"
        )
        for key in [
            "lstm_size",
            "char_embedding_size",
            "ffnn_depth",
            "head_ffnn_depth",
            "eval_frequency",
            "min_spans",
            "seed",
        ]:
            self._require(key, getattr(self, key) >= 0, "0 or more")
        for key in ["dropout_rate", "lexical_dropout_rate", "moving_average", "warm_up"]:
            self._require(key, 0 <= getattr(self, key) < 1, "at least 0 and less than 1")
        # Each round adds to the graph, so settings from a damaged checkpoint must not request a huge one.
        self._require("coref_depth", 1 <= self.coref_depth <= 10, "1 to 10")
        self._require("filter_widths", min(self.filter_widths, default=0) > 0, "one or more widths above 0")
        self._require("genres", len(set(self.genres)) == len(self.genres) > 0, "one or more distinct genres")
        self._require("default_genre", self.default_genre in self.genres, f"one of {', '.join(self.genres)}")
        self._require("embeddings", all(s.size > 0 for s in self.embeddings), "sizes above 0")
        self._require(
            "language",
            self.language.isascii() and self.language.isalpha(),
            "a spaCy language code such as en or de",
        )
        for key in ["consistent_clusters", "quotation_speakers", "quotation_links"]:
            self._require(
                key,
                not getattr(self, key) or self.language == "en",
                "false unless the language is en, because only English pronouns are known",
            )
        fixed = bool(self.embeddings or self.char_embedding_size)
        self._require(
            "embeddings",
            bool(fixed or self.context),
            "at least one vector set if there are neither characters nor context",
        )
        self._require("lstm_size", bool(self.lstm_size or self.context), "more than 0 if there is no context")
        if self.context:
            layers, rate = self.context.layers, self.context.learning_rate
            self._require("context", len(set(layers)) == len(layers) > 0, "one or more distinct layers")
            self._require("context", min(layers) >= 0, "layers numbered from 0 (the embeddings)")
            self._require(
                "context", fixed or self.context.heads, "used in heads if words have no other vectors"
            )
            self._require("context", rate > 0 and self.context.tuned_layers >= 0, "tuned at a rate above 0")
            frozen = not self.context.tuned_layers
            self._require("context", frozen or self.context.products != "int8", "frozen if products = int8")

    def _require(self, key: str, holds: bool, expected: str) -> None:
        if not holds:
            value = getattr(self, key)
            raise CorefError(
                f"experiment {self.name}: {key} must be {expected}. Received: {format_value(value)}"
            )

    @property
    def log_dir(self) -> Path:
        """The folder that holds this experiment's checkpoints."""
        return self.log_root / self.name


# MODEL_KEYS: the settings that a checkpoint's variables depend on. USE_KEYS: the settings that a trained model is used
# with, including compound ones such as the word vectors, whose fields mark the parts that variables depend on.
MODEL_KEYS = tuple(field.name for field in dataclasses.fields(Experiment) if field.metadata.get("of_model"))
USE_KEYS = tuple(field.name for field in dataclasses.fields(Experiment) if field.metadata.get("of_use"))
PART_KEYS = tuple(key for key, kind in typing.get_type_hints(Experiment).items() if has_parts(kind))


def settings_of(experiment: Experiment) -> dict[str, Any]:
    """Returns all settings, and the name, as JSON values that an experiments file could contain."""
    return plain(experiment)


def describe(experiment: Experiment, corpus: object) -> str:
    """Returns one line that names the experiment and the corpus."""
    return f"experiment {experiment.name}, corpus {corpus}"


def experiment_names(conf: str | os.PathLike | None = None) -> list[str]:
    """Returns the names of the experiments in a file, without the building blocks that they inherit from."""
    return ExperimentsFile(conf).names


class ExperimentsFile:
    """An experiments file (HOCON), parsed once, on first access.

    Args:
        path: The file. Defaults to experiments.conf in the working directory or, failing that, the package's own.

    Example:
        ExperimentsFile().experiment("best", ["lstm_size=100"]).lstm_size   # 100
    """

    def __init__(self, path: str | os.PathLike | None = None):
        self.path = Path(path or experiments_conf())

    @functools.cached_property
    def _settings(self) -> dict[str, Any]:
        if not self.path.is_file():
            raise CorefError(f"{self.path}: no such file; expected an experiments file (HOCON)")
        return read_hocon(self.path)

    @functools.cached_property
    def names(self) -> list[str]:
        """The names of the experiments: objects with a value for every setting that has no default."""
        required = {
            field.name
            for field in dataclasses.fields(Experiment)
            if field.name != "name" and field.default is dataclasses.MISSING
        }
        return [
            name
            for name, value in self._settings.items()
            if isinstance(value, dict) and required <= set(value)
        ]

    def experiment(self, name: str, changes: Sequence[str] = ()) -> Experiment:
        """Returns one of the experiments; see `load_experiment`."""
        settings = self._settings
        if not isinstance(settings.get(name), dict):
            others = (
                f"; available: {', '.join(self.names)}" if self.names else "; the file has no experiments"
            )
            near = nearest(name, [key for key, value in settings.items() if isinstance(value, dict)])
            raise CorefError(f"{self.path}: no experiment {name}{near}{others}")
        for key in {field.name for field in dataclasses.fields(Experiment)} & set(settings):
            if not isinstance(settings[key], dict):
                raise CorefError(
                    f"{self.path}: {key} is set outside any experiment; move it into one, or into data {{ }}"
                )
        values = merge_settings(settings[name], read_changes(changes)) | {"name": name}
        return make_experiment(values, f"{self.path}: experiment {name}", self.path.resolve().parent)


def read_changes(changes: Sequence[str]) -> dict[str, Any]:
    """Parses "key=value" settings; paths in them are relative to the current directory."""
    settings: dict[str, Any] = {}
    for change in changes:
        if "=" not in change:
            raise CorefError(f"{change!r} is not a setting; expected key=value")
        settings = merge_settings(settings, parse_hocon(change, repr(change), Path.cwd()))
    return settings


def load_experiment(
    name: str, conf: str | os.PathLike | None = None, changes: Sequence[str] = ()
) -> Experiment:
    """Reads experiment `name` from the HOCON file `conf`. Paths are relative to the file that contains them.

    Args:
        name: The name of the experiment.
        conf: The experiments file. Defaults to experiments.conf in the working directory or, failing that, the
            package's own.
        changes: Settings as "key=value" that override the file; their paths are relative to the current directory.

    Example:
        load_experiment("best", changes=["lstm_size=100"]).lstm_size   # 100
    """
    return ExperimentsFile(conf).experiment(name, changes)


def make_experiment(values: Mapping[str, Any], where: str, folder: Path) -> Experiment:
    """Creates an experiment from JSON values; unknown, missing and mistyped keys are errors.

    Args:
        values: The settings.
        where: Where the settings come from, for error messages.
        folder: The folder that relative paths of unknown origin are resolved against.
    """
    return build(Experiment, values, where, folder)
