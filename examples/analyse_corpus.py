"""Describes the documents of a corpus by their coreference chains, and compares the chains with the gold clusters.

The corpus is data/texts: twenty short texts of five kinds. For each, a row shows the number of chains (clusters), their
mean length in mentions, the share of pronouns among the mentions, the CoNLL F1, and the most mentioned entities.
"""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import coref_tf
from coref_tf.api.result import Cluster, Mention
from coref_tf.documents.inline import read_inline_folder
from coref_tf.scoring import Scorer

CORPUS = Path(__file__).parents[1] / "data" / "texts"
PRONOUNS = (
    "i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself "
    "she her hers herself it its itself they them their theirs themselves this that these those"
)


def is_pronoun(mention: Mention) -> bool:
    """Returns whether a mention is a pronoun."""
    return mention.text.lower() in PRONOUNS.split()


def name_of(cluster: Cluster) -> str:
    """Returns the most frequent mention of a cluster that is not a pronoun, or its first mention."""
    texts = Counter(mention.text for mention in cluster if not is_pronoun(mention))
    return texts.most_common(1)[0][0] if texts else cluster[0].text


def print_row(name: str, clusters: Sequence[Cluster], f1: float) -> None:
    """Prints the figures of some clusters, and the two entities with the most mentions."""
    mentions = [mention for cluster in clusters for mention in cluster]
    length = len(mentions) / max(1, len(clusters))
    share = sum(map(is_pronoun, mentions)) / max(1, len(mentions))
    top = sorted(clusters, key=len, reverse=True)[:2]
    names = ", ".join(f"{name_of(cluster)} ({len(cluster)})" for cluster in top)
    print(f"{name:30} {len(clusters):6} {length:6.1f} {share:8.0%} {100 * f1:5.1f}  {names}")


def main() -> None:
    """Resolves all documents, and prints a row for each and a row for the corpus."""
    documents = list(read_inline_folder(CORPUS))
    results = list(coref_tf.load("english-fast").pipe(documents))
    scorer = Scorer()
    for document, result in zip(documents, results, strict=True):
        scorer.add(key=document.clusters, response=result.spans, document=document.doc_key)

    print(f"{'document':30} {'chains':>6} {'length':>6} {'pronouns':>8} {'F1':>5}  most mentioned")
    for result, scores in zip(results, scorer.per_document().values(), strict=True):
        print_row(result.document.doc_key, result.clusters, scores.conll_f1)
    print_row("all", [cluster for result in results for cluster in result], scorer.result().conll_f1)


if __name__ == "__main__":
    main()
