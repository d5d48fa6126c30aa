"""The card above the hits of a search: the fact that answers the question, and its sources."""

from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

from edgar_search.api.answer import AuditorAnswer, FactAnswer, TradesAnswer
from edgar_search.api.insider_trades import InsiderRow
from edgar_search.api.number import FiledNumber
from edgar_search.api.stakes import Stake
from edgar_search.api.statements import Column
from edgar_search.web.pages.links import address
from edgar_search.web.pages.statements import period_name, place_address
from edgar_search.web.pages.templates import amount, day, plural, whole

# The most trades on a card; the company's page lists all of them.
_MOST_TRADES = 10
_ITEM_NAMES = {"eps_basic": "basic earnings per share", "eps_diluted": "diluted earnings per share"}
_SIDES = {"bought": "purchases by insiders", "sold": "sales by insiders", "": "insider trades"}
# Documents state amounts in one of these multiples.
_SCALES = (1_000_000, 1_000, 1)


class Link(NamedTuple):
    """A source of an answer, and its address."""

    text: str
    address: str


class Card(NamedTuple):
    """An answer as the page shows it; `trades` and `owners` are rows of a table below it."""

    cik: str
    company: str
    what: str
    value: str
    when: str
    links: Sequence[Link]
    trades: Sequence[InsiderRow] = ()
    owners: Sequence[Stake] = ()


def card_of(answer: FactAnswer) -> Card:
    """Make the card for an answer."""
    if answer.number is not None:
        return _number(answer, answer.number)
    if answer.trades is not None:
        return _trades(answer, answer.trades)
    if answer.auditor is not None:
        return _auditor(answer, answer.auditor)
    every = Link("all schedules", f"/company/{answer.cik}/stakes")
    newest = max(each.filing_date for each in answer.owners)
    when = f"by the newest schedule of each, the last filed {day(newest)}"
    what = "owners of more than five percent"
    count = plural(len(answer.owners), "schedule")
    return Card(answer.cik, answer.name, what, count, when, [every], owners=answer.owners)


def _number(answer: FactAnswer, filed: FiledNumber) -> Card:
    item = _ITEM_NAMES.get(filed.item, filed.item.replace("_", " "))
    what = f"{answer.part} {item}" if answer.part else item
    text = place_address(filed.place) or _in_text(answer.document_id, filed)
    links = [Link("in the filed text", text)]
    # A schedule of numbers is a document, and its filing has no statements as data.
    if filed.place or answer.document_id != filed.document_id:
        links.append(Link("in the filing's statements", f"/filing/{filed.accnum}#statements"))
    when = f"{period_name(Column(filed.start, filed.end))}, filed {day(filed.filing_date)}"
    return Card(answer.cik, answer.name, what, _amount(filed), when, links)


def _amount(filed: FiledNumber) -> str:
    currency, _, per = filed.unit.partition("/")
    sign, value = "−" if filed.value < 0 else "", f"{abs(filed.value):,f}"
    text = f"{sign}${value}" if currency == "USD" else f"{sign}{value} {currency}"
    return f"{text} per share" if per == "shares" else text


def _in_text(document_id: str, filed: FiledNumber) -> str:
    """Return the address of the number in its document, in one of the multiples it may use."""
    spelled: dict[str, None] = {}
    for scale in _SCALES if "/" not in filed.unit else (1,):
        scaled = abs(filed.value) / scale
        if scale == 1 or (scaled == int(scaled) and scaled >= 1):
            digits = f"{scaled.normalize():,f}"
            spelled |= {f'"{digits}"': None, f'"{digits.replace(",", "")}"': None}
    query = " OR ".join(spelled)
    return address(f"/document/{document_id}", query=query, word_forms="exact", match=1) + "#m1"


def _trades(answer: FactAnswer, found: TradesAnswer) -> Card:
    days = sorted(row.trade_date for row in found.items if row.trade_date)
    sums = [plural(len(found.items), "trade")]
    sums += [f"{amount(_short(found.shares))} shares"] if found.shares is not None else []
    sums += [f"${whole(found.value)}"] if found.value is not None else []
    when = day(days[0]) if days[0] == days[-1] else f"{day(days[0])} to {day(days[-1])}"
    links = [Link("all trades", f"/company/{answer.cik}/insiders")]
    return Card(
        answer.cik,
        answer.name,
        _SIDES[found.side],
        ", ".join(sums),
        when,
        links,
        trades=found.items[:_MOST_TRADES],
    )


def _auditor(answer: FactAnswer, auditor: AuditorAnswer) -> Card:
    firm = f"PCAOB firm {auditor.firm_id}" if auditor.firm_id else None
    name = ", ".join(filter(None, (auditor.name, auditor.location, firm)))
    period = f"the year ended {day(auditor.period)}" if auditor.period else ""
    year = f"fiscal year {auditor.fiscal_year}" if auditor.fiscal_year else period
    when = f"{year}, {auditor.form_type} filed {day(auditor.filing_date)}"
    links = [Link("the filing", f"/filing/{auditor.accnum}")]
    if (shown := place_address(auditor.place)) is not None:
        links.insert(0, Link("in the filed text", shown))
    return Card(answer.cik, answer.name, "auditor", name, when, links)


def _short(value: Decimal) -> Decimal:
    """Drop trailing zeros after the decimal point."""
    return value.to_integral_value() if value == value.to_integral_value() else value
