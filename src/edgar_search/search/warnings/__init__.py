"""Saying why: what of a search was probably meant otherwise, or could not be served."""
