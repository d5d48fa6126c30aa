"""The write side of edgar-search: submissions in, stored documents out."""
