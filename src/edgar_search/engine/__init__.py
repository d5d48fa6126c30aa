"""The one door to Elasticsearch, and what is done with it by all rooms."""
