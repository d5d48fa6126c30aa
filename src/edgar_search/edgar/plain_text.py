"""EDGAR's plain text: bytes to characters, and its tags out of the text."""

import codecs
import re

# Everything else between angle brackets is the author's text.
_TAGS = re.compile(r"</?(?:PAGE|TABLE|CAPTION|S|C|FN|F[0-9]{1,2}|R)>", re.IGNORECASE)
# A financial data schedule is a list of `<TOTAL-ASSETS>  1,234`.
_SCHEDULE_TAGS = re.compile(r"</?[A-Za-z][A-Za-z0-9&-]*>")


def decode_bytes(body: bytes) -> str:
    """Return the characters of `body`, which declares no encoding; never raises.

    UTF-8, else Windows-1252 with Latin-1 for the bytes that it leaves undefined; UTF-16 where a
    byte order mark says so. NUL becomes a space.
    """
    text = _decoded(body)
    return text.replace("\0", " ") if "\0" in text else text


def _decoded(body: bytes) -> str:
    if body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return body.decode("utf-16", errors="replace")
    try:
        return body.decode("utf-8-sig")
    except UnicodeDecodeError:
        return body.decode("cp1252", errors=_LATIN_1)


def _undefined_as_latin_1(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    return error.object[error.start : error.end].decode("latin-1"), error.end


_LATIN_1 = "edgar_search.latin_1"
codecs.register_error(_LATIN_1, _undefined_as_latin_1)


def plain_text(text: str, schedule: bool = False) -> str:
    """Return `text` with EDGAR's tags replaced by a space.

    In a financial data schedule (EX-27) that is every tag, elsewhere only those of EDGAR's own.
    """
    return (_SCHEDULE_TAGS if schedule else _TAGS).sub(" ", text)
