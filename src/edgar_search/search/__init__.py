"""The neutral search: asked and answered in its own types, knowing neither HTTP nor a dialect."""
