"""Things that belong to users: the endpoints below `/auth/`, one file an area."""
