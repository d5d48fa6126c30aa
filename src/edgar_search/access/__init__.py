"""Callers and their rights: accounts, keys, tokens, sessions, limits, and the history of calls."""
