"""Arguments of the command line as values, and the exit statuses of docs/ingest.md."""

import argparse
from datetime import date, datetime
from pathlib import Path

from edgar_search.edgar.identifiers import is_accession_number, parse_cik
from edgar_search.engine.index_names import KINDS, WHOLE, Kind
from edgar_search.errors import EdgarSearchError
from ingest.sources.paths import FilingFilter

DONE, COULD_NOT_RUN = 0, 1
# As argparse has it.
WRONG_COMMAND_LINE = 2
# It ran to its end, but not all that was asked for is there.
SOME_REFUSED = INCOMPLETE = 3


class WrongArguments(EdgarSearchError):
    """Arguments of which each could be right, and that do not go together."""


def wanted(options: argparse.Namespace) -> FilingFilter:
    """The filter of a command; WrongArguments where its dates are the wrong way round."""
    first, last = options.from_date, options.to_date
    if first is not None and last is not None and first > last:
        raise WrongArguments(f"--from {first} is after --to {last}")
    return FilingFilter(options.forms, options.ciks, first, last)


def path(text: str) -> Path:
    """A path that is not empty."""
    if not text:
        raise argparse.ArgumentTypeError("a path is empty; did a variable have no value?")
    return Path(text)


def forms(text: str) -> frozenset[str]:
    """Form types, comma-separated, in capitals."""
    return frozenset(_items(text.upper()))


def ciks(text: str) -> frozenset[str]:
    """CIKs, comma-separated, of 10 digits each."""
    return frozenset(_cik(item) for item in _items(text))


def day(text: str) -> date:
    """A date as EDGAR and ISO 8601 write it."""
    try:
        return datetime.strptime(text, "%Y-%m-%d").date()
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text} is no date: write 2024-01-31") from None


def accession_number(text: str) -> str:
    """An accession number with its dashes."""
    if not is_accession_number(text):
        raise argparse.ArgumentTypeError(f"{text} is no accession number: 0001234567-24-000001")
    return text


def index(text: str) -> tuple[Kind, str]:
    """A kind of index and its partition, from `KIND[.PARTITION]`."""
    kind, _, partition = text.partition(".")
    if kind not in KINDS:
        raise argparse.ArgumentTypeError(f"{kind} is none of {', '.join(KINDS)}")
    return kind, partition or WHOLE


def _items(text: str) -> list[str]:
    items = [item.strip() for item in text.split(",") if item.strip()]
    if not items:
        raise argparse.ArgumentTypeError("the list is empty")
    return items


def _cik(text: str) -> str:
    cik = parse_cik(text)
    if cik is None:
        raise argparse.ArgumentTypeError(f"{text} is no CIK: a number of at most 10 digits")
    return cik
