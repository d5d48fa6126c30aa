"""Stored documents as Structs: one for each index, equal to its template by a test."""
