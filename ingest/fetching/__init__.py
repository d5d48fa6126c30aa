"""Everything about EDGAR itself: its lists, and fetching submissions."""
