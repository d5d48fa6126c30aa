"""Stored documents as Structs, one for each index; a test compares them with the templates."""
