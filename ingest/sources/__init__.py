"""What is to be loaded: where submissions are, and in which order they come."""
