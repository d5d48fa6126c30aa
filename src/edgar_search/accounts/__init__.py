"""What belongs to users: one file an area over one store."""
