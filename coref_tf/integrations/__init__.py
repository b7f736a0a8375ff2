"""Integrations with other libraries. Importing this package loads nothing; its modules are imported by name."""
