"""Upkeep of loaded filings."""
