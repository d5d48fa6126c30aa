"""The one set of rules for words, for indexed texts and for queries."""
