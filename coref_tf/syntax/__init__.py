"""Parse trees, syntactic heads, and the rule-based mention detector that works on them.

Importing this package loads nothing; its modules are imported by name.
"""
