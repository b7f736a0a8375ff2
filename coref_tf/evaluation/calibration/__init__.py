"""Calibration: a model's decisions, fitted probabilities, and their reliability."""
