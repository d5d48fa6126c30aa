"""The commands of `edgar-search`."""
