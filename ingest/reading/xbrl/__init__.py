"""XBRL of a submission: instance, linkbases, statements, and the tagged data before XBRL."""
