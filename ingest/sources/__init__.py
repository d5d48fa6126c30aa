"""Sources of a load: files, folders, containers, and the order of their submissions."""
