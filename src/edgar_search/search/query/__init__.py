"""Turns criteria into request bodies for documents; pure."""
