"""What belongs to users: the endpoints below `/auth/`, one file an area."""
