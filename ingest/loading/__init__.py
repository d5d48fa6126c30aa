"""The order of writes."""
