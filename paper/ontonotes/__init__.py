"""Prepares the files for experiments from the CoNLL-2012 and OntoNotes 5.0 releases."""
