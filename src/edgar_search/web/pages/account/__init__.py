"""What belongs to the user who reads: one file for each page."""
