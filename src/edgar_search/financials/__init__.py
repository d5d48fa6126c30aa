"""Financial statements, facts and standard items: found, and put together for answers."""
