"""The components of the paper, one Keras layer per file."""
