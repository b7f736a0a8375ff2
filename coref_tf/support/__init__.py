"""Utilities that any module may use: errors, files, progress, the environment, the built libraries."""
