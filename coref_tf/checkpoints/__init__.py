"""Trained models in files: ours, and those of the authors."""
