"""Filters of rows, as their endpoints and alert triggers declare and read them."""

from collections.abc import Callable, Collection, Mapping
from decimal import Decimal
from typing import Any

from edgar_search.api.parameters import types
from edgar_search.api.parameters.declaration import Parameter
from edgar_search.api.parameters.reader import Parameters
from edgar_search.edgar import codes
from edgar_search.edgar.identifiers import CIK
from edgar_search.errors import BadRequest
from edgar_search.ownership.row_filters import ROWS
from edgar_search.stored.filters import RowFilters, RowsName
from edgar_search.text.words import tokens

LONGEST_NAME = 300
YES_OR_NO = ("true", "false")
_ROLES = ("director", "officer", "ten_percent_owner", "other")
_ANY_ORDER = "have all these words, in any order and any case"


def cik_parameter(name: str, description: str) -> Parameter:
    """A list of CIKs of companies or persons."""
    return Parameter(
        name, "list", description, type=types.CIK, of="CIKs of 1 to 10 digits", pattern=CIK
    )


def cusip_parameter(description: str) -> Parameter:
    """A list of CUSIPs."""
    return Parameter(
        "cusip",
        "list",
        description,
        type=types.CUSIP,
        of="CUSIPs of 6 to 12 characters, in any case",
        pattern=types.CUSIP_PATTERN,
    )


def _name(name: str, description: str) -> Parameter:
    return Parameter(name, "text", description, longest=LONGEST_NAME, of="words of a name")


def _amount(name: str, description: str) -> Parameter:
    return Parameter(
        name,
        "text",
        description,
        type=types.AMOUNT,
        of="amount such as `1000000`",
        pattern=types.AMOUNT_PATTERN,
    )


ISSUER_CIK = cik_parameter("issuer_cik", "the company whose securities they are")
CUSIP = cusip_parameter("the security; fewer than 9 characters match CUSIPs that begin with them")
MANAGER_CIK = cik_parameter("manager_cik", "the manager that filed the report")
QUARTER = Parameter(
    "quarter",
    "list",
    "the report is for one of them",
    type=types.QUARTER,
    of="quarters such as `2025Q2`",
    pattern=types.QUARTER_PATTERN,
)
MIN_VALUE = _amount("min_value", "a value of that many dollars or more")
_OF_INSIDERS = (
    ISSUER_CIK,
    Parameter(
        "ticker",
        "list",
        "the issuer has one of them now, or had it on the form",
        type=types.CAPITALS,
        of="tickers, in any case",
    ),
    cik_parameter("owner_cik", "a reporting owner"),
    _name("owner", f"the names of the reporting owners {_ANY_ORDER}"),
    Parameter("role", "list", "a reporting owner is one of them", of="roles", choices=_ROLES),
    Parameter(
        "derivative",
        "choice",
        "`true`: only derivative securities, which are in Table II; `false`: only others",
        choices=YES_OR_NO,
    ),
    Parameter(
        "plan_10b5_1",
        "choice",
        "`true`: the form says that there is a plan under Rule 10b5-1(c); `false`: it says that"
        " there is none. Forms before April 2023 do not say",
        choices=YES_OR_NO,
    ),
)
ROW_FILTERS: Mapping[RowsName, tuple[Parameter, ...]] = {
    "insider_trades": (
        *_OF_INSIDERS,
        Parameter(
            "code",
            "list",
            "transaction codes such as `S`, an open market or private sale",
            of="codes",
            choices=tuple(codes.TRANSACTION_CODES),
        ),
        Parameter("acquired", "choice", "`A`: acquired, `D`: disposed of", choices=("A", "D")),
        Parameter("trade_from", "date", "traded on that day or later"),
        Parameter("trade_to", "date", "traded on that day or earlier"),
        MIN_VALUE,
        _amount("max_value", "a value of that many dollars or less"),
    ),
    "insider_holdings": _OF_INSIDERS,
    "holdings": (
        MANAGER_CIK,
        _name("manager", "the name of the manager has all these words, in any order and any case"),
        _name("issuer", "the issuer's name on the report has all these words, in any order"),
        CUSIP,
        QUARTER,
        Parameter(
            "put_call",
            "choice",
            "`put` or `call`: only such options; `none`: no options",
            choices=("put", "call", "none"),
        ),
        MIN_VALUE,
    ),
    "stakes": (
        ISSUER_CIK,
        cusip_parameter("the schedule names one of them, or one that begins with one of them"),
        cik_parameter("person_cik", "a reporting person, or the filer of the schedule"),
        _name("person", f"the names of the reporting persons {_ANY_ORDER}"),
    ),
    "planned_sales": (
        ISSUER_CIK,
        _name("seller", "the name of the seller has all these words, in any order and any case"),
    ),
}


def optional_flag(parameters: Parameters, name: str) -> bool | None:
    """Return what a choice of `YES_OR_NO` says, None if it is absent."""
    return parameters.choice(name) == "true" if parameters.text(name) is not None else None


def optional_amount(parameters: Parameters, name: str) -> Decimal | None:
    """Return an amount, None if it is absent."""
    text = parameters.value(name)
    return None if text is None else Decimal(text)


def name_words(parameters: Parameters, name: str) -> str:
    """Return words of a name, "" if there are none; BadRequest for a text without a word."""
    words = parameters.text(name) or ""
    if len(words) > LONGEST_NAME:
        raise parameters.refusal(
            name, f"may have at most {LONGEST_NAME} characters, not {len(words)}"
        )
    if words and not tokens(words):
        raise parameters.refusal(name, "has no word; give words of a name")
    return words


def _one_choice(parameters: Parameters, name: str) -> str:
    return parameters.choice(name) if parameters.text(name) else ""


_READERS: Mapping[str, Callable[[Parameters, str], Any]] = {
    **dict.fromkeys(("owner", "manager", "issuer", "person", "seller"), name_words),
    **dict.fromkeys(("role", "code"), Parameters.choices),
    **dict.fromkeys(("acquired", "put_call"), _one_choice),
    **dict.fromkeys(("derivative", "plan_10b5_1"), optional_flag),
    **dict.fromkeys(("min_value", "max_value"), optional_amount),
    **dict.fromkeys(
        ("issuer_cik", "ticker", "owner_cik", "manager_cik", "cusip", "quarter", "person_cik"),
        Parameters.values,
    ),
}


def read_row_filters(parameters: Parameters, names: Collection[str]) -> RowFilters:
    """The filters of rows that have these names; BadRequest names what is wrong."""
    given = {name: _READERS[name](parameters, name) for name in names if name in _READERS}
    if not {"trade_from", "trade_to"}.isdisjoint(names):
        given["trade_from"], given["trade_to"] = parameters.days("trade_from", "trade_to")
    filters = RowFilters(**given)
    least, most = filters.min_value, filters.max_value
    if least is not None and most is not None and least > most:
        raise BadRequest(f"`min_value` is {least}, which is more than `max_value`, {most}")
    return filters


def filters_of(parameters: Parameters, rows: RowsName) -> RowFilters:
    """All filters of these rows; BadRequest names what is wrong."""
    return read_row_filters(parameters, ROWS[rows].filters)
