"""How sure a model is, and how sure it may be: decisions, a fit of probabilities, and how far they are off."""
