"""What `coref_tf.load` gives: a Resolver, and the Result of a text.

Importing this package loads nothing; its modules are imported by name.
"""
