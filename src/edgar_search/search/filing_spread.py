"""How the filings of a company spread over form types and years."""

from typing import NamedTuple

from msgspec import Struct, field

from edgar_search.engine.engine import Engine
from edgar_search.engine.replies import decode
from edgar_search.search.bodies.filings import spread_body


class FormYears(NamedTuple):
    """A form type with the number of filings of each year of filing that has any."""

    form_type: str
    years: dict[int, int]

    @property
    def total(self) -> int:
        return sum(self.years.values())


class _Year(Struct):
    year: str = field(name="key_as_string")
    number: int = field(name="doc_count")


class _Years(Struct):
    buckets: list[_Year]


class _Form(Struct):
    key: str
    years: _Years


class _Forms(Struct):
    buckets: list[_Form]


class _Spread(Struct):
    forms: _Forms


async def spread_of(engine: Engine, cik: str, account: str) -> list[FormYears]:
    """The form types of a company's filings, the commonest first; one engine request."""
    reply = await engine.search("filings", spread_body(cik), Struct, account=account)
    forms = decode(bytes(reply.aggregations), _Spread).forms.buckets
    return [
        FormYears(form.key, {int(each.year): each.number for each in form.years.buckets})
        for form in forms
    ]
