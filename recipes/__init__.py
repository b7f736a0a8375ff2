"""How the bundled models are made, a folder for each language."""
