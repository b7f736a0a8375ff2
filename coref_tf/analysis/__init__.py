"""The paper's tables and figures, each from one command; see `coref analyse --help`.

Importing this package loads nothing; its modules are imported by name.
"""
