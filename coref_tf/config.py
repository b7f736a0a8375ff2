"""experiments.conf -> one frozen, typed Experiment; every mistake is a line that names the key."""

import dataclasses
import difflib
import logging
import os
import typing
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from coref_tf.support.errors import CorefError


@dataclasses.dataclass(frozen=True)
class VectorSetConfig:
    """One set of fixed word vectors: where it is and how words are looked up in it."""

    path: Path
    size: int
    lowercase: bool = False
    fallback_lowercase: bool = False
    plain_brackets: bool = False


def _of_model() -> Any:
    """A setting that gives the model's variables their shapes or meaning: a checkpoint fits no other."""
    return dataclasses.field(metadata={"of_model": True})


@dataclasses.dataclass(frozen=True)
class Experiment:
    """The settings of one experiment; experiments.conf says what each of them means."""

    name: str

    train_path: tuple[Path, ...]
    eval_path: Path
    conll_eval_path: Path
    test_path: Path
    log_root: Path
    genres: tuple[str, ...] = _of_model()
    default_genre: str
    char_vocab_path: Path
    embeddings: tuple[VectorSetConfig, ...]

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
    mention_ratio: float
    max_antecedents: int
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

    language: str = "en"

    def __post_init__(self):
        """Checks what a type alone can't say."""
        positive = [
            "lstm_size", "ffnn_size", "feature_size", "max_mention_width", "mention_ratio", "max_antecedents",
            "max_training_sentences", "learning_rate", "decay_rate", "decay_frequency", "max_gradient_norm",
            "report_frequency", "checkpoint_frequency", "filter_size", "max_epochs", "patience",
        ]  # fmt: skip
        for key in positive:
            self._require(key, getattr(self, key) > 0, "more than 0")
        for key in ["char_embedding_size", "ffnn_depth", "head_ffnn_depth", "eval_frequency", "seed"]:
            self._require(key, getattr(self, key) >= 0, "0 or more")
        for key in ["dropout_rate", "lexical_dropout_rate", "moving_average"]:
            self._require(key, 0 <= getattr(self, key) < 1, "at least 0 and less than 1")
        self._require("filter_widths", min(self.filter_widths, default=0) > 0, "one or more widths above 0")
        self._require("genres", len(set(self.genres)) == len(self.genres) > 0, "one or more different genres")
        self._require("default_genre", self.default_genre in self.genres, f"one of {', '.join(self.genres)}")
        self._require("embeddings", all(s.size > 0 for s in self.embeddings), "sizes above 0")
        self._require(
            "language",
            self.language.isascii() and self.language.isalpha(),
            "a code of spaCy's such as en or de",
        )
        words = self.embeddings or self.char_embedding_size
        self._require("embeddings", bool(words), "a vector set where char_embedding_size is 0")

    def _require(self, key: str, holds: bool, expected: str) -> None:
        if not holds:
            value = getattr(self, key)
            raise CorefError(f"experiment {self.name}: {key} must be {expected}. Received: {value!r}")

    @property
    def log_dir(self) -> Path:
        """The folder of this experiment's checkpoints."""
        return self.log_root / self.name


# The settings that a checkpoint's variables depend on, besides the sizes of the word vectors.
MODEL_KEYS = tuple(field.name for field in dataclasses.fields(Experiment) if field.metadata.get("of_model"))


def describe(experiments: Sequence[Experiment], corpus: object = None) -> str:
    """One line: which experiments, corpus and word vectors are in use."""
    names = " ".join(experiment.name for experiment in experiments)
    what = f"experiment {names}" if len(experiments) == 1 else f"ensemble of {names}"
    paths = dict.fromkeys(str(vectors.path) for e in experiments for vectors in e.embeddings)
    return f"{what}, {f'corpus {corpus}, ' if corpus else ''}vectors {' + '.join(paths) or 'none'}"


def experiment_names(conf: str | os.PathLike) -> list[str]:
    """The names of the experiments of a file: what can be trained, not what they are made of."""
    required = {
        field.name
        for field in dataclasses.fields(Experiment)
        if field.name != "name" and field.default is dataclasses.MISSING
    }
    return [
        name
        for name, value in _parse(Path(conf)).items()
        if isinstance(value, dict) and required <= set(value)
    ]


def load_experiment(
    name: str, conf: str | os.PathLike = "experiments.conf", changes: Sequence[str] = ()
) -> Experiment:
    """Reads experiment `name` of the HOCON file `conf`; relative paths in it are relative to it.

    Args:
        name: of the experiment.
        conf: the experiments file.
        changes: settings "key=value" that take precedence over the file's; paths relative to where we are.

    Example:
        load_experiment("best", changes=["lstm_size=100"]).lstm_size   # 100
    """
    conf = Path(conf)
    experiments = _parse(conf)
    if name not in experiments or not isinstance(experiments[name], dict):
        known = [key for key, value in experiments.items() if isinstance(value, dict)]
        raise CorefError(f"{conf}: no experiment {name}{_nearest(name, known)}; it has {', '.join(known)}")
    for key in {field.name for field in dataclasses.fields(Experiment)} & set(experiments):
        if not isinstance(experiments[key], dict):
            raise CorefError(
                f"{conf}: {key} stands outside any experiment; expected it in one, or in data {{ }}"
            )
    where = f"{conf}: experiment {name}"
    folder = conf.resolve().parent
    changed = {key: value for change in changes for key, value in _parse_change(change).items()}
    folders = dict.fromkeys(experiments[name], folder) | dict.fromkeys(changed, Path.cwd())
    return _build(Experiment, experiments[name] | changed | {"name": name}, where, folders)


def _parse(conf: Path) -> dict[str, Any]:
    if not conf.is_file():
        raise CorefError(f"{conf}: no such file; expected an experiments file (HOCON)")
    try:
        content = conf.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise CorefError(f"{conf}: not UTF-8; expected an experiments file (HOCON)") from None
    return _parse_hocon(content, str(conf), conf.resolve().parent)


def _parse_change(change: str) -> dict[str, Any]:
    if "=" not in change:
        raise CorefError(f"{change!r} is no setting; expected key=value")
    return _parse_hocon(change, repr(change), Path.cwd())


def _parse_hocon(content: str, where: str, folder: Path) -> dict[str, Any]:
    # pyhocon is slow to import and needed nowhere else. It would warn of each optional include that isn't there.
    import pyhocon
    from pyparsing import ParseBaseException

    logging.getLogger("pyhocon").setLevel(logging.ERROR)
    try:
        return pyhocon.ConfigFactory.parse_string(content, str(folder)).as_plain_ordered_dict()
    except ParseBaseException as error:
        raise CorefError(f"{where}:{error.lineno}: not HOCON: {error.line.strip()!r}") from None
    except pyhocon.exceptions.ConfigException as error:
        raise CorefError(f"{where}: {error}") from None


def _build(kind: type, values: Any, where: str, folders: Mapping[str, Path]) -> Any:
    """Makes the dataclass `kind` from a mapping; unknown, missing and mistyped keys are errors.

    `folders` tells for each key what a path is relative to.
    """
    if not isinstance(values, dict):
        raise CorefError(f"{where}: expected {{ key = value ... }}. Received: {values!r}")
    fields = {field.name: field for field in dataclasses.fields(kind)}
    for key in values:
        if key not in fields:
            raise CorefError(f"{where}: unknown key {key}{_nearest(key, fields)}")
    for key, field in fields.items():
        if key not in values and field.default is dataclasses.MISSING:
            raise CorefError(f"{where}: missing key {key}")
    types = typing.get_type_hints(kind)
    return kind(
        **{key: _convert(values[key], types[key], f"{where}: {key}", folders.get(key)) for key in values}
    )


def _convert(value: Any, kind: Any, where: str, folder: Path) -> Any:
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin is tuple:
        values = value if isinstance(value, list) else [value]
        return tuple(_convert(item, arguments[0], where, folder) for item in values)
    if origin is Literal:
        if value in arguments:
            return value
        raise CorefError(f"{where} must be one of {', '.join(arguments)}. Received: {value!r}")
    if dataclasses.is_dataclass(kind):
        return _build(kind, value, where, dict.fromkeys(value, folder) if isinstance(value, dict) else {})
    if kind is Path and isinstance(value, str):
        return folder / value
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if type(value) is kind:
        return value
    expected = {
        Path: "a path",
        float: "a number",
        int: "a whole number",
        bool: "true or false",
        str: "a string",
    }
    raise CorefError(f"{where} must be {expected[kind]}. Received: {value!r}")


def _nearest(key: str, known: typing.Iterable[str]) -> str:
    close = difflib.get_close_matches(key, known, n=1)
    return f" (did you mean {close[0]}?)" if close else ""
