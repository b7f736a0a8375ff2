"""Adapts a bundled model to annotated documents: contracts, in which a party has a name and a role.

The contracts in examples/contracts are annotated as docs/own-data.md describes. They follow a rule that the bundled
models do not know: in "Ruth Abara (the Landlord)", the name and the role are two mentions of the same party. Three
sets serve three purposes: the model learns from `train`, `dev` chooses the best epoch, and `test` measures the result.
"""

import sys
from pathlib import Path

import coref_tf
from coref_tf.documents import Document
from coref_tf.documents.inline import read_inline_folder
from coref_tf.scoring import Scorer

CONTRACTS = Path(__file__).parent / "contracts"
CLAUSE = (
    "Ola Berg (the Seller) sells a tractor (the Machine) to Ines Prat (the Buyer). The Seller delivers the Machine in "
    "March. The Buyer pays for it when she receives it. If the Machine breaks within a year, Ms Berg repairs it."
)


def conll_f1(model: str | Path, documents: list[Document]) -> float:
    """Returns the CoNLL F1 of a model on documents with gold clusters, in percent."""
    scorer = Scorer()
    resolver = coref_tf.load(model)
    for document, result in zip(documents, resolver.pipe(documents), strict=True):
        scorer.add(key=document.clusters, response=result.spans)
    return 100 * scorer.result().conll_f1


def main(output: str = "contracts.h5") -> None:
    """Measures the F1 before and after training, and uses the trained model."""
    train, dev, test = (list(read_inline_folder(CONTRACTS / part)) for part in ("train", "dev", "test"))
    before = conll_f1("english-fast", test)

    # Prints the F1 after each epoch: on `dev`, and on general documents, to show what the model forgets.
    # Ten short documents are few steps, so the steps are larger than by default.
    tuned = coref_tf.finetune(train, dev=dev, model="english-fast", output=output, learning_rate=1e-3)

    after = conll_f1(tuned.path, test)
    print(
        f"\nF1 on {len(test)} contracts that were not used for training: {before:.1f} before, {after:.1f} after"
    )

    print("\nA clause with english-fast, and then with the new model:")
    for model in ("english-fast", tuned.path):
        print(coref_tf.load(model)(CLAUSE))


if __name__ == "__main__":
    main(*sys.argv[1:])
