"""Worker processes that read submissions."""
