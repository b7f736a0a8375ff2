"""End-to-end neural coreference resolution (Lee et al., EMNLP 2017) in TensorFlow 2 and Keras.

Importing this package loads nothing: neither TensorFlow nor the op library.
"""

__version__ = "0.1.0"
