"""Looking after what is loaded."""
