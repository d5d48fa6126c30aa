"""Financial statements, facts and standard items: finding them, and preparing them for answers."""
