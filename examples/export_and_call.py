"""Exports a bundled model as a SavedModel, and calls it from a program that imports nothing but TensorFlow.

A portable export consists of TensorFlow's built-in ops. The machine that runs it needs TensorFlow and the folder of
the export, but not coref_tf.
"""

import subprocess
import sys
from pathlib import Path

from coref_tf.export.building import ExportOptions
from coref_tf.export.writing import export
from coref_tf.models.open_model import open_trained_model

# The other program. It could be on another machine, or written in C, Java or Go.
CALLER = """
import sys

import tensorflow as tf

model = tf.saved_model.load(sys.argv[1])
text = "Ana Roy told her brother that he had left his umbrella on the tram."
found = model.signatures["text"](text=tf.constant(text))
columns = ("mention_clusters", "mention_probability", "mention_begin_char", "mention_end_char")
for cluster, probability, begin, end in zip(*(found[column].numpy() for column in columns)):
    print(f"{cluster}  {probability:.2f}  {text[begin:end]}")
print("modules of coref_tf:", sum(name.split(".")[0] == "coref_tf" for name in sys.modules))
"""


def main(folder: str = "models/english-fast") -> None:
    """Exports the model, lists what the export consists of, and runs the other program."""
    version = export([open_trained_model("english-fast")], Path(folder), ExportOptions(portable=True))
    print(f"exported to {version}:")
    for path in sorted(path for path in version.rglob("*") if path.is_file()):
        print(f"  {path.relative_to(version)}")

    print("\nthe other program prints:", flush=True)
    subprocess.run([sys.executable, "-c", CALLER, version], check=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
