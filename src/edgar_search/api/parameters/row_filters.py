"""Filters of rows, declared and read for their endpoints and for alert triggers."""

from collections.abc import Collection, Mapping
from decimal import Decimal
from typing import Any

from edgar_search.api.parameters import types
from edgar_search.api.parameters.declaration import Parameter, Shown
from edgar_search.api.parameters.reader import Parameters
from edgar_search.edgar import codes
from edgar_search.edgar.identifiers import CIK
from edgar_search.errors import BadRequest
from edgar_search.ownership.row_filters import ROWS
from edgar_search.stored.ownership import RowFilters, RowsName
from edgar_search.text.words import tokens

LONGEST_NAME = 300
YES_OR_NO = ("true", "false")
_ROLES = ("director", "officer", "ten_percent_owner", "other")
_ANY_ORDER = "have all these words, in any order and any case"


def _shown(label: str) -> Shown:
    return Shown(f"{label} {{}}", "", label)


def cik_parameter(name: str, description: str, label: str = "") -> Parameter:
    """Declare a list of CIKs of companies or persons."""
    return Parameter(
        name,
        "list",
        description,
        type=types.CIK,
        of="CIKs of 1 to 10 digits",
        pattern=CIK,
        shown=_shown(label) if label else None,
    )


def cusip_parameter(description: str) -> Parameter:
    """Declare a list of CUSIPs."""
    return Parameter(
        "cusip",
        "list",
        description,
        type=types.CUSIP,
        of="CUSIPs of 6 to 12 characters, in any case",
        pattern=types.CUSIP_PATTERN,
        shown=_shown("CUSIP"),
    )


def _name(name: str, description: str, label: str) -> Parameter:
    return Parameter(
        name,
        "text",
        description,
        longest=LONGEST_NAME,
        of="words of a name",
        shown=_shown(label),
    )


def _amount(name: str, description: str, label: str) -> Parameter:
    return Parameter(
        name,
        "text",
        description,
        type=types.AMOUNT,
        of="amount such as `1000000`",
        pattern=types.AMOUNT_PATTERN,
        shown=_shown(label),
    )


ISSUER_CIK = cik_parameter("issuer_cik", "the company whose securities they are", "Company's CIK")
CUSIP = cusip_parameter("the security; fewer than 9 characters match CUSIPs that begin with them")
MANAGER_CIK = cik_parameter("manager_cik", "the manager that filed the report", "Manager's CIK")
QUARTER = Parameter(
    "quarter",
    "list",
    "the report is for one of them",
    type=types.QUARTER,
    of="quarters such as `2025Q2`",
    pattern=types.QUARTER_PATTERN,
    shown=_shown("Quarter"),
)
MIN_VALUE = _amount("min_value", "a value of that many dollars or more", "Dollars at least")
_OF_INSIDERS = (
    ISSUER_CIK,
    Parameter(
        "ticker",
        "list",
        "the issuer has one of them now, or had it on the form",
        type=types.CAPITALS,
        of="tickers, in any case",
        shown=_shown("Tickers"),
    ),
    cik_parameter("owner_cik", "a reporting owner", "Owner's CIK"),
    _name("owner", f"the names of the reporting owners {_ANY_ORDER}", "Owner"),
    Parameter(
        "role",
        "list",
        "a reporting owner is one of them",
        of="roles",
        choices=_ROLES,
        shown=_shown("Role"),
    ),
    Parameter(
        "derivative",
        "choice",
        "`true`: only derivative securities, which are in Table II; `false`: only others",
        choices=YES_OR_NO,
        shown=_shown("Derivative"),
    ),
    Parameter(
        "plan_10b5_1",
        "choice",
        "`true`: the form says that there is a plan under Rule 10b5-1(c); `false`: it says that"
        " there is none. Forms before April 2023 do not say",
        choices=YES_OR_NO,
        shown=_shown("Plan under Rule 10b5-1"),
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
            shown=_shown("Code"),
        ),
        Parameter(
            "acquired",
            "choice",
            "`A`: acquired, `D`: disposed of",
            choices=("A", "D"),
            shown=_shown("Acquired or disposed of"),
        ),
        Parameter("trade_from", "date", "traded on that day or later", shown=_shown("Traded from")),
        Parameter("trade_to", "date", "traded on that day or earlier", shown=_shown("to")),
        MIN_VALUE,
        _amount("max_value", "a value of that many dollars or less", "at most"),
    ),
    "insider_holdings": _OF_INSIDERS,
    "holdings": (
        MANAGER_CIK,
        _name(
            "manager",
            "the name of the manager has all these words, in any order and any case",
            "Manager",
        ),
        _name(
            "issuer", "the issuer's name on the report has all these words, in any order", "Company"
        ),
        CUSIP,
        QUARTER,
        Parameter(
            "put_call",
            "choice",
            "`put` or `call`: only such options; `none`: no options",
            choices=("put", "call", "none"),
            shown=_shown("Options"),
        ),
        MIN_VALUE,
    ),
    "stakes": (
        ISSUER_CIK,
        cusip_parameter("the schedule names one of them, or one that begins with one of them"),
        cik_parameter(
            "person_cik", "a reporting person, or the filer of the schedule", "Person's CIK"
        ),
        _name("person", f"the names of the reporting persons {_ANY_ORDER}", "Person"),
    ),
    "planned_sales": (
        ISSUER_CIK,
        _name(
            "seller",
            "the name of the seller has all these words, in any order and any case",
            "Seller",
        ),
    ),
}


def optional_flag(parameters: Parameters, name: str) -> bool | None:
    """Read a choice of `YES_OR_NO` as True, False, or None if it is absent."""
    return parameters.choice(name) == "true" if parameters.text(name) is not None else None


def optional_amount(parameters: Parameters, name: str) -> Decimal | None:
    """Read an amount; None if it is absent."""
    text = parameters.value(name)
    return None if text is None else Decimal(text)


def name_words(parameters: Parameters, name: str) -> str:
    """Read the words of a name, "" if it is absent; BadRequest for a text without words."""
    words = parameters.bounded_text(name) or ""
    if words and not tokens(words):
        raise parameters.refusal(name, "has no word; give words of a name")
    return words


def _one_choice(parameters: Parameters, name: str) -> str:
    return parameters.choice(name) if parameters.text(name) else ""


def _read(parameters: Parameters, filter: Parameter) -> Any:
    """Read a filter, by its kind."""
    if filter.kind == "list":
        return (parameters.choices if filter.choices else parameters.values)(filter.name)
    if filter.choices == YES_OR_NO:
        return optional_flag(parameters, filter.name)
    if filter.kind == "choice":
        return _one_choice(parameters, filter.name)
    if filter.type == types.AMOUNT:
        return optional_amount(parameters, filter.name)
    return name_words(parameters, filter.name)


# The filters of all kinds of rows, each once.
ALL_ROW_FILTERS = {each.name: each for some in ROW_FILTERS.values() for each in some}


def read_row_filters(parameters: Parameters, names: Collection[str]) -> RowFilters:
    """Read the named filters of rows; raises BadRequest."""
    filters_by_name = (ALL_ROW_FILTERS[name] for name in names)
    values = {
        parameter.name: _read(parameters, parameter)
        for parameter in filters_by_name
        if parameter.kind != "date"
    }
    if not {"trade_from", "trade_to"}.isdisjoint(names):
        values["trade_from"], values["trade_to"] = parameters.days("trade_from", "trade_to")
    filters = RowFilters(**values)
    least, most = filters.min_value, filters.max_value
    if least is not None and most is not None and least > most:
        raise BadRequest(f"`min_value` is {least}, which is more than `max_value`, {most}")
    return filters


def filters_of(parameters: Parameters, rows: RowsName) -> RowFilters:
    """Read all filters of these rows; raises BadRequest."""
    return read_row_filters(parameters, ROWS[rows].filters)
