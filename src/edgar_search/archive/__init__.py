"""Submissions as received: stored compressed and never changed, in a folder or an object store."""
