"""HTTP: turns requests into parameters, and results into responses."""
