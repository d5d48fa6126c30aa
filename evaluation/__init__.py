"""What judges quality: sections, items of current reports, relevance."""
