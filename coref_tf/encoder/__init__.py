"""The contextual encoder: its files, word pieces, windows, layers and cache.

Importing this package loads nothing; import its modules by name.
"""
