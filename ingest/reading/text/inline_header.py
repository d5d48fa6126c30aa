"""The hidden header of an inline XBRL report, cut out before the report is read.

It holds contexts and units in some thousand tags, nearly all different, and none of its text is
seen. It is cut out only where it is sure that reading it would have given the same.
"""

import re

from ingest.reading.text.hidden_elements import end_of_content
from ingest.reading.text.tag_brackets import NotOrdinaryError

# As all programs write it: an element that hides, with nothing in it but the header.
_BEGINS = re.compile(rb'<div(?>(?: id="[\w.-]*+")?) style="display: ?none;?">\s*+(?=<ix:header>)')
_END = b"</ix:header>"
_ENDS = re.compile(rb"\s*+</div>")
# Elements of XBRL, none of HTML, with quotes in pairs; so no bracket is anything but a tag's.
_XBRL = re.compile(
    rb"(?>(?:[^<>]*+</?[A-Za-z][\w-]*+:[\w.-]++(?>(?:\s++[\w:.-]++=\"[^\"<>]*+\")*)\s*+/?>)+)"
)
# What stays: the breaks of what held it.
_EMPTY = b"<div></div>"


def without_header(data: bytes) -> bytes:
    """Return HTML without its header of inline XBRL, and as it is where that is not so sure."""
    begins = _BEGINS.search(data)
    if begins is None:
        return data
    start, end = begins.end(), data.find(_END, begins.end()) + len(_END)
    ends = _ENDS.match(data, end)
    if end < start or ends is None or not _XBRL.fullmatch(data, start, end):
        return data
    try:
        if end_of_content(data, start) != end - len(_END):
            return data
    except NotOrdinaryError:
        return data
    return b"".join([data[: begins.start()], _EMPTY, data[ends.end() :]])
