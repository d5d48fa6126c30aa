"""The reference, made of what is declared: OpenAPI 3.1, and a page for language models."""
