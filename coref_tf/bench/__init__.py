"""How fast the fast things are: `coref bench`. Each module has run(), which returns rows."""
