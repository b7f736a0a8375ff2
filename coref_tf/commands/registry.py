"""The registry of the subcommands of `coref`. To add one, add a line here and a module next to this one."""

from typing import NamedTuple


class Command(NamedTuple):
    """A subcommand. Its module has add_arguments(parser) and run(arguments), which returns an exit code or None."""

    name: str
    summary: str
    module: str


def _command(name: str, summary: str, module: str | None = None) -> Command:
    return Command(name, summary, f"coref_tf.commands.{module or name}")


# Grouped as on the help page. Modules are imported on demand.
GROUPS = {
    "resolve text": (
        _command("predict", "find the words in documents that refer to the same thing"),
        _command("resolve", "write texts with their pronouns replaced"),
        _command("quotes", "list the quotations in texts and their speakers"),
        _command(
            "characters", "list the characters of texts: their names, how often they occur, what they say"
        ),
        _command("spark", "resolve a corpus with Apache Spark, locally or on a cluster"),
        _command("export", "write a trained model as a TensorFlow SavedModel"),
        _command("serve", "serve a web page and a REST API over HTTP"),
        _command("mcp", "serve tools for language models with the Model Context Protocol"),
    ),
    "train": (
        _command("finetune", "fine-tune a model on your own documents"),
        _command("train", "train an experiment of experiments.conf"),
        _command("documents", "check, convert, count and compile documents"),
        _command("features", "prepare your own word vectors, characters and pretrained encoders"),
        _command("pack", "pack a trained model and its encoder into one small file"),
        _command("import", "import a checkpoint of the authors' 2017 code", "import_authors"),
    ),
    "measure": (
        _command("evaluate", "score a trained model on documents with gold clusters"),
        _command("score", "score the clusters of any system like the official scorer"),
        _command("score compare", "compare two systems with a paired bootstrap test", "score_compare"),
        _command("analyse", "analyse errors and calibration of a trained model"),
    ),
    "set up": (_command("doctor", "check the installation and show how to fix problems"),),
}
COMMANDS = {command.name: command for commands in GROUPS.values() for command in commands}
