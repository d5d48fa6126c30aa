"""Conditions on the figures of reports, such as `revenue<previous*0.9`; pure.

    condition  = left operator right
    left       = name | name "/" name
    operator   = "<" | "<=" | ">" | ">=" | "=" | "!="
    right      = number | term | term "*" number | number "*" term
    term       = "previous" | name

A name is one of `edgar_search.stored.figures`, such a name with `_change`, or a ratio of RATIOS.
`previous` is the prior period's value of the name on the left. A report that lacks a figure of a
condition, or would divide by zero, does not match it. Two figures are compared by their quotient,
as the nearest double.
"""

import difflib
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple

from msgspec import Struct

from edgar_search.errors import BadRequest
from edgar_search.search.query.matching import Clause, any_of
from edgar_search.stored.figures import (
    CHANGES,
    DIVISORS,
    FIGURES,
    QUOTIENTS,
    previous_of,
    quotient_of,
    quotient_to_previous,
)

MAX_CONDITIONS, LONGEST_CONDITION = 20, 200
DEFAULT_CURRENCY, ANY_CURRENCY = "USD", "ANY"
_UNITS: Mapping[str, Decimal] = {
    "": Decimal(1),
    "k": Decimal("1e3"),
    "m": Decimal("1e6"),
    "mn": Decimal("1e6"),
    "million": Decimal("1e6"),
    "b": Decimal("1e9"),
    "bn": Decimal("1e9"),
    "billion": Decimal("1e9"),
    "tn": Decimal("1e12"),
    "trillion": Decimal("1e12"),
    "%": Decimal("0.01"),
}
# Operators, with the operator to use after swapping the sides or their signs.
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "!=": "!="}
_RANGES = {"<": "lt", "<=": "lte", ">": "gt", ">=": "gte"}
_SHOWN = 40
# Ratios by name: the stored quotient of each.
RATIOS: Mapping[str, str] = {
    "debt_to_equity": "debt_to_equity",
    "liabilities_to_assets": quotient_of("total_liabilities", "total_assets"),
    "current_ratio": quotient_of("current_assets", "current_liabilities"),
    "quick_ratio": "quick_ratio",
    "cash_ratio": quotient_of("cash", "current_liabilities"),
    "gross_margin": quotient_of("gross_profit", "revenue"),
    "operating_margin": quotient_of("operating_income", "revenue"),
    "net_margin": quotient_of("net_income", "revenue"),
    "return_on_assets": quotient_of("net_income", "total_assets"),
    "return_on_equity": quotient_of("net_income", "equity"),
    "interest_coverage": "interest_coverage",
}
_NAMES = (*FIGURES, *RATIOS, *CHANGES)
_PREVIOUS = "previous"


class Compared(Struct, frozen=True):
    """A condition on a stored figure or quotient: `field` `operator` `number`."""

    field: str
    operator: str
    number: Decimal


class Related(Struct, frozen=True):
    """Two figures whose quotient is stored: `above` `operator` `below` times `factor`."""

    above: str
    below: str
    quotient: str
    operator: str
    factor: Decimal


Condition = Compared | Related


_TOKEN = re.compile(
    r"(?P<number>[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)(?P<unit>%|[A-Za-z]*)"
    r"|(?P<name>[A-Za-z][A-Za-z0-9_]*)|(?P<operator>[<>!=]=?)|(?P<sign>[*/])",
    re.ASCII,
)


class _Token(NamedTuple):
    """A token of a condition: its kind, its text, its position from 0, and a number's value."""

    kind: str
    text: str
    place: int
    value: Decimal = Decimal(0)


class _Wrong(Exception):
    """The error in a condition, and its position from 0."""

    def __init__(self, what: str, place: int) -> None:
        super().__init__(what)
        self.place = place


def field_of(name: str) -> str | None:
    """Return the field of a figure, a ratio or a change; None for any other name."""
    if name in FIGURES:
        return f"figures.{name}"
    if name in RATIOS:
        return f"quotients.{RATIOS[name]}"
    return f"quotients.{name}" if name in CHANGES else None


def nearest_figures(name: str, *, sure: bool = False) -> list[str]:
    """Return up to three figures whose names resemble a name; only very close ones if `sure`."""
    return difflib.get_close_matches(name[:_SHOWN], _NAMES, 3, 0.8 if sure else 0.6)


def read_conditions(texts: Sequence[str]) -> list[Condition]:
    """Parse conditions that must all hold.

    Raises BadRequest with the condition and the position.
    """
    if len(texts) > MAX_CONDITIONS:
        raise BadRequest(f"`figures` may have at most {MAX_CONDITIONS} items, not {len(texts)}")
    return [read_condition(text) for text in texts]


def read_condition(text: str) -> Condition:
    """Parse a condition; raises BadRequest with the position of the error, from 1."""
    if len(text) > LONGEST_CONDITION:
        raise BadRequest(
            f"`figures` has a condition of {len(text)} characters; it may have at most"
            f" {LONGEST_CONDITION}"
        )
    try:
        return _parse(list(_tokens(text)), len(text))
    except _Wrong as wrong:
        near = text[wrong.place : wrong.place + _SHOWN]
        at = f" at character {wrong.place + 1} (`{near}`)" if near else " at its end"
        raise BadRequest(f"`figures`: {wrong}{at} of `{text[:_SHOWN]}`") from None


def _tokens(text: str) -> Iterable[_Token]:
    place = 0
    while place < len(text):
        if text[place] == " ":
            place += 1
            continue
        match = _TOKEN.match(text, place)
        if match is None:
            raise _Wrong("a name, a number or a comparison is expected", place)
        kind = match.lastgroup or ""
        if match["number"]:
            yield _Token("number", match[0], place, _number(match, place))
        else:
            yield _Token(kind, match[0], place)
        place = match.end()


def _number(match: re.Match[str], place: int) -> Decimal:
    unit = match["unit"].lower()
    if unit not in _UNITS:
        suffixes = ", ".join(f"`{suffix}`" for suffix in _UNITS if suffix)
        raise _Wrong(f"`{unit}` is no unit of numbers; units are {suffixes}", match.start("unit"))
    # As a float first, because a decimal number may have any exponent.
    if not math.isfinite(float(match["number"]) * float(_UNITS[unit])):
        raise _Wrong("the number is too large", place)
    return Decimal(match["number"]) * _UNITS[unit]


def _parse(tokens: Sequence[_Token], length: int) -> Condition:
    comparisons = [token for token in tokens if token.kind == "operator"]
    if not comparisons:
        raise _Wrong("a comparison is missing, such as `<` or `>=`", length)
    if len(comparisons) > 1:
        raise _Wrong(
            "a condition has one comparison; write two conditions with a comma between them",
            comparisons[1].place,
        )
    (sign,) = comparisons
    if sign.text not in _TURNED:
        raise _Wrong(f"comparisons are {', '.join(f'`{o}`' for o in _TURNED)}", sign.place)
    middle = tokens.index(sign)
    left_side, right = tokens[:middle], tokens[middle + 1 :]
    if not left_side:
        raise _Wrong("the name of a figure is missing", sign.place)
    if left_side[0].kind == "number":
        raise _Wrong(
            "the figure comes first and the number after the comparison", left_side[0].place
        )
    if not right:
        raise _Wrong("a number or a figure is missing", length)
    name = _named(left_side[0])
    if len(left_side) > 1:
        return Compared(_quotient(left_side, sign.place), sign.text, _only_number(right))
    if name in RATIOS:
        return Compared(f"quotients.{RATIOS[name]}", sign.text, _only_number(right))
    if name in CHANGES:
        return Compared(f"quotients.{name}", sign.text, _only_number(right))
    if [part.kind for part in right] == ["number"]:
        return Compared(f"figures.{name}", sign.text, right[0].value)
    return _related(name, sign.text, *_term(right, name), right[0].place)


def _quotient(tokens: Sequence[_Token], end: int) -> str:
    """Parse two figures with a slash between them, and return the field of their quotient."""
    if tokens[1].text != "/":
        raise _Wrong("only `/` and another figure may be before the comparison", tokens[1].place)
    if len(tokens) == 2:
        raise _Wrong("the name of a figure is missing", end)
    if len(tokens) > 3:
        raise _Wrong("a quotient is of two figures", tokens[3].place)
    name = quotient_of(_figure(tokens[0]), _figure(tokens[2]))
    if name not in QUOTIENTS:
        divisors = ", ".join(f"`{divisor}`" for divisor in DIVISORS)
        raise _Wrong(f"amounts may be divided by {divisors} only", tokens[2].place)
    return f"quotients.{name}"


def _only_number(tokens: Sequence[_Token]) -> Decimal:
    if [token.kind for token in tokens] != ["number"]:
        raise _Wrong("a ratio, a quotient or a change is compared with a number", tokens[0].place)
    return tokens[0].value


def _term(tokens: Sequence[_Token], name: str) -> tuple[str, Decimal]:
    """Parse a figure and its factor after the comparison; `previous` refers to `name`."""
    kinds = [token.text if token.kind == "sign" else token.kind for token in tokens]
    factor = Decimal(1)
    figure = tokens[0]
    if kinds == ["name", "*", "number"]:
        factor = tokens[2].value
    elif kinds == ["number", "*", "name"]:
        figure, factor = tokens[2], tokens[0].value
    elif kinds != ["name"]:
        raise _Wrong(
            "after the comparison write a number, a figure, or a figure `*` a number",
            tokens[-1].place,
        )
    if figure.text.lower() != _PREVIOUS:
        return _figure(figure), factor
    if quotient_to_previous(name) not in QUOTIENTS:
        raise _Wrong(f"`{name}` has no previous value", figure.place)
    return previous_of(name), factor


def _related(above: str, operator: str, below: str, factor: Decimal, place: int) -> Condition:
    """Relate two figures by their stored quotient, in which either may be the divisor."""
    for one, other, sign in ((above, below, operator), (below, above, _TURNED[operator])):
        name = quotient_of(one, other)
        if other == previous_of(one):
            name = quotient_to_previous(one)
        if name in QUOTIENTS and (one == above or factor == 1):
            return Related(one, other, name, sign, factor)
    divisors = ", ".join(f"`{divisor}`" for divisor in DIVISORS)
    raise _Wrong(f"a figure is compared with `previous` or with {divisors} only", place)


def _figure(token: _Token) -> str:
    name = _named(token)
    if name in RATIOS or name in CHANGES:
        raise _Wrong("a figure is expected, and this is a ratio", token.place)
    return name


def _named(token: _Token) -> str:
    name = token.text.lower()
    if token.kind != "name":
        raise _Wrong("the name of a figure is expected", token.place)
    if name == _PREVIOUS:
        raise _Wrong("`previous` goes after the comparison", token.place)
    if name not in _NAMES:
        nearest = nearest_figures(name)
        offered = f"; the nearest are {', '.join(f'`{figure}`' for figure in nearest)}"
        raise _Wrong(f"no figure has this name{offered if nearest else ''}", token.place)
    return name


def condition_clause(condition: Condition) -> Clause:
    """Match the main documents of reports that meet the condition."""
    if isinstance(condition, Compared):
        return _compare(condition.field, condition.operator, condition.number)
    below, factor, operator = f"figures.{condition.below}", condition.factor, condition.operator
    zero = [_compare(below, "=", 0), _compare(f"figures.{condition.above}", operator, 0)]
    return any_of(
        [
            _both(_compare(below, ">", 0), condition.quotient, operator, factor),
            _both(_compare(below, "<", 0), condition.quotient, _TURNED[operator], factor),
            {"bool": {"filter": zero}},
        ]
    )


def _both(sign: Clause, quotient: str, operator: str, number: Decimal) -> Clause:
    return {"bool": {"filter": [sign, _compare(f"quotients.{quotient}", operator, number)]}}


def _compare(field: str, operator: str, number: Decimal | int) -> Clause:
    """Compare a field with a number."""
    # The index stores zero without a sign, too.
    value = float(number) + 0.0
    if operator in _RANGES:
        return {"range": {field: {_RANGES[operator]: value}}}
    equal: Clause = {"range": {field: {"gte": value, "lte": value}}}
    if operator == "=":
        return equal
    return {"bool": {"filter": [{"exists": {"field": field}}], "must_not": [equal]}}


def lacking_clause(texts: Sequence[str]) -> Clause:
    """Match reports that lack a figure of these conditions, or would divide by zero."""
    fields = dict.fromkeys(name for text in texts for name in _fields(read_condition(text)))
    exist = [{"exists": {"field": name}} for name in fields]
    return {"bool": {"must_not": [{"bool": {"filter": exist}}]}}


def _fields(condition: Condition) -> tuple[str, ...]:
    if isinstance(condition, Compared):
        return (condition.field,)
    return (f"figures.{condition.above}", f"figures.{condition.below}")


def currency_clause(currency: str | None) -> Clause:
    """Match reports in a currency, in USD by default, or in any."""
    currency = currency or DEFAULT_CURRENCY
    if currency == ANY_CURRENCY:
        return {"exists": {"field": "currency"}}
    return {"term": {"currency": currency}}


def figures_clause(texts: Sequence[str], currency: str | None) -> Clause:
    """Match reports that meet all conditions in the currency, USD by default.

    Raises BadRequest as `read_conditions`.
    """
    clauses = [condition_clause(condition) for condition in read_conditions(texts)]
    if currency != ANY_CURRENCY or not clauses:
        clauses.append(currency_clause(currency))
    return {"bool": {"filter": clauses}}
