"""Headings of items that a form has no number for; a section ends at them.

The officers of a registrant may stand in the first part of an annual report as an item without a
number ("ITEM X."), and reports of asset-backed issuers have items of Regulation AB.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from ingest.reading.sections.line_starts import line_places
from ingest.reading.sections.markup import Markup

_MOST = 2_000
_NEAR = 600  # bytes from "item" to what it is about, with its markup
# The first letter may be in another element than the rest, as small capitals are written.
_SUBJECTS = (b"fficers", b"egulation")
# Most have the form's own numbers, and need no further look.
_NUMBERED = re.compile(rb"items?[\0- #:.]*[0-9]{1,2}[a-d]?(?:[^\0- 0-9a-z(<&]|[\0- ][^(<&])")
_CALLED = re.compile(
    rb"(?:unnumbered|supplement(?:al|ary)|additional|special|separate)[\0- ]{1,2}\Z"
)
_OFFICERS = re.compile(
    r"(?:\w+\s)?i ?t ?e ?m ?s?\b[\s.:#(–—-]*"
    r"(?:(?:(?-i:[A-Z])[\w.]{0,11}|[0-9]{1,2}\s?\([a-z])[\s.:)–—-]+){0,2}"
    r"(?-i:(?=[EI]))(?:information\s+(?:about|regarding|concerning)\s+(?:our\s+)?)?"
    r"executive\s+officers\b"
    r"[^\n\t]{0,60}(?:[\n\t]|$)",
    re.IGNORECASE,
)
_REGULATION = re.compile(
    r"i ?t ?e ?m ?s?\s+1[01][0-9]{2}\s*(?:\([a-z0-9]{1,3}\)\s*)*,?\s*(?:of|under)\s+"
    r"regulation\s+ab\b"
    r"[\s.,:;–—-]*(?:(?-i:[A-Z(])|[\n\t]|$)",
    re.IGNORECASE,
)


def other_item_places(markup: Markup) -> list[int]:
    """Where headings of such items begin, in order."""
    return list(islice(_places(markup), _MOST))


def _places(markup: Markup) -> Iterator[int]:
    for at, before in line_places(markup, _candidates(markup)):
        text = "" if before.prefix else markup.after(at, 200)
        if _OFFICERS.match(text) or _REGULATION.match(text):
            yield before.start


def _candidates(markup: Markup) -> Iterable[int]:
    for at in markup.items:
        if _NUMBERED.match(markup.lower, at):
            continue
        if any(markup.lower.find(word, at, at + _NEAR) >= 0 for word in _SUBJECTS):
            called = _CALLED.search(markup.lower, max(0, at - 16), at)
            yield called.start() if called else at
