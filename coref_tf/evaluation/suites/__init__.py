"""Test suites for models: pronouns (GAP), gender bias (WinoBias), other domains, behaviour on short texts."""
