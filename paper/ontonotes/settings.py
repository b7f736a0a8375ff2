"""Writes the settings by which experiments.conf finds the prepared corpus."""

import json
from pathlib import Path

from coref_tf.support.files import atomic_write
from coref_tf.support.resources import resources_folder

GENRES = ["bc", "bn", "mz", "nw", "pt", "tc", "wb"]
DEFAULT_GENRE = "nw"
LANGUAGES = {"english": "en", "chinese": "zh", "arabic": "ar"}  # the release's names, spaCy's codes

# The vector sets of experiments.conf: what the paper has there, and what stands in where it isn't given, a set of
# the same size that comes with the project. Every key is said, since those left out would keep the sample's value.
SETS = {"large_vectors": "glove", "small_vectors": "turian"}
PLAIN = {"lowercase": False, "fallback_lowercase": False, "plain_brackets": False}
BUNDLED = {
    "glove": PLAIN | {"path": "cased_300d.h5", "size": 300, "plain_brackets": True},
    "turian": PLAIN | {"path": "glove_6B_50d.h5", "size": 50, "lowercase": True, "plain_brackets": True},
}


def write_settings(folder: Path, language: str, sizes: dict[str, int]) -> str:
    """Writes FOLDER.conf, which makes the corpus in the folder what every experiment uses.

    Args:
        folder: where the sets, the characters and the vectors are.
        language: as in the files' names.
        sizes: of the vectors in the folder, by name; bundled ones stand in for the others.

    Returns:
        A line that says what was done.
    """

    conf = folder.with_name(f"{folder.name}.conf")
    vectors_folder = resources_folder() / "data" / "vectors"

    def path(name: str, inside: Path = folder) -> str:
        """From the conf's own folder, so that both can be moved together."""
        whole, beside = (inside / name).resolve(), conf.parent.resolve()
        return (whole.relative_to(beside) if whole.is_relative_to(beside) else whole).as_posix()

    data = {
        "train_path": path(f"train.{language}.v4_gold_conll"),
        "eval_path": path(f"dev.{language}.v4_gold_conll"),
        "conll_eval_path": path(f"dev.{language}.v4_gold_conll"),
        "test_path": path(f"test.{language}.v4_gold_conll"),
        "char_vocab_path": path(f"char_vocab.{language}.txt"),
        "genres": GENRES,
        "default_genre": DEFAULT_GENRE,
        "language": LANGUAGES[language],
    }
    settings = {f"data.{key}": value for key, value in data.items()}
    for key, name in SETS.items():
        own = PLAIN | {"path": path(f"{name}.{language}.h5"), "size": sizes.get(name)}
        bundled = BUNDLED[name] | {"path": path(BUNDLED[name]["path"], vectors_folder)}
        settings[key] = own if name in sizes else bundled
    with atomic_write(conf) as file:
        file.write("# The corpus and the vectors of the experiments, written by `make ontonotes`.\n")
        file.write("# Paths are relative to this file. Delete it to go back to the sample.\n")
        file.writelines(f"{key} = {json.dumps(value)}\n" for key, value in settings.items())
    kept = [Path(bundled["path"]).name for name, bundled in BUNDLED.items() if name not in sizes]
    vectors = f"the bundled vectors {' and '.join(kept)}" if kept else "the vectors given"
    return f"{conf}: the experiments' corpus is in {folder}, with {vectors}"
