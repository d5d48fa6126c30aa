"""What the index `user_items` keeps of an alert trigger."""

from datetime import datetime
from typing import Literal

from msgspec import Struct

from edgar_search.stored.arrival import Place


class TriggerFilters(Struct, frozen=True):
    """What filings a trigger is about; an empty filter asks nothing."""

    cik: tuple[str, ...] = ()
    ticker: tuple[str, ...] = ()
    sic: tuple[str, ...] = ()
    form_type: tuple[str, ...] = ()


class StoredAlertTrigger(Struct, frozen=True, omit_defaults=True):
    """An alert trigger.

    It sees what arrives behind the place `after`, taken at `watching_since`: when it was made, last
    enabled, or last changed in what it matches. `word_forms` says whether words of the query also
    find their inflections.
    """

    name: str
    watching_since: datetime
    query: str | None = None
    filters: TriggerFilters = TriggerFilters()
    enabled: bool = True
    last_matched_at: datetime | None = None
    after: Place | None = None
    word_forms: Literal["exact", "all"] = "exact"

    def sees(self, place: Place) -> bool:
        """Whether what arrived at this place is behind the trigger's own.

        Places of different indices cannot be compared; then nothing is hidden from the trigger.
        """
        after = self.after
        return after is None or after.index != place.index or after.seq_no < place.seq_no
