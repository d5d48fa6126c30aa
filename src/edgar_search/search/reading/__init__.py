"""Reads a natural-language question as a query: fillers, names, periods and amounts."""
