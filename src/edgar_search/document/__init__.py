"""One document: its text, its sections, its matches, and its bytes as filed."""
