"""Parsers of command line arguments, and the exit statuses in docs/ingest.md."""

import argparse
from datetime import date, datetime
from pathlib import Path

from edgar_search.edgar.identifiers import is_accession_number, parse_cik
from edgar_search.engine.index_names import KINDS, WHOLE, Kind
from edgar_search.errors import EdgarSearchError
from ingest.sources.paths import FilingFilter

DONE, COULD_NOT_RUN = 0, 1
# The status that argparse uses.
WRONG_COMMAND_LINE = 2
# The command finished, but something was refused or is missing.
SOME_REFUSED = INCOMPLETE = 3


class WrongArguments(EdgarSearchError):
    """Arguments that are valid, but not in combination."""


def filing_filter(options: argparse.Namespace) -> FilingFilter:
    """Return a command's filter; raises WrongArguments if `--from` is after `--to`."""
    first, last = options.from_date, options.to_date
    if first is not None and last is not None and first > last:
        raise WrongArguments(f"--from {first} is after --to {last}")
    return FilingFilter(options.forms, options.ciks, first, last)


def path(text: str) -> Path:
    """Parse a path, which must not be empty."""
    if not text:
        raise argparse.ArgumentTypeError("a path is empty; did a variable have no value?")
    return Path(text)


def forms(text: str) -> frozenset[str]:
    """Parse form types, separated by commas, into capitals."""
    return frozenset(_items(text.upper()))


def ciks(text: str) -> frozenset[str]:
    """Parse CIKs, separated by commas, into 10 digits each."""
    ciks_given = set()
    for item in _items(text):
        cik = parse_cik(item)
        if cik is None:
            raise argparse.ArgumentTypeError(
                f"{item} is not a CIK; expected a number of at most 10 digits"
            )
        ciks_given.add(cik)
    return frozenset(ciks_given)


def day(text: str) -> date:
    """Parse a date such as 2024-01-31."""
    try:
        return datetime.strptime(text, "%Y-%m-%d").date()
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text} is not a date; expected one such as 2024-01-31"
        ) from None


def accession_number(text: str) -> str:
    """Parse an accession number with its dashes."""
    if not is_accession_number(text):
        raise argparse.ArgumentTypeError(
            f"{text} is not an accession number such as 0001234567-24-000001"
        )
    return text


def index(text: str) -> tuple[Kind, str]:
    """Parse a kind of index and its partition, `KIND[.PARTITION]`."""
    kind, _, partition = text.partition(".")
    if kind not in KINDS:
        raise argparse.ArgumentTypeError(
            f"{kind} is not a kind of index; expected one of {', '.join(KINDS)}"
        )
    return kind, partition or WHOLE


def _items(text: str) -> list[str]:
    items = [item.strip() for item in text.split(",") if item.strip()]
    if not items:
        raise argparse.ArgumentTypeError("the list is empty")
    return items
