"""Filings made from real ones, at any size, whose words grow as the words of real filings do."""
