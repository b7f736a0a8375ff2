"""From the CoNLL-2012 and OntoNotes 5.0 releases to what the experiments read.

Importing this package loads nothing; its modules are imported by name.
"""
