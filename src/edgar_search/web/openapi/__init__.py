"""The reference, made from declared endpoints: OpenAPI 3.1, and a page for language models."""
