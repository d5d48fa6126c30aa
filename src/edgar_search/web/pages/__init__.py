"""Pages for people, rendered on the server, built on the search like an API version."""
