"""Where lines begin with a word."""

import re
from collections.abc import Iterable, Iterator

from ingest.reading.sections.before import Before, read_before
from ingest.reading.sections.markup import Markup


def line_places(
    markup: Markup, places: Iterable[int], after_part: bool = False
) -> Iterator[tuple[int, Before]]:
    """Those of a word's places that begin a line; with `after_part` also after a part's number."""
    for at in places:
        before = read_before(markup, at, after_part)
        if before.prefix is not None and not _amid_sentence(markup, before.start):
            yield at, before


def _amid_sentence(markup: Markup, start: int) -> bool:
    """Whether a line of plain text goes on with the sentence of the line before it."""
    if not markup.has_lines(start):
        return False
    end = start - 1
    if markup.raw[end - 1 : end + 1] == b"\r\n":
        end -= 1
    window = markup.raw[max(0, end - 400) : max(0, end)]
    line = re.split(rb"[\r\n]", window)[-1].strip()
    return len(line) >= 40 and line[-1:] not in b">.:;!?)*-=_"
