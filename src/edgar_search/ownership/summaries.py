"""Summaries of rows: one line for each, as notifications show it."""

from decimal import Decimal

from edgar_search.edgar import codes
from edgar_search.stored.ownership import (
    PRINCIPAL,
    StoredHolding,
    StoredInsiderTrade,
    StoredPlannedSale,
    StoredRow,
    StoredStake,
)

# How many persons are named before "and others".
_FEW = 3


def row_summary(row: StoredRow) -> str:
    """Summarise a row in a line; absent values are left out."""
    if isinstance(row, StoredInsiderTrade):
        return _insider(row)
    if isinstance(row, StoredHolding):
        return _holding(row)
    if isinstance(row, StoredStake):
        return _stake(row)
    if isinstance(row, StoredPlannedSale):
        return _sale(row)
    return f"{row.manager_name}: Form {row.form_type} for {row.quarter}"


def _insider(row: StoredInsiderTrade) -> str:
    owners = [
        f"{owner.name} ({', '.join([role.replace('_', ' ') for role in owner.roles])})"
        if owner.roles
        else owner.name
        for owner in row.owners
    ]
    done = codes.TRANSACTION_CODES.get(row.code or "", "transaction") if row.trade else "holding"
    price = f" at {_amount(row.price)}" if row.price is not None else ""
    return _line(
        _names(owners),
        f"{done} of {_count(row.shares if row.trade else row.shares_after, row.security)}{price}",
        _dollars(row.value),
        f"on {row.trade_date}" if row.trade_date else "",
    )


def _holding(row: StoredHolding) -> str:
    principal = " (principal)" if row.share_type == PRINCIPAL else ""
    return _line(
        row.manager_name,
        f"{_count(row.shares, row.security_class)}{principal} of {row.issuer}",
        row.put_call.lower() if row.put_call else "",
        _dollars(row.value),
        row.quarter or "",
    )


def _stake(row: StoredStake) -> str:
    persons = [
        person.name
        if person.percent is None
        else f"{person.name} {_amount(person.percent)} percent"
        for person in row.persons
    ]
    held = f"{row.security_class} of {row.issuer_name}" if row.security_class else row.issuer_name
    return _line(_names(persons), held, f"on {row.event_date}" if row.event_date else "")


def _sale(row: StoredPlannedSale) -> str:
    return _line(
        row.seller or "",
        f"to sell {_count(row.shares, row.security_class)} of {row.issuer_name}",
        _dollars(row.value),
        f"about {row.sale_date}" if row.sale_date else "",
    )


def _names(names: list[str]) -> str:
    rest = [f"and {len(names) - _FEW} others"] if len(names) > _FEW else []
    return ", ".join([*names[:_FEW], *rest])


def _count(number: Decimal | None, security: str | None) -> str:
    return " ".join([*([] if number is None else [_amount(number)]), security or "securities"])


def _dollars(value: Decimal | None) -> str:
    return "" if value is None else f"{_amount(value)} dollars"


def _amount(value: Decimal) -> str:
    return f"{value:,f}"


def _line(*parts: str) -> str:
    return ", ".join(part for part in parts if part)
