"""Parameters of endpoints: their declarations, their types, and their reader."""
