"""Transactions and holdings of Forms 3, 4 and 5, of any schema, with the older names too."""

import re
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from typing import NamedTuple, TypeVar

from edgar_search.edgar.envelope import decode_bytes
from edgar_search.edgar.submission import Document, Header
from edgar_search.stored.ownership import (
    Footnote,
    Owner,
    Role,
    StoredInsiderTrade,
    UnderlyingSecurity,
    is_debt,
)
from edgar_search.text.forms.elements import Element, FormRefused, Step, walk
from ingest.reading.ownership.values import CUT_OFF, BytePlaces, Values, names_left_out, product

T = TypeVar("T")
# A plan under Rule 10b5-1 in a footnote, and words that make a sentence say something else.
_PLAN = re.compile(r"10b-?5-?\s?1", re.IGNORECASE)
_NO_PLAN = re.compile(
    r"\bnot\s(?:\w+\s){0,4}?(?:pursuant|made|effected|executed|sold|under|part|covered|subject)\b"
    r"|\b(?:outside|other than|terminat\w+|cancel\w+|no longer|no (?:rule )?10b)\b",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"(?<=[.;])\s+(?=[A-Z])")
ROOT = "ownershipdocument"
# More than any form has: EDGAR takes 30 rows in each table, 10 owners and 99 footnotes of 1,000
# characters. Each row repeats all owners, so their product is bounded.
MOST_ROWS, MOST_OWNERS, MOST_FOOTNOTES, LONGEST_FOOTNOTE = 2_000, 100, 100, 10_000
_ROWS = {
    "nonDerivativeTransaction": (True, False),
    "nonDerivativeHolding": (False, False),
    "nonDerivativeSecurity": (False, False),
    "derivativeTransaction": (True, True),
    "derivativeHolding": (False, True),
    "derivativeSecurity": (False, True),
}
_WHOLE = frozenset({*_ROWS, "issuer", "reportingOwner", "footnotes"})
_ROLES: dict[str, Role] = {
    "isDirector": "director",
    "isOfficer": "officer",
    "isTenPercentOwner": "ten_percent_owner",
    "isOther": "other",
}
# The fields of a row to which footnotes refer, by element names.
_FIELDS = {
    "securityTitle": "security",
    "transactionDate": "trade_date",
    "deemedExecutionDate": "deemed_execution_date",
    "transactionCoding": "code",
    "transactionTimeliness": "timeliness",
    "transactionShares": "shares",
    "transactionTotalValue": "value",
    "transactionPricePerShare": "price",
    "transactionAcquiredDisposedCode": "acquired",
    "sharesOwnedFollowingTransaction": "shares_after",
    "valueOwnedFollowingTransaction": "value_after",
    "directOrIndirectOwnership": "direct",
    "natureOfOwnership": "nature",
    "conversionOrExercisePrice": "underlying.exercise_price",
    "exerciseDate": "underlying.exercisable",
    "expirationDate": "underlying.expires",
    "underlyingSecurityTitle": "underlying.security",
    "underlyingSecurityShares": "underlying.shares",
    "underlyingSecurityValue": "underlying.value",
}


class _Form(NamedTuple):
    """A form read from its beginning to its end."""

    rows: list[Element]
    owners: list[Element]
    issuer: Element
    notes: dict[str, str]
    values: dict[str, Element]  # the form's own, such as `aff10b5One`
    is_whole: bool
    row_count: int = 0


def insider_trades(header: Header, document: Document) -> Iterator[StoredInsiderTrade]:
    """Yield the rows of a form in order; truncated XML is read as far as possible."""
    xml = decode_bytes(document.body)
    form = _read(xml)
    places = BytePlaces(document.body, xml)
    form_values = Values()
    owners = [_owner(form_owner, form_values) for form_owner in form.owners[:MOST_OWNERS]]
    said = [
        *names_left_out(form.row_count, MOST_ROWS),
        *names_left_out(len(form.owners), MOST_OWNERS),
        *([] if form.is_whole else [CUT_OFF]),
    ]
    roles = dict.fromkeys(role for owner in owners for role in owner.roles)
    issuer = form.issuer
    issuer_cik = form_values.cik(issuer.find("issuerCik"))
    plan = form_values.flag(form.values.get("aff10b5One"))
    amends = form_values.day(form.values.get("dateOfOriginalSubmission"))
    for number, element in enumerate(form.rows):
        values = Values()
        row = _Row(element, values)
        trade, derivative = _ROWS[element.name]
        shares, price = row.decimal("transactionShares"), row.decimal("transactionPricePerShare")
        total = row.decimal("transactionTotalValue")
        security = row.text("securityTitle")
        # A note's shares are dollars of principal, and its price is for a whole note.
        debt = is_debt(security or "")
        footnotes = _footnotes(element, form.notes)
        in_footnote = any(map(names_plan, (footnote.text for footnote in footnotes)))
        yield StoredInsiderTrade(
            document_id=document.document_id,
            accession_number=header.accession_number,
            number=number,
            form_type=header.form_type,
            filing_date=header.filing_date,
            trade=trade,
            derivative=derivative,
            issuer_cik=issuer_cik,
            issuer_name=form_values.text(issuer.find("issuerName")) or "",
            ticker=form_values.code(issuer.find("issuerTradingSymbol")),
            owners=owners,
            owner_ciks=[owner.cik for owner in owners if owner.cik],
            owner_names=[owner.name for owner in owners],
            roles=list(roles),
            trade_date=row.day("transactionDate"),
            security=security,
            code=row.code("transactionCode"),
            acquired=row.code("transactionAcquiredDisposedCode"),
            shares=shares,
            price=price,
            value=total if shares is None or price is None or debt else product(shares, price),
            shares_after=row.decimal("sharesOwnedFollowingTransaction"),
            value_after=row.decimal("valueOwnedFollowingTransaction"),
            direct={"D": True, "I": False}.get(row.text("directOrIndirectOwnership") or ""),
            nature=row.text("natureOfOwnership"),
            underlying=_underlying(row) if derivative else None,
            plan_10b5_1=plan or in_footnote or plan,
            plan_named_by="form" if plan else "footnote" if in_footnote else None,
            footnotes=footnotes,
            amends=amends,
            start=places.place(element.start),
            end=places.place(element.end),
            not_read=[
                *form_values.not_read,
                *values.not_read,
                *(said if number == len(form.rows) - 1 else []),
            ],
        )


def _read(xml: str) -> _Form:
    form = _Form([], [], Element("issuer", {}), {}, {}, xml.rstrip().endswith(">"))
    try:
        for step, element in walk(xml, _WHOLE):
            form = _with(form, step, element)
    except FormRefused:
        form = form._replace(is_whole=False)
    return form


def _with(form: _Form, step: Step, element: Element) -> _Form:
    if element.name in _ROWS:
        if len(form.rows) < MOST_ROWS:
            form.rows.append(element)
        return form._replace(row_count=form.row_count + 1)
    if element.name == "reportingOwner":
        form.owners.append(element)
    elif element.name == "issuer":
        return form._replace(issuer=element)
    elif element.name == "footnotes":
        for note in element.all("footnote"):
            if mark := note.attributes.get("id"):
                form.notes[mark.text] = note.text[:LONGEST_FOOTNOTE]
    elif step is Step.WHOLE and element.runs:
        form.values[element.name] = element
    return form


class _Row:
    """Reads the values of a transaction or holding, wherever they are in it."""

    def __init__(self, element: Element, values: Values) -> None:
        self._values = values
        self._found: dict[str, Element] = {}
        for group in element.below():
            self._found.setdefault(group.name, group)

    def text(self, name: str) -> str | None:
        """Return a field's text."""
        return self._values.text(self._value(name))

    def code(self, name: str) -> str | None:
        """Return a field's code."""
        return self._name_unread(name, self._values.code(self._value(name)))

    def decimal(self, name: str) -> Decimal | None:
        """Return a field's amount."""
        return self._name_unread(name, self._values.decimal(self._value(name)))

    def day(self, name: str) -> date | None:
        """Return a field's day."""
        return self._name_unread(name, self._values.day(self._value(name)))

    def _value(self, name: str) -> Element | None:
        group = self._found.get(name)
        if group is None:
            return None
        return group.find("value") or (group if group.runs else None)

    def _name_unread(self, name: str, value: T) -> T:
        """Record an unreadable value under its field's name, not under `value`."""
        not_read = self._values.not_read
        if not_read and not_read[-1] == "value":
            not_read[-1] = name
        return value


def _owner(element: Element, values: Values) -> Owner:
    relationship = element.find("reportingOwnerRelationship") or Element("", {})
    roles = [role for name, role in _ROLES.items() if values.flag(relationship.find(name)) is True]
    title = values.text(relationship.find("officerTitle"))
    return Owner(
        cik=values.cik(element.find("reportingOwnerId", "rptOwnerCik")),
        name=values.text(element.find("reportingOwnerId", "rptOwnerName")) or "",
        roles=roles,
        title=title or values.text(relationship.find("otherText")),
    )


def _underlying(row: _Row) -> UnderlyingSecurity:
    return UnderlyingSecurity(
        security=row.text("underlyingSecurityTitle"),
        shares=row.decimal("underlyingSecurityShares"),
        exercise_price=row.decimal("conversionOrExercisePrice"),
        exercisable=row.day("exerciseDate"),
        expires=row.day("expirationDate"),
    )


def names_plan(footnote: str) -> bool:
    """Return True if a footnote says that the transaction was made under a plan of Rule 10b5-1."""
    return any(
        _PLAN.search(sentence) and not _NO_PLAN.search(sentence)
        for sentence in _SENTENCE_END.split(footnote)
    )


def _footnotes(element: Element, notes: dict[str, str]) -> list[Footnote]:
    marks = []
    for group in (element, *element.below()):
        for mark in group.all("footnoteId"):
            run = mark.attributes.get("id")
            if run is not None:
                field = _FIELDS.get(group.name, group.name)
                marks.append(Footnote(field, notes.get(run.text, "")))
    return marks[:MOST_FOOTNOTES]
