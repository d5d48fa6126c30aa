"""The one set of text rules: what is a word, for what is indexed and for what is asked."""
