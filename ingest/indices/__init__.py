"""The indices of an installation, and their differences from the templates."""
