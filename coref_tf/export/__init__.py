"""A trained model as a SavedModel: strings in, clusters out, with nothing of this project needed to run it.

Importing this package loads nothing; its modules are imported by name.

    vectors.py, tensorizer.py     words -> CorefInputs, in the graph
    rules.py, chunks.py, text.py  text -> words, in the graph
    clusters.py                   antecedent scores -> clusters, in the graph
    resolver.py                   the three signatures
    writing.py                    the folder that TensorFlow Serving expects, whole or not there
    warmup.py, guide.py           what stands beside the model: warm-up requests, DIR/README.md
"""
