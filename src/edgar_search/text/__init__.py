"""Words, by one set of rules for texts and queries, and documents to their searchable text."""
