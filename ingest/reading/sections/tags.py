"""Tags by what they do to the lines of a report, in which EDGAR's own stand among those of HTML."""

from ingest.reading.html_elements import BLOCKS, EDGAR_MARKS, EDGAR_TEXT, PAGE_PARTS, VOID

LINE_ENDS = BLOCKS | PAGE_PARTS | EDGAR_MARKS | EDGAR_TEXT | {b"br", b"pre"}
# They have no end tag and belong to what stands before them.
ATTACHED = VOID | EDGAR_MARKS
OUTER = PAGE_PARTS - {b"title"} | EDGAR_TEXT | {b"html"}
