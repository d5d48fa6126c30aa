"""The v1 endpoints."""
