"""Parameters, the query language, and request bodies; pure."""
