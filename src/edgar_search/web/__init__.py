"""HTTP: requests into parameters, results into responses."""
