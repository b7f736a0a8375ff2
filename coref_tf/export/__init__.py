"""A trained model as a SavedModel: strings in, clusters out, with nothing of this project needed to run it.

Importing this package loads nothing; its modules are imported by name.

    vectors.py, tensorizer.py                   words -> CorefInputs, in the graph
    rules.py, chunks.py, text.py, sentences.py  text -> words, in the graph
    clusters.py                                 antecedent scores -> clusters, in the graph
    serving_module.py, building.py              the signatures, built from trained models
    writing.py                                  the folder that TensorFlow Serving expects
    warmup.py, guide.py                         what stands beside the model: warm-up requests, DIR/README.md
    about.py                                    what an export says about itself
    exported_model.py                           an export that predicts the clusters of documents
"""
