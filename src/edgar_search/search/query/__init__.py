"""From criteria to the body of a request for documents; pure."""
