"""The Python API: the Resolver that `coref_tf.load` returns, and the Result of a text.

Importing this package loads nothing; its modules are imported by name.
"""
