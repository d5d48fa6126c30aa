"""What a query means, and how what it finds spreads."""
