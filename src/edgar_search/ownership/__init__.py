"""Ownership as data: insider trades, portfolios, stakes; criteria become searches for rows."""
