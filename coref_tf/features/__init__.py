"""What the model sees of a word: fixed word vectors and characters.

Importing this package loads nothing; its modules are imported by name.
"""
