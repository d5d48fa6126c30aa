"""Types of parameter values, each with one parser and one description."""

import re
from collections.abc import Callable
from datetime import date

from msgspec import Struct

from edgar_search.edgar.identifiers import (
    is_document_id,
    parse_accession_number,
    parse_cik,
    root_form,
)

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
# RFC 3339 requires seconds and a zone, and allows a leap second and a lower-case "t" or "z".
_MOMENT = re.compile(
    _DAY.pattern + r"[Tt ]([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?"
    r"([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)",
    re.ASCII,
)
SIC_PATTERN = "[0-9]{1,4}"
_SIC = re.compile(SIC_PATTERN)
_STATE = re.compile(r"[A-Z0-9]{2}", re.ASCII)
_CURRENCY = re.compile(r"[A-Z]{3}", re.ASCII)
_ITEM = re.compile(r"(?:ITEM ?)?(\d{1,2}(?:\.\d{2})?)", re.ASCII)
YEAR_PATTERN = "(19|20)[0-9]{2}"
_YEAR = re.compile(YEAR_PATTERN)
_EIN = re.compile(r"\d{1,9}", re.ASCII)
CUSIP_PATTERN = "[0-9A-Za-z*@#]{6,12}"
_CUSIP = re.compile(CUSIP_PATTERN)
QUARTER_PATTERN = "(19|20)[0-9]{2}[Qq][1-4]"
_QUARTER = re.compile(QUARTER_PATTERN)
AMOUNT_PATTERN = r"[0-9]{1,15}(?:\.[0-9]{1,12})?"
_AMOUNT = re.compile(AMOUNT_PATTERN)
CONCEPT_PATTERN = r"([A-Za-z0-9_.-]{1,60}:)?[^\s:,]{1,300}"
_CONCEPT = re.compile(CONCEPT_PATTERN)
_SHA256 = re.compile("[0-9a-f]{64}")
# More digits than anyone needs, and fewer than Python refuses to parse.
_INTEGER = re.compile(r"-?\d{1,1000}", re.ASCII)


class ValueType(Struct, frozen=True):
    """A type of textual values.

    `read` returns a value in its stored form, None for a text that is not of the type; `expected`
    names the type. `capitals`: the value may come in any case, with any number of blanks inside.
    """

    read: Callable[[str], str | None]
    expected: str = "text"
    capitals: bool = False


def _padded_cik(text: str) -> str | None:
    return parse_cik(text) if len(text) == 10 else None


def _sic(text: str) -> str | None:
    return text.zfill(4) if _SIC.fullmatch(text) else None


def _state(text: str) -> str | None:
    return text if _STATE.fullmatch(text) else None


def _currency(text: str) -> str | None:
    return text.upper() if _CURRENCY.fullmatch(text.upper()) else None


def _item(text: str) -> str | None:
    match = _ITEM.fullmatch(text)
    return match and match[1]


def _item_before_dot(text: str) -> str | None:
    return _item(text.removesuffix("."))


def _year(text: str) -> str | None:
    return text if _YEAR.fullmatch(text) else None


def _ein(text: str) -> str | None:
    digits = text.replace("-", "")
    return digits.zfill(9) if _EIN.fullmatch(digits) else None


def _document_id(text: str) -> str | None:
    return text if is_document_id(text) else None


def _cusip(text: str) -> str | None:
    return text if _CUSIP.fullmatch(text) else None


def _quarter(text: str) -> str | None:
    return text.upper() if _QUARTER.fullmatch(text) else None


def _amount(text: str) -> str | None:
    return text if _AMOUNT.fullmatch(text) else None


def _sha256(text: str) -> str | None:
    return text.lower() if _SHA256.fullmatch(text.lower()) else None


def _concept(text: str) -> str | None:
    return text if _CONCEPT.fullmatch(text) else None


CONCEPT = ValueType(_concept, "the name of a concept, such as us-gaap:Assets or Assets")
DIMENSION_PATTERN = r"[A-Za-z0-9_.:-]{1,400}(=[^,*?\\]{1,400})?"
_DIMENSION = re.compile(DIMENSION_PATTERN)


def _dimension(text: str) -> str | None:
    return text if _DIMENSION.fullmatch(text) else None


DIMENSION = ValueType(
    _dimension, "an axis, a member or both, such as srt:ProductOrServiceAxis=us-gaap:ProductMember"
)
CAPITALS = ValueType(str, capitals=True)
FORM_FAMILY = ValueType(root_form, capitals=True)
CIK = ValueType(parse_cik, "a CIK of 1 to 10 digits")
PADDED_CIK = ValueType(_padded_cik, "a CIK of 10 digits, padded with zeros")
SIC = ValueType(_sic, "a SIC code of up to 4 digits")
STATE = ValueType(_state, "a code of EDGAR's for a state, such as NY or X0", capitals=True)
ITEM = ValueType(_item, "an item of an 8-K, such as 5.02", capitals=True)
# An item number, even with the full stop that ends its heading.
HEADED_ITEM = ValueType(_item_before_dot, "an item of an 8-K, such as 1.01", capitals=True)
YEAR = ValueType(_year, "a year such as 2024")
CURRENCY = ValueType(_currency, "a currency's code of three letters, such as USD, or any")
EIN = ValueType(_ein, "an EIN of 9 digits")
DOCUMENT_ID = ValueType(_document_id, "an accession number, a dash and a number")
ACCESSION_NUMBER = ValueType(
    parse_accession_number, "an accession number such as 0000320193-24-000123"
)
CUSIP = ValueType(_cusip, "a CUSIP of 6 to 12 letters and digits", capitals=True)
QUARTER = ValueType(_quarter, "a quarter such as 2025Q2", capitals=True)
AMOUNT = ValueType(_amount, "an amount such as 1000000 or 0.25")
SHA256 = ValueType(_sha256, "a SHA-256 of 64 hexadecimal digits")


def read_whole_number(text: str) -> int | None:
    """Parse a whole number in decimal digits, trimmed, with or without a minus sign.

    None for anything else.
    """
    # Parse exactly the text that matched: `int` refuses some blanks that `strip` removes.
    trimmed = text.strip()
    return int(trimmed) if _INTEGER.fullmatch(trimmed) else None


def read_day(text: str, *, times: bool) -> date | None:
    """Parse a calendar day, or the day of an RFC 3339 date-time if `times`; else None.

    Python also parses other formats, which are refused here.
    """
    if not (_DAY.fullmatch(text) or (times and _MOMENT.fullmatch(text))):
        return None
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None
