"""The rules of words, the same for texts and queries, and the searchable text of documents."""
