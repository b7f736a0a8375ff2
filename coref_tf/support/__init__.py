"""Utilities that any room may use: errors, files, progress, the environment, the built libraries."""
