"""Items of annual and quarterly reports, found in the filed document."""

from ingest.reading.sections.finder import find_sections
from ingest.reading.sections.section import Section

__all__ = ["Section", "find_sections"]
