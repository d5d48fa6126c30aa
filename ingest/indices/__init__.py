"""Index templates, and the indices of an installation."""
