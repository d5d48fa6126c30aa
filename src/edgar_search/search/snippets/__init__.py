"""Snippets: which passages of a document are shown, which part of each, and the marks in it."""
