"""How fast the fast things are: `python -m benchmarks`. Each benchmark is a module with run(), which returns rows."""
