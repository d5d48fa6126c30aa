"""Items that belong to users: the endpoints below `/auth/`, one module for each area."""
