"""Section 7: the documents, words and mention widths of an experiment's corpus."""

from pathlib import Path
from typing import Any

from coref_tf.config import Experiment
from coref_tf.documents import read_documents
from coref_tf.documents.stats import count
from coref_tf.evaluation.figures import print_table
from coref_tf.support.files import write_json

# The statistics of a set, with their labels and formats.
FACTS = {
    "documents": ("documents", "{:,}"),
    "words": ("words", "{:,}"),
    "mean_words": ("words per document", "{:,.0f}"),
    "longest_words": ("words of the longest", "{:,}"),
    "mentions": ("mentions", "{:,}"),
    "clusters": ("clusters", "{:,}"),
    "wide_share": ("mentions of more than 10 words", "{:.1f} %"),
}


def corpora(experiment: Experiment) -> dict[str, tuple[Path, ...]]:
    """Returns the files of each set."""
    return {
        "train": experiment.train_path,
        "dev": (experiment.conll_eval_path,),
        "test": (experiment.test_path,),
    }


def facts(paths: tuple[Path, ...]) -> dict[str, Any]:
    """Computes the statistics of a set, as JSON values."""
    stats = count(document for path in paths for document in read_documents(path))
    return {
        "documents": stats.documents,
        "words": stats.words,
        "mean_words": stats.words / max(stats.documents, 1),
        "longest_words": stats.longest_words,
        "mentions": stats.mentions,
        "clusters": stats.clusters,
        "wide_share": 100 * stats.wide_mentions / max(stats.mentions, 1),
        "widths": {str(width): stats.widths[width] for width in sorted(stats.widths)},
    }


def write_section7(experiment: Experiment, folder: Path) -> None:
    """Counts, writes FOLDER/section7.json and prints a table."""
    found = {name: facts(paths) for name, paths in corpora(experiment).items()}
    folder.mkdir(parents=True, exist_ok=True)
    write_json(folder / "section7.json", found)
    print_table(
        ("", *found),
        [
            (name, *(form.format(of_set[key]) for of_set in found.values()))
            for key, (name, form) in FACTS.items()
        ],
    )
    print(f"wrote {folder / 'section7.json'}")
