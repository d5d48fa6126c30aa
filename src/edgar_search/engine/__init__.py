"""The one door to Elasticsearch, and the tools over it that all packages share."""
