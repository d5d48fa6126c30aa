"""EDGAR itself: its lists, and submissions from there."""
