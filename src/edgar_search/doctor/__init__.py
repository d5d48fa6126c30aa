"""Checks of an installation, with a remedy for each fault that they find."""
