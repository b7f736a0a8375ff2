"""How fast the fast things are: `python -m coref_tf.bench`. Each module has run(), which returns rows."""
