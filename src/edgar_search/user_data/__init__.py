"""Data that belongs to users: one module an area over one store."""
