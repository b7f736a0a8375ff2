"""Benchmarks: `python -m benchmarks`. Each benchmark is a module with a function run(), which returns rows."""
