"""Endpoints that show where a document says what was searched for: its matches and its text."""
