"""Parameters of endpoints: their declarations, their types, and the reader of them all."""
