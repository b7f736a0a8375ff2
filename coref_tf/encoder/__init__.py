"""The contextual encoder: its files, word pieces, windows, layers and cache.

Importing this package loads nothing; its modules are imported by name.
"""
