"""EDGAR itself: what it lists, and submissions from there."""
