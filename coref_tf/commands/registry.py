"""Which subcommands `coref` has. A new one is a line here and a module beside it."""

from typing import NamedTuple


class Command(NamedTuple):
    """A subcommand: its module has add_arguments(parser) and run(arguments) -> exit code or None."""

    name: str
    summary: str
    module: str


def _command(name: str, summary: str, module: str | None = None) -> Command:
    return Command(name, summary, f"coref_tf.commands.{module or name}")


# In the groups of the help page. Modules are imported only when they are asked for.
GROUPS = {
    "resolve text": (
        _command("predict", "find out which words of documents refer to the same thing"),
        _command("resolve", "write texts with their pronouns replaced"),
        _command("quotes", "list the quotations of texts and who speaks each"),
        _command("characters", "list the people of texts, how often, called what, and what they say"),
        _command("spark", "resolve a corpus with Apache Spark, here or on a cluster"),
        _command("export", "write a trained model as a TensorFlow SavedModel"),
        _command("serve", "a page to type into, and a REST API, over HTTP"),
        _command("mcp", "tools for language models, by the Model Context Protocol"),
    ),
    "train": (
        _command("finetune", "train a model further on documents of your own"),
        _command("train", "train an experiment of experiments.conf"),
        _command("documents", "check, convert, count and compile documents"),
        _command("features", "word vectors, characters and pretrained encoders of one's own"),
        _command("pack", "write a trained model as one small file, its encoder inside"),
        _command("import", "take over a checkpoint of the authors' 2017 code", "import_authors"),
    ),
    "measure": (
        _command("evaluate", "score a trained model on documents whose clusters are known"),
        _command("score", "score the clusters of any system, as the official scorer does"),
        _command("score compare", "how far two systems are apart", "score_compare"),
        _command("analyse", "errors of a trained model, and how far its probabilities can be trusted"),
    ),
    "set up": (_command("doctor", "whether everything is there that coref needs, and what to do if not"),),
}
COMMANDS = {command.name: command for commands in GROUPS.values() for command in commands}
