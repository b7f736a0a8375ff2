"""Trained models: `open_model` finds and reads one; checkpoints, packed files and the authors' checkpoints.

Importing this package loads nothing; import its modules by name.
"""
