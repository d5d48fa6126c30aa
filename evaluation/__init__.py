"""Judgements of quality: sections, items of current reports, relevance."""
