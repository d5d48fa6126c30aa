"""Pages for people, rendered on the server: one more dialect over the neutral search."""
