"""Plain text: lines as filed, whose tables keep their spacing."""

import re

from edgar_search.edgar.envelope import plain_text
from edgar_search.text.readable_lines import readable
from edgar_search.text.words import normalise, normalise_spaced

_TABLE = re.compile("(</?table>)", re.IGNORECASE)
# EDGAR's tags amid the rows of a table, as in `edgar_search.edgar.envelope`.
_TAG = re.compile(r"</?(?:PAGE|CAPTION|S|C|FN|F[0-9]{1,2}|R)>", re.IGNORECASE)
# White space before a line, and several tabs, part no cells.
_INDENT = re.compile(r"(?m)^[ \t]+|(?<=\t)[ \t]+")


def plain_document_text(body: str) -> str:
    """Return the text of a document without markup.

    Between <TABLE> and </TABLE> blanks stay as filed, so that figures are below their heads in a
    font of one width; elsewhere a run of blanks is one.
    """
    pieces: list[str] = []
    inside = False
    for place, piece in enumerate(_TABLE.split(body)):
        if place % 2:
            inside = piece[1] != "/"
        elif inside:
            pieces.append(normalise_spaced(_TAG.sub(lambda tag: " " * len(tag[0]), piece)))
        else:
            text = plain_text(piece)
            pieces.append(readable(normalise(_INDENT.sub("", text) if "\t" in text else text)))
    return "\n".join(pieces)
