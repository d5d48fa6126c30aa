"""The neutral search: asked and answered in types of its own, without HTTP and without a dialect."""
