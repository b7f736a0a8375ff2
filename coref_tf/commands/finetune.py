"""Fine-tunes a model on your own documents, and writes it to one file.

coref finetune annotated/
coref finetune train.jsonlines --dev dev.jsonlines --from english -o mymodel.h5

DATA are documents with gold clusters, in any supported input format. Without --dev, a fifth of them is held out.
The contextual encoder stays frozen. After each epoch, the command prints the F1 on the dev set, and the change of the
F1 on the bundled dev set, to show what the model forgets. It keeps the best epoch. After Ctrl-C, run the
same command again to resume.
`coref predict --model mymodel.h5` and `coref_tf.load("mymodel.h5")` use the result.
"""

import argparse

from coref_tf.api.finetuning import EPOCHS, LEARNING_RATE, OUTPUT, finetune
from coref_tf.support.resources import DEFAULT_MODEL


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of the command."""
    add = parser.add_argument
    add("documents", nargs="+", metavar="DATA", help="files, folders or patterns with annotated documents")
    add(
        "--from",
        dest="model",
        default=DEFAULT_MODEL,
        metavar="MODEL",
        help=f"a bundled model, a trained experiment or a checkpoint (default: {DEFAULT_MODEL})",
    )
    add("--dev", metavar="FILE", help="the dev set (default: a fifth of the documents is held out)")
    add("-o", "--output", default=OUTPUT, metavar="OUT.h5", help=f"the file to write (default: {OUTPUT})")
    add(
        "--epochs",
        type=int,
        default=EPOCHS,
        metavar="N",
        help=f"the maximum number of passes over the documents (default: {EPOCHS})",
    )
    add(
        "--learning-rate",
        type=float,
        default=LEARNING_RATE,
        metavar="R",
        help=f"the peak learning rate, which decays linearly to 0 (default: {LEARNING_RATE:g})",
    )
    add(
        "--seed",
        type=int,
        default=0,
        metavar="N",
        help="the seed for held-out documents, order and dropout (default: 0)",
    )


def run(arguments: argparse.Namespace) -> None:
    """Fine-tunes the model, and prints what it gained and forgot."""
    tuned = finetune(
        arguments.documents,
        model=arguments.model,
        dev=arguments.dev,
        output=arguments.output,
        epochs=arguments.epochs,
        learning_rate=arguments.learning_rate,
        seed=arguments.seed,
    )
    print(tuned)
