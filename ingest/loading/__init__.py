"""Writes submissions to the indices, in a safe order."""
