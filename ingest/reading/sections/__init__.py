"""Items of annual and quarterly reports, found in the document as filed."""

from ingest.reading.sections.finder import Section, find_sections

__all__ = ["Section", "find_sections"]
