"""Parameters of endpoints: how they are declared, their types, and the one reader of them all."""
