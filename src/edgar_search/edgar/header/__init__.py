"""The header of a submission."""
