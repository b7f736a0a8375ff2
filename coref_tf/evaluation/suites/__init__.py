"""What a model is worth, question by question: pronouns (GAP), gender (WinoBias), other domains."""
