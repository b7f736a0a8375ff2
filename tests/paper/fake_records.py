"""Fake records of steps, with invented figures."""

import random

from coref_tf.scoring import Scorer
from coref_tf.scoring.report import report_of
from coref_tf.support.files import write_json

KEY = [[(cluster, i) for i in range(4)] for cluster in range(5)]


def done(steps, name, figures=None, seconds=1.0, **others):
    """Writes a record of a step that is done."""
    record = {"command": f"python {name}", "needs": {}, "done": True, "result": None, "figures": figures}
    record |= {"seconds": seconds, "processor_seconds": 2 * seconds, "machine": "an abacus", "jobs": 1}
    write_json(steps.folder / f"{name}.json", record | others)


def evaluated(quality, seed=0, documents=20):
    """Returns what evaluate.py writes for a model that puts a mention into its cluster with this probability."""
    rng = random.Random(seed)
    scorer = Scorer()
    for document in range(documents):
        response = [[] for _ in KEY]
        for mention in (mention for cluster in KEY for mention in cluster):
            response[mention[0] if rng.random() < quality else rng.randrange(5)].append(mention)
        scorer.add(KEY, response, document=f"nw/{document}")
    return report_of(scorer, per_document=True) | {"mention_recall": 0.91, "spans_per_word": 0.4}


def facts(train, dev, test):
    """Returns what section7 writes for these numbers of documents."""
    of_set = {
        "words": 1000, "mean_words": 10.0, "longest_words": 99, "mentions": 50, "clusters": 9, "wide_share": 1.5,
        "missed_share": 8.2,
    }  # fmt: skip
    counts = {"train": train, "dev": dev, "test": test}
    return {name: {"documents": count, **of_set} for name, count in counts.items()}


def rows(text, title):
    """Returns the cells of the tables under a heading."""
    part = text.split(f"## {title}")[1].split("\n## ")[0]
    lines = [line for line in part.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
