"""Ownership as data: insider trades, portfolios, stakes; criteria in, searches for rows out."""
