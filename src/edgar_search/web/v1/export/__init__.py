"""The export: everything that matches, as one file."""
