"""The write side of edgar-search: submissions come in, stored documents go out."""
