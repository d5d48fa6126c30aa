"""Replies of the engine to replies of the API; pure."""
