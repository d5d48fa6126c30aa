"""HTML elements by what they do to a line: one table for the text of documents and their sections.

Names are in lower case.
"""

CELLS = frozenset(b"td th".split())
# Each is a paragraph of its own.
PARAGRAPHS = frozenset(b"h1 h2 h3 h4 h5 h6 p".split())
# Elements that begin and end a line.
LINES = frozenset(
    b"address article aside blockquote caption center dd details div dl dt fieldset footer form"
    b" header hgroup hr html li main nav ol section table tbody tfoot thead tr ul".split()
)
BLOCKS = PARAGRAPHS | LINES | CELLS
# They have no content and no end tag.
VOID = frozenset(b"area base br col embed hr img link meta param source track wbr".split())
# What a page consists of; only where there are several pages in a document is it amid of text.
PAGE_PARTS = frozenset(b"body head title".split())
# Tags of EDGAR's own in the text of a document: where a page ends, and columns of a table begin.
EDGAR_MARKS = frozenset(b"page s c".split())
EDGAR_TEXT = frozenset({b"text"})
