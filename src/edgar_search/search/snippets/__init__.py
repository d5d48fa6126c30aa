"""Snippets: choosing a document's passages, the part of each to show, and its marks."""
