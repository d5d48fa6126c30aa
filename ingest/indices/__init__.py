"""The indices of an installation, and how they differ from the templates."""
