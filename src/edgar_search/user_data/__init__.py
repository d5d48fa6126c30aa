"""Data that belongs to users: a store for all of it, and a module for each area."""
