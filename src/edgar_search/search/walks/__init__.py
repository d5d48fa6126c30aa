"""Walks: a result read to its end, page after page, each going on where the last one ended."""
