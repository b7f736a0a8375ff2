"""Section 7: the documents, words and mention widths of an experiment's corpus."""

from pathlib import Path
from typing import Any

from coref_tf.config import Experiment
from coref_tf.documents import read_documents
from coref_tf.documents.stats import count
from coref_tf.evaluation.figures import print_table
from coref_tf.support.files import write_json
from paper.figure3 import measure_rules
from paper.markdown import NOTHING

# The statistics of a set, with their labels and formats.
FACTS = {
    "documents": ("documents", "{:,}"),
    "words": ("words", "{:,}"),
    "mean_words": ("words per document", "{:,.0f}"),
    "longest_words": ("words of the longest", "{:,}"),
    "mentions": ("mentions", "{:,}"),
    "clusters": ("clusters", "{:,}"),
    "wide_share": ("mentions of more than 10 words", "{:.1f}%"),
    "missed_share": ("mentions that the rule-based detector misses", "{:.1f}%"),
}


def fact_text(key: str, value: Any) -> str:
    """Formats a statistic."""
    return NOTHING if value is None else FACTS[key][1].format(value)


def corpora(experiment: Experiment) -> dict[str, tuple[Path, ...]]:
    """Returns the files of each set."""
    return {
        "train": experiment.train_path,
        "dev": (experiment.conll_eval_path,),
        "test": (experiment.test_path,),
    }


def facts(paths: tuple[Path, ...]) -> dict[str, Any]:
    """Computes the statistics of a set, as JSON values."""
    documents = [document for path in paths for document in read_documents(path)]
    stats, rules = count(documents), measure_rules(documents)
    return {
        "documents": stats.documents,
        "words": stats.words,
        "mean_words": stats.words / max(stats.documents, 1),
        "longest_words": stats.longest_words,
        "mentions": stats.mentions,
        "clusters": stats.clusters,
        "wide_share": 100 * stats.wide_mentions / max(stats.mentions, 1),
        "missed_share": None if rules is None or rules.recall is None else 100 - rules.recall,
        "widths": {str(width): stats.widths[width] for width in sorted(stats.widths)},
    }


def write_section7(experiment: Experiment, folder: Path) -> None:
    """Computes the statistics, writes them to FOLDER/section7.json and prints them as a table."""
    found = {name: facts(paths) for name, paths in corpora(experiment).items()}
    folder.mkdir(parents=True, exist_ok=True)
    write_json(folder / "section7.json", found)
    print_table(
        ("", *found),
        [
            (name, *(fact_text(key, of_set[key]) for of_set in found.values()))
            for key, (name, _) in FACTS.items()
        ],
    )
    print(f"wrote {folder / 'section7.json'}")
