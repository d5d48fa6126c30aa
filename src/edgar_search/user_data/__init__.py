"""Data that belongs to users: one store, and a module for each area."""
