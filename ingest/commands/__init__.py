"""The commands of `edgar-ingest`."""
