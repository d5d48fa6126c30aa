"""Request bodies for the engine, one file an index: criteria in, one literal out; pure."""
