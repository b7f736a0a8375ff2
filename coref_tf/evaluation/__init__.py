"""Evaluates models."""
