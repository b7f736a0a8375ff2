"""Error analysis: the differences between predicted and gold clusters, after Kummerfeld and Klein (2013)."""
