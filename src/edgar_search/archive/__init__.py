"""Submissions as received: kept compressed, never changed, in a folder or an object store."""
