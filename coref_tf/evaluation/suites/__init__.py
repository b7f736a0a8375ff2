"""Questions to a model: pronouns (GAP), gender (WinoBias), other domains, behaviour on short texts."""
