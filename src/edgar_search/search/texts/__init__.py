"""The text of one document: which text it is, and its passages, all of one load."""
