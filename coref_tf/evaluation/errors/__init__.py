"""What lies between predicted and gold clusters, counted in the manner of Kummerfeld and Klein (2013)."""
