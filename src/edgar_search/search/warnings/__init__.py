"""Warnings about searches: parts probably meant otherwise, or not supported."""
