"""What is stored, as Structs: one file for each index, equal to its template by a test."""
