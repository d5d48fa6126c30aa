"""One document: its text, its sections, its matches, and what was filed."""
