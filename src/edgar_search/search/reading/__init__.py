"""Reads a natural-language question as a query: filler words, names, periods and amounts."""
