"""The paper's tables and figures, each from one command; see `python -m coref_tf.analysis --help`.

Importing this package loads nothing; its modules are imported by name.
"""
