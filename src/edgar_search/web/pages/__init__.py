"""Pages for people: a dialect that is rendered on the server, over the neutral search."""
