"""Warnings about searches: what was probably meant otherwise, or could not be served."""
