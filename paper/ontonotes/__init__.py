"""From the CoNLL-2012 and OntoNotes 5.0 releases to the files that the experiments read."""
