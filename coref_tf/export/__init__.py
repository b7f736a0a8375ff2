"""Exports a trained model as a SavedModel: strings in, clusters out, without any dependency on this project.

Importing this package loads nothing; import its modules by name.

    vectors.py, tensorizer.py                   words -> CorefInputs, in the graph
    rules.py, chunks.py, text.py, sentences.py  text -> words, in the graph
    clusters.py                                 antecedent scores -> clusters, in the graph
    serving_module.py, building.py              the signatures, built from trained models
    writing.py                                  the folder that TensorFlow Serving expects
    warmup.py, guide.py                         additional files: warm-up requests, DIR/README.md
    about.py                                    the description of an export
    exported_model.py                           predicts the clusters of documents with an export
"""
