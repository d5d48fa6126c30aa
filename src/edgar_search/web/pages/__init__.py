"""Pages for people, rendered on the server: like an API version over the neutral search."""
