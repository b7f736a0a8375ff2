"""The training recipes of the bundled models, with one folder per language."""
