"""Writes the settings that point experiments.conf to the prepared corpus."""

import json
from pathlib import Path

from coref_tf.support.files import atomic_write
from coref_tf.support.resources import resources_folder

GENRES = ["bc", "bn", "mz", "nw", "pt", "tc", "wb"]
DEFAULT_GENRE = "nw"
LANGUAGES = {"english": "en", "chinese": "zh", "arabic": "ar"}  # names in the release, and spaCy's codes

# The vector sets of experiments.conf: those of the paper and, if these are not given, bundled sets of the same size as
# substitutes. Every key is written, because omitted keys would keep the values of the sample.
SETS = {"large_vectors": "glove", "small_vectors": "turian"}
PLAIN = {"lowercase": False, "fallback_lowercase": False, "plain_brackets": False}
BUNDLED = {
    "glove": PLAIN | {"path": "cased_300d.h5", "size": 300, "plain_brackets": True},
    "turian": PLAIN | {"path": "glove_6B_50d.h5", "size": 50, "lowercase": True, "plain_brackets": True},
}


def write_settings(folder: Path, language: str, sizes: dict[str, int]) -> str:
    """Writes FOLDER.conf, which makes all experiments use the corpus in the folder.

    Args:
        folder: The folder of the sets, the characters and the vectors.
        language: The language, as in the names of the files.
        sizes: The sizes of the vectors in the folder, by name; bundled ones replace the others.

    Returns:
        A message.
    """

    conf = folder.with_name(f"{folder.name}.conf")
    vectors_folder = resources_folder() / "data" / "vectors"

    def path(name: str, inside: Path = folder) -> str:
        """Returns a path relative to the folder of the conf, so that both can be moved together."""
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
        file.write("# Paths are relative to this file. Delete it to return to the sample.\n")
        file.writelines(f"{key} = {json.dumps(value)}\n" for key, value in settings.items())
    kept = [Path(bundled["path"]).name for name, bundled in BUNDLED.items() if name not in sizes]
    vectors = f"the bundled vectors {' and '.join(kept)}" if kept else "the given vectors"
    return f"{conf}: experiments use the corpus in {folder}, with {vectors}"
