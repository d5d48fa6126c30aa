"""Documents to their searchable text."""
