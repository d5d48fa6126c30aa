"""Which submissions a command is to take: by form type, CIK and filing date; pure."""

from collections.abc import Collection
from datetime import date

from msgspec import Struct


class FilingFilter(Struct, frozen=True):
    """A filter; what is None lets everything pass. Both dates belong to the range.

    Form types are in capitals and match exactly (`10-K` is not `10-K/A`), CIKs have 10 digits.
    """

    forms: frozenset[str] | None = None
    ciks: frozenset[str] | None = None
    from_date: date | None = None
    to_date: date | None = None

    @property
    def everything(self) -> bool:
        """Whether nothing is filtered."""
        return self == EVERYTHING

    def takes(self, form_type: str, ciks: Collection[str], filing_date: date) -> bool:
        """Whether a submission passes; one of its entities is enough."""
        return (
            (self.forms is None or form_type.upper() in self.forms)
            and (self.ciks is None or not self.ciks.isdisjoint(ciks))
            and (self.from_date is None or filing_date >= self.from_date)
            and (self.to_date is None or filing_date <= self.to_date)
        )


EVERYTHING = FilingFilter()
