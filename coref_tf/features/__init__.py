"""The input features of words: fixed word vectors and characters.

Importing this package loads nothing; its modules are imported by name.
"""
